"""Columns: what the lines say, one row per trial, and never anything else."""

import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from archive.made_archive import QUOTE, made_archive
from equipoise.archive.columns import Columns
from equipoise.archive.manifest import Manifest
from equipoise.archive.store import Archive
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.grade import Grade
from equipoise.records.trial import Ending, EndingKind, Trial, Usage
from every import for_every
from pipeline.made_runs import made_trial

MANIFEST = Manifest(run_id="made-0", kind="import", tool_version="0")


def columns_of(path: Path, *records: object) -> Columns:
    with Archive.create(path, MANIFEST, is_durable=False) as archive:
        for record in records:
            archive.append(record)
    return Archive.open(path).columns()


def rows(columns: Columns, what: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as database:
        database.read_parquet(str(columns.results)).create_view("r")
        return database.execute(f"SELECT {what} FROM r").fetchall()


def test_a_row_per_trial_sorted_by_cell(tmp_path: Path) -> None:
    trials = [
        made_trial("u2"),
        made_trial("u1", "b"),
        made_trial("u1", "a", 2),
        made_trial("u1", "a", 1, 2),
        made_trial("u1", "a", 1, 1),
        made_trial("é"),
        made_trial("Z"),
    ]
    columns = columns_of(tmp_path / "a", *trials)
    assert rows(columns, "unit, arm, repetition, attempt") == [
        ("Z", "a", 1, 1),
        ("u1", "a", 1, 1),
        ("u1", "a", 1, 2),
        ("u1", "a", 2, 1),
        ("u1", "b", 1, 1),
        ("u2", "a", 1, 1),
        ("é", "a", 1, 1),
    ]
    assert columns.facts.arms == ("a", "b")
    assert (columns.facts.max_repetition, columns.facts.max_attempt) == (2, 2)


@for_every(
    "kind, value, reason, expected",
    [
        ("completed", 0.5, "", (0.5, None)),
        ("budget", 0.0, "", (0.0, None)),
        ("refused", 1.0, "", (1.0, None)),
        ("completed", None, "judge error", (None, "judge error")),
        ("completed", None, None, (None, "no grade")),
        ("budget", None, None, (None, "no grade")),
        ("refused", None, None, (None, "refused")),
        ("truncated", 1.0, "", (None, "truncated")),
        ("timed_out", 1.0, "", (None, "timed_out")),
        ("infrastructure_error", 0.0, "", (None, "infrastructure_error")),
        ("harness_error", None, "grader crashed", (None, "grader crashed")),
        ("cancelled", None, None, (None, "cancelled")),
    ],
)
def test_only_an_outcome_of_the_system_is_a_value(
    tmp_path: Path,
    kind: str,
    value: float | None,
    reason: str | None,
    expected: tuple[float | None, str | None],
) -> None:
    trial = made_trial("u", ending=Ending(kind=EndingKind(kind)))
    other = made_trial("v")
    records: list[object] = [trial, other, Grade(trial=other.id, value=1)]
    if reason is not None:
        records.append(Grade(trial=trial.id, value=value, not_evaluable=reason))
    columns = columns_of(tmp_path / "a", *records)
    assert rows(columns, '"value:outcome", "why:outcome"')[0] == expected


def test_several_criteria_stand_side_by_side(tmp_path: Path) -> None:
    one, two = made_trial("u1"), made_trial("u2")
    columns = columns_of(
        tmp_path / "a",
        *(one, two),
        Grade(trial=one.id, criterion='b "quoted"', value=0.25),
        Grade(trial=two.id, criterion="a's", value=1),
        Grade(trial=two.id, criterion="a's", value=0),
    )
    assert columns.facts.criteria == ("a's", 'b "quoted"')
    assert columns.facts.n_grades_repeated == 1
    found = rows(columns, '''"value:a's", "why:a's", "value:b ""quoted""", "why:b ""quoted"""''')
    assert found == [(None, "no grade", 0.25, None), (1.0, None, None, "no grade")]


def test_tokens_are_a_sum_of_what_was_recorded_or_nothing(tmp_path: Path) -> None:
    columns = columns_of(
        tmp_path / "a",
        made_trial("u1", usage=Usage(input_tokens=3, output_tokens=4)),
        made_trial("u2", usage=Usage(cache_read_tokens=0)),
        made_trial("u3", usage=Usage()),
        made_trial("u4"),
    )
    assert rows(columns, "tokens, cost_usd, cluster") == [
        (7, None, None),
        (0, None, None),
        (None, None, None),
        (None, None, None),
    ]


def test_label_keys_and_texts_of_any_kind(tmp_path: Path) -> None:
    odd = {"a'b": "1", 'c"d': "2", "日本 語": "かな\x00\n", "$x": "4", "": "5"}
    columns = columns_of(tmp_path / "a", made_trial("u1", labels=odd), made_trial("u2"))
    assert columns.facts.labels == dict.fromkeys(sorted(odd), 1)
    names = ", ".join('"label:' + key.replace('"', '""') + '"' for key in odd)
    assert rows(columns, names) == [tuple(odd.values()), (None,) * 5]


def test_an_archive_without_trials_has_empty_columns(tmp_path: Path) -> None:
    columns = columns_of(tmp_path / "a")
    assert rows(columns, "*") == []
    assert (columns.facts.n_trials, columns.facts.arms, columns.facts.criteria) == (0, (), ())


def test_evidence_is_a_row_per_quote(tmp_path: Path) -> None:
    columns = Archive.open(made_archive(tmp_path)).columns()
    with duckdb.connect() as database:
        quotes = database.read_parquet(str(columns.evidence)).fetchall()
    assert len(quotes) == 12
    assert {quote[-1] for quote in quotes} == {QUOTE}


def test_the_cache_is_used_as_long_as_it_is_exactly_this_head(tmp_path: Path) -> None:
    path = made_archive(tmp_path)
    archive = Archive.open(path)
    made = archive.columns().results.stat().st_mtime_ns
    assert archive.columns().results.stat().st_mtime_ns == made
    shutil.rmtree(path / "columns")
    assert archive.columns().results.stat().st_mtime_ns > made
    assert verify_archive(path) == []


@pytest.mark.parametrize("name", ["results.parquet", "evidence.parquet", "columns.json"])
def test_a_changed_cache_is_never_used(tmp_path: Path, name: str) -> None:
    path = made_archive(tmp_path)
    whole = path.joinpath("columns", name).read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    path.joinpath("columns", name).write_bytes(changed)
    columns = Archive.open(path).columns()
    assert columns.facts.n_trials == 14
    assert path.joinpath("columns", name).read_bytes() == whole


def test_a_forged_cache_with_fitting_hashes_is_found(tmp_path: Path) -> None:
    path, other = made_archive(tmp_path), tmp_path / "other"
    trials = [made_trial(f"u{n}", "base") for n in range(14)]
    forged = columns_of(other, *trials, Grade(trial=trials[0].id, value=1))
    head = Archive.open(path).head
    facts = forged.results.with_name("columns.json").read_text(encoding="utf-8")
    shutil.copytree(other / "columns", path / "columns", dirs_exist_ok=True)
    fitting = facts.replace(forged.facts.head, head)
    path.joinpath("columns", "columns.json").write_text(fitting, encoding="utf-8")
    assert [fault.file for fault in verify_archive(path)] == ["columns"]


def test_columns_of_a_writer_at_work_hold_what_is_committed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    writer = Archive.create(path, MANIFEST)
    writer.append(made_trial("u1"))
    writer.commit()
    writer.append(made_trial("u2"))
    writer.sync()
    reader = Archive.open(path)
    assert rows(reader.columns(), "unit") == [("u1",)]
    assert [trial.unit for trial in reader.read(Trial)] == ["u1"]
    writer.close()
    assert rows(Archive.open(path).columns(), "unit") == [("u1",), ("u2",)]
