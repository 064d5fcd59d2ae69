"""Mode B: frozen logs become the archive of an arm; nothing is executed and nothing pretends so."""

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import Blocked
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.event import EventKind
from equipoise.records.grade import Grade
from equipoise.records.notice import Notice
from studies.loss.runs import archive_of, events, run_here, sealed_study, trials

ARMS = """
  - name: release-1
    system:
      logs:
        path: logs/old.jsonl
        arm: "1"
        mapping:
          unit: case
          arm: version
          repetition: take
          criteria: {wrong_amount: {column: wrong, direction: lower}}
  - name: release-2
    system:
      logs:
        path: logs/old.jsonl
        arm: "2"
        mapping:
          unit: case
          arm: version
          repetition: take
          criteria: {wrong_amount: {column: wrong, direction: lower}}
"""


def study_of(folder: Path, rows: list[dict[str, Any]], arms: str = ARMS) -> Path:
    logs = folder / "logs"
    logs.mkdir(parents=True)
    logs.joinpath("old.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    return sealed_study(folder, arms=arms, state="", sandbox="", mde="0.1")


def row(version: str, case: str, take: int, wrong: float) -> dict[str, Any]:
    return {"version": version, "case": case, "take": take, "wrong": wrong}


ROWS = [
    *(row("2", f"refund-{n}", take, n % 2) for n in range(1, 9) for take in (1, 2, 3)),
    *(row("2", f"invoice-{n}", take, 0) for n in range(1, 9) for take in (1, 2, 3, 4)),
    row("2", "somebody-elses", 1, 1),
    row("1", "refund-1", 1, 1),
]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = study_of(tmp_path_factory.mktemp("logs") / "study", ROWS)
    run_here(folder, "release-1")
    run_here(folder, "release-2")
    return folder


@pytest.mark.requirement("E2E-24")
def test_preflights_are_not_applicable_and_nothing_else_is_said_of_them(study: Path) -> None:
    told = events(study, "release-2", EventKind.PREFLIGHT)
    assert [(e.facts["preflight"], e.outcome) for e in told] == [
        ("sandbox", "not applicable"),
        ("anti-mock", "not applicable"),
    ]
    for kind in (EventKind.SNAPSHOT, EventKind.TORN_DOWN, EventKind.RESUMED):
        assert events(study, "release-2", kind) == []


@pytest.mark.requirement("E2E-03")
def test_only_planned_units_and_repetitions_are_taken(study: Path) -> None:
    kept = trials(study, "release-2")
    assert len(kept) == 2 * (1 + 7 * 3)
    assert {trial.arm for trial in kept} == {"release-2"}
    assert {trial.unit for trial in kept if trial.unit.startswith("some")} == set()
    (told,) = [n for n in archive_of(study, "release-2").read(Notice) if n.code == "unplanned"]
    assert told.count == len([r for r in ROWS if r["version"] == "2"]) - len(kept)
    assert kept[0].labels.keys() == {"intent", "language"}


def test_the_grades_of_the_source_stay_as_they_are(study: Path) -> None:
    unit_of = {trial.id: trial.unit for trial in trials(study, "release-2")}
    grades = list(archive_of(study, "release-2").read(Grade))
    assert len(grades) == len(unit_of)
    for grade in grades:
        number = int(unit_of[grade.trial].rpartition("-")[2])
        wanted = number % 2 if unit_of[grade.trial].startswith("refund") else 0
        assert (grade.criterion, grade.value) == ("wrong_amount", wanted)


def test_the_archive_verifies_and_a_second_run_has_nothing_to_do(study: Path) -> None:
    archive = archive_of(study, "release-2")
    assert all(fault.is_note for fault in verify_archive(archive.path))
    assert archive.manifest.source is not None
    assert archive.manifest.criteria["wrong_amount"].direction == "lower"
    assert run_here(study, "release-2").is_finished
    assert archive_of(study, "release-2").head == archive.head


def test_several_arms_in_one_source_have_to_be_told_apart(tmp_path: Path) -> None:
    folder = study_of(
        tmp_path / "study", [*ROWS[:3], row("1", "refund-2", 1, 0)], ARMS.replace('arm: "1"', "")
    )
    with pytest.raises(Blocked, match="holds several arms"):
        run_here(folder, "release-1")
    assert list(folder.joinpath("archive").iterdir()) == []


def test_logs_without_a_planned_unit_block(tmp_path: Path) -> None:
    folder = study_of(tmp_path / "study", [row("2", "nobody", 1, 1)])
    with pytest.raises(Blocked, match="no trial of a planned unit; its units are nobody"):
        run_here(folder, "release-2")
