"""The limits of many differences at once, by the method that fits how the arms met."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from equipoise.errors import NotEstimable
from equipoise.stages.estimate.samples import Met
from equipoise.stats.clusters import ClusterSums, mean_of_clusters
from equipoise.stats.guarded import (
    Intervals,
    Powers,
    independent_interval,
    paired_interval,
    powers_of,
)

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
    for i, one in enumerate(met):
        if one.clusters is not None:
            _widen(found, i, one.clusters, float(z[i]))
    return found


def _widen(found: Limits, i: int, clusters: ClusterSums, z: float) -> None:
    """Widens the limits of a comparison to hold the cluster-robust interval too.

    CR2 with Satterthwaite's t (Bell and McCaffrey 2002) speaks for what units share; the guarded
    limits of single units stay as the least width, so that equal clusters never mean certainty.
    Shared clusters cannot make a difference surer here; where CR2 does not exist (cluster means
    that do not vary) the guarded limits are taken with as many units as there are clusters.
    """
    level = 2 * float(ndtr(z)) - 1
    try:
        robust = mean_of_clusters(clusters, level=level)
    except NotEstimable:
        found.lo[i], found.hi[i] = _with_fewer(clusters, z)
        found.method[i] = f"{found.method[i]}, a cluster as one unit"
        found.degenerate[i] = True
        return
    assert robust.interval is not None
    found.lo[i] = max(-1.0, min(found.lo[i], robust.interval.lo))
    found.hi[i] = min(1.0, max(found.hi[i], robust.interval.hi))
    found.se[i] = robust.se
    found.method[i] = f"{robust.method}, at least {found.method[i]}"


def _with_fewer(clusters: ClusterSums, z: float) -> tuple[float, float]:
    """Gives the guarded limits of the cluster means, each cluster counted as one unit."""
    some = paired_interval(powers_of(clusters.sums / clusters.sizes), z=z)
    return float(some.lo), float(some.hi)


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
