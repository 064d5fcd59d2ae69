"""The units behind a number: those that moved most, with their trials and quotes; flaky units."""

from collections.abc import Sequence

import duckdb

from equipoise.records.estimate import CellKey, Flaky, UnitLine
from equipoise.records.result import CellLines
from equipoise.records.terms import Terms
from equipoise.stages.estimate.columns import ArmColumns, literal
from equipoise.stages.estimate.moments import cell_keys
from equipoise.stages.estimate.unit_sets import pair_table
from equipoise.stages.estimate.units import unit_table

_PER_SIDE = 5
_QUOTES = 3
_FLAKY = 50

_Moved = tuple[str, float, float, int]


def moved_units(
    con: duckdb.DuckDBPyConnection,
    terms: Terms,
    arms: tuple[tuple[int, ArmColumns], tuple[int, ArmColumns]],
    ids: dict[CellKey, str],
    evidence: Sequence[str],
) -> tuple[CellLines, ...]:
    """Gives, per cell, the units whose value rose and fell most between baseline and arm.

    Args:
        con: holds the table of pairs.
        terms: partitions.
        arms: (index, columns) of the baseline and of the arm.
        ids: the comparison's id of each cell to be shown.
        evidence: Parquet files of evidence of the two archives.
    """
    (base, base_columns), (new, new_columns) = arms
    moved: dict[CellKey, list[_Moved]] = {}
    for key, column in cell_keys(terms):
        moved |= _moved(con, pair_table(base, new), key, column)
    moved = {cell: units for cell, units in moved.items() if cell in ids}
    every = sorted({unit for units in moved.values() for unit, *_ in units})
    behind = _behind(con, (base_columns, new_columns), every, evidence) if every else {}
    return tuple(_cell_lines(ids[cell], units, behind) for cell, units in moved.items())


def _moved(
    con: duckdb.DuckDBPyConnection, table: str, key: str, column: str
) -> dict[CellKey, list[_Moved]]:
    """Gives, per cell, the units that rose most and that fell most, and how many moved at all."""
    entry = "{'d': d, 'unit': unit, 'v0': v0, 'v1': v1}"
    found = {}
    for cell, n, up, down in con.execute(
        f"SELECT {column} AS cell, count(*), max({entry}, {_PER_SIDE}), "
        f"min({entry}, {_PER_SIDE}) FROM {table} WHERE d <> 0 GROUP BY cell ORDER BY cell"
    ).fetchall():
        units = {row["unit"]: row for row in [*up, *down]}
        ordered = sorted(units.values(), key=lambda row: (-row["d"], row["unit"]))
        found[CellKey(label=key, value=str(cell))] = [
            (row["unit"], row["v0"], row["v1"], n) for row in ordered
        ]
    return found


def _cell_lines(
    comparison: str,
    units: list[_Moved],
    behind: dict[str, tuple[tuple[str, ...], tuple[str, ...]]],
) -> CellLines:
    return CellLines(
        comparison=comparison,
        lines=tuple(
            UnitLine(unit=unit, base=was, new=now, trials=behind[unit][0], quotes=behind[unit][1])
            for unit, was, now, _ in units
        ),
        n_more=units[0][3] - len(units),
    )


def _behind(
    con: duckdb.DuckDBPyConnection,
    arms: tuple[ArmColumns, ArmColumns],
    units: list[str],
    evidence: Sequence[str],
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Gives unit -> (trials as ``arm: id (source)``, quotes as ``document:line: quote``)."""
    names = ", ".join(literal(unit) for unit in units)
    found: dict[str, tuple[list[str], list[str]]] = {unit: ([], []) for unit in units}
    for arm in arms:
        rows = con.execute(
            f"SELECT unit, trial, source FROM read_parquet({literal(str(arm.path))}) "
            f"WHERE arm = {literal(arm.arm)} AND unit IN ({names}) "
            "ORDER BY unit, repetition, attempt"
        ).fetchall()
        for unit, trial, source in rows:
            found[unit][0].append(f"{arm.name}: {trial}" + (f" ({source})" if source else ""))
        for path in evidence:
            _quote(con, path, {row[1]: row[0] for row in rows}, arm.name, found)
    return {unit: (tuple(t), tuple(q[: _QUOTES * 2])) for unit, (t, q) in found.items()}


def _quote(
    con: duckdb.DuckDBPyConnection,
    path: str,
    units: dict[str, str],
    arm: str,
    found: dict[str, tuple[list[str], list[str]]],
) -> None:
    trials = ", ".join(literal(trial) for trial in units)
    rows = con.execute(
        f"SELECT trial, criterion, name, line, quote FROM read_parquet({literal(path)}) "
        f"WHERE trial IN ({trials or literal('')}) ORDER BY trial, criterion, start"
    ).fetchall()
    for trial, criterion, name, line, quote in rows:
        text = f"{arm}: {criterion}: {name}:{line}: {quote}"
        if text not in found[units[trial]][1]:
            found[units[trial]][1].append(text)


def flaky_units(
    con: duckdb.DuckDBPyConnection, arms: Sequence[tuple[str, int]]
) -> tuple[tuple[Flaky, ...], int]:
    """Gives units whose repetitions disagree, nearest to one half first, and how many are left out.

    `modal` is the verdict most repetitions gave, `any_pass` and `all_pass` the other two readings;
    they are set for outcomes of 0 and 1 only.
    """
    found: list[Flaky] = []
    total = 0
    for name, index in arms:
        rows = con.execute(
            "SELECT unit, v, evaluable, is_binary, count(*) OVER () "
            f"FROM {unit_table(index)} WHERE lowest < highest "
            f"ORDER BY abs(v - 0.5), unit LIMIT {_FLAKY}"
        ).fetchall()
        total += rows[0][4] if rows else 0
        found += [_flaky(name, row) for row in rows]
    return tuple(found), total - len(found)


def _flaky(arm: str, row: tuple[str, float, int, bool, int]) -> Flaky:
    unit, rate, n, is_binary, _ = row
    modal = "tie" if rate == 0.5 else ("pass" if rate > 0.5 else "fail")
    return Flaky(
        arm=arm,
        unit=unit,
        rate=rate,
        n=n,
        modal=modal if is_binary else "",
        any_pass=rate > 0 if is_binary else None,
        all_pass=rate == 1 if is_binary else None,
    )
