"""The difference of two weighted means over the same strata, with guarded limits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.estimates import Interval
from equipoise.stats.inputs import normal_quantile
from equipoise.stats.intervals import Moments
from equipoise.stats.mover import difference_limits


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedDifference:
    """New minus base over strata, with its guarded interval."""

    value: float
    interval: Interval
    weights: NDArray[np.float64]


def weighted_difference(
    new: Moments,
    base: Moments,
    weights: ArrayLike,
    *,
    level: float,
    correlation: ArrayLike = 0.0,
    critical: float | None = None,
) -> WeightedDifference:
    """The weighted mean of the strata's differences.

    MOVER for a sum: the distances of each stratum's limits from its estimate are weighted and
    joined in squares, since strata are independent. Never of zero width.

    Args:
        new: moments of the new arm, shape ``(n_strata,)``.
        base: moments of the base arm.
        weights: of the strata, 0 or more; normalised here.
        level: of the interval.
        correlation: of the two means in each stratum.
        critical: value in place of the level's normal quantile, such as that of a planned look;
            the level is then only what is written beside the interval.

    Raises:
        InputError: a negative weight.
        NotEstimable: no stratum has a weight (code ``no_weight``).

    Source: Zou, Taleban and Huo (2009), Computational Statistics & Data Analysis 53, 3755-3764,
    equations 5 and 6.

    >>> both = Moments.of([100, 100], [0.2, 0.4], [9, 9])
    >>> d = weighted_difference(both, both, [1, 3], level=0.9)
    >>> d.value, round(d.interval.hi, 3)
    (0.0, 0.056)
    """
    given = np.asarray(weights, dtype=np.float64)
    if bool((given < 0).any()):
        raise InputError("a stratum has a negative weight", wanted="weights of 0 or more")
    total = float(given.sum())
    if total == 0.0:
        raise NotEstimable("no stratum has a weight", code="no_weight")
    share = given / total
    delta = new.mean - base.mean
    z = normal_quantile(level) if critical is None else critical
    low, high = difference_limits(new, base, z, correlation=correlation)
    value = float((share * delta).sum())
    down = float(np.sqrt(((share * (delta - low)) ** 2).sum()))
    up = float(np.sqrt(((share * (high - delta)) ** 2).sum()))
    return WeightedDifference(
        value=value,
        interval=Interval(lo=max(value - down, -1.0), hi=min(value + up, 1.0), level=level),
        weights=share,
    )
