"""Guarded intervals: limits that keep their coverage where a plain t or Wald interval does not.

Every function is vectorised over cells and works on sums that a SQL group-by gives:

=========================  ==================================================================
function                   needs, per cell
=========================  ==================================================================
``mean_interval``          ``Moments`` of the outcome x in [0, 1]: count, sum of x, x², x³, x⁴
``independent_interval``   ``Spread`` of each arm: count, sum of x, x²
``paired_interval``        ``Moments`` of d = new − base in [−1, 1]: count, sum of d, d², d³, d⁴
``clustered_interval``     ``guarded_clusters.ClusterSums``: one row per cluster
=========================  ==================================================================

Values are unit means: the caller averages repetitions first. ``z`` is the critical value of the
normal law for the wanted two-sided level (1.96 for 95 %), already corrected for multiplicity; it
may differ by cell. The methods translate it to Student's t where they use one.

The warrant of every limit printed from here is the coverage certificate (docs/certificate.md).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from equipoise.errors import InputError
from equipoise.stats.guarded_reach import Sample, guarded_reach

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

ROUNDING = 1e-12
"""Squares per unit below this are rounding, not spread: they count as none seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Count, mean and centred sum of squares of one column, per cell; arrays of one shape."""

    n: FloatArray
    mean: FloatArray
    ss: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments(Spread):
    """``Spread`` with the centred sums of third and fourth powers, per cell."""

    cubes: FloatArray
    fourths: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """One interval per cell.

    ``lo`` and ``hi`` are NaN exactly where ``estimable`` is false (fewer than two units).
    ``degenerate`` marks cells in which no spread was seen: a plain interval would have zero width
    there, this one never has.
    """

    value: FloatArray
    lo: FloatArray
    hi: FloatArray
    estimable: BoolArray
    degenerate: BoolArray
    method: str


def critical_value(level: float, family: int = 1) -> float:
    """Gives the two-sided normal critical value at ``level``, Bonferroni-split over ``family``.

    Example:
        >>> round(critical_value(0.95), 3)
        1.96

    Raises:
        InputError: the level is not inside (0, 1) or the family is empty.
    """
    if not 0.0 < level < 1.0 or family < 1:
        raise InputError(
            f"level {level} over a family of {family}",
            wanted="a level strictly between 0 and 1 and a family of at least one cell",
            code="level",
        )
    return float(-ndtri((1.0 - level) / (2.0 * family)))


def spread_from_sums(n: ArrayLike, total: ArrayLike, squares: ArrayLike) -> Spread:
    """Gives the ``Spread`` of cells from their raw sums of x and x²; empty cells stay at zero."""
    count, first, second = (np.asarray(a, dtype=np.float64) for a in (n, total, squares))
    mean = first / np.maximum(count, 1.0)
    return Spread(n=count, mean=mean, ss=_without_rounding(second - first * mean, count))


def moments_from_sums(
    n: ArrayLike, sums: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]
) -> Moments:
    """Gives the ``Moments`` of cells from ``sums``, their raw sums of x, x², x³ and x⁴.

    Raw sums lose at most about 1e-15 a unit, so values must be of size one (losses in [0, 1] or
    their differences), as everywhere in this module.
    """
    count = np.asarray(n, dtype=np.float64)
    first, second, third, fourth = (np.asarray(a, dtype=np.float64) for a in sums)
    mean = first / np.maximum(count, 1.0)
    ss = _without_rounding(second - first * mean, count)
    cubes = third - 3 * mean * second + 2 * mean**2 * first
    fourths = fourth - 4 * mean * third + 6 * mean**2 * second - 3 * mean**3 * first
    seen = ss > 0.0
    return Moments(
        n=count,
        mean=mean,
        ss=ss,
        cubes=np.where(seen, cubes, 0.0),
        fourths=np.where(seen, np.maximum(fourths, 0.0), 0.0),
    )


def moments_of(values: ArrayLike) -> Moments:
    """Gives the ``Moments`` along the last axis of ``values``; one cell per leading index."""
    x = np.asarray(values, dtype=np.float64)
    n = np.full(x.shape[:-1], float(x.shape[-1]))
    mean = x.mean(axis=-1) if x.shape[-1] else np.zeros(x.shape[:-1])
    centred = x - mean[..., None]
    square = centred * centred
    ss = _without_rounding(square.sum(axis=-1), n)
    seen = ss > 0.0
    return Moments(
        n=n,
        mean=mean,
        ss=ss,
        cubes=np.where(seen, (square * centred).sum(axis=-1), 0.0),
        fourths=np.where(seen, (square * square).sum(axis=-1), 0.0),
    )


def mean_interval(sample: Moments, *, z: ArrayLike, runs: ArrayLike = 1.0) -> Intervals:
    """Gives the guarded interval of the mean of an outcome in [0, 1].

    Args:
        sample: moments of the unit means.
        z: two-sided normal critical value, scalar or per cell.
        runs: repetitions behind each unit mean (see ``guarded_reach``).

    Example:
        >>> found = mean_interval(moments_of([0.0] * 20), z=1.96)
        >>> float(found.lo), round(float(found.hi), 2)
        (0.0, 0.16)
    """
    return _bounded(sample, np.asarray(z, dtype=np.float64), runs, (0.0, 1.0))


def paired_interval(differences: Moments, *, z: ArrayLike, runs: ArrayLike = 1.0) -> Intervals:
    """Gives the guarded interval of the mean paired difference new − base in [−1, 1].

    Student's t where differences are plentiful, widened on the side where the sample is skewed
    and where it is too bare to exclude a rare opposite outcome (docs/decisions). Swapping the arms
    mirrors it, the order of units is nothing to it, a higher level never narrows it, and it never
    has zero width.

    Args:
        differences: moments of the unit differences.
        z: two-sided normal critical value, scalar or per cell.
        runs: repetitions behind each unit mean (see ``guarded_reach``).

    Example:
        >>> found = paired_interval(moments_of([0.0] * 10), z=1.96)
        >>> round(float(found.lo), 3), round(float(found.hi), 3)
        (-0.278, 0.278)
    """
    return _bounded(differences, np.asarray(z, dtype=np.float64), runs, (-1.0, 1.0))


def independent_interval(base: Spread, new: Spread, *, z: ArrayLike) -> Intervals:
    """Gives the guarded interval of new − base for arms without common units.

    MOVER (Zou & Donner 2008, eq. 3) on quasi-Wilson limits: Newcombe's (1998) method 10 for 0/1
    outcomes; for graded ones the Wilson limits at the effective number of units.
    """
    crit = np.asarray(z, dtype=np.float64)
    base_lo, base_hi = quasi_wilson(base, crit)
    new_lo, new_hi = quasi_wilson(new, crit)
    value = new.mean - base.mean
    estimable = (base.n >= 2) & (new.n >= 2)
    lo = value - np.hypot(new.mean - new_lo, base_hi - base.mean)
    hi = value + np.hypot(new_hi - new.mean, base.mean - base_lo)
    return _intervals(
        (value, np.maximum(lo, -1.0), np.minimum(hi, 1.0)),
        estimable,
        (base.ss <= 0.0) | (new.ss <= 0.0),
        "MOVER on quasi-Wilson limits",
    )


def quasi_wilson(sample: Spread, z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gives Wilson's limits at the effective count n / phi, phi the share of binomial variance."""
    n, mean = np.maximum(sample.n, 1.0), sample.mean
    phi = np.minimum(1.0, (sample.ss + 0.5) / (n * mean * (1.0 - mean) + 0.5))
    effective = n / phi
    square = z * z / effective
    centre = (mean + square / 2.0) / (1.0 + square)
    half = np.sqrt(square * np.maximum(mean * (1.0 - mean), 0.0) + square * square / 4.0) / (
        1.0 + square
    )
    return np.clip(centre - half, 0.0, mean), np.clip(centre + half, mean, 1.0)


def _bounded(
    sample: Moments, z: FloatArray, runs: ArrayLike, ends: tuple[float, float]
) -> Intervals:
    low, high = ends
    effort = np.asarray(runs, dtype=np.float64)
    below = Sample(
        n=sample.n,
        ss=sample.ss,
        cubes=-sample.cubes,
        fourths=sample.fourths,
        room=sample.mean - low,
        runs=effort,
    )
    above = Sample(
        n=sample.n,
        ss=sample.ss,
        cubes=sample.cubes,
        fourths=sample.fourths,
        room=high - sample.mean,
        runs=effort,
    )
    lo = np.maximum(sample.mean - guarded_reach(below, z), low)
    hi = np.minimum(sample.mean + guarded_reach(above, z), high)
    return _intervals(
        (sample.mean, lo, hi), sample.n >= 2, sample.ss <= 0.0, "guarded t (skew and unseen end)"
    )


def _intervals(
    limits: tuple[FloatArray, FloatArray, FloatArray],
    estimable: BoolArray,
    degenerate: BoolArray,
    method: str,
) -> Intervals:
    value, lo, hi = np.broadcast_arrays(*limits)
    known = np.broadcast_to(estimable, value.shape)
    return Intervals(
        value=np.asarray(value),
        lo=np.where(known, lo, np.nan),
        hi=np.where(known, hi, np.nan),
        estimable=np.asarray(known),
        degenerate=np.asarray(np.broadcast_to(degenerate, value.shape)),
        method=method,
    )


def _without_rounding(ss: FloatArray, n: FloatArray) -> FloatArray:
    return np.where(ss <= ROUNDING * n, 0.0, ss)
