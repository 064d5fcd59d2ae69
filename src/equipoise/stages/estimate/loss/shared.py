"""Units that both runs have: how far their losses go together, where the plan compares by pairs."""

import duckdb
import numpy as np
from numpy.typing import NDArray

from equipoise.stages.estimate.loss.sides import Side
from equipoise.stages.estimate.units import SCALE, fixed
from equipoise.stats.intervals import Moments
from equipoise.stats.mover import Shared, overlap_correlation

FloatArray = NDArray[np.float64]


def correlations(con: duckdb.DuckDBPyConnection, new: Side, base: Side) -> FloatArray:
    """Gives the correlation of the two means per cell, shape (partitions, 1 + categories).

    0 where fewer than two units are shared. Rater variance is noise that nobody shares: it makes
    the correlation smaller.
    """
    sums = ", ".join(
        f"count(n.{c} + b.{c}), " + ", ".join(f"sum({fixed(e)}) FILTER ({both})" for e in products)
        for c in new.columns
        for both in [f"n.{c} IS NOT NULL AND b.{c} IS NOT NULL"]
        for products in [(f"n.{c}", f"b.{c}", f"n.{c} * n.{c}", f"b.{c} * b.{c}", f"n.{c} * b.{c}")]
    )
    rows = con.execute(
        f"SELECT n.part, {sums} FROM {new.relation} n JOIN {base.relation} b "
        "ON n.unit = b.unit AND n.part = b.part WHERE NOT n.is_adversarial GROUP BY n.part"
    ).fetchall()
    found = np.zeros(new.n.shape)
    for part, *values in rows:
        table = np.array([float(x or 0) for x in values]).reshape(-1, 6)
        found[part] = _of_part(table, new, base, part)
    return found


def _of_part(table: FloatArray, new: Side, base: Side, part: int) -> FloatArray:
    m = table[:, 0]
    one, two, ones, twos, both = (table[:, i] / SCALE for i in range(1, 6))
    count = np.maximum(m, 1.0)
    squares_new = np.maximum(ones - one**2 / count, 0.0)
    squares_base = np.maximum(twos - two**2 / count, 0.0)
    shared = Shared(
        new=Moments(n=m, mean=one / count, squares=squares_new),
        base=Moments(n=m, mean=two / count, squares=squares_base),
        products=both - one * two / count,
    )
    r = overlap_correlation(np.maximum(new.n[part], m), np.maximum(base.n[part], m), shared)
    quieter = np.sqrt(new.observed_share[part] * base.observed_share[part])
    return np.where(m > 1, r * quieter, 0.0)
