import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from equipoise.adapters.logs.table.reader import TableReader
from equipoise.errors import InputError, UnreadableSource
from equipoise.ports import Reading
from equipoise.records.grade import Grade
from equipoise.records.notice import Attachment, Notice, Severity
from equipoise.records.terms import Direction
from equipoise.records.trial import EndingKind, Trial
from equipoise.wiring import reader
from every import for_every

ROWS = [
    {"unit": "u1", "arm": "base", "outcome": True},
    {"unit": "u2", "arm": "base", "outcome": False},
    {"unit": "u1", "arm": "new", "outcome": 0.25},
]


def json_lines(path: Path, rows: Iterable[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read(path: Path, **options: Any) -> list[Reading]:
    return list(TableReader().read(path, options))


def trials(readings: Iterable[Reading]) -> list[Trial]:
    return [r for r in readings if isinstance(r, Trial)]


def grades(readings: Iterable[Reading]) -> list[Grade]:
    return [r for r in readings if isinstance(r, Grade)]


def codes(readings: Iterable[Reading]) -> dict[str, int]:
    return {r.code: r.count for r in readings if isinstance(r, Notice)}


def _seen(readings: list[Reading]) -> list[tuple[str, str, float | None]]:
    values = {g.trial: g.value for g in grades(readings)}
    return [(t.unit, t.arm, values.get(t.id)) for t in trials(readings)]


EXPECTED = [("u1", "base", 1.0), ("u2", "base", 0.0), ("u1", "new", 0.25)]


def test_json_lines_are_read_by_column_name_and_the_reader_says_how(tmp_path: Path) -> None:
    readings = read(json_lines(tmp_path / "runs.jsonl", ROWS))
    assert _seen(readings) == EXPECTED
    notice = next(r for r in readings if isinstance(r, Notice) and r.code == "columns_taken")
    assert notice.severity is Severity.INFO
    assert "unit: unit, arm: arm, outcome: outcome" in notice.message


def test_the_same_rows_come_out_of_every_format(tmp_path: Path) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    csv = "unit,arm,outcome\r\nu1,base,true\r\nu2,base,false\r\nu1,new,0.25\r\n"
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbf" + csv.encode())
    (tmp_path / "semicolon.csv").write_text(csv.replace(",", ";"))
    (tmp_path / "a.tsv").write_text(csv.replace(",", "\t"))
    (tmp_path / "a.json").write_text(json.dumps(ROWS, indent=2))
    (tmp_path / "wrapped.json").write_text(json.dumps({"version": 3, "results": ROWS}))
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(csv.encode()))
    (tmp_path / "no_suffix").write_text(lines)
    (tmp_path / "a.yml").write_text("".join(f"- {json.dumps(row)}\n" for row in ROWS))
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * FROM read_json('{tmp_path}/no_suffix', "
            "columns={unit: 'VARCHAR', arm: 'VARCHAR', outcome: 'VARCHAR'})) "
            f"TO '{tmp_path}/a.parquet' (FORMAT parquet)"
        )
    for path in sorted(tmp_path.iterdir()):
        assert _seen(read(path)) == EXPECTED, path.name


def test_the_reader_is_wired_by_name() -> None:
    assert reader("table").name == "table"


def test_a_loss_column_is_lower_is_better(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "runs.jsonl", [{"id": 7, "loss": 0.5}])
    table = TableReader()
    readings = list(table.read(path, {}))
    assert table.directions({}) == {"outcome": Direction.LOWER}
    assert _seen(readings) == [("7", "runs", 0.5)]
    assert TableReader().directions({"unit": "id", "loss": "loss"}) == {"outcome": Direction.LOWER}


def test_without_an_outcome_the_columns_and_the_lines_to_write_are_named(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "runs.jsonl", [{"task_id": "a", "points": 3}])
    with pytest.raises(InputError, match=r"'task_id', 'points'(.|\n)*unit: task_id"):
        read(path)


def test_two_possible_outcomes_are_not_chosen_between(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "runs.jsonl", [{"task_id": "a", "score": 0.3, "passed": True}])
    with pytest.raises(InputError, match="several columns could be the outcome: score, passed"):
        read(path)


def test_broken_lines_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    good = json.dumps(ROWS[0]).encode()
    bad = [
        b'{"unit": "u9", "arm": ',
        b'{"unit": "\xff\xfe", "arm": "base", "outcome": 1}',
        b'{"unit": "u8", "unit": "u9", "arm": "base", "outcome": 1}',
        b"[" * 100_000,
        b"[1, 2]",
        b'{"unit": "\\ud800", "arm": "base", "outcome": 1}',
    ]
    path.write_bytes(b"\n".join([good, *bad, json.dumps(ROWS[2]).encode()]))
    readings = read(path)
    assert [t.unit for t in trials(readings)] == ["u1", "u1"]
    assert trials(readings)[1].source == "runs.jsonl:8"
    told = codes(readings)
    assert told["bad_json"] == 1
    assert told["duplicate_keys"] == 1
    assert told["no_object"] == 1
    places = [r.where for r in readings if isinstance(r, Notice) and r.severity is Severity.LOST]
    assert {"runs.jsonl:2", "runs.jsonl:3", "runs.jsonl:5", "runs.jsonl:6", "runs.jsonl:7"} == set(
        places
    )


def test_nothing_readable_is_an_unreadable_source(tmp_path: Path) -> None:
    for name, content in [("a.jsonl", b""), ("b.json", b"{"), ("c.parquet", b"PAR1x"), ("d", b"?")]:
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(UnreadableSource):
            read(path)
    with pytest.raises(UnreadableSource):
        read(tmp_path / "missing.jsonl")


@pytest.mark.requirement("A26")
@for_every("text", ["null", "NaN", '"nan"', '""', '"n/a"', "Infinity"])
def test_a_missing_outcome_is_never_a_zero(tmp_path: Path, text: str) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text('{"unit": "u", "outcome": 1}\n{"unit": "v", "outcome": %s}\n' % text)  # noqa: UP031  # braces
    first, second = grades(read(path))
    assert first.value == 1
    assert second.value is None
    assert second.not_evaluable.startswith("no value")


@pytest.mark.requirement("A1")
def test_a_value_outside_the_scale_is_named_and_not_counted(tmp_path: Path) -> None:
    rows = [{"unit": "u", "loss": 0.2}, {"unit": "v", "loss": 1.7}]
    readings = read(json_lines(tmp_path / "runs.jsonl", rows))
    assert [g.value for g in grades(readings)] == [0.2, None]
    notice = next(r for r in readings if isinstance(r, Notice) and r.code == "bad_value")
    assert notice.severity is Severity.REFUSED
    assert "1.7" in notice.message
    assert notice.where == "runs.jsonl:2"


@pytest.mark.requirement("A19")
def test_a_failed_run_with_a_zero_is_not_a_score(tmp_path: Path) -> None:
    rows = [
        {"unit": "u", "score": 0, "status": "error"},
        {"unit": "v", "score": 0, "status": "completed"},
    ]
    readings = read(json_lines(tmp_path / "runs.jsonl", rows))
    assert [t.ending.kind for t in trials(readings)] == [
        EndingKind.HARNESS_ERROR,
        EndingKind.COMPLETED,
    ]
    assert [g.trial for g in grades(readings)] == [trials(readings)[1].id]


@pytest.mark.parametrize(
    ("said", "kept"),
    [(" Grüße\n", " Grüße\n"), ("", ""), ({"b": [1, "ä"]}, '{"b": [1, "ä"]}'), (3.5, "3.5")],
)
def test_the_answer_is_kept_word_for_word(tmp_path: Path, said: object, kept: str) -> None:
    path = json_lines(tmp_path / "runs.jsonl", [{"unit": "u", "outcome": 1, "said": said}])
    found = read(path, unit="unit", outcome="outcome", output="said")
    attachment = next(r for r in found if isinstance(r, Attachment))
    (trial,) = trials(found)
    assert attachment.text == kept
    assert attachment.name == f"{trial.id}/output"
    assert trial.output is not None
    assert trial.output.sha256 == attachment.sha256
    assert found.index(attachment) < found.index(trial)


def test_a_row_without_an_answer_has_no_document(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "runs.jsonl", [{"unit": "u", "outcome": 1, "said": None}])
    found = read(path, unit="unit", outcome="outcome", output="said")
    assert trials(found)[0].output is None
    assert not any(isinstance(r, Attachment) for r in found)
