"""Every criterion of an arm per cell, in one pass over its columns: means, spreads, intervals.

The deciding criterion has its own, fuller estimates; this table shows the others beside it, and is
what a catalog of loss categories is read from.
"""

from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from equipoise.stages.estimate.columns import literal, quoted
from equipoise.stages.estimate.moments import centred, power_sums
from equipoise.stages.estimate.units import SCALE, fixed
from equipoise.stats.guarded import Powers, mean_interval
from equipoise.stats.intervals import Moments, quasi_wilson_limits

_LARGE = 1000
"""Units from which on quasi-Wilson limits hold their level (docs/certificate.md); below, the
guarded ones are taken, which need the values themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionTable:
    """Estimates per cell and criterion; arrays of shape (cells, criteria).

    `n` counts units with a value; `mean`, `sd` (ddof 1), `se`, `lo` and `hi` are NaN exactly where
    `n` is too small for them (mean: 0 units; the others: fewer than 2).
    """

    cells: list[str]
    n_units: NDArray[np.int64]
    criteria: tuple[str, ...]
    n: NDArray[np.int64]
    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    se: NDArray[np.float64]
    lo: NDArray[np.float64]
    hi: NDArray[np.float64]

    def method_of(self, row: int, column: int) -> str:
        """Names the method of one interval."""
        return "quasi-Wilson" if self.n[row, column] >= _LARGE else "guarded t"


def criterion_table(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    cell: str,
    criteria: tuple[str, ...],
    *,
    n_most: int,
    level: float = 0.95,
) -> CriterionTable:
    """Estimates every criterion in every cell.

    Args:
        con: any connection.
        relation: SQL of a relation with one row per unit and a column per criterion.
        cell: SQL expression of the cell's name; rows where it is null are left out.
        criteria: column names; values in [0, 1], null where there is none.
        n_most: the relation has at most so many rows.
        level: of the intervals.

    Squares are summed as doubles on a grid fine enough to keep every sum exact: the order of the
    rows is nothing to them, and they cost half of fixed-point integers. A variance below the grid
    counts as none seen.
    """
    grid = 2.0 ** (52 - max(n_most, 1).bit_length())
    columns = ", ".join(
        f"count({quoted(c)}), sum({fixed(quoted(c))}), "
        f"sum(round({quoted(c)} * {quoted(c)} * {grid!r}))"
        for c in criteria
    )
    rows = con.execute(
        f"SELECT {cell} AS cell, count(*), {columns} FROM {relation} GROUP BY cell ORDER BY cell"
    ).fetchall()
    rows = [row for row in rows if row[0] is not None]
    sums = np.array([[float(x or 0) for x in row[2:]] for row in rows]).reshape(len(rows), -1, 3)
    n, total, squares = sums[..., 0], sums[..., 1] / SCALE, sums[..., 2] / grid
    mean = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    ss = np.maximum(squares - total * np.nan_to_num(mean), 0.0)
    ss = np.where(ss <= 2 / grid * np.maximum(n, 1), 0.0, ss)
    sd = np.where(n > 1, np.sqrt(ss / np.maximum(n - 1, 1)), np.nan)
    z = float(ndtri(0.5 + level / 2))
    lo, hi = quasi_wilson_limits(
        Moments(n=np.maximum(n, 1), mean=np.nan_to_num(mean), squares=ss), z
    )
    table = CriterionTable(
        cells=[str(row[0]) for row in rows],
        n_units=np.array([row[1] for row in rows], dtype=np.int64),
        criteria=criteria,
        n=n.astype(np.int64),
        mean=mean,
        sd=sd,
        se=sd / np.sqrt(np.maximum(n, 1)),
        lo=np.where(n > 1, lo, np.nan),
        hi=np.where(n > 1, hi, np.nan),
    )
    _guard_small(con, relation, cell, table, z)
    return table


def _guard_small(
    con: duckdb.DuckDBPyConnection, relation: str, cell: str, table: CriterionTable, z: float
) -> None:
    """Replaces the limits of cells with few units by the guarded ones, in place."""
    is_small = (table.n > 1) & (table.n < _LARGE)
    places = np.flatnonzero(is_small.any(axis=1))
    if not places.size:
        return
    names = ", ".join(literal(table.cells[i]) for i in places)
    columns = ", ".join(
        f"{power_sums(quoted(c))}, min({quoted(c)}) = max({quoted(c)})" for c in table.criteria
    )
    rows = con.execute(
        f"SELECT {columns} FROM (SELECT *, 1 AS m, {cell} AS placed FROM {relation}) "
        f"WHERE placed IN ({names}) GROUP BY placed ORDER BY placed"
    ).fetchall()
    for place, row in zip(places, rows, strict=True):
        for column in np.flatnonzero(is_small[place]):
            *sums, is_constant = row[5 * column : 5 * column + 5]
            n = int(table.n[place, column])
            one = centred(sums, n, is_constant=bool(is_constant))
            powers = Powers(
                n=np.asarray(float(n)),
                mean=np.asarray(one.mean),
                squares=np.asarray(one.ss),
                cubes=np.asarray(one.cubes),
                fourths=np.asarray(one.fourths),
            )
            found = mean_interval(powers, z=z)
            table.lo[place, column], table.hi[place, column] = float(found.lo), float(found.hi)
