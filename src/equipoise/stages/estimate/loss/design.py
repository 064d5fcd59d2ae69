"""How much units that share a cluster say less than as many independent ones: design effects."""

import duckdb
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from equipoise.stages.estimate.loss.moments import LossMoments
from equipoise.stages.estimate.units import SCALE, fixed

FloatArray = NDArray[np.float64]


def design_effects(
    con: duckdb.DuckDBPyConnection, relation: str, columns: list[str], found: LossMoments, z: float
) -> tuple[FloatArray, int]:
    """Gives the design effect of every cell, and how many cells have clusters of several units.

    The variance of the mean from sums by cluster (CR1, G / (G - 1)) over that of independent
    units, never below 1. It is raised by (t / z) squared, t the quantile of Student's law with
    G - 1 degrees of freedom at the same tail, so that z keeps its meaning with few clusters. 1
    where no cluster has two units, or all units of a cell share one: then the cell asks about that
    cluster. A unit without cluster is one of its own.

    Source: Cameron and Miller (2015), Journal of Human Resources 50, 317-372, section II.
    """
    effects = np.ones(found.n.shape)
    [row] = con.execute(f"SELECT count(cluster) FROM {relation}").fetchall()
    if not row[0]:
        return effects, 0
    n_clustered = 0
    for column, name in enumerate(columns):
        rows = con.execute(
            f"SELECT part, count(*), sum({fixed(name)})::DOUBLE / {SCALE} FROM {relation} "
            f"WHERE {name} IS NOT NULL AND NOT is_adversarial "
            "GROUP BY part, coalesce('c' || cluster, 'u' || unit) ORDER BY ALL"
        ).fetchnumpy()
        parts, sizes, sums = (np.asarray(rows[key], dtype=np.float64) for key in list(rows)[:3])
        for part in np.unique(parts).astype(int):
            chosen = parts == part
            effect = _effect(sizes[chosen], sums[chosen], found, (part, column), z)
            n_clustered += effect is not None
            effects[part, column] = effect or 1.0
    return effects, n_clustered


def _effect(
    sizes: FloatArray, sums: FloatArray, found: LossMoments, at: tuple[int, int], z: float
) -> float | None:
    groups, squares = sizes.size, float(found.squares[at])
    if groups < 2 or not bool((sizes > 1).any()) or squares == 0.0:
        return None
    n, mean = float(found.n[at]), float(found.mean[at])
    clustered = float(np.square(sums - sizes * mean).sum()) * groups / (groups - 1) / n**2
    plain = squares / (n * (n - 1))
    wider = float(stdtrit(groups - 1, ndtr(z))) / z
    return max(1.0, clustered / plain) * wider**2
