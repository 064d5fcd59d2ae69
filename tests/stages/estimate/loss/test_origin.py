"""The hash of results and the table of units: the same by whichever way they are computed."""

import hashlib
import json
from decimal import Decimal
from pathlib import Path

import duckdb

from equipoise.records.plan import Mode, Plan, Provenance
from equipoise.stages.estimate.loss.scoring import RunNotes, Scored, score
from equipoise.stages.estimate.loss.units import LossTrials
from studies.loss.made_loss_runs import V1, partition, plan, units

STEPS = 2**52
"""A value is written as the whole number of these steps."""

ROWS = (
    ("t1", "a", 1, 1, "completed", 1.0, 0.25),
    ("t2", "b", 1, 1, "completed", 0.0, None),
    ("t3", "c", 1, 1, "timed_out", None, None),
    ("t4", "stranger", 1, 1, "completed", 1.0, 1.0),
)


def promised() -> Plan:
    part = partition({"intent": "refund"}, n_min=2)
    return plan([part], units(part, "abcd"))


def scored(
    con: duckdb.DuckDBPyConnection, path: Path, rows: tuple[tuple[object, ...], ...]
) -> Scored:
    values = ", ".join("(" + ", ".join(map(_sql, row)) + ")" for row in rows)
    con.execute(
        "COPY (SELECT trial, unit, 'new' AS arm, repetition, attempt, ending, '' AS detail, "
        "NULL::VARCHAR AS cluster, 'refund' AS \"label:intent\", "
        'wrong::DOUBLE AS "value:v1:tool_call_wrong_arg", tone::DOUBLE AS "value:v1:tone_off" '
        f"FROM (VALUES {values}) t(trial, unit, repetition, attempt, ending, wrong, tone)) "
        f"TO '{path}' (FORMAT parquet)"
    )
    trials = LossTrials(results=path, evidence=path, arm="new", plan=promised(), catalog=V1)
    return score(con, trials, NOTES, {})


NOTES = RunNotes(
    run_id="new-1",
    mode=Mode.A,
    provenance=Provenance.SYNTHETIC,
    began_at="2026-01-01T00:00:00Z",
    plan_sha256="0" * 64,
    seal="self-declared",
    catalog_sha256="0" * 64,
    harness_version="0",
)


def test_the_hash_is_the_sum_of_the_hashes_of_the_lines(tmp_path: Path) -> None:
    total = 0
    for _, *fields, wrong, tone in ROWS:
        kept = ["" if value is None else str(int(value * STEPS)) for value in (wrong, tone)]
        line = "\x1f".join([*map(str, fields), *kept])
        total += int(hashlib.sha256(line.encode()).hexdigest()[:15], 16)
    text = json.dumps([[len(ROWS), str(total)], {}, {}], separators=(",", ":"))
    with duckdb.connect() as con:
        suite = scored(con, tmp_path / "a.parquet", ROWS).suite
    assert suite.results_sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_units_are_the_same_by_every_way_they_are_joined(tmp_path: Path) -> None:
    """A stranger's second repetition or attempt changes the way, and nothing about the units."""
    second = ("t5", "stranger", 2, 1, "completed", 1.0, 1.0)
    retried = ("t6", "stranger", 1, 2, "completed", 1.0, 1.0)
    tables = []
    for more in ((), (second,), (retried,), (second, retried)):
        with duckdb.connect() as con:
            found = scored(con, tmp_path / "a.parquet", (*ROWS, *more))
            rows = con.execute(f"SELECT * FROM {found.table.units} ORDER BY unit").fetchall()
            tables.append([tuple(map(_rounded, row)) for row in rows])
        assert "trials of units that the plan does not name" in "".join(found.suite.notes)
    assert [row[0] for row in tables[0]] == list("abcd")
    assert tables[1:] == tables[:1] * 3


def _rounded(value: object) -> object:
    return round(float(value), 12) if isinstance(value, float | Decimal) else value


def _sql(value: object) -> str:
    return "NULL" if value is None else repr(value)
