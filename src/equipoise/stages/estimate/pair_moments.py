"""Sufficient statistics of the differences between two arms, per cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import duckdb

from equipoise.records.estimate import CellKey
from equipoise.records.terms import Terms
from equipoise.stages.estimate.moments import Centred, cell_keys, centred, power_sums, total
from equipoise.stages.estimate.unit_sets import pair_table
from equipoise.stages.estimate.units import SCALE, fixed, unit_table


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMoments:
    """Two arms in one cell over the units evaluable in both: new (1) and base (0)."""

    n: int
    mean_new: float
    mean_base: float
    ss_new: float
    ss_base: float
    difference: Centred
    n_up: int
    n_down: int
    sum_noise: float
    n_repeated: int
    freedom: int
    n_runs: int
    is_binary: bool


def pair_groups(base: int, new: int) -> str:
    """Gives the name of the table that counts pairs with the same labels and values."""
    return f"pair_groups_{base}_{new}"


def pair_moments(
    con: duckdb.DuckDBPyConnection, terms: Terms, base: int, new: int
) -> dict[CellKey, PairMoments]:
    """Gives, per cell, the joint moments of the units that both arms can show an outcome for.

    Needs the table of `unit_sets.join_units`; makes the one of `pair_groups`. A unit stands in the
    cell that its labels in the baseline name.
    """
    labels = "".join(f"p{i}, " for i in range(len(terms.partitions)))
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE {pair_groups(base, new)} AS SELECT {labels}v1, v0, d, "
        f"noise, runs, both_binary, count(*) AS m FROM {pair_table(base, new)} "
        "WHERE d IS NOT NULL GROUP BY ALL"
    )
    found = {}
    for key, column in cell_keys(terms):
        for row in con.execute(_pair_query(column, pair_groups(base, new))).fetchall():
            found[CellKey(label=key, value=str(row[0]))] = _pair_row(row[1:])
    return found


def worst_of_shared(
    con: duckdb.DuckDBPyConnection, terms: Terms, base: int, new: int
) -> dict[CellKey, tuple[float, float]]:
    """Gives, per cell, the bounds of the mean difference over the units that ran in both arms.

    Each missing repetition takes its worst value (Manski 1989); for arms whose unit sets differ,
    so that units of one arm alone do not enter bounds of a difference they are no part of.
    """
    low, high = (_filled(side, 0) for side in ("b", "n")), (_filled(side, 1) for side in ("b", "n"))
    (low_base, low_new), (high_base, high_new) = low, high
    found = {}
    for key, column in cell_keys(terms):
        cell = f"b.{column}" if key else column
        rows = con.execute(
            f"SELECT {cell} AS cell, count(*), sum({fixed(f'{low_new} - {high_base}')}), "
            f"sum({fixed(f'{high_new} - {low_base}')}) FROM {unit_table(base)} b "
            f"JOIN {unit_table(new)} n USING (unit) GROUP BY cell ORDER BY cell"
        ).fetchall()
        for value, n, least, most in rows:
            found[CellKey(label=key, value=str(value))] = (least / SCALE / n, most / SCALE / n)
    return found


def _filled(side: str, value: int) -> str:
    """Gives SQL for a unit's mean with every missing repetition set to the value."""
    lacking = f"({side}.planned - {side}.evaluable) / {side}.planned"
    return f"(coalesce({side}.v, 0) * {side}.evaluable / {side}.planned + {value} * {lacking})"


def _pair_query(column: str, table: str) -> str:
    return (
        f"SELECT {column} AS cell, sum(m), {power_sums('d')}, {total('v1')}, {total('v0')}, "
        f"{total('v1 * v1')}, {total('v0 * v0')}, coalesce(sum(m) FILTER (d > 0), 0), "
        "coalesce(sum(m) FILTER (d < 0), 0), bool_and(both_binary), "
        "min(d) = max(d), min(v1) = max(v1), min(v0) = max(v0), "
        f"{total('noise / 2')}, coalesce(sum(m) FILTER (noise IS NOT NULL), 0), sum(runs * m) "
        f"FROM {table} GROUP BY cell ORDER BY cell"
    )


def _pair_row(row: Sequence[int]) -> PairMoments:
    n, *sums = (int(value) for value in row[:5])
    s1, s0, q1, q0, n_up, n_down, is_binary, same_d, same_1, same_0 = row[5:15]
    return PairMoments(
        n=n,
        mean_new=float(Fraction(int(s1), n * SCALE)),
        mean_base=float(Fraction(int(s0), n * SCALE)),
        ss_new=_squares(int(q1), int(s1), n, is_constant=bool(same_1)),
        ss_base=_squares(int(q0), int(s0), n, is_constant=bool(same_0)),
        difference=centred(sums, n, is_constant=bool(same_d)),
        n_up=int(n_up),
        n_down=int(n_down),
        is_binary=bool(is_binary),
        sum_noise=2 * row[15] / SCALE,
        n_repeated=int(row[16]),
        freedom=int(row[17]) - 2 * n,
        n_runs=int(row[17]),
    )


def _squares(squares: int, total: int, n: int, *, is_constant: bool) -> float:
    if is_constant:
        return 0.0
    exact = Fraction(squares, SCALE) - Fraction(total * total, n * SCALE * SCALE)
    return max(0.0, float(exact))
