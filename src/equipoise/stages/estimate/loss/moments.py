"""What a partition of units is reduced to: counts, sums and sums of squares, exact in any order."""

from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from equipoise.stages.estimate.loss.units import UnitTable
from equipoise.stages.estimate.units import SCALE, fixed

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LossMoments:
    """Moments of unit means; arrays of shape (partitions, 1 + categories), column 0 the loss.

    `squares` are summed around the mean; 0 where fewer than two units, or all are equal.
    """

    n: FloatArray
    mean: FloatArray
    squares: FloatArray

    @property
    def variance(self) -> FloatArray:
        """Gives the variance between units (ddof 1); NaN with fewer than two units."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.n > 1, self.squares / (self.n - 1.0), np.nan)


def loss_moments(
    con: duckdb.DuckDBPyConnection, table: UnitTable, *, is_adversarial: bool = False
) -> LossMoments:
    """Gives the moments of every partition, of the adversarial units or of all others."""
    columns = ["v", *(f"c{c.place}" for c in table.categories)]
    return grouped(con, table.units, columns, len(table.parts), is_adversarial=is_adversarial)


def grouped(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    columns: list[str],
    n_parts: int,
    *,
    is_adversarial: bool = False,
) -> LossMoments:
    """Gives the moments of columns of any relation with ``part`` and ``is_adversarial``."""
    sums = ", ".join(
        f"count({c}), sum({fixed(c)}), sum({fixed(f'{c} * {c}')}), min({c}) = max({c})"
        for c in columns
    )
    rows = con.execute(
        f"SELECT part, {sums} FROM {relation} WHERE is_adversarial = {is_adversarial} GROUP BY part"
    ).fetchall()
    found = np.zeros((n_parts, len(columns), 4))
    for part, *values in rows:
        found[part] = np.array([float(x or 0) for x in values]).reshape(-1, 4)
    n, total, squares = found[..., 0], found[..., 1] / SCALE, found[..., 2] / SCALE
    mean = total / np.maximum(n, 1.0)
    spread = np.where(found[..., 3] > 0, 0.0, np.maximum(squares - total * mean, 0.0))
    return LossMoments(n=n, mean=np.clip(mean, 0.0, 1.0), squares=spread)
