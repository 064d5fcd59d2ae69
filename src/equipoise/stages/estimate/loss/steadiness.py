"""What wavered: flaky units, anchors that differ when run again, units short of repetitions."""

from dataclasses import dataclass

import duckdb

from equipoise.records.suite import SuiteFlaky
from equipoise.stages.estimate.columns import literal, quoted
from equipoise.stages.estimate.loss.units import LossTrials, UnitTable

MOST_NAMED = 1000
"""Units named in each list; the notes say how many there are in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steadiness:
    """The lists, by unit id, and notes where a list was cut."""

    incomplete: tuple[str, ...]
    flaky: tuple[SuiteFlaky, ...]
    anchors: tuple[str, ...]
    notes: tuple[str, ...]


def steadiness(con: duckdb.DuckDBPyConnection, trials: LossTrials, table: UnitTable) -> Steadiness:
    """Finds what wavered.

    A stochastic unit is flaky where some of its repetitions lost something and some nothing, and
    incomplete where fewer repetitions could be evaluated than were planned. A deterministic anchor
    differs where further executions of it lost otherwise than the first; it is flaky too.
    """
    incomplete = con.execute(
        f"SELECT unit FROM {table.units} WHERE reps > 1 AND n_value < reps ORDER BY unit"
    ).fetchall()
    flaky = con.execute(
        f"SELECT unit, n_lost / n_value, n_value FROM {table.units} "
        "WHERE n_lost > 0 AND n_lost < n_value ORDER BY unit"
    ).fetchall()
    anchors = _anchors(con, trials, table)
    both = sorted([*flaky, *((unit, lost / n, n) for unit, n, lost in anchors if 0 < lost < n)])
    wavered = _categories(con, table) if flaky else {}
    lists = {
        "stochastic units have fewer evaluated repetitions than planned": len(incomplete),
        "units are flaky": len(both),
        "anchors differ when executed again": len(anchors),
    }
    return Steadiness(
        incomplete=tuple(unit for (unit,) in incomplete[:MOST_NAMED]),
        flaky=tuple(
            SuiteFlaky(unit=unit, rate=rate, n=n, categories=wavered.get(unit, ()))
            for unit, rate, n in both[:MOST_NAMED]
        ),
        anchors=tuple(unit for unit, _, _ in anchors[:MOST_NAMED]),
        notes=tuple(
            f"{n} {what}; {MOST_NAMED} of them are named"
            for what, n in lists.items()
            if n > MOST_NAMED
        ),
    )


def _categories(con: duckdb.DuckDBPyConnection, table: UnitTable) -> dict[str, tuple[str, ...]]:
    """Gives, by flaky unit, the categories that some repetitions lost and others not."""
    wavered = ", ".join(
        f"count(*) FILTER (c{c.place} > 0) BETWEEN 1 AND count(c{c.place}) - 1"
        for c in table.categories
    )
    rows = con.execute(
        f"SELECT unit, {wavered} FROM {table.chosen} WHERE unit IN (SELECT unit FROM "
        f"{table.units} WHERE n_lost > 0 AND n_lost < n_value ORDER BY unit LIMIT {MOST_NAMED}) "
        "GROUP BY unit"
    ).fetchall()
    return {
        unit: tuple(c.id for c, is_so in zip(table.categories, found, strict=True) if is_so)
        for unit, *found in rows
    }


def _anchors(
    con: duckdb.DuckDBPyConnection, trials: LossTrials, table: UnitTable
) -> list[tuple[str, int, int]]:
    """Gives (anchor, executions, executions that lost) of anchors whose executions differ."""
    if not _is_repeated(con, trials):
        return []
    graded = [c for c in table.categories if c.criterion]
    values = [quoted(f"value:{c.criterion}") for c in graded]
    lost = " + ".join(
        f"{c.weight!r} * coalesce({value}, 0.0)" for c, value in zip(graded, values, strict=True)
    )
    some = " OR ".join(f"{value} IS NOT NULL" for value in values)
    return con.execute(
        f"SELECT unit, count(*), count(*) FILTER (lost > 0) FROM (SELECT t.unit, ({lost}) AS lost "
        f"FROM read_parquet({literal(str(trials.results))}) t JOIN {table.planned} p USING (unit) "
        f"WHERE t.arm = {literal(trials.arm)} AND p.reps = 1 AND ({some})) "
        "GROUP BY unit HAVING count(*) > 1 AND min(lost) < max(lost) ORDER BY unit"
    ).fetchall()


def _is_repeated(con: duckdb.DuckDBPyConnection, trials: LossTrials) -> bool:
    [row] = con.execute(
        "SELECT coalesce(max(repetition), 0) > 1 OR coalesce(max(attempt), 0) > 1 FROM "
        f"read_parquet({literal(str(trials.results))}) WHERE arm = {literal(trials.arm)}"
    ).fetchall()
    return bool(row[0])
