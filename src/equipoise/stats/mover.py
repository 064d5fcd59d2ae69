"""Intervals for the difference of two means on [0, 1]: MOVER on quasi-Wilson limits.

Each arm gets quasi-Wilson limits; the method of variance estimates recovery joins them to limits
of the difference, with the correlation of the two means where units are shared. Never of zero
width; equal to Newcombe's method 10 for independent 0/1 data.

Source: Zou and Donner (2008), Statistics in Medicine 27, 1693-1702, equations 10 and 11; Newcombe
(1998), Statistics in Medicine 17, 873-890, method 10. The correlation is taken after adding the
pseudo-pairs (0, 1) and (1, 0) with weight 1/2 each, so that it exists for constant arms.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import InputError
from equipoise.stats.estimates import Estimate, Interval
from equipoise.stats.inputs import normal_quantile, pairs
from equipoise.stats.intervals import Moments, quasi_wilson_limits

_HALF = 0.5
"""Weight of each pseudo-pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Estimate):
    """New minus base, with the ``correlation`` of the two means that the interval used."""

    correlation: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """The units that both arms have, for one comparison or an array of them.

    Attributes:
        new: moments of the new arm over the shared units.
        base: moments of the base arm over the same units.
        products: sum of (new - its mean) (base - its mean) over the shared units.
    """

    new: Moments
    base: Moments
    products: NDArray[np.float64]

    @classmethod
    def from_pairs(cls, new: ArrayLike, base: ArrayLike) -> "Shared":
        """The moments of matched samples on [0, 1].

        >>> float(Shared.from_pairs([0, 1], [0, 1]).products)
        0.5
        """
        first, second = pairs(new, base, bounded=True)
        one, two = Moments.from_sample(first, "new"), Moments.from_sample(second, "base")
        products = float(np.dot(first - float(one.mean), second - float(two.mean)))
        return cls(new=one, base=two, products=np.asarray(products))


def independent_difference(new: ArrayLike, base: ArrayLike, *, level: float = 0.95) -> Difference:
    """New minus base for two independent samples on [0, 1].

    Raises:
        InputError: a value outside [0, 1] or NaN, or a level not in (0, 1).
        NotEstimable: fewer than 2 units in an arm.

    >>> d = independent_difference([0, 0, 1, 1], [0, 0, 0, 0])
    >>> round(d.value, 2), d.interval.lo < 0 < d.interval.hi
    (0.5, True)
    """
    one, two = Moments.from_sample(new, "new"), Moments.from_sample(base, "base")
    ends = difference_limits(one, two, normal_quantile(level))
    return _difference(one, two, ends, level, "MOVER on quasi-Wilson limits, independent arms")


def paired_difference(new: ArrayLike, base: ArrayLike, *, level: float = 0.95) -> Difference:
    """New minus base for two samples on [0, 1], matched by position.

    Ten pairs of equal zeros give +-0.278, five pairs (1, 0) give [0.131, 1]: no certainty comes
    from a spread of 0.

    Raises:
        InputError: unequal lengths, a value outside [0, 1] or NaN, a level not in (0, 1).
        NotEstimable: fewer than 2 pairs.

    >>> round(paired_difference([1] * 5, [0] * 5).interval.lo, 3)
    0.131
    """
    shared = Shared.from_pairs(new, base)
    r = augmented_correlation(shared)
    ends = difference_limits(shared.new, shared.base, normal_quantile(level), correlation=r)
    method = "MOVER on quasi-Wilson limits, matched units"
    return _difference(shared.new, shared.base, ends, level, method, correlation=float(r))


def overlapping_difference(
    new: ArrayLike, base: ArrayLike, shared: Shared, *, level: float = 0.95
) -> Difference:
    """New minus base where only some units are in both arms.

    The correlation of the two means is m r / sqrt(n1 n0) with m shared units of correlation r: 0
    with no shared unit, r where all are shared.

    Args:
        new: all values of the new arm, shared units included.
        base: all values of the base arm, shared units included.
        shared: moments of the units that both have.
        level: confidence level.

    Raises:
        InputError, NotEstimable: as :func:`paired_difference`.

    >>> both = Shared.from_pairs([0, 1, 1], [0, 1, 0])
    >>> d = overlapping_difference([0, 1, 1, 1], [0, 1, 0], both)
    >>> round(d.correlation, 3)
    0.058
    """
    one, two = Moments.from_sample(new, "new"), Moments.from_sample(base, "base")
    r = overlap_correlation(one.n, two.n, shared)
    ends = difference_limits(one, two, normal_quantile(level), correlation=r)
    method = "MOVER on quasi-Wilson limits, partly matched units"
    return _difference(one, two, ends, level, method, correlation=float(r))


def difference_limits(
    new: Moments, base: Moments, z: ArrayLike, *, correlation: ArrayLike = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper limits of many differences at once, on [-1, 1].

    Args:
        new: moments of the new arms, shape S.
        base: moments of the base arms, shape S.
        z: critical value(s), broadcast against S.
        correlation: correlation of the two means (:func:`augmented_correlation` for matched
            units, :func:`overlap_correlation` for partly matched ones, 0 for independent arms).

    >>> m = Moments.of([10, 10], [0.0, 1.0], [0.0, 0.0])
    >>> lo, hi = difference_limits(m, m, 1.959964, correlation=[-1 / 21, 0.0])
    >>> hi.round(3).tolist()
    [0.278, 0.278]
    """
    lo1, hi1 = quasi_wilson_limits(new, z)
    lo0, hi0 = quasi_wilson_limits(base, z)
    delta = new.mean - base.mean
    r = np.asarray(correlation, dtype=np.float64)
    down = _joined(new.mean - lo1, hi0 - base.mean, r)
    up = _joined(hi1 - new.mean, base.mean - lo0, r)
    return np.maximum(delta - down, -1.0), np.minimum(delta + up, 1.0)


def augmented_correlation(shared: Shared) -> NDArray[np.float64]:
    """Correlation of matched values after adding the pairs (0, 1) and (1, 0), weight 1/2 each.

    >>> round(float(augmented_correlation(Shared.from_pairs([0] * 10, [0] * 10))), 4)
    -0.0476
    """
    n, m1, m0 = shared.new.n, shared.new.mean, shared.base.mean
    c1, c0 = (n * m1 + _HALF) / (n + 1.0), (n * m0 + _HALF) / (n + 1.0)
    ss1 = shared.new.squares + n * (m1 - c1) ** 2 + _HALF * (c1**2 + (1.0 - c1) ** 2)
    ss0 = shared.base.squares + n * (m0 - c0) ** 2 + _HALF * (c0**2 + (1.0 - c0) ** 2)
    cross = shared.products + n * (m1 - c1) * (m0 - c0)
    cross = cross - _HALF * (c1 * (1.0 - c0) + (1.0 - c1) * c0)
    return np.clip(cross / np.sqrt(ss1 * ss0), -1.0, 1.0)


def overlap_correlation(n_new: ArrayLike, n_base: ArrayLike, shared: Shared) -> NDArray[np.float64]:
    """Correlation of two means that share some units: m r / sqrt(n1 n0); 0 where an arm has none.

    Raises:
        InputError: more shared units than units of an arm.

    >>> both = Shared.from_pairs([0, 1, 1, 0], [0, 1, 1, 0])
    >>> round(float(overlap_correlation(8, 8, both)), 3)
    0.3
    """
    n1, n0 = np.asarray(n_new, dtype=np.float64), np.asarray(n_base, dtype=np.float64)
    if bool(np.any(shared.new.n > np.minimum(n1, n0))):
        raise InputError(
            "more shared units than an arm has units", wanted="shared units counted in both arms"
        )
    both = np.sqrt(n1 * n0)
    shape = np.broadcast_shapes(np.shape(both), np.shape(shared.new.n))
    shares = np.divide(shared.new.n, both, out=np.zeros(shape), where=both > 0)
    return augmented_correlation(shared) * shares


def _joined(
    one: NDArray[np.float64], two: NDArray[np.float64], r: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.sqrt(np.maximum(one**2 - 2.0 * r * one * two + two**2, 0.0))


def _difference(
    new: Moments,
    base: Moments,
    ends: tuple[NDArray[np.float64], NDArray[np.float64]],
    level: float,
    method: str,
    correlation: float = 0.0,
) -> Difference:
    return Difference(
        value=float(new.mean - base.mean),
        interval=Interval(lo=float(ends[0]), hi=float(ends[1]), level=level),
        n=int(min(new.n, base.n)),
        method=method,
        correlation=correlation,
    )
