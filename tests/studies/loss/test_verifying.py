"""A sceptic verifies a study: whatever was altered afterwards is named."""

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from equipoise.records.codec import decode, digest, encode, pretty
from equipoise.records.event import Seal
from equipoise.records.suite import HistoryRow, LossComparison, Suite
from equipoise.stages.report.loss.history import to_history
from studies.loss.compared_loss_runs import called, table, worse
from studies.loss.executed import executed_study
from studies.loss.made_study import made_units
from studies.loss.study_commands import run


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    study = worse(tmp_path_factory.mktemp("written"), n=120)
    content = study.joinpath("plan.json").read_bytes()
    seal = Seal(plan_sha256=digest(content), sealed_at="2026-01-01T00:00:00Z")
    study.joinpath("seal.json").write_bytes(pretty(seal))
    study.joinpath("sealed").mkdir()
    study.joinpath("sealed", "plan.json").write_bytes(content)
    assert called("compare", study).exit_code == 1
    return study


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "study"))


def one(folder: Path, pattern: str) -> Path:
    return next(iter(sorted(folder.glob(pattern))))


def edited_suite(folder: Path) -> None:
    path = one(folder, "archive/release-2-*/suites/*/suite.json")
    suite = decode(path.read_bytes(), Suite)
    path.write_bytes(pretty(msgspec.structs.replace(suite, completion_rate=0.99)))


def edited_result(folder: Path) -> None:
    path = one(folder, "comparisons/*/regressions.json")
    comparison = decode(path.read_bytes(), LossComparison)
    path.write_bytes(pretty(msgspec.structs.replace(comparison, verdict="better")))


def edited_table(folder: Path) -> None:
    path = one(folder, "comparisons/*/TOP-REGRESSIONS.md")
    path.write_text("\n".join(path.read_text().splitlines()[:2]) + "\n")


def edited_history(folder: Path) -> None:
    path = folder / "LOSS-HISTORY.md"
    path.write_text(path.read_text().replace("| A |", "| B |"))


def rewritten_history(folder: Path) -> None:
    """Every line of the chain and the table rewritten, so that they follow from each other."""
    path = folder / "history.jsonl"
    previous, hashes, rows, lines = digest(b"LOSS-HISTORY"), [], [], []
    for number, text in enumerate(path.read_bytes().splitlines(), start=1):
        row = msgspec.convert(msgspec.json.decode(text)["body"], HistoryRow)
        row = msgspec.structs.replace(row, suite_score=0.01)
        line = b'{"prev":"%b","seq":%d,"body":%b}' % (previous.encode(), number, encode(row))
        previous = digest(line)
        hashes.append(previous)
        rows.append(row)
        lines.append(line + b"\n")
    path.write_bytes(b"".join(lines))
    folder.joinpath("LOSS-HISTORY.md").write_bytes(to_history(rows, hashes))


def edited_plan(folder: Path) -> None:
    path = folder / "plan.json"
    path.write_bytes(path.read_bytes().replace(b'"mde": 0.05', b'"mde": 0.2'))


def edited_grade(folder: Path) -> None:
    path = one(folder, "archive/release-2-*/grades.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"value":1.0', b'"value":0.0', 1))


def edited_copy_of_the_plan(folder: Path) -> None:
    path = one(folder, "archive/release-2-*/plan.json")
    path.write_bytes(path.read_bytes().replace(b'"mde": 0.05', b'"mde": 0.2'))


def lost_page(folder: Path) -> None:
    one(folder, "comparisons/*/report/index.html").unlink()


def lost_suite(folder: Path) -> None:
    one(folder, "archive/release-2-*/suites/*/suite.json").unlink()


def lost_result(folder: Path) -> None:
    one(folder, "comparisons/*/regressions.json").unlink()


def lost_seal(folder: Path) -> None:
    folder.joinpath("seal.json").unlink()


def lost_copies(folder: Path) -> None:
    shutil.rmtree(folder / "sealed")


def edited_catalog(folder: Path) -> None:
    path = folder / "catalogs" / "loss-catalog.v1.json"
    path.write_bytes(path.read_bytes().replace(b"0.3", b"0.2"))


def edited_event(folder: Path) -> None:
    path = one(folder, "archive/release-2-*/events.jsonl")
    path.write_bytes(path.read_bytes().replace(b"started", b"stopped"))


@pytest.mark.requirement("E2E-01")
def test_a_study_as_it_was_written_is_verified(folder: Path) -> None:
    done = called("verify", folder)
    assert done.exit_code == 0, done.output
    assert "verified:" in done.output
    assert done.output.count("byte for byte") == 2


@pytest.mark.requirement("E2E-50")
@pytest.mark.parametrize(
    ("alter", "named"),
    [
        (edited_suite, "suite.json"),
        (edited_result, "regressions.json"),
        (edited_table, "TOP-REGRESSIONS.md"),
        (edited_history, "a row was altered"),
        (rewritten_history, "the row does not follow from its suite"),
        (edited_plan, "not the plan that was sealed"),
        (edited_grade, "grades.jsonl"),
        (edited_copy_of_the_plan, "the run followed"),
        (lost_page, "report/index.html"),
        (lost_suite, "suite.json: is missing"),
        (lost_result, "regressions.json: is missing"),
        (lost_seal, "seal.json: is missing"),
        (lost_copies, "sealed/plan.json: is missing"),
        (edited_catalog, "loss-catalog.v1.json: changed after planning"),
        (edited_event, "events.jsonl"),
    ],
    ids=lambda part: getattr(part, "__name__", part),
)
def test_an_alteration_is_found_and_named(
    folder: Path, alter: Callable[[Path], None], named: str
) -> None:
    alter(folder)
    done = called("verify", folder)
    assert done.exit_code == 1
    assert named in done.output
    assert "not verified: " in done.output.splitlines()[-1]


def test_the_report_is_written_again_from_the_archives(folder: Path) -> None:
    page = one(folder, "comparisons/*/report/index.html")
    before = page.read_bytes()
    edited_table(folder)
    page.unlink()
    done = called("report", folder)
    assert done.exit_code == 0, done.output
    assert page.read_bytes() == before
    assert len(table(folder)) == 1
    assert b"release-2" in folder.joinpath("history.html").read_bytes()
    printed = called("report", folder, "--format", "md")
    assert printed.output.startswith("| partition | kategorie |")
    printed = called("report", folder, "--format", "junit")
    assert printed.output.startswith("<?xml")
    assert printed.output.encode() == one(folder, "comparisons/*/report/junit.xml").read_bytes()


def test_nothing_to_verify_or_to_report_is_said(tmp_path: Path) -> None:
    tmp_path.joinpath("study.yaml").write_text("kind: loss\n")
    assert called("verify", tmp_path).exit_code == 2
    assert called("report", tmp_path).exit_code == 2


@pytest.mark.parametrize("verb", ["compare", "report"])
def test_no_verb_reads_on_where_the_sealed_study_was_edited(tmp_path: Path, verb: str) -> None:
    study = executed_study(tmp_path / "study", units=made_units(3))
    assert run("grade", study)[0] == 0
    assert run("compare", study)[0] in {0, 1}
    written = study / "study.yaml"
    written.write_text(written.read_text().replace("mde:", "mde: 0.4 #", 1))
    code, _, err = run(verb, study)
    assert code == 1
    assert "study.yaml" in err
