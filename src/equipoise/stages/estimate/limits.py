"""The limits of many differences at once, by the method that fits how the arms met."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import NotEstimable
from equipoise.stages.estimate.samples import Met
from equipoise.stages.estimate.sums import (
    arms_of,
    clusters_of,
    clusters_of_arms,
    differences_of,
    outward_steps_of,
)
from equipoise.stats.clusters import ClusterSums, mean_of_clusters
from equipoise.stats.guarded import (
    Intervals,
    independent_interval,
    paired_interval,
)
from equipoise.stats.guarded_clusters import clustered_interval, clusters_apart_interval

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
    apart = [i for i, one in enumerate(met) if one.arm_clusters is not None]
    if apart:
        _by_clusters_apart(found, met, z, apart)
    return found


def equivalence_limits_of(met: Sequence[Met], z: FloatArray) -> Limits:
    """Gives the limits that must lie inside the equivalence band: a part of a step further out."""
    found, out = limits_of(met, z), outward_steps_of(met)
    np.maximum(found.lo - out, -1.0, out=found.lo)
    np.minimum(found.hi + out, 1.0, out=found.hi)
    return found


def _by_clusters(found: Limits, met: Sequence[Met], z: FloatArray, chosen: list[int]) -> None:
    """Fills in the limits of clustered pairs; their standard error is the cluster-robust one."""
    some = clustered_interval(clusters_of([met[i] for i in chosen]), z=z[chosen])
    found.lo[chosen], found.hi[chosen] = some.lo, some.hi
    found.degenerate[chosen] = some.degenerate
    for i in chosen:
        found.method[i] = some.method
        found.se[i] = _robust_error(met[i].clusters)


def _by_clusters_apart(found: Limits, met: Sequence[Met], z: FloatArray, chosen: list[int]) -> None:
    """Fills in the limits of clustered units in arms without pairs."""
    new, base = clusters_of_arms([met[i] for i in chosen])
    some = clusters_apart_interval(new, base, z=z[chosen])
    found.lo[chosen], found.hi[chosen] = some.lo, some.hi
    found.degenerate[chosen] = some.degenerate
    for i in chosen:
        found.method[i] = some.method
        errors = [_robust_error(arm) for arm in met[i].arm_clusters or ()]
        known = [error for error in errors if error is not None]
        found.se[i] = math.hypot(*known) if known and len(known) == len(errors) else None


def _robust_error(clusters: ClusterSums | None) -> float | None:
    """Gives the CR2 standard error; null where the means of the clusters do not vary."""
    assert clusters is not None
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
    differences, runs = differences_of(met)
    return paired_interval(differences, z=z, runs=runs)


def _apart(met: Sequence[Met], z: FloatArray) -> Intervals:
    (new, new_runs), (base, base_runs) = arms_of(met)
    return independent_interval(new, base, z=z, runs=(new_runs, base_runs))
