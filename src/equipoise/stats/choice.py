"""Bradley-Terry strengths from votes between two systems: ties, order effect, errors by prompt."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import coo_array, csr_array, vstack

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.choice_counts import FloatArray, PairTable, Votes, tabulate
from equipoise.stats.choice_existence import finite_fit_exists, is_separated
from equipoise.stats.choice_newton import ChoiceModel, Maximum, cell_moments, information, maximise
from equipoise.stats.choice_sandwich import PromptErrors, prompt_errors

Ties = Literal["half", "davidson", "refuse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceFit:
    """Strengths on the logit scale, relative to the first system.

    Attributes:
        systems: names, the reference first.
        ability: ``(n_systems,)`` strengths; the reference has 0.
        covariance: ``(n_systems, n_systems)`` of the strengths, row and column of the reference 0;
            use `differences` and never a bar around a single system.
        se: ``(n_systems,)`` standard errors of the differences to the reference (its own is 0 by
            definition and no certainty).
        order_effect: advantage, in logits, of being shown first; None where it is not in the model.
        order_se: its standard error.
        log_nu: log of Davidson's tie parameter; None where it is not in the model.
        log_nu_se: its standard error.
        loglik: log likelihood at the maximum.
        n_votes: votes used, ties included.
        n_prompts: prompts behind the errors; None for errors from Fisher information, which hold
            only if every vote is on its own prompt.
        df: degrees of freedom of the errors: prompts - 1 where all prompts weigh the same, fewer
            where some hold most votes (below 4 they are a rough guide); None for a normal limit.
        method: how the strengths and errors were found, in words.
        converged: always True: a fit that does not settle raises.
        steps: Newton steps taken.
    """

    systems: tuple[str, ...]
    ability: FloatArray
    covariance: FloatArray
    se: FloatArray
    order_effect: float | None
    order_se: float | None
    log_nu: float | None
    log_nu_se: float | None
    loglik: float
    n_votes: float
    n_prompts: int | None
    df: float | None
    method: str
    converged: bool
    steps: int


def fit_counts(table: PairTable, *, ties: Ties = "half", order: bool = False) -> ChoiceFit:
    """Bradley-Terry strengths from counted votes, with errors from Fisher information.

    Use these errors only where each vote stands on a prompt of its own; several votes on one
    prompt want `fit_votes`.

    Args:
        table: counted votes.
        ties: ``half`` counts a tie as half a win for each; ``davidson`` gives ties a parameter of
            their own; ``refuse`` takes no tie.
        order: whether being shown first has an effect of its own.

    Raises:
        NotEstimable: groups that were never compared (``disconnected``), a system or group that
            never loses or never wins (``separation``), an order effect that cannot be told from
            the strengths (``singular``), no tie at all under ``davidson`` (``no_ties``), or no
            convergence.
        InputError: a tie under ``refuse`` (``tie``).

    Source: Bradley & Terry (1952), Biometrika 39, 324-345; Ford (1957) for existence; Davidson
    (1970), JASA 65, 317-328, for ties; Agresti, Categorical Data Analysis (2013), 11.6, for the
    order effect.

    >>> from equipoise.stats.choice_counts import pair_table
    >>> table = pair_table([("A", "B", 7, 3), ("A", "C", 6, 4), ("B", "C", 5, 5)])
    >>> fit_counts(table).ability.round(3).tolist()
    [0.0, -0.689, -0.551]
    """
    model = _checked_model(table, ties, order=order)
    found = maximise(table, model)
    return _fit(table, model, found, _inverse(found.information))


def fit_votes(votes: Votes, *, ties: Ties = "half", order: bool = False) -> ChoiceFit:
    """Bradley-Terry strengths from single votes, with errors clustered by prompt.

    Votes on one prompt, whoever cast them, hang together: the sandwich sums the scores within each
    prompt before squaring, corrects for few and unequal prompts, and limits use t with degrees of
    freedom to match (see `equipoise.stats.choice_sandwich`). Repetitions of a prompt are no new
    prompts.

    Args:
        votes: single votes; one million take well under a second.
        ties: as in `fit_counts`.
        order: as in `fit_counts`.

    Raises:
        NotEstimable: as `fit_counts`; also a single prompt (``one_cluster``), or prompts that all
            hold the same balance of votes, so that nothing can be said about the spread
            (``no_spread``).
        InputError: as `fit_counts`.

    Source: Liang & Zeger (1986), Biometrika 73, 13-22; Bell & McCaffrey (2002), Survey
    Methodology 28, 169-181.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> votes = Votes(systems=("A", "B"), first=np.zeros(60, int), second=np.ones(60, int),
    ...     outcome=rng.choice(np.array([1, -1], dtype=np.int8), 60), prompt=np.arange(60) // 3)
    >>> round(fit_votes(votes).df, 6)
    19.0
    """
    table = tabulate(votes)
    model = _checked_model(table, ties, order=order)
    found = maximise(table, model)
    inverse = _inverse(found.information)
    errors = prompt_errors(votes, table, model, found.parameters, inverse)
    floor = 1e-12 * np.abs(np.diag(inverse)[1:])
    if (np.diag(errors.covariance)[1:] <= floor).any():
        raise NotEstimable(
            "every prompt holds the same balance of votes: no spread over prompts to see",
            code="no_spread",
        )
    return _fit(table, model, found, errors)


def _checked_model(table: PairTable, ties: Ties, *, order: bool) -> ChoiceModel:
    n_ties = float(table.ties.sum())
    if ties == "refuse" and n_ties:
        raise InputError(
            f"{n_ties:g} ties", wanted="votes without ties", mend="say how ties count", code="tie"
        )
    if not (found := finite_fit_exists(table)).exists:
        raise NotEstimable(found.reason, code=found.code)
    model = ChoiceModel(order=order, davidson=ties == "davidson")
    if model.davidson and not n_ties:
        raise NotEstimable("no tie was seen: nu has no finite log", code="no_ties")
    if not model.n_extra:
        return model
    start = np.zeros(len(table.systems) + model.n_extra)
    size = np.linalg.eigvalsh(information(table, model, cell_moments(table, model, start))[1:, 1:])
    if size[0] < 1e-10 * size[-1]:
        raise NotEstimable(
            "the order effect cannot be told from the strengths: pairs were shown in one order",
            code="singular",
        )
    if not _all_outcomes_seen(table, model) and is_separated(_contrasts(table, model)):
        raise NotEstimable(
            "separation: outcomes that never occur let the order or tie effect run to infinity",
            code="separation",
        )
    return model


def _all_outcomes_seen(table: PairTable, model: ChoiceModel) -> bool:
    """Whether each cell saw every outcome, so that no direction can be free (spares the search)."""
    half = 0.0 if model.davidson else table.ties
    seen = (table.first_wins + half > 0) & (table.second_wins + half > 0)
    return bool(seen.all()) and not (model.davidson and (table.ties == 0).any())


def _contrasts(table: PairTable, model: ChoiceModel) -> csr_array:
    """Features of each outcome that was seen less those of each outcome that was possible."""
    n, cells = len(table.systems), np.arange(len(table.first))
    ones = np.ones(len(cells))
    entries = [(table.first, ones), (table.second, -ones)]
    if model.order:
        entries.append((np.full(len(cells), n), ones))
    columns = np.concatenate([column for column, _ in entries])
    values = np.concatenate([value for _, value in entries])
    shape = (len(cells), n + model.n_extra)
    d = csr_array(coo_array((values, (np.tile(cells, len(entries)), columns)), shape=shape))
    first, second, tie = table.first_wins > 0, table.second_wins > 0, table.ties > 0
    if not model.davidson:
        return csr_array(vstack([d[first | tie], -d[second | tie]])[:, 1:])
    last = np.full(len(cells), n + model.n_extra - 1)
    nu = csr_array(coo_array((ones, (cells, last)), shape=shape))
    rows = [d[first], -d[second], (d / 2 - nu)[first], (-d / 2 - nu)[second]]
    rows += [(nu - d / 2)[tie], (nu + d / 2)[tie]]
    return csr_array(vstack(rows, format="csr")[:, 1:])


def _inverse(information_matrix: FloatArray) -> FloatArray:
    full = np.zeros_like(information_matrix)
    full[1:, 1:] = np.linalg.inv(information_matrix[1:, 1:])
    return full


def _fit(
    table: PairTable,
    model: ChoiceModel,
    found: Maximum,
    errors_found: FloatArray | PromptErrors,
) -> ChoiceFit:
    n = len(table.systems)
    by_prompt = errors_found if isinstance(errors_found, PromptErrors) else None
    covariance = errors_found.covariance if isinstance(errors_found, PromptErrors) else errors_found
    errors = np.sqrt(np.diag(covariance))
    tie_words = "Davidson ties" if model.davidson else "ties as half wins"
    error_words = (
        "sandwich over prompts (scalar CR2), t with Satterthwaite df"
        if by_prompt
        else "Fisher information"
    )
    return ChoiceFit(
        systems=table.systems,
        ability=found.parameters[:n],
        covariance=covariance[:n, :n],
        se=errors[:n],
        order_effect=float(found.parameters[n]) if model.order else None,
        order_se=float(errors[n]) if model.order else None,
        log_nu=float(found.parameters[-1]) if model.davidson else None,
        log_nu_se=float(errors[-1]) if model.davidson else None,
        loglik=found.loglik,
        n_votes=table.n_votes,
        n_prompts=by_prompt.n_prompts if by_prompt else None,
        df=by_prompt.df if by_prompt else None,
        method=f"Bradley-Terry by Newton, {tie_words}, errors: {error_words}",
        converged=True,
        steps=found.steps,
    )
