"""The guarded interval of a mean whose units come in clusters, for many cells at once.

CR2 with Satterthwaite's degrees of freedom (Bell and McCaffrey 2002; :mod:`.clusters`) gives the
variance; skew and the end not seen tilt it as for single units, read from the cluster totals. How
bare a sample is depends on how many units a cluster mean really averages: its size over the
measured design effect.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.stats.clusters import ClusterSums
from equipoise.stats.guarded import Intervals, intervals_of
from equipoise.stats.guarded_reach import UNSEEN_FADE, Side, Tails, joint_reach

FloatArray = NDArray[np.float64]

_FADE_POWER = 2.5
"""How fast the fear of an unseen end falls with the units that a cluster mean averages."""

_ROUNDING = 1e-24
"""A cluster-robust variance below this is rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustered:
    """Clusters of many cells, padded with empty clusters to one shape.

    Attributes:
        sizes: number of units, shape (cells, clusters); 0 where a cell has no such cluster.
        sums: sum of the values of each cluster, the same shape.
        squares: sum of squared deviations of all units from their mean, shape (cells,).
    """

    sizes: FloatArray
    sums: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, cells: Sequence[ClusterSums], squares: ArrayLike) -> "Clustered":
        """The clusters of many cells, each with its own number of clusters.

        >>> one = ClusterSums.of([0, 1, 1], ["a", "a", "b"])
        >>> Clustered.of([one], [2 / 3]).sums.tolist()
        [[1.0, 1.0]]
        """
        shape = len(cells), max((cell.sizes.size for cell in cells), default=0)
        sizes, sums = np.zeros(shape), np.zeros(shape)
        for row, cell in enumerate(cells):
            sizes[row, : cell.sizes.size] = cell.sizes
            sums[row, : cell.sizes.size] = cell.sums
        return cls(sizes=sizes, sums=sums, squares=np.asarray(squares, dtype=np.float64))


def clustered_interval(
    clusters: Clustered, *, z: ArrayLike, ends: tuple[float, float] = (-1.0, 1.0)
) -> Intervals:
    """The guarded interval of a clustered mean, by default of paired differences on [−1, 1].

    Args:
        clusters: sizes and sums of the clusters, and the spread of the units.
        z: two-sided normal critical value, one or per cell.
        ends: the ends of the scale; (0, 1) for the mean of an outcome.

    >>> equal = Clustered(sizes=np.full((1, 8), 20.0), sums=np.zeros((1, 8)), squares=np.zeros(1))
    >>> found = clustered_interval(equal, z=1.96)
    >>> round(float(found.hi[0]), 3), bool(found.degenerate[0])
    (0.324, True)
    """
    critical = np.asarray(z, dtype=np.float64)
    tails = clustered_tails(clusters, ends=ends)
    mean = _mean(clusters)
    below, above = joint_reach(tails.below, critical), joint_reach(tails.above, critical)
    return intervals_of(
        (mean, mean - below, mean + above),
        np.count_nonzero(clusters.sizes, axis=-1) >= 2,
        tails.below[0].variance <= 0.0,
        "guarded CR2 with Satterthwaite t",
    )


def clustered_tails(clusters: Clustered, *, ends: tuple[float, float] = (-1.0, 1.0)) -> Tails:
    """The tails of a clustered mean, for :mod:`equipoise.stats.guarded_planning`.

    >>> three = Clustered(sizes=np.ones((1, 3)), sums=np.eye(1, 3), squares=np.full(1, 2 / 3))
    >>> clustered_tails(three).below[0].df.round(6).tolist()
    [2.0]
    """
    units = np.maximum(clusters.sizes.sum(axis=-1), 1.0)
    share = clusters.sizes / units[..., None]
    mean = clusters.sums.sum(axis=-1) / units
    residual = clusters.sums - clusters.sizes * mean[..., None]
    effective = 1.0 / np.maximum(np.square(share).sum(axis=-1), 1e-9)
    alone = np.maximum(1.0 - share, 1e-9)
    found = (np.square(residual) / alone).sum(axis=-1) / units**2
    variance = np.where(found > _ROUNDING, found, 0.0)
    deviation = np.where(variance[..., None] > 0.0, residual * (effective / units)[..., None], 0.0)
    powers = [(deviation**k).sum(axis=-1) for k in (2, 3, 4)]
    averaged = _units_averaged(clusters.squares, units, effective, variance)
    below, above = (
        Side(
            n=effective,
            variance=effective * variance,
            df=_satterthwaite(share, alone),
            squares=powers[0],
            cubes=sign * powers[1],
            fourths=powers[2],
            room=room,
            chance=np.zeros_like(mean),
            grain=UNSEEN_FADE / averaged**_FADE_POWER,
        )
        for sign, room in ((-1.0, mean - ends[0]), (1.0, ends[1] - mean))
    )
    return Tails(below=(below,), above=(above,))


def clusters_apart_interval(new: Clustered, base: Clustered, *, z: ArrayLike) -> Intervals:
    """The guarded interval of new minus base for arms of clustered units without pairs.

    Each arm's limits on [0, 1], joined by MOVER as for arms of single units. Where both arms hold
    the same clusters, what these share widens the interval more than it need: the safe side.

    >>> eight = Clustered(sizes=np.full((1, 8), 5.0), sums=np.zeros((1, 8)), squares=np.zeros(1))
    >>> found = clusters_apart_interval(eight, eight, z=1.96)
    >>> round(float(found.hi[0]), 3), bool(found.degenerate[0])
    (0.324, True)
    """
    critical = np.asarray(z, dtype=np.float64)
    tails = clusters_apart_tails(new, base)
    delta = _mean(new) - _mean(base)
    below, above = joint_reach(tails.below, critical), joint_reach(tails.above, critical)
    enough = np.minimum(np.count_nonzero(new.sizes, axis=-1), np.count_nonzero(base.sizes, axis=-1))
    return intervals_of(
        (delta, np.maximum(delta - below, -1.0), np.minimum(delta + above, 1.0)),
        enough >= 2,
        (tails.below[0].variance <= 0.0) | (tails.below[1].variance <= 0.0),
        "MOVER on guarded CR2 limits of the arms",
    )


def clusters_apart_tails(new: Clustered, base: Clustered) -> Tails:
    """The tails of new minus base for clustered arms, for :mod:`equipoise.stats.guarded_planning`.

    >>> one = Clustered(sizes=np.ones((1, 3)), sums=np.eye(1, 3), squares=np.full(1, 2 / 3))
    >>> len(clusters_apart_tails(one, one).below)
    2
    """
    of_new = clustered_tails(new, ends=(0.0, 1.0))
    of_base = clustered_tails(base, ends=(0.0, 1.0))
    return Tails(below=of_new.below + of_base.above, above=of_new.above + of_base.below)


def _mean(clusters: Clustered) -> FloatArray:
    return np.asarray(clusters.sums.sum(axis=-1) / np.maximum(clusters.sizes.sum(axis=-1), 1.0))


def _units_averaged(
    squares: FloatArray, units: FloatArray, effective: FloatArray, variance: FloatArray
) -> FloatArray:
    """The units that a cluster mean averages: mean size over design effect, at least 1."""
    naive = squares / np.maximum(units - 1.0, 1.0) / units
    design = np.where(naive > 0.0, variance / np.where(naive > 0.0, naive, 1.0), 1.0)
    return np.asarray(np.maximum(units / effective / np.maximum(design, 1.0), 1.0))


def _satterthwaite(share: FloatArray, alone: FloatArray) -> FloatArray:
    b = np.square(share) / alone
    cross = np.square(b.sum(axis=-1)) - np.square(b).sum(axis=-1)
    return np.asarray(1.0 / (np.square(share).sum(axis=-1) + np.maximum(cross, 0.0)))
