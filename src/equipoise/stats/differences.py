"""The difference of two means by Student's t: matched, independent (Welch), partly matched."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.estimates import Estimate, Interval
from equipoise.stats.inputs import count, pairs, positive, refuse_constant, sample, units
from equipoise.stats.intervals import t_quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class TDifference(Estimate):
    """New minus base with Student's interval and the two-sided p-value for no difference."""

    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanAndSe:
    """An estimate before its interval: ``value``, ``se``, ``df``, and the number of units ``n``."""

    value: float
    se: float
    df: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapSe:
    """Standard errors of a difference whose arms share some units.

    Attributes:
        se: with the shared units taken into account.
        se_independent: as if no unit were shared.
    """

    se: float
    se_independent: float


def paired_t(new: ArrayLike, base: ArrayLike, *, level: float = 0.95) -> TDifference:
    """New minus base over matched units, with Student's interval.

    Covers poorly where changes are rare (18 % instead of 95 % at worst); for values on [0, 1] use
    :func:`equipoise.stats.mover.paired_difference`.

    Raises:
        InputError: unequal lengths, a value that is NaN or infinite, a level not in (0, 1).
        NotEstimable: fewer than 2 pairs, or all differences equal (code ``degenerate``): a spread
            of 0 is no certainty.

    >>> round(paired_t([0.5, 0.7, 0.9], [0.4, 0.7, 0.6]).value, 3)
    0.133
    """
    return _with_t(paired_mean(new, base), level, "paired t")


def welch_t(new: ArrayLike, base: ArrayLike, *, level: float = 0.95) -> TDifference:
    """New minus base for independent samples, with Welch's interval.

    Raises:
        InputError: a value that is NaN or infinite, or a level not in (0, 1).
        NotEstimable: fewer than 2 units in an arm, or both arms constant (code ``degenerate``).

    Source: Welch (1947), Biometrika 34, 28-35; degrees of freedom after Satterthwaite (1946).

    >>> round(welch_t([0.5, 0.7, 0.9], [0.4, 0.7, 0.6, 0.5]).df, 2)
    3.23
    """
    return _with_t(welch_mean(new, base), level, "Welch t")


def paired_mean(new: ArrayLike, base: ArrayLike) -> MeanAndSe:
    """The mean of the differences of matched units, with its standard error.

    Raises:
        InputError, NotEstimable: as :func:`paired_t`.

    >>> round(paired_mean([1, 0, 1], [0, 0, 0]).se, 4)
    0.3333
    """
    first, second = pairs(new, base)
    d = first - second
    refuse_constant(d, "new - base", scale=float(max(np.abs(first).max(), np.abs(second).max())))
    return MeanAndSe(
        value=float(d.mean()),
        se=float(d.std(ddof=1)) / math.sqrt(d.size),
        df=float(d.size - 1),
        n=d.size,
    )


def welch_mean(new: ArrayLike, base: ArrayLike) -> MeanAndSe:
    """The difference of two independent means, with Welch's standard error and df.

    Raises:
        InputError, NotEstimable: as :func:`welch_t`.

    >>> round(welch_mean([0, 1, 1], [0, 0, 1]).value, 4)
    0.3333
    """
    one, two = sample(new, "new"), sample(base, "base")
    scale = float(max(np.abs(one).max(), np.abs(two).max()))
    refuse_constant(np.concatenate([one - one[0], two - two[0]]), "both arms", scale=scale)
    part1, part2 = float(one.var(ddof=1)) / one.size, float(two.var(ddof=1)) / two.size
    variance = part1 + part2
    df = variance**2 / (part1**2 / (one.size - 1) + part2**2 / (two.size - 1))
    return MeanAndSe(
        value=float(one.mean() - two.mean()),
        se=math.sqrt(variance),
        df=df,
        n=min(one.size, two.size),
    )


def overlap_se(
    sds: tuple[float, float], ns: tuple[float, float], *, n_shared: float, correlation: float
) -> OverlapSe:
    """Standard error of new minus base where the arms share some units.

    ``Var = s1^2 / n1 + s0^2 / n0 - 2 m r s1 s0 / (n1 n0)``.

    Args:
        sds: standard deviations between units of the new and of the base arm.
        ns: numbers of units of the new and of the base arm.
        n_shared: units in both arms.
        correlation: of the two arms over the shared units.

    Raises:
        InputError: a value outside its range, more shared units than an arm has.
        NotEstimable: fewer than 2 units in an arm, or no spread left (code ``degenerate``).

    >>> round(overlap_se((0.3, 0.28), (100, 120), n_shared=80, correlation=0.6).se, 4)
    0.0297
    """
    s1, s0 = (positive(s, f"sd_{arm}", zero=True) for s, arm in zip(sds, _ARMS, strict=True))
    n1, n0 = (units(n, f"n_{arm}") for n, arm in zip(ns, _ARMS, strict=True))
    m = count(n_shared, "n_shared_units", most=min(n1, n0), most_name="units of an arm")
    if not -1.0 <= correlation <= 1.0:
        raise InputError(
            f"correlation = {correlation}",
            wanted="a number from -1 to 1",
            where="field 'correlation_on_shared'",
        )
    apart = s1**2 / n1 + s0**2 / n0
    variance = apart - 2.0 * m * correlation * s1 * s0 / (n1 * n0)
    if variance <= 1e-15 * apart or apart == 0.0:
        raise NotEstimable(
            "the difference has no spread: a standard error of 0 is no certainty",
            code="degenerate",
        )
    return OverlapSe(se=math.sqrt(variance), se_independent=math.sqrt(apart))


_ARMS = ("new", "base")


def _with_t(mean: MeanAndSe, level: float, method: str) -> TDifference:
    half = t_quantile(level, mean.df) * mean.se
    return TDifference(
        value=mean.value,
        interval=Interval(lo=mean.value - half, hi=mean.value + half, level=level),
        n=mean.n,
        method=method,
        se=mean.se,
        df=mean.df,
        p=float(2.0 * stdtr(mean.df, -abs(mean.value) / mean.se)),
    )
