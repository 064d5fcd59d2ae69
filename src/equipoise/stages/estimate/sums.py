"""What the limits of many comparisons are made of, as arrays: sums of powers, and of clusters."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.stages.estimate.moments import ArmMoments
from equipoise.stages.estimate.samples import Met
from equipoise.stats.guarded import Powers, independent_tails, outward_step, paired_tails
from equipoise.stats.guarded_clusters import Clustered, clustered_tails, clusters_apart_tails
from equipoise.stats.guarded_reach import Tails

FloatArray = NDArray[np.float64]


def differences_of(met: Sequence[Met]) -> tuple[Powers, FloatArray]:
    """Gives the powers of the differences of pairs, and the runs behind a unit of one arm."""
    pairs = [one.pair for one in met if one.pair is not None]
    differences = Powers(
        n=np.array([p.n for p in pairs], dtype=float),
        mean=np.array([p.difference.mean for p in pairs]),
        squares=np.array([p.difference.ss for p in pairs]),
        cubes=np.array([p.difference.cubes for p in pairs]),
        fourths=np.array([p.difference.fourths for p in pairs]),
    )
    return differences, np.array([p.n_runs / (2 * p.n) for p in pairs])


def arms_of(met: Sequence[Met]) -> tuple[tuple[Powers, FloatArray], tuple[Powers, FloatArray]]:
    """Gives the powers of unit means and the runs behind them, of the new and of the base arm."""
    return _arm([one.new for one in met]), _arm([one.base for one in met])


def clusters_of(met: Sequence[Met]) -> Clustered:
    """Gives the clusters of the differences of clustered pairs."""
    sums = [one.clusters for one in met if one.clusters is not None]
    pairs = [one.pair for one in met if one.pair is not None]
    return Clustered.of(sums, np.array([pair.difference.ss for pair in pairs]))


def clusters_of_arms(met: Sequence[Met]) -> tuple[Clustered, Clustered]:
    """Gives the clusters of the new and of the base arm, of arms without pairs."""
    both = [one.arm_clusters for one in met if one.arm_clusters is not None]
    spreads = [
        np.array([arm.ss for arm in arms if arm is not None])
        for arms in ([one.new for one in met], [one.base for one in met])
    ]
    return (
        Clustered.of([new for new, _ in both], spreads[0]),
        Clustered.of([base for _, base in both], spreads[1]),
    )


def tails_of(met: Sequence[Met]) -> list[tuple[list[int], Tails]]:
    """Gives the tails of the differences, grouped by how arms met: places in `met`, tails."""
    ways = (
        ([i for i, one in enumerate(met) if one.pair and not one.clusters], _pairs),
        ([i for i, one in enumerate(met) if one.clusters], _clusters),
        ([i for i, one in enumerate(met) if not one.pair and not one.arm_clusters], _apart),
        ([i for i, one in enumerate(met) if one.arm_clusters], _clusters_apart),
    )
    return [(chosen, way([met[i] for i in chosen])) for chosen, way in ways if chosen]


def outward_steps_of(met: Sequence[Met]) -> FloatArray:
    """Gives how far equivalence limits go out; by the smaller arm where arms are apart."""
    return np.array(
        [
            float(outward_step(n, runs=runs))
            for one in met
            for n, runs in [
                min(_counts(one), key=lambda count: count[0] * count[1], default=(1.0, 1.0))
            ]
        ]
    )


def _counts(one: Met) -> list[tuple[float, float]]:
    """Gives (units, runs behind each) of the pairs, or of each arm."""
    if one.pair:
        return [(one.pair.n, one.pair.n_runs / (2 * max(one.pair.n, 1)))]
    return [(arm.n, arm.evaluable / max(arm.n, 1)) for arm in (one.new, one.base) if arm]


def _pairs(met: Sequence[Met]) -> Tails:
    differences, runs = differences_of(met)
    return paired_tails(differences, runs=runs)


def _clusters(met: Sequence[Met]) -> Tails:
    return clustered_tails(clusters_of(met))


def _apart(met: Sequence[Met]) -> Tails:
    (new, new_runs), (base, base_runs) = arms_of(met)
    return independent_tails(new, base, runs=(new_runs, base_runs))


def _clusters_apart(met: Sequence[Met]) -> Tails:
    return clusters_apart_tails(*clusters_of_arms(met))


def _arm(chosen: Sequence[ArmMoments | None]) -> tuple[Powers, FloatArray]:
    arms = [one for one in chosen if one is not None]
    powers = Powers(
        n=np.array([m.n for m in arms], dtype=float),
        mean=np.array([m.mean for m in arms]),
        squares=np.array([m.ss for m in arms]),
        cubes=np.array([m.cubes for m in arms]),
        fourths=np.array([m.fourths for m in arms]),
    )
    return powers, np.array([m.evaluable / max(m.n, 1) for m in arms])
