"""Guarded intervals: limits that keep their coverage where a plain t or Wald interval does not.

Every function is vectorised over cells and works on sums that a SQL group-by gives:

========================  ===================================================================
function                  needs, per cell
========================  ===================================================================
``mean_interval``         ``Powers`` of the outcome x in [0, 1]: count, sums of x, x², x³, x⁴
``paired_interval``       ``Powers`` of d = new − base in [−1, 1]: count, sums of d, d², d³, d⁴
``independent_interval``  ``Powers`` of x in each arm
``clustered_interval``    in ``guarded_clusters``: per cluster the count and sum of d, in all Σ d²
========================  ===================================================================

Values are unit means: the caller averages repetitions first. ``z`` is the normal critical value of
the wanted two-sided level (1.96 for 95 %), already corrected for multiplicity; it may differ by
cell. The methods translate it to Student's t where they use one.

The warrant of every limit printed from here is the coverage certificate, docs/certificate.md.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.stats.guarded_reach import (
    Side,
    Tails,
    chance_of,
    grain_of,
    guarded_reach,
    lent_df,
)

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_OUTWARD = 0.75

_ROUNDING = 1e-12
"""Squares per unit below this are rounding, not spread: they count as none seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Powers:
    """Count, mean and sums of centred powers of one column, per cell; arrays of one shape.

    Attributes:
        n: number of units.
        mean: their mean.
        squares: sum of (x − mean)².
        cubes: sum of (x − mean)³.
        fourths: sum of (x − mean)⁴.
    """

    n: FloatArray
    mean: FloatArray
    squares: FloatArray
    cubes: FloatArray
    fourths: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """One interval per cell.

    Attributes:
        value: the estimate.
        lo: lower limit; NaN exactly where ``estimable`` is false.
        hi: upper limit; NaN exactly where ``estimable`` is false.
        estimable: false with fewer than two units: no honest number exists.
        degenerate: no spread was seen; a plain interval would have zero width, this one has not.
        method: its name, fit for print.
    """

    value: FloatArray
    lo: FloatArray
    hi: FloatArray
    estimable: BoolArray
    degenerate: BoolArray
    method: str


def powers_from_sums(
    n: ArrayLike, sums: tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]
) -> Powers:
    """The ``Powers`` of cells from ``sums``, their raw sums of x, x², x³ and x⁴.

    Raw sums lose about 1e-16 per unit, so values must be of size one (losses on [0, 1] or their
    differences), as everywhere here. Empty cells get zeros.

    >>> float(powers_from_sums(4, (2, 2, 2, 2)).squares)
    1.0
    """
    count = np.asarray(n, dtype=np.float64)
    first, second, third, fourth = (np.asarray(a, dtype=np.float64) for a in sums)
    mean = first / np.maximum(count, 1.0)
    squares = second - first * mean
    cubes = third - 3 * mean * second + 2 * mean**2 * first
    fourths = fourth - 4 * mean * third + 6 * mean**2 * second - 3 * mean**3 * first
    return _powers(count, mean, (squares, cubes, fourths))


def powers_of(values: ArrayLike) -> Powers:
    """The ``Powers`` along the last axis of ``values``, one cell per leading index.

    >>> powers_of([[0, 1], [1, 1]]).squares.tolist()
    [0.5, 0.0]
    """
    x = np.asarray(values, dtype=np.float64)
    n = np.full(x.shape[:-1], float(x.shape[-1]))
    mean = x.sum(axis=-1) / np.maximum(n, 1.0)
    centred = x - mean[..., None]
    square = centred * centred
    sums = (square.sum(-1), (square * centred).sum(-1), (square * square).sum(-1))
    return _powers(n, mean, sums)


def mean_interval(sample: Powers, *, z: ArrayLike, runs: ArrayLike = 1.0) -> Intervals:
    """The guarded interval of the mean of an outcome on [0, 1].

    Args:
        sample: powers of the unit means.
        z: two-sided normal critical value, one or per cell.
        runs: repetitions behind each unit mean (see :func:`grain_of`).

    >>> found = mean_interval(powers_of([0.0] * 20), z=1.96)
    >>> float(found.lo), round(float(found.hi), 2)
    (0.0, 0.16)
    """
    return _between(sample, z, runs, (0.0, 1.0))


def paired_interval(differences: Powers, *, z: ArrayLike, runs: ArrayLike = 1.0) -> Intervals:
    """The guarded interval of the mean paired difference, new minus base, on [−1, 1].

    Student's t where differences are plentiful; wider on a side to which the sample is skewed and
    where it is too bare to exclude a rare opposite outcome. Swapping the arms mirrors it, the order
    of units is nothing to it, a higher level never narrows it, and it never has zero width.

    Args:
        differences: powers of the unit differences.
        z: two-sided normal critical value, one or per cell.
        runs: repetitions behind each unit mean (see :func:`grain_of`).

    >>> found = paired_interval(powers_of([0.0] * 10), z=1.96)
    >>> round(float(found.lo), 3), round(float(found.hi), 3)
    (-0.278, 0.278)
    """
    return _between(differences, z, runs, (-1.0, 1.0))


def independent_interval(
    new: Powers, base: Powers, *, z: ArrayLike, runs: tuple[ArrayLike, ArrayLike] = (1.0, 1.0)
) -> Intervals:
    """The guarded interval of new minus base for arms without common units.

    MOVER (Zou and Donner 2008, Statistics in Medicine 27, 1693-1702, eq. 10) on the guarded limits
    of the two means.

    Args:
        new: powers of the unit means of the new arm.
        base: powers of the unit means of the base arm.
        z: two-sided normal critical value, one or per cell.
        runs: repetitions behind each unit mean, of the new and of the base arm.

    >>> new, base = powers_of([0, 1] * 10), powers_of([0] * 20)
    >>> found = independent_interval(new, base, z=1.96)
    >>> round(float(found.lo), 2), bool(found.degenerate)
    (0.21, True)
    """
    return overlapping_interval(new, base, z=z, runs=runs)


def overlapping_interval(
    new: Powers,
    base: Powers,
    *,
    z: ArrayLike,
    runs: tuple[ArrayLike, ArrayLike] = (1.0, 1.0),
    correlation: ArrayLike = 0.0,
) -> Intervals:
    """The guarded interval of new minus base where some units are in both arms.

    MOVER with correlated means (Zou and Donner 2008, eq. 11). Where all units are shared,
    :func:`paired_interval` is the better one.

    Args:
        new: powers of all unit means of the new arm.
        base: powers of all unit means of the base arm.
        z: two-sided normal critical value, one or per cell.
        runs: repetitions behind each unit mean, of the new and of the base arm.
        correlation: of the two means, from :func:`equipoise.stats.mover.overlap_correlation`.

    >>> arm = powers_of([0, 1] * 10)
    >>> apart = overlapping_interval(arm, arm, z=1.96)
    >>> shared = overlapping_interval(arm, arm, z=1.96, correlation=0.5)
    >>> bool(shared.hi < apart.hi)
    True
    """
    r = np.asarray(correlation, dtype=np.float64)
    up, down = (
        _reaches(arm, z, repeats, (0.0, 1.0)) for arm, repeats in ((new, runs[0]), (base, runs[1]))
    )
    value = new.mean - base.mean
    lower, upper = (
        np.sqrt(np.maximum(a**2 + b**2 - 2.0 * r * a * b, 0.0))
        for a, b in ((up[0], down[1]), (up[1], down[0]))
    )
    return intervals_of(
        (value, np.maximum(value - lower, -1.0), np.minimum(value + upper, 1.0)),
        (new.n >= 2) & (base.n >= 2),
        (new.squares <= 0.0) | (base.squares <= 0.0),
        "MOVER on guarded t limits",
    )


def outward_step(n: ArrayLike, *, runs: ArrayLike = 1.0) -> FloatArray:
    """How much further out limits are taken that should lie inside an equivalence band.

    Three quarters of what one run more or less moves the mean of ``n`` units of ``runs`` runs: a
    continuity correction. Outcomes move in steps, and without it a true difference that equals
    the band is called equivalent up to 6 % of the time where 5 % is promised; the usual half step
    leaves single points a hair above 5 % (docs/certificate.md).

    >>> outward_step([10, 50], runs=2).tolist()
    [0.0375, 0.0075]
    """
    units = np.maximum(np.asarray(n, dtype=np.float64), 1.0)
    return np.asarray(_OUTWARD / units / np.maximum(np.asarray(runs, dtype=np.float64), 1.0))


def paired_tails(differences: Powers, *, runs: ArrayLike = 1.0) -> Tails:
    """The tails of a mean paired difference, for :mod:`equipoise.stats.guarded_planning`.

    >>> len(paired_tails(powers_of([0, 1, 0])).below)
    1
    """
    below, above = _sides(differences, runs, (-1.0, 1.0))
    return Tails(below=(below,), above=(above,))


def independent_tails(
    new: Powers, base: Powers, *, runs: tuple[ArrayLike, ArrayLike] = (1.0, 1.0)
) -> Tails:
    """The tails of new minus base, for :mod:`equipoise.stats.guarded_planning`.

    >>> len(independent_tails(powers_of([0, 1, 0]), powers_of([0, 0])).below)
    2
    """
    new_below, new_above = _sides(new, runs[0], (0.0, 1.0))
    base_below, base_above = _sides(base, runs[1], (0.0, 1.0))
    return Tails(below=(new_below, base_above), above=(new_above, base_below))


def _between(sample: Powers, z: ArrayLike, runs: ArrayLike, ends: tuple[float, float]) -> Intervals:
    below, above = _reaches(sample, z, runs, ends)
    limits = sample.mean, sample.mean - below, sample.mean + above
    return intervals_of(limits, sample.n >= 2, sample.squares <= 0.0, "guarded t")


def _reaches(
    sample: Powers, z: ArrayLike, runs: ArrayLike, ends: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    critical = np.asarray(z, dtype=np.float64)
    below, above = _sides(sample, runs, ends)
    return guarded_reach(below, critical), guarded_reach(above, critical)


def _sides(sample: Powers, runs: ArrayLike, ends: tuple[float, float]) -> tuple[Side, Side]:
    n = np.maximum(sample.n, 2.0)
    repeats = np.maximum(np.asarray(runs, dtype=np.float64), 1.0)
    below, above = (
        Side(
            n=n,
            variance=sample.squares / (n - 1.0 + lent_df(repeats)),
            df=n - 1.0,
            squares=sample.squares,
            cubes=sign * sample.cubes,
            fourths=sample.fourths,
            room=room,
            chance=chance_of(repeats),
            grain=grain_of(repeats),
        )
        for sign, room in ((-1.0, sample.mean - ends[0]), (1.0, ends[1] - sample.mean))
    )
    return below, above


def intervals_of(
    limits: tuple[FloatArray, FloatArray, FloatArray],
    estimable: BoolArray,
    degenerate: BoolArray,
    method: str,
) -> Intervals:
    """The record of limits, with NaN where nothing is estimable.

    >>> one = np.ones(1)
    >>> intervals_of((0 * one, -one, one), one < 1, one > 1, "none").lo.tolist()
    [nan]
    """
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


def _powers(
    n: FloatArray, mean: FloatArray, sums: tuple[FloatArray, FloatArray, FloatArray]
) -> Powers:
    squares, cubes, fourths = sums
    seen = squares > _ROUNDING * n
    return Powers(
        n=n,
        mean=mean,
        squares=np.where(seen, squares, 0.0),
        cubes=np.where(seen, cubes, 0.0),
        fourths=np.where(seen, np.maximum(fourths, 0.0), 0.0),
    )
