"""Newton's method for choice models between two systems, on counts per ordered pair."""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_expit, logsumexp

from equipoise.errors import NotEstimable
from equipoise.stats.choice_counts import FloatArray, PairTable

_MOST_STEPS = 100
_STEP_TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceModel:
    """Which parameters stand behind the strengths: ``order`` effect, Davidson ``nu`` for ties."""

    order: bool
    davidson: bool

    @property
    def n_extra(self) -> int:
        """Parameters that are no strengths."""
        return int(self.order) + int(self.davidson)


@dataclass(frozen=True, slots=True, kw_only=True)
class Maximum:
    """Where the likelihood is greatest.

    Attributes:
        parameters: ``(n_systems + n_extra,)``: strengths (the first system 0), then the order
            effect and log nu where the model has them.
        information: ``(n_systems + n_extra,) * 2`` Fisher information, the first row included.
        loglik: log likelihood; a half-win tie counts half the log of each outcome.
        steps: Newton steps taken.
    """

    parameters: FloatArray
    information: FloatArray
    loglik: float
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CellMoments:
    """Per cell: log chances and moments of ``w`` (1/2 first, -1/2 second, 0 tie) and of the tie.

    ``tie_mean``, ``cross`` and ``tie_variance`` are 0 in a model without ties.
    """

    loglik: float
    mean: FloatArray
    variance: FloatArray
    tie_mean: FloatArray
    cross: FloatArray
    tie_variance: FloatArray


def maximise(table: PairTable, model: ChoiceModel) -> Maximum:
    """The maximum of the concave likelihood by Newton steps, halved where they overshoot.

    The chances of the outcomes first, second, tie are proportional to exp(d/2), exp(-d/2) and nu
    with d the difference of the strengths plus the order effect; without nu a tie is half a win.

    Raises:
        NotEstimable: the information is singular (``singular``) or the steps do not settle
            (``no_convergence``).
    """
    n = len(table.systems) + model.n_extra
    parameters = np.zeros(n)
    moments = cell_moments(table, model, parameters)
    for step_number in range(1, _MOST_STEPS + 1):
        step = np.zeros(n)
        step[1:] = _solve(
            information(table, model, moments)[1:, 1:], _gradient(table, model, moments)[1:]
        )
        size, before = 1.0, moments.loglik
        while size > 1e-9:
            moments = cell_moments(table, model, parameters + size * step)
            if moments.loglik >= before - 1e-12 * abs(before):
                break
            size /= 2.0
        parameters = parameters + size * step
        if np.abs(size * step).max() < _STEP_TOLERANCE * max(1.0, np.abs(parameters).max()):
            return Maximum(
                parameters=parameters,
                information=information(table, model, moments),
                loglik=moments.loglik,
                steps=step_number,
            )
    raise NotEstimable(
        f"Newton's method did not settle in {_MOST_STEPS} steps", code="no_convergence"
    )


def cell_moments(table: PairTable, model: ChoiceModel, parameters: FloatArray) -> CellMoments:
    """The chances and moments of the outcomes in each cell at ``parameters``."""
    n = len(table.systems)
    d = parameters[table.first] - parameters[table.second]
    if model.order:
        d = d + parameters[n]
    zero = np.zeros_like(d)
    if not model.davidson:
        log_first, log_second = log_expit(d), log_expit(-d)
        first = np.exp(log_first)
        ties = table.ties / 2.0
        loglik = (table.first_wins + ties) @ log_first + (table.second_wins + ties) @ log_second
        return CellMoments(
            loglik=float(loglik),
            mean=first - 0.5,
            variance=first * np.exp(log_second),
            tie_mean=zero,
            cross=zero,
            tie_variance=zero,
        )
    logits = np.stack([d / 2.0, -d / 2.0, np.full_like(d, parameters[-1])])
    logs = logits - logsumexp(logits, axis=0)
    first, second, tie = np.exp(logs)
    mean = (first - second) / 2.0
    loglik = table.first_wins @ logs[0] + table.second_wins @ logs[1] + table.ties @ logs[2]
    return CellMoments(
        loglik=float(loglik),
        mean=mean,
        variance=(first + second) / 4.0 - mean**2,
        tie_mean=tie,
        cross=-mean * tie,
        tie_variance=tie * (1.0 - tie),
    )


def information(table: PairTable, model: ChoiceModel, moments: CellMoments) -> FloatArray:
    """The Fisher information, ``(n_systems + n_extra,) * 2``."""
    n = len(table.systems)
    votes = table.first_wins + table.second_wins + table.ties
    weight = votes * moments.variance
    full = np.zeros((n + model.n_extra, n + model.n_extra))
    pairs = np.bincount(table.first * n + table.second, weight, n * n).reshape(n, n)
    full[:n, :n] = -(pairs + pairs.T)
    full[np.arange(n), np.arange(n)] = pairs.sum(axis=0) + pairs.sum(axis=1)
    if model.order:
        _border(full, n, _signed(table, weight), float(weight.sum()))
    if model.davidson:
        cross = votes * moments.cross
        _border(full, -1, _signed(table, cross), float(votes @ moments.tie_variance))
        if model.order:
            full[n, -1] = full[-1, n] = cross.sum()
    return full


def _gradient(table: PairTable, model: ChoiceModel, moments: CellMoments) -> FloatArray:
    votes = table.first_wins + table.second_wins + table.ties
    residual = (table.first_wins - table.second_wins) / 2.0 - votes * moments.mean
    extra = [residual.sum()] if model.order else []
    if model.davidson:
        extra.append((table.ties - votes * moments.tie_mean).sum())
    return np.concatenate([_signed(table, residual), np.asarray(extra, dtype=np.float64)])


def _signed(table: PairTable, per_cell: FloatArray) -> FloatArray:
    n = len(table.systems)
    added = np.bincount(table.first, per_cell, n) - np.bincount(table.second, per_cell, n)
    return np.asarray(added, dtype=np.float64)


def _border(full: FloatArray, place: int, column: FloatArray, corner: float) -> None:
    full[: len(column), place] = full[place, : len(column)] = column
    full[place, place] = corner


def _solve(matrix: FloatArray, right: FloatArray) -> FloatArray:
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise NotEstimable(
            "the votes do not tell the parameters apart (singular information)", code="singular"
        ) from error
