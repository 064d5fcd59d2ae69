"""Sufficient statistics per cell: everything an interval needs, in one grouped pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import duckdb

from equipoise.records.estimate import CellKey
from equipoise.records.terms import Terms
from equipoise.stages.estimate.columns import crossed
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


def cell_keys(terms: Terms) -> list[tuple[str, str]]:
    """Lists the groupings: ('', SQL of the whole) and one (label key, SQL column) per partition."""
    names = [" × ".join(crossed(partition)) for partition in terms.partitions]
    return [("", "''")] + [(name, f"p{i}") for i, name in enumerate(names)]


def total(expression: str) -> str:
    """Gives SQL for the fixed-point sum of a value in [-1, 1] over the units of a group table."""
    return f"coalesce(sum({fixed(expression)}::HUGEINT * m), 0)"


def power_sums(expression: str) -> str:
    """Gives SQL for the fixed-point sums of the first four powers of a value in [-1, 1]."""
    return ", ".join(total(" * ".join([f"({expression})"] * k)) for k in range(1, 5))


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
    con: duckdb.DuckDBPyConnection, terms: Terms, index: int, *, has_clusters: bool
) -> dict[CellKey, ArmMoments]:
    """Gives the moments of one arm for the whole and for each value of each partition label.

    Units with the same values are counted first (losses take few values), then summed by weight.
    """
    labels = "".join(f"p{i}, " for i in range(len(terms.partitions)))
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE groups_{index} AS SELECT {labels}v, planned, evaluable, "
        "within, lowest, highest, is_binary, tries, n_soft, count(*) AS m "
        f"FROM {unit_table(index)} GROUP BY ALL"
    )
    clusters = _clusters(con, terms, index) if has_clusters else {}
    found = {}
    for key, column in cell_keys(terms):
        for row in con.execute(_arm_query(column, index)).fetchall():
            cell = CellKey(label=key, value=str(row[0]))
            found[cell] = _arm_row(row[1:], clusters.get(cell, 0))
    return found


def _clusters(con: duckdb.DuckDBPyConnection, terms: Terms, index: int) -> dict[CellKey, int]:
    return {
        CellKey(label=key, value=str(value)): n
        for key, column in cell_keys(terms)
        for value, n in con.execute(
            f"SELECT {column} AS cell, count(DISTINCT cluster) FROM {unit_table(index)} "
            "GROUP BY cell"
        ).fetchall()
    }


def _arm_query(column: str, index: int) -> str:
    return (
        f"SELECT {column} AS cell, sum(m), coalesce(sum(m) FILTER (v IS NOT NULL), 0), "
        f"{power_sums('v')}, min(v), max(v), sum(planned * m), sum(evaluable * m), "
        "sum(tries * m), bool_and(is_binary), coalesce(sum(m) FILTER (lowest < highest), 0), "
        f"sum(n_soft * m), {total('coalesce(v, 0) * evaluable / planned')}, "
        f"{total('(planned - evaluable) / planned')}, "
        f"coalesce(sum(m) FILTER (within IS NOT NULL), 0), {total('sqrt(within)')}, "
        f"{total('within / evaluable')}, "
        f"coalesce(sum({fixed('within')}::HUGEINT * (evaluable - 1) * m), 0), "
        "coalesce(sum(evaluable * m) FILTER (evaluable > 0), 0), "
        "coalesce(sum(evaluable * evaluable * m), 0), "
        f"coalesce(sum({fixed('v')}::HUGEINT * evaluable * m), 0), "
        f"coalesce(sum({fixed('v * v')}::HUGEINT * evaluable * m), 0) "
        f"FROM groups_{index} GROUP BY cell ORDER BY cell"
    )


def _arm_row(row: Sequence[int], n_clusters: int) -> ArmMoments:
    n_units, n, *sums = (int(value) for value in row[:6])
    lowest, highest, planned, evaluable, tries, is_binary, n_flaky, n_soft = row[6:14]
    floor, lacking, n_within, sd_within, noise = (int(value) for value in row[14:19])
    found = centred(sums, n, is_constant=lowest == highest)
    ms_within, icc = _one_way(n, row[19:])
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
        n_flaky=int(n_flaky),
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
