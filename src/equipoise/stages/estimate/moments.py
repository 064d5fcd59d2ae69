"""Sufficient statistics per cell: everything an interval needs, in one grouped pass."""

from dataclasses import dataclass
from fractions import Fraction

import duckdb

from equipoise.records.estimate import CellKey
from equipoise.records.terms import Terms
from equipoise.stages.estimate.units import SCALE, fixed, repetition_table, unit_table


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmMoments:
    """One arm in one cell; sums over its evaluable units (n of n_units) of their means v."""

    n_units: int
    n: int
    mean: float
    ss: float
    lowest: float
    highest: float
    planned: int
    evaluable: int
    tries: int
    is_binary: bool
    n_flaky: int
    n_soft: int
    n_clusters: int
    sum_floor: float
    sum_missing_share: float
    n_within: int
    mean_sd_within: float
    sum_within_over_r: float
    ms_within: float | None
    icc: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMoments:
    """Two arms in one cell over the units evaluable in both: new (1) and base (0)."""

    n: int
    mean_new: float
    mean_base: float
    ss_new: float
    ss_base: float
    cross: float
    sum_abs: float
    sum_square: float
    n_better_or_up: int
    n_down: int
    is_binary: bool


def cell_keys(terms: Terms) -> list[tuple[str, str]]:
    """Lists the groupings: ('', SQL of the whole) and one (label key, SQL column) per partition."""
    return [("", "''")] + [(key, f"p{i}") for i, key in enumerate(terms.partitions)]


def centred(total_square: int, total: int, n: int, *, is_constant: bool) -> float:
    """Gives the sum of squares about the mean from exact fixed-point sums; 0 when constant."""
    if n == 0 or is_constant:
        return 0.0
    exact = Fraction(total_square, SCALE) - Fraction(total * total, n * SCALE * SCALE)
    return max(0.0, float(exact))


def arm_moments(
    con: duckdb.DuckDBPyConnection, terms: Terms, index: int
) -> dict[CellKey, ArmMoments]:
    """Gives the moments of one arm for the whole and for each value of each partition label."""
    found = {}
    for key, column in cell_keys(terms):
        for row in con.execute(_arm_query(column, index)).fetchall():
            found[CellKey(label=key, value=str(row[0]))] = _arm_row(row[1:])
    return found


def _arm_query(column: str, index: int) -> str:
    v = fixed("v")
    return (
        f"SELECT {column} AS cell, count(*), count(v), coalesce(sum({v}), 0), "
        f"coalesce(sum({fixed('v * v')}), 0), min(v), max(v), sum(planned), sum(evaluable), "
        "sum(tries), bool_and(is_binary), count(*) FILTER (lowest < highest), sum(n_soft), "
        "count(DISTINCT cluster), "
        f"coalesce(sum({fixed('coalesce(v, 0) * evaluable / planned')}), 0), "
        f"sum({fixed('(planned - evaluable) / planned')}), "
        f"count(within), coalesce(sum({fixed('sqrt(within)')}), 0), "
        f"coalesce(sum({fixed('within / evaluable')}), 0), "
        f"coalesce(sum({fixed('within')} * (evaluable - 1)), 0), "
        "coalesce(sum(evaluable) FILTER (evaluable > 0), 0), "
        "coalesce(sum(evaluable * evaluable), 0), "
        f"coalesce(sum({v} * evaluable), 0), "
        f"coalesce(sum({fixed('v * v')} * evaluable), 0) "
        f"FROM {unit_table(index)} GROUP BY cell ORDER BY cell"
    )


def _arm_row(row: tuple[int, ...]) -> ArmMoments:
    n = row[1]
    ms_within, icc = _one_way(n, row)
    return ArmMoments(
        n_units=row[0],
        n=n,
        mean=row[2] / SCALE / n if n else 0.0,
        ss=centred(row[3], row[2], n, is_constant=row[4] == row[5]),
        lowest=float(row[4] or 0),
        highest=float(row[5] or 0),
        planned=int(row[6]),
        evaluable=int(row[7]),
        tries=int(row[8]),
        is_binary=bool(row[9]),
        n_flaky=row[10],
        n_soft=int(row[11]),
        n_clusters=row[12],
        sum_floor=row[13] / SCALE,
        sum_missing_share=row[14] / SCALE,
        n_within=row[15],
        mean_sd_within=row[16] / SCALE / row[15] if row[15] else 0.0,
        sum_within_over_r=row[17] / SCALE,
        ms_within=ms_within,
        icc=icc,
    )


def _one_way(n: int, row: tuple[int, ...]) -> tuple[float | None, float | None]:
    """Gives (mean square within, ICC(1)) of units by repetitions, unequal counts allowed.

    ICC(1) = (MSB - MSW) / (MSB + (k0 - 1) MSW) with k0 = (N - sum r^2 / N) / (n - 1)
    (Shrout and Fleiss 1979, model 1; k0 after Snedecor and Cochran). Null when it does not exist.
    """
    total_r, squares_r = int(row[19]), int(row[20])
    freedom = total_r - n
    if n < 2 or freedom < 1:
        return None, None
    ms_within = row[18] / SCALE / freedom
    grand = Fraction(row[22], SCALE) - Fraction(row[21] * row[21], total_r * SCALE * SCALE)
    ms_between = max(0.0, float(grand)) / (n - 1)
    k0 = (total_r - squares_r / total_r) / (n - 1)
    spread = ms_between + (k0 - 1) * ms_within
    return ms_within, (ms_between - ms_within) / spread if spread > 1e-12 else None


def missing_reasons(
    con: duckdb.DuckDBPyConnection, terms: Terms, index: int
) -> dict[CellKey, dict[str, int]]:
    """Counts, per cell, the repetitions without outcome by reason."""
    found: dict[CellKey, dict[str, int]] = {}
    for key, column in cell_keys(terms):
        rows = con.execute(
            f"SELECT {column} AS cell, why, count(*) FROM {repetition_table(index)} "
            "WHERE value IS NULL GROUP BY cell, why ORDER BY cell, why"
        ).fetchall()
        for value, why, n in rows:
            found.setdefault(CellKey(label=key, value=str(value)), {})[why] = n
    return found


def pair_moments(
    con: duckdb.DuckDBPyConnection, terms: Terms, base: int, new: int
) -> dict[CellKey, PairMoments]:
    """Gives, per cell, the joint moments of the units that both arms can show an outcome for.

    A unit stands in the cell that its labels in the baseline name.
    """
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE {pair_table(base, new)} AS "
        "SELECT b.*, n.v AS v1, b.v AS v0, n.v - b.v AS d, "
        "n.is_binary AND b.is_binary AS both_binary, n.within AS within1, "
        "n.evaluable AS evaluable1 "
        f"FROM {unit_table(base)} b JOIN {unit_table(new)} n USING (unit) "
        "WHERE b.v IS NOT NULL AND n.v IS NOT NULL"
    )
    found = {}
    for key, column in cell_keys(terms):
        for row in con.execute(_pair_query(column, pair_table(base, new))).fetchall():
            found[CellKey(label=key, value=str(row[0]))] = _pair_row(row[1:])
    return found


def pair_table(base: int, new: int) -> str:
    """Gives the name of the temporary table of units that both arms hold."""
    return f"pairs_{base}_{new}"


def _pair_query(column: str, table: str) -> str:
    return (
        f"SELECT {column} AS cell, count(*), sum({fixed('v1')}), sum({fixed('v0')}), "
        f"sum({fixed('v1 * v1')}), sum({fixed('v0 * v0')}), sum({fixed('v1 * v0')}), "
        f"sum({fixed('abs(d)')}), sum({fixed('d * d')}), count(*) FILTER (d > 0), "
        "count(*) FILTER (d < 0), bool_and(both_binary), min(v1) = max(v1), min(v0) = max(v0) "
        f"FROM {table} GROUP BY cell ORDER BY cell"
    )


def _pair_row(row: tuple[int, ...]) -> PairMoments:
    n, s1, s0 = row[0], row[1], row[2]
    cross = Fraction(row[5], SCALE) - Fraction(s1 * s0, n * SCALE * SCALE)
    return PairMoments(
        n=n,
        mean_new=s1 / SCALE / n,
        mean_base=s0 / SCALE / n,
        ss_new=centred(row[3], s1, n, is_constant=bool(row[11])),
        ss_base=centred(row[4], s0, n, is_constant=bool(row[12])),
        cross=0.0 if row[11] or row[12] else float(cross),
        sum_abs=row[6] / SCALE,
        sum_square=row[7] / SCALE,
        n_better_or_up=row[8],
        n_down=row[9],
        is_binary=bool(row[10]),
    )
