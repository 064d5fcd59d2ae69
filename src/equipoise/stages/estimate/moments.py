"""Sufficient statistics per cell: everything an interval needs, in one grouped pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import duckdb

from equipoise.records.estimate import CellKey
from equipoise.records.terms import Terms
from equipoise.stages.estimate.columns import crossed
from equipoise.stages.estimate.unit_sets import pair_table
from equipoise.stages.estimate.units import SCALE, fixed, repetition_table, unit_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Centred:
    """Mean and centred sums of the second to fourth powers of one column in one cell."""

    mean: float
    ss: float
    cubes: float
    fourths: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmMoments:
    """One arm in one cell; sums over its evaluable units (n of n_units) of their means v."""

    n_units: int
    n: int
    mean: float
    ss: float
    cubes: float
    fourths: float
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
    difference: Centred
    n_up: int
    n_down: int
    sum_noise: float
    n_repeated: int
    freedom: int
    n_runs: int
    is_binary: bool


def cell_keys(terms: Terms) -> list[tuple[str, str]]:
    """Lists the groupings: ('', SQL of the whole) and one (label key, SQL column) per partition."""
    names = [" × ".join(crossed(partition)) for partition in terms.partitions]
    return [("", "''")] + [(name, f"p{i}") for i, name in enumerate(names)]


def power_sums(expression: str) -> str:
    """Gives SQL for the fixed-point sums of the first four powers of a value in [-1, 1]."""
    powers = [" * ".join([f"({expression})"] * k) for k in range(1, 5)]
    return ", ".join(f"coalesce(sum({fixed(power)}), 0)" for power in powers)


def centred(sums: Sequence[int], n: int, *, is_constant: bool) -> Centred:
    """Gives the centred moments from exact fixed-point power sums; 0 when the value is constant."""
    if n == 0:
        return Centred(mean=0.0, ss=0.0, cubes=0.0, fourths=0.0)
    s1, s2, s3, s4 = (Fraction(int(value), SCALE) for value in sums)
    mean = s1 / n
    if is_constant:
        return Centred(mean=float(mean), ss=0.0, cubes=0.0, fourths=0.0)
    return Centred(
        mean=float(mean),
        ss=max(0.0, float(s2 - s1 * mean)),
        cubes=float(s3 - 3 * mean * s2 + 2 * mean**2 * s1),
        fourths=max(0.0, float(s4 - 4 * mean * s3 + 6 * mean**2 * s2 - 3 * mean**3 * s1)),
    )


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
        f"SELECT {column} AS cell, count(*), count(v), {power_sums('v')}, "
        "min(v), max(v), sum(planned), sum(evaluable), "
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


def _arm_row(row: Sequence[int]) -> ArmMoments:
    n_units, n, *sums = row[:6]
    lowest, highest, planned, evaluable, tries, is_binary, n_flaky, n_soft, n_clusters = row[6:15]
    floor, lacking, n_within, sd_within, noise = row[15:20]
    found = centred(sums, n, is_constant=lowest == highest)
    ms_within, icc = _one_way(n, row[20:])
    return ArmMoments(
        n_units=n_units,
        n=n,
        mean=found.mean,
        ss=found.ss,
        cubes=found.cubes,
        fourths=found.fourths,
        lowest=float(lowest or 0),
        highest=float(highest or 0),
        planned=int(planned),
        evaluable=int(evaluable),
        tries=int(tries),
        is_binary=bool(is_binary),
        n_flaky=n_flaky,
        n_soft=int(n_soft),
        n_clusters=n_clusters,
        sum_floor=floor / SCALE,
        sum_missing_share=lacking / SCALE,
        n_within=n_within,
        mean_sd_within=sd_within / SCALE / n_within if n_within else 0.0,
        sum_within_over_r=noise / SCALE,
        ms_within=ms_within,
        icc=icc,
    )


def _one_way(n: int, row: Sequence[int]) -> tuple[float | None, float | None]:
    """Gives (mean square within, ICC(1)) of units by repetitions, unequal counts allowed.

    ICC(1) = (MSB - MSW) / (MSB + (k0 - 1) MSW) with k0 = (N - sum r^2 / N) / (n - 1)
    (Shrout and Fleiss 1979, model 1; k0 after Snedecor and Cochran). Null when it does not exist.
    """
    squares_within, total_r, squares_r, total, squares = (int(value) for value in row)
    freedom = total_r - n
    if n < 2 or freedom < 1:
        return None, None
    ms_within = squares_within / SCALE / freedom
    grand = Fraction(squares, SCALE) - Fraction(total * total, total_r * SCALE * SCALE)
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

    Needs the table of `unit_sets.join_units`. A unit stands in the cell that its labels in the
    baseline name.
    """
    found = {}
    for key, column in cell_keys(terms):
        for row in con.execute(_pair_query(column, pair_table(base, new))).fetchall():
            found[CellKey(label=key, value=str(row[0]))] = _pair_row(row[1:])
    return found


def _pair_query(column: str, table: str) -> str:
    return (
        f"SELECT {column} AS cell, count(*), {power_sums('d')}, sum({fixed('v1')}), "
        f"sum({fixed('v0')}), sum({fixed('v1 * v1')}), sum({fixed('v0 * v0')}), "
        "count(*) FILTER (d > 0), count(*) FILTER (d < 0), bool_and(both_binary), "
        "min(d) = max(d), min(v1) = max(v1), min(v0) = max(v0), "
        f"coalesce(sum({fixed('noise / 2')}), 0), count(noise), sum(runs) "
        f"FROM {table} WHERE d IS NOT NULL GROUP BY cell ORDER BY cell"
    )


def _pair_row(row: Sequence[int]) -> PairMoments:
    n, *sums = row[:5]
    s1, s0, q1, q0, n_up, n_down, is_binary, same_d, same_1, same_0 = row[5:15]
    return PairMoments(
        n=n,
        mean_new=float(Fraction(int(s1), n * SCALE)),
        mean_base=float(Fraction(int(s0), n * SCALE)),
        ss_new=_squares(int(q1), int(s1), n, is_constant=bool(same_1)),
        ss_base=_squares(int(q0), int(s0), n, is_constant=bool(same_0)),
        difference=centred(sums, n, is_constant=bool(same_d)),
        n_up=n_up,
        n_down=n_down,
        is_binary=bool(is_binary),
        sum_noise=2 * row[15] / SCALE,
        n_repeated=row[16],
        freedom=int(row[17]) - 2 * n,
        n_runs=int(row[17]),
    )


def _squares(squares: int, total: int, n: int, *, is_constant: bool) -> float:
    if is_constant:
        return 0.0
    exact = Fraction(squares, SCALE) - Fraction(total * total, n * SCALE * SCALE)
    return max(0.0, float(exact))
