"""Where the spread comes from: units, repetitions, raters; how many independent votes remain."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtri

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.estimates import Interval
from equipoise.stats.inputs import confidence, pairs, positive, sample, shares, units


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceComponents:
    """The spread of repeated unit results, taken apart.

    Attributes:
        mean: mean of the unit means.
        sd_within: standard deviation between repetitions of one unit, pooled over units.
        sd_of_unit_means: standard deviation between unit means; repetition noise is inside.
        se_of_mean: ``sd_of_unit_means / sqrt(n)``: the only one that enters a comparison.
        variance_between: variance of the unit means minus the share of repetition noise; may come
            out below 0 where units differ by less than repetitions do.
        icc: share of the variance of one repetition that is between units; None where nothing
            varies at all.
        n: number of units.
        n_repetitions: number of repetitions in all.
    """

    mean: float
    sd_within: float
    sd_of_unit_means: float
    se_of_mean: float
    variance_between: float
    icc: float | None
    n: int
    n_repetitions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterVariance:
    """Variance of one rating, from pairs of ratings of the same thing.

    Attributes:
        variance: ``sum (a - b)^2 / (2 m)``.
        sd: its root.
        interval: of the variance, for normal rating errors; None where all pairs agree, since a
            variance of 0 found in few pairs is no certainty.
        n: number of double ratings.
    """

    variance: float
    sd: float
    interval: Interval | None
    n: int


def variance_components(results: Sequence[ArrayLike]) -> VarianceComponents:
    """One-way random-effects components of unit results with repetitions.

    Units may have different numbers of repetitions; each unit mean counts once.

    Args:
        results: per unit, the results of its repetitions.

    Raises:
        InputError: NaN, infinite values, or a unit without any repetition.
        NotEstimable: fewer than 2 units, or no unit with 2 repetitions (then the spread between
            repetitions does not exist).

    >>> c = variance_components([[0, 1, 0], [1, 1, 1], [0, 0, 0], [1, 1, 0], [0, 0, 1]])
    >>> round(c.icc, 2)
    0.28
    """
    if len(results) < 2:
        raise NotEstimable(f"{len(results)} units, at least 2 needed", code="too_few")
    rows = [sample(row, f"unit {index}", least=0) for index, row in enumerate(results)]
    empty = [index for index, row in enumerate(rows) if row.size == 0]
    if empty:
        raise InputError(
            f"unit {empty[0]} has no repetition",
            wanted="at least one result per unit",
            mend="leave the unit out and count it as missing",
        )
    sizes = np.array([row.size for row in rows], dtype=np.float64)
    means = np.array([row.mean() for row in rows])
    squares = sum(float(np.square(row - row.mean()).sum()) for row in rows)
    spare = float(sizes.sum()) - len(rows)
    if spare < 1:
        raise NotEstimable(
            "no unit has 2 repetitions, so the spread between repetitions does not exist",
            code="no_repetitions",
        )
    within = squares / spare
    of_means = float(means.var(ddof=1))
    between = of_means - within * float((1.0 / sizes).mean())
    whole = between + within
    return VarianceComponents(
        mean=float(means.mean()),
        sd_within=math.sqrt(within),
        sd_of_unit_means=math.sqrt(of_means),
        se_of_mean=math.sqrt(of_means / len(rows)),
        variance_between=between,
        icc=between / whole if whole > 0 else None,
        n=len(rows),
        n_repetitions=int(sizes.sum()),
    )


def rater_variance(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> RaterVariance:
    """The variance of one rating, with its own interval.

    Args:
        first: one rating of each twice-rated thing.
        second: the other rating.
        level: confidence level of the interval.

    Raises:
        InputError: unequal lengths, NaN, or a level not in (0, 1).
        NotEstimable: no double rating.

    Source: Dahlberg (1940), Statistical Methods for Medical and Biological Students.

    >>> round(rater_variance([0.2, 0.5, 0, 0.8, 0.4], [0.3, 0.5, 0.1, 0.6, 0.4]).variance, 4)
    0.006
    """
    a, b = pairs(first, second, least=1)
    variance = float(np.square(a - b).mean()) / 2.0
    tail = (1.0 - confidence(level)) / 2.0
    interval = None
    if variance > 0:
        interval = Interval(
            lo=a.size * variance / float(chdtri(a.size, tail)),
            hi=a.size * variance / float(chdtri(a.size, 1.0 - tail)),
            level=level,
        )
    return RaterVariance(variance=variance, sd=math.sqrt(variance), interval=interval, n=a.size)


def augmented_sd(values: ArrayLike) -> float:
    """The standard deviation after adding one 0 and one 1: never 0, whatever the pilot showed.

    A pilot of 20 zeros gives 0.213 and not 0; for planning use the larger of this and the plain
    standard deviation.

    Raises:
        InputError: a value outside [0, 1], or NaN.
        NotEstimable: no value.

    >>> round(augmented_sd([0.0] * 20), 4)
    0.2132
    """
    array = shares(values, "x", least=1)
    return float(np.concatenate([array, [0.0, 1.0]]).std(ddof=1))


def effective_votes(n: float, correlation: float) -> float:
    """How many independent votes ``n`` correlated ones are worth: ``n / (1 + (n - 1) rho)``.

    Raises:
        InputError: a correlation outside [-1, 1].
        NotEstimable: no vote, or a correlation so negative that no such votes exist.

    >>> effective_votes(9, 0.4375)
    2.0
    """
    votes = units(n, "n_judges_or_repeats", least=1)
    if not -1.0 <= correlation <= 1.0:
        raise InputError(
            f"correlation = {correlation}",
            wanted="a number from -1 to 1",
            where="field 'mean_pairwise_correlation'",
        )
    shared = 1.0 + (votes - 1) * correlation
    if shared <= 0.0:
        raise NotEstimable(
            f"{votes} votes cannot all correlate at {correlation:g}: the least possible is "
            f"{-1 / (votes - 1):.3g}",
            code="impossible",
        )
    return votes / shared


def best_repetitions(
    components: VarianceComponents, *, unit_cost: float, repetition_cost: float
) -> float:
    """The number of repetitions a unit that estimates a mean best for the money spent.

    ``sqrt(unit_cost / repetition_cost * within / between)``, at least 1; in real agent data close
    to 1, since most spread is between units.

    Raises:
        InputError: a cost that is negative, or a repetition that costs nothing.
        NotEstimable: no spread between units.

    Source: Cochran (1977), Sampling Techniques, section 10.6.

    >>> c = variance_components([[0, 1, 0], [1, 1, 1], [0, 0, 0], [1, 1, 0], [0, 0, 1]])
    >>> round(best_repetitions(c, unit_cost=2, repetition_cost=1), 2)
    2.27
    """
    if components.variance_between <= 0:
        raise NotEstimable("units do not differ beyond repetition noise", code="degenerate")
    ratio = positive(unit_cost, "unit_cost", zero=True) / positive(
        repetition_cost, "repetition_cost"
    )
    return max(1.0, math.sqrt(ratio * components.sd_within**2 / components.variance_between))
