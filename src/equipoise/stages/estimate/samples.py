"""How two arms meet in a cell: paired, clustered, or apart; with the moments each way needs."""

from dataclasses import dataclass

import duckdb
import numpy as np

from equipoise.records.estimate import CellKey, UnitSets
from equipoise.records.terms import Pairing, Terms
from equipoise.stages.estimate.moments import ArmMoments, cell_keys
from equipoise.stages.estimate.pair_moments import PairMoments, pair_moments, worst_of_shared
from equipoise.stages.estimate.unit_sets import pair_table
from equipoise.stages.estimate.units import SCALE, fixed, unit_table
from equipoise.stats.clusters import ClusterSums


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """Two arms as they meet in one cell; `pair` and `clusters` are null where they do not apply.

    A paired comparison without `pair` shares no unit with an outcome in both arms. `worst` bounds
    the mean difference over shared units whatever the missing outcomes were; null where the arms'
    own bounds say it. `arm_clusters` are the clusters of the new and of the base arm, where units
    in clusters are compared without pairs.
    """

    is_paired: bool
    base: ArmMoments | None
    new: ArmMoments | None
    pair: PairMoments | None
    clusters: ClusterSums | None
    arm_clusters: tuple[ClusterSums, ClusterSums] | None = None
    worst: tuple[float, float] | None = None


def meet(
    con: duckdb.DuckDBPyConnection,
    terms: Terms,
    sets: UnitSets,
    indices: tuple[int, int],
    moments: tuple[dict[CellKey, ArmMoments], dict[CellKey, ArmMoments]],
    *,
    has_clusters: bool,
) -> dict[CellKey, Met]:
    """Gives how the arms meet in every cell that either of them has.

    Paired where the same unit ids ran in both (`terms.pairing` may force either way); then only
    shared units are compared. Clustered when units name a cluster and some cluster has two.
    """
    base, new = indices
    keys = sorted({*moments[0], *moments[1]}, key=lambda k: (k.label, k.value))
    pairs: dict[CellKey, PairMoments] = {}
    clusters: dict[CellKey, ClusterSums] = {}
    arms: dict[CellKey, tuple[ClusterSums, ClusterSums]] = {}
    worst: dict[CellKey, tuple[float, float]] = {}
    is_clustered = has_clusters and terms.use_clusters
    if is_clustered and not is_paired(terms, sets):
        arms = _clusters_of_arms(con, terms, base, new)
    if is_paired(terms, sets):
        if sets.n_only_base or sets.n_only_new:
            worst = worst_of_shared(con, terms, base, new)
        pairs = pair_moments(con, terms, base, new)
        if is_clustered:
            sums = _cluster_sums(con, terms, pair_table(base, new), "d")
            clusters = {key: one for key, one in sums.items() if (one.sizes > 1).any()}
    return {
        key: Met(
            is_paired=is_paired(terms, sets),
            base=moments[0].get(key),
            new=moments[1].get(key),
            pair=pairs.get(key),
            clusters=clusters.get(key),
            arm_clusters=arms.get(key),
            worst=worst.get(key),
        )
        for key in keys
    }


def is_paired(terms: Terms, sets: UnitSets) -> bool:
    """Whether the arms are compared unit by unit.

    Where nobody said, they are if half the units of the smaller arm, or more, ran in both: a few
    shared units would speak for arms that they are no fair sample of.
    """
    if terms.pairing is Pairing.AUTO:
        smaller = sets.n_shared + min(sets.n_only_base, sets.n_only_new)
        return 2 * sets.n_shared >= max(smaller, 1)
    return terms.pairing is Pairing.PAIRED


def _clusters_of_arms(
    con: duckdb.DuckDBPyConnection, terms: Terms, base: int, new: int
) -> dict[CellKey, tuple[ClusterSums, ClusterSums]]:
    """Gives the clusters of the new and the base arm in every cell where some cluster has two."""
    of_new = _cluster_sums(con, terms, unit_table(new), "v")
    of_base = _cluster_sums(con, terms, unit_table(base), "v")
    return {
        key: (of_new[key], of_base[key])
        for key in of_new.keys() & of_base.keys()
        if (of_new[key].sizes > 1).any() or (of_base[key].sizes > 1).any()
    }


def _cluster_sums(
    con: duckdb.DuckDBPyConnection, terms: Terms, table: str, value: str
) -> dict[CellKey, ClusterSums]:
    """Gives sums of a value by cluster; a unit without cluster is a cluster of its own.

    Where every cell of a partition is one cluster (partitioned by the very thing that clusters
    the units), a cell asks about units of that cluster: they are compared as they stand.
    """
    found: dict[CellKey, ClusterSums] = {}
    for key, column in cell_keys(terms):
        rows = con.execute(
            f"SELECT {column} AS cell, coalesce('c' || cluster, 'u' || unit) AS name, "
            f"count(*) AS n, sum({fixed(value)})::DOUBLE / {SCALE} AS total "
            f"FROM {table} WHERE {value} IS NOT NULL "
            "GROUP BY cell, name ORDER BY cell, name"
        ).fetchnumpy()
        cells = np.asarray(rows["cell"].astype(str))
        sizes = np.asarray(rows["n"], dtype=float)
        sums = np.asarray(rows["total"], dtype=float)
        if key and len(cells) > 1 and np.unique(cells).size == len(cells):
            continue
        for cell in np.unique(cells):
            chosen = cells == cell
            found[CellKey(label=key, value=str(cell))] = ClusterSums(
                sizes=sizes[chosen], sums=sums[chosen]
            )
    return found
