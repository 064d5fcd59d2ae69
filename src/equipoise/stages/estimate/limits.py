"""The limits of many differences at once, by the method that fits how the arms met."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import NotEstimable
from equipoise.stages.estimate.samples import Met
from equipoise.stats.clusters import ClusterSums, mean_of_clusters
from equipoise.stats.guarded import (
    Intervals,
    Powers,
    independent_interval,
    paired_interval,
)
from equipoise.stats.guarded_clusters import Clustered, clustered_interval

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Lower and upper limits of delta = new - base per comparison, and what they rest on.

    `se` is null where no spread was seen: then no standard error exists, only the interval.
    """

    lo: FloatArray
    hi: FloatArray
    degenerate: NDArray[np.bool_]
    method: list[str]
    se: list[float | None]


def limits_of(met: Sequence[Met], z: FloatArray) -> Limits:
    """Gives the limits at the two-sided normal critical values `z`, shape (comparisons,)."""
    found = Limits(
        lo=np.zeros(len(met)),
        hi=np.zeros(len(met)),
        degenerate=np.zeros(len(met), dtype=bool),
        method=[""] * len(met),
        se=[standard_error(one) for one in met],
    )
    _fill(found, met, z, lambda one: one.pair is not None, _paired)
    _fill(found, met, z, lambda one: one.pair is None, _apart)
    clustered = [i for i, one in enumerate(met) if one.clusters is not None]
    if clustered:
        _by_clusters(found, met, z, clustered)
    return found


def _by_clusters(found: Limits, met: Sequence[Met], z: FloatArray, chosen: list[int]) -> None:
    """Fills in the limits of clustered pairs; their standard error is the cluster-robust one."""
    cells = [(met[i].clusters, met[i].pair) for i in chosen]
    sums = [clusters for clusters, _ in cells if clusters is not None]
    squares = np.array([pair.difference.ss for _, pair in cells if pair is not None])
    some = clustered_interval(Clustered.of(sums, squares), z=z[chosen])
    found.lo[chosen], found.hi[chosen] = some.lo, some.hi
    found.degenerate[chosen] = some.degenerate
    for i, clusters in zip(chosen, sums, strict=True):
        found.method[i] = some.method
        found.se[i] = _robust_error(clusters)


def _robust_error(clusters: ClusterSums) -> float | None:
    """Gives the CR2 standard error; null where the means of the clusters do not vary."""
    try:
        return mean_of_clusters(clusters).se
    except NotEstimable:
        return None


def standard_error(met: Met) -> float | None:
    """Gives the plain standard error of delta; null where it does not exist or would be 0."""
    if met.pair is not None:
        n, squares = met.pair.n, met.pair.difference.ss
        return math.sqrt(squares / (n - 1) / n) if n > 1 and squares > 0 else None
    if met.base is None or met.new is None or min(met.base.n, met.new.n) < 2:
        return None
    variance = sum(arm.ss / (arm.n - 1) / arm.n for arm in (met.base, met.new))
    return math.sqrt(variance) if variance > 0 else None


def _fill(
    found: Limits,
    met: Sequence[Met],
    z: FloatArray,
    fits: Callable[[Met], bool],
    method: Callable[[Sequence[Met], FloatArray], Intervals],
) -> None:
    chosen = [i for i, one in enumerate(met) if fits(one)]
    if not chosen:
        return
    some = method([met[i] for i in chosen], z[chosen])
    found.lo[chosen], found.hi[chosen] = some.lo, some.hi
    found.degenerate[chosen] = some.degenerate
    for i in chosen:
        found.method[i] = some.method


def _paired(met: Sequence[Met], z: FloatArray) -> Intervals:
    pairs = [one.pair for one in met if one.pair is not None]
    differences = Powers(
        n=np.array([p.n for p in pairs], dtype=float),
        mean=np.array([p.difference.mean for p in pairs]),
        squares=np.array([p.difference.ss for p in pairs]),
        cubes=np.array([p.difference.cubes for p in pairs]),
        fourths=np.array([p.difference.fourths for p in pairs]),
    )
    runs = np.array([p.n_runs / (2 * p.n) for p in pairs])
    return paired_interval(differences, z=z, runs=runs)


def _apart(met: Sequence[Met], z: FloatArray) -> Intervals:
    arms, runs = [], []
    for side in ("new", "base"):
        chosen = [getattr(one, side) for one in met]
        arms.append(
            Powers(
                n=np.array([m.n for m in chosen], dtype=float),
                mean=np.array([m.mean for m in chosen]),
                squares=np.array([m.ss for m in chosen]),
                cubes=np.array([m.cubes for m in chosen]),
                fourths=np.array([m.fourths for m in chosen]),
            )
        )
        runs.append(np.array([m.evaluable / max(m.n, 1) for m in chosen]))
    return independent_interval(arms[0], arms[1], z=z, runs=(runs[0], runs[1]))
