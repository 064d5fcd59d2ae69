"""Scores of a whole suite: weighted partitions, the loss of one unit, bounds for missing runs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from equipoise.errors import InputError, NotEstimable, nearest
from equipoise.stats.inputs import positive, units

_LEAST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """One partition of a suite: its weight, mean loss, spread between units, number of units."""

    weight: float
    loss: float
    sd: float
    n: float
    is_scored: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteScore:
    """The weighted mean over the scored partitions.

    Attributes:
        score: weighted mean loss, weights renormalised over the scored partitions.
        se: standard error for independent partitions.
        covered: share of all weight that the scored partitions hold.
        n: units in the scored partitions.
        flags: ``zero_spread`` where a partition has a spread of 0, which understates ``se``.
    """

    score: float
    se: float
    covered: float
    n: int
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitLoss:
    """The loss of one unit, and the share of the catalogue's weight it was computed from."""

    loss: float
    covered: float
    clipped: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingBounds:
    """The lowest and highest mean that the missing runs still allow."""

    lowest: float
    highest: float


def suite_score(strata: Sequence[Stratum]) -> SuiteScore:
    """The weighted mean loss of a suite with its standard error.

    ``sum w loss`` and ``sqrt(sum w^2 sd^2 / n)`` with weights normalised to 1 over the scored
    partitions; oversampling a partition does not shift the score.

    Raises:
        InputError: a negative weight or spread, a loss outside [0, 1].
        NotEstimable: no scored partition with weight, or one with fewer than 2 units.

    >>> s = suite_score([Stratum(weight=2, loss=0.5, sd=0.4, n=100),
    ...                  Stratum(weight=6, loss=0.1, sd=0.2, n=100)])
    >>> round(s.score, 3), round(s.se, 4)
    (0.2, 0.018)
    """
    for index, stratum in enumerate(strata):
        positive(stratum.weight, f"partitions[{index}].weight", zero=True)
    scored = [s for s in strata if s.is_scored and s.weight > 0]
    if not scored:
        raise NotEstimable("no scored partition has a weight above 0", code="no_weight")
    total = math.fsum(s.weight for s in scored)
    n, score, variance = 0, 0.0, 0.0
    for index, stratum in enumerate(scored):
        if not 0.0 <= stratum.loss <= 1.0:
            raise InputError(
                f"partitions[{index}].loss = {stratum.loss}", wanted="a loss on [0, 1]"
            )
        size = units(stratum.n, f"partitions[{index}].n", least=_LEAST)
        share = stratum.weight / total
        score += share * stratum.loss
        variance += (
            share**2 * positive(stratum.sd, f"partitions[{index}].sd", zero=True) ** 2 / size
        )
        n += size
    return SuiteScore(
        score=score,
        se=math.sqrt(variance),
        covered=total / math.fsum(s.weight for s in strata),
        n=n,
        flags=("zero_spread",) if any(s.sd == 0 for s in scored) else (),
    )


def unit_loss(weights: Mapping[str, float], values: Mapping[str, float | None]) -> UnitLoss:
    """The loss of one unit: ``sum w min(value, 1) / sum w`` over the categories that have a value.

    Args:
        weights: weight of each category of the catalogue, above 0.
        values: raw value over its maximum, per category; None or absent where it could not be
            evaluated, which is not 0. Values above 1 are clipped and named.

    Raises:
        InputError: a value for an unknown category, a negative value, a weight not above 0.
        NotEstimable: no category has a value.

    >>> round(unit_loss({"wrong_arg": 0.3, "tone": 0.1}, {"wrong_arg": 1, "tone": 0}).loss, 9)
    0.75
    """
    for name, weight in weights.items():
        positive(weight, f"category_weights.{name}")
    for name in values:
        if name not in weights:
            hint = nearest(name, list(weights)) or f"the catalogue has {', '.join(weights)}"
            raise InputError(f"unknown category {name!r}", mend=hint)
    known = {name: value for name, value in values.items() if value is not None}
    if not known:
        raise NotEstimable("no category could be evaluated", code="not_evaluable")
    lost = math.fsum(
        weights[name] * min(1.0, positive(value, f"category_values_over_max.{name}", zero=True))
        for name, value in known.items()
    )
    held = math.fsum(weights[name] for name in known)
    return UnitLoss(
        loss=lost / held,
        covered=held / math.fsum(weights.values()),
        clipped=tuple(name for name, value in known.items() if value > 1),
    )


def missing_bounds(mean: float, completion: float) -> MissingBounds:
    """The range of the mean on [0, 1] that missing runs allow, whatever they would have shown.

    Args:
        mean: mean over the completed runs.
        completion: share of the planned runs that completed.

    Raises:
        InputError: a value outside [0, 1].
        NotEstimable: nothing completed.

    Source: Manski (1990), American Economic Review 80, 319-323.

    >>> bounds = missing_bounds(0.18, 0.94)
    >>> round(bounds.lowest, 4), round(bounds.highest, 4)
    (0.1692, 0.2292)
    """
    for name, value in (("loss_over_completed", mean), ("completion_rate", completion)):
        if not 0.0 <= value <= 1.0:
            raise InputError(
                f"{name} = {value}", wanted="a number on [0, 1]", where=f"field '{name}'"
            )
    if completion == 0.0:
        raise NotEstimable("no run completed", code="too_few")
    return MissingBounds(lowest=mean * completion, highest=mean * completion + (1.0 - completion))
