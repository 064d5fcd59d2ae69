"""Imports: whole or not at all, checked, counted, the same again."""

import hashlib
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest

from archive.made_archive import LOG, QUOTE, made_readings
from equipoise.archive.store import Archive
from equipoise.errors import InputError, UnreadableSource
from equipoise.pipeline.importing import import_runs
from equipoise.pipeline.tally import ImportSummary
from equipoise.pipeline.verifying import verify_archive
from equipoise.ports import Reading
from equipoise.records.grade import Evidence, Grade
from equipoise.records.notice import Attachment, Notice, Severity
from equipoise.records.trial import Ending, EndingKind, Trial, Usage
from every import for_every
from pipeline.made_runs import MadeReader, made_trial

ROWS = '{"unit":"u1","value":1}\n{"unit":"u2","value":0}\n'


def imported(folder: Path, *readings: Reading, name: str = "a") -> ImportSummary:
    """The summary of an import of these readings into `folder/name`."""
    source = folder / "runs.made"
    source.write_text("made by the test", encoding="utf-8")
    return import_runs(MadeReader(readings=readings), source, folder / name, {})


def codes(summary: ImportSummary) -> dict[str, int]:
    return {notice.code: notice.count for notice in summary.notices}


def test_the_same_import_again_finds_the_archive_and_uses_it(tmp_path: Path) -> None:
    source = tmp_path / "runs.jsonl"
    source.write_text(ROWS, encoding="utf-8")
    first = import_runs(MadeReader(), source, tmp_path / "a", {})
    again = import_runs(MadeReader(), source, tmp_path / "a", {})
    assert (first.n_trials, first.n_units, first.is_reused) == (2, 2, False)
    assert (again.head, again.is_reused) == (first.head, True)
    assert Archive.open(tmp_path / "a").columns().facts.n_trials == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "runs.jsonl"]


def test_another_source_or_mapping_never_overwrites(tmp_path: Path) -> None:
    source = tmp_path / "runs.jsonl"
    source.write_text(ROWS, encoding="utf-8")
    import_runs(MadeReader(), source, tmp_path / "a", {})
    before = {p: p.read_bytes() for p in (tmp_path / "a").rglob("*") if p.is_file()}
    with pytest.raises(InputError, match="nothing is ever overwritten"):
        import_runs(MadeReader(), source, tmp_path / "a", {"scale": "2"})
    source.write_text(ROWS + '{"unit":"u3","value":0}\n', encoding="utf-8")
    with pytest.raises(InputError, match="holds the archive 'runs-"):
        import_runs(MadeReader(), source, tmp_path / "a", {})
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "thesis.doc").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="holds something else"):
        import_runs(MadeReader(), source, tmp_path / "b", {})
    assert {p: p.read_bytes() for p in (tmp_path / "a").rglob("*") if p.is_file()} == before


@pytest.mark.requirement("A4")
def test_run_ids_follow_from_content_not_from_the_clock(tmp_path: Path) -> None:
    ids = set()
    for name, rows, mapping in (
        ("one", ROWS, {}),
        ("two", ROWS + ROWS.replace("u1", "v1").replace("u2", "v2"), {}),
        ("three", ROWS, {"x": "1"}),
    ):
        source = tmp_path / "runs.jsonl"
        source.write_text(rows, encoding="utf-8")
        os.utime(source, (0, 0))  # whatever the clock says
        ids.add(import_runs(MadeReader(), source, tmp_path / name, mapping).run_id)
    assert len(ids) == 3
    assert all(run_id.startswith("runs-") for run_id in ids)


@pytest.mark.requirement("A4")
def test_many_imports_of_the_same_at_once_make_one_archive(tmp_path: Path) -> None:
    source = tmp_path / "runs.jsonl"
    rows = "".join(f'{{"unit":"u{n}","outcome":{n % 2}}}\n' for n in range(2000))
    source.write_text(rows, encoding="utf-8")
    place = str(tmp_path / "archives" / "a")
    command = [sys.executable, "-m", "equipoise", "import", "table", str(source), "-o", place]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    told = [process.communicate() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], told
    assert sum("(made)" in out for out, _ in told) == 1
    assert [p.name for p in Path(place).parent.iterdir()] == ["a"]
    assert verify_archive(Path(place)) == []


@pytest.mark.requirement("E2E-14")
def test_ids_do_not_depend_on_the_order_of_import(tmp_path: Path) -> None:
    rows = [f'{{"unit":"u{n}","arm":"{arm}","value":{n % 2}}}\n' for n in range(20) for arm in "ab"]
    source = tmp_path / "runs.jsonl"
    source.write_text("".join(rows), encoding="utf-8")
    import_runs(MadeReader(), source, tmp_path / "one", {})
    shuffled = np.random.default_rng(7).permutation(rows).tolist()
    assert shuffled != rows
    source.write_text("".join(shuffled), encoding="utf-8")
    import_runs(MadeReader(), source, tmp_path / "two", {})
    one, two = (list(Archive.open(tmp_path / name).read(Trial)) for name in ("one", "two"))
    assert one != two
    assert {t.id: t for t in one} == {t.id: t for t in two}


def test_a_duplicate_trial_is_refused_with_its_grades_and_counted(tmp_path: Path) -> None:
    trial = made_trial("u1", source="runs:1")
    again = made_trial("u1", source="runs:2")
    summary = imported(
        tmp_path,
        *(trial, Grade(trial=trial.id, value=1)),
        *(again, Grade(trial=again.id, value=0)),
        *(made_trial("u2"), Grade(trial=made_trial("u2").id, value=0)),
    )
    assert (summary.n_trials, codes(summary)) == (2, {"duplicate_trial": 1})
    assert "runs:2" in summary.notices[0].where
    assert [g.value for g in Archive.open(tmp_path / "a").read(Grade)] == [1, 0]


@pytest.mark.requirement("A20")
def test_a_retry_is_an_attempt_not_a_repetition(tmp_path: Path) -> None:
    timeout = Ending(kind=EndingKind.TIMED_OUT)
    second = made_trial("u1", attempt=2)
    summary = imported(
        tmp_path, made_trial("u1", ending=timeout), second, Grade(trial=second.id, value=1)
    )
    assert (summary.n_trials, summary.n_units, summary.max_repetition) == (2, 1, 1)
    assert summary.n_attempts_beyond_first == 1
    assert summary.endings == {"completed": 1, "timed_out": 1}
    outcome = summary.criteria["outcome"]
    assert (outcome.n_values, outcome.missing) == (1, {"timed_out": 1})


@for_every("value", [1.7, -0.1, -1.0, math.nan, math.inf, 99.0])
def test_a_value_outside_0_to_1_is_no_value(tmp_path: Path, value: float) -> None:
    trial, other = made_trial("u1"), made_trial("u2")
    summary = imported(
        tmp_path, trial, Grade(trial=trial.id, value=value), other, Grade(trial=other.id, value=1)
    )
    assert codes(summary) == {"value_out_of_range": 1}
    assert summary.n_notices == {"refused": 1}
    assert trial.id in summary.notices[0].where
    assert summary.criteria["outcome"].missing == {"value outside [0,1]": 1}


@pytest.mark.parametrize(("value", "reason"), [(None, ""), (0.5, "no idea")])
def test_a_grade_has_a_value_or_a_reason(tmp_path: Path, value: float | None, reason: str) -> None:
    trial = made_trial("u1")
    grade = Grade(trial=trial.id, value=value, not_evaluable=reason)
    summary = imported(tmp_path, trial, grade)
    assert codes(summary) == {"value_and_reason": 1}
    assert summary.criteria["outcome"].n_values == 0


@for_every(
    "trial",
    [
        made_trial(""),
        made_trial("u", ""),
        made_trial("u", repetition=0),
        made_trial("u", attempt=2**31),
        made_trial("u", cost_usd=math.nan),
        made_trial("u", duration_ms=-1.0),
        made_trial("u", usage=Usage(input_tokens=-5)),
        made_trial("u", usage=Usage(output_tokens=2**60)),
        made_trial("u", stop_reason="\ud800"),
        made_trial("u" * 9_000_000),
    ],
)
def test_an_impossible_trial_is_refused_and_the_rest_is_kept(tmp_path: Path, trial: Trial) -> None:
    good = made_trial("good")
    summary = imported(tmp_path, trial, Grade(trial=trial.id, value=1), good)
    assert (summary.n_trials, summary.n_notices) == (1, {"refused": 1})
    assert Archive.open(tmp_path / "a").n_lines(Grade) == 0


def quoted(**changes: object) -> tuple[Reading, ...]:
    log = LOG.encode()
    start = log.index(QUOTE.encode())
    evidence = Evidence(
        document=hashlib.sha256(log).hexdigest(),
        start=start,
        end=start + len(QUOTE.encode()),
        quote=QUOTE,
        name="a.log",
        line=2,
    )
    evidence = msgspec.structs.replace(evidence, **changes)
    trial = made_trial("u")
    attachment = Attachment(name="a.log", sha256=evidence.document, n_bytes=len(log), text=LOG)
    return attachment, trial, Grade(trial=trial.id, value=0.5, evidence=(evidence,))


def test_a_quote_at_its_place_is_kept(tmp_path: Path) -> None:
    summary = imported(tmp_path, *quoted())
    assert (summary.n_documents, summary.notices) == (1, ())
    (grade,) = Archive.open(tmp_path / "a").read(Grade)
    assert (grade.value, grade.evidence[0].quote) == (0.5, QUOTE)


@for_every(
    "changes",
    [
        {"quote": "世界 🙃"},
        {"quote": ""},
        {"start": 0},
        {"start": -1},
        {"end": 9999},
        {"document": "0" * 64},
        {"document": "../../etc/passwd"},
    ],
)
def test_a_quote_that_is_not_there_does_not_count(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    summary = imported(tmp_path, *quoted(**changes))
    assert "quote_not_found" in codes(summary)
    (grade,) = Archive.open(tmp_path / "a").read(Grade)
    assert (grade.value, grade.evidence) == (None, ())
    assert all(fault.is_note for fault in verify_archive(tmp_path / "a"))


def test_the_line_of_a_quote_is_corrected(tmp_path: Path) -> None:
    summary = imported(tmp_path, *quoted(line=7))
    assert codes(summary) == {"quote_line": 1}
    (grade,) = Archive.open(tmp_path / "a").read(Grade)
    assert grade.evidence[0].line == 2


def test_attachments_come_from_inside_the_sources_folder_only(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "log").write_text("log", encoding="utf-8")
    sha256 = hashlib.sha256(b"log").hexdigest()
    readings = [
        Attachment(name=path, sha256=sha256, n_bytes=3, path=path)
        for path in ("log", "../secret", "link", str(tmp_path / "secret"), "missing")
    ]
    reader = MadeReader(readings=(*readings, made_trial("u")))
    summary = import_runs(reader, folder, tmp_path / "a", {})
    assert summary.n_documents == 1
    assert codes(summary) == {"path_outside": 3, "document_unreadable": 1}


def test_a_unit_that_contradicts_itself_is_told(tmp_path: Path) -> None:
    summary = imported(
        tmp_path,
        made_trial("u1", "a", labels={"intent": "x"}, cluster="c1"),
        made_trial("u1", "b", labels={"intent": "y"}, cluster="c2"),
        made_trial("u2", "a", labels={"intent": "x"}, cluster="c1"),
        made_trial("u2", "b", labels={"intent": "x"}, cluster="c1"),
        made_trial("u3", "a", labels={"intent": "x"}),
        made_trial("u3", "b"),
    )
    told = {n.message.split(" in their")[0]: n.where for n in summary.notices}
    assert told == {
        "2 units have more than one label intent": "unit 'u1', unit 'u3'",
        "1 units have more than one cluster": "unit 'u1'",
    }


def test_label_keys_that_differ_by_case_are_one(tmp_path: Path) -> None:
    summary = imported(
        tmp_path, made_trial("u1", labels={"Intent": "x"}), made_trial("u2", labels={"intent": "y"})
    )
    assert (summary.labels, codes(summary)) == ({"Intent": 2}, {"label_key": 1})


def test_grades_that_count_nowhere_are_told(tmp_path: Path) -> None:
    trial = made_trial("u1")
    grade = Grade(trial=trial.id, value=1)
    summary = imported(tmp_path, trial, grade, grade, Grade(trial="nobody", value=1))
    assert codes(summary) == {"grade_without_trial": 1, "duplicate_grade": 1}
    assert summary.criteria["outcome"].n_values == 1


def test_equal_faults_are_one_notice(tmp_path: Path) -> None:
    trials = [made_trial(f"u{n}") for n in range(500)]
    grades = [Grade(trial=trial.id, value=2) for trial in trials]
    assert codes(imported(tmp_path, *trials, *grades)) == {"value_out_of_range": 500}


def test_criteria_and_label_keys_beyond_two_hundred_are_told(tmp_path: Path) -> None:
    trial = made_trial("u", labels={f"k{n}": "v" for n in range(201)})
    grades = [Grade(trial=trial.id, criterion=f"c{n}", value=1) for n in range(203)]
    summary = imported(tmp_path, trial, *grades)
    assert codes(summary) == {"too_many_criteria": 3, "label_key": 1}
    assert (len(summary.criteria), len(summary.labels)) == (200, 200)
    assert summary.criteria["c199"].n_values == 1


@pytest.mark.parametrize("readings", [(), (Notice(code="x", message="no row was readable"),)])
def test_nothing_readable_leaves_no_archive(tmp_path: Path, readings: tuple[Reading, ...]) -> None:
    source = tmp_path / "runs.jsonl"
    source.touch()
    with pytest.raises(UnreadableSource, match="no run that could be read") as caught:
        import_runs(MadeReader(readings=readings), source, tmp_path / "out" / "a", {})
    assert ("no row was readable" in str(caught.value)) == bool(readings)
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("name", ["missing.jsonl", "empty_folder"])
def test_a_source_that_is_not_there(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty_folder").mkdir()
    with pytest.raises(UnreadableSource, match=name):
        import_runs(MadeReader(), tmp_path / name, tmp_path / "a", {})


def test_simulated_runs_mark_the_archive(tmp_path: Path) -> None:
    summary = imported(tmp_path, made_trial("u1"), made_trial("u2", is_simulated=True))
    assert summary.is_simulated
    assert Archive.open(tmp_path / "a").manifest.is_simulated


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_stopped_import_leaves_no_half_archive(tmp_path: Path, stop: signal.Signals) -> None:
    source = tmp_path / "runs.jsonl"
    rows = "".join(f'{{"unit":"u{n}","outcome":{n % 2}}}\n' for n in range(100_000))
    source.write_text(rows, encoding="utf-8")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "equipoise", "import", "table", str(source)]
    with subprocess.Popen([*command, "-o", str(out / "a")], stderr=subprocess.PIPE) as process:
        while not list(out.glob(".equipoise-import-*/archive/trials.jsonl")):
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(stop)
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
    assert not (out / "a").exists()
    source.write_text(ROWS.replace("value", "outcome"), encoding="utf-8")
    summary = import_runs(MadeReader(readings=made_readings()), source, out / "a", {})
    assert summary.n_trials == 14
    assert [p.name for p in out.iterdir()] == ["a"]


def test_an_archive_is_the_same_wherever_and_whenever_it_is_made(tmp_path: Path) -> None:
    heads = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        heads.append(imported(folder, *made_readings()).head)
    files = [
        {
            p.relative_to(tmp_path / n).as_posix(): p.read_bytes()
            for p in (tmp_path / n).rglob("*")
            if p.is_file() and p.name != "lock"
        }
        for n in ("one", "two")
    ]
    assert heads[0] == heads[1]
    assert files[0] == files[1]


def test_notices_keep_their_severity(tmp_path: Path) -> None:
    notices = [Notice(code=s.value, message="m", severity=s, count=2) for s in Severity]
    summary = imported(tmp_path, made_trial("u"), *notices)
    assert summary.n_notices == {"lost": 2, "refused": 2, "warning": 2, "info": 2}
    assert summary.notices[0].severity is Severity.LOST
