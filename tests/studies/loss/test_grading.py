"""``equipoise grade``: every trial is worth something under the catalog, or it says why not."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from equipoise.archive.manifest import Document
from equipoise.errors import Blocked, InputError, Tampered
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.grade import How
from equipoise.records.terms import Direction
from equipoise.records.trial import Ending, EndingKind
from studies.loss.executed import archive_of, executed_study, grade, grades, sha256_of, trials
from studies.loss.made_study import made_units, unit_line
from studies.loss.runs import equipoise, sealed_study

WRONG = {
    "id": "wrong_amount",
    "weight": 0.3,
    "type": "deterministic",
    "max": 1,
    "check": {"regex": {"pattern": r"\b{expected.amount}", "lost_when": "absent"}},
}
SILENT = {
    "id": "silent",
    "weight": 0.1,
    "type": "deterministic",
    "max": 2,
    "check": {"json_path": {"document": "desk.jsonl", "path": "$[?@.hop=='end']", "exists": True}},
}
CATALOG: dict[str, Any] = {"version": "v1", "categories": [WRONG, SILENT]}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = executed_study(tmp_path_factory.mktemp("graded") / "study", catalog=CATALOG)
    grade(folder)
    return folder


def test_a_user_grades_what_was_run(tmp_path: Path) -> None:
    folder = sealed_study(tmp_path / "study", catalog=CATALOG, units=made_units(3))
    equipoise("run", folder)
    said = equipoise("grade", folder).stdout
    assert "release-2: 14 trials under v1, 14 graded now" in said
    assert "wrong_amount  mean 0.4286, lost in 6 of 14" in said
    assert "14 unbewertbar (no document desk.jsonl)" in said
    again = json.loads(equipoise("grade", folder, "--arm", "release-2", "--json").stdout)
    (run,) = again["runs"]
    assert (run["n_new"], run["n_trials"]) == (0, 14)
    assert run["categories"]["wrong_amount"]["n_lost"] == 6
    equipoise("verify", archive_of(folder, "release-2").path)


def test_an_arm_without_trials_is_run_next_and_not_compared(tmp_path: Path) -> None:
    folder = executed_study(tmp_path / "study", catalog=CATALOG, only_begun="release-2")
    said = equipoise("grade", folder).stdout
    assert "release-2: 0 trials under v1" in said
    assert f"next: equipoise run {folder} --arm release-2, which has no trial yet" in said
    assert "next: equipoise compare" not in said
    only = equipoise("grade", folder, "--arm", "release-1").stdout
    assert f"next: equipoise compare {folder}" in only


@pytest.mark.requirement("E2E-36")
def test_e2e_36_the_loss_is_the_weighted_share_lost(study: Path) -> None:
    units = {trial.id: trial.unit for trial in trials(study, "release-2")}
    for trial, loss in grades(study, "release-2", "v1:loss").items():
        is_wrong = int(units[trial].rpartition("-")[2]) % 2 == 0
        assert loss.value == pytest.approx(0.75 if is_wrong else 0.0)
        assert bool(loss.evidence) == is_wrong
        assert loss.how is How.MEASURED
    assert {loss.value for loss in grades(study, "release-1", "v1:loss").values()} == {0.0}


@pytest.mark.requirement("E2E-36")
def test_e2e_36_everything_lost_is_exactly_one(tmp_path: Path) -> None:
    lost = [
        WRONG | {"id": f"lost{n}", "weight": weight, "max": largest}
        for n, (weight, largest) in enumerate([(0.1, 1), (0.2, 0.3), (0.7, 0.1), (0.30001, 1)])
    ]
    folder = executed_study(
        tmp_path / "study",
        lambda *_: {"output": b"nothing of use\n"},
        catalog={"version": "v1", "categories": lost},
    )
    told = grade(folder)["release-1"]
    assert {loss.value for loss in grades(folder, "release-1", "v1:loss").values()} == {1.0}
    assert told.categories["lost1"].n_clipped == told.n_trials
    assert any(notice.code == "clipped" for notice in told.notices)


def test_every_quote_stands_and_less_is_better(study: Path) -> None:
    for arm in ("release-1", "release-2"):
        archive = archive_of(study, arm)
        assert [fault for fault in verify_archive(archive.path) if not fault.is_note] == []
        declared = {name: one.direction for name, one in archive.manifest.criteria.items()}
        assert declared == dict.fromkeys(
            ["v1:wrong_amount", "v1:silent", "v1:loss"], Direction.LOWER
        )


def test_the_catalog_is_kept_with_the_grades(study: Path) -> None:
    archive = archive_of(study, "release-1")
    kept = [d for d in archive.read(Document) if d.name == "loss-catalog.v1.json"]
    content = study.joinpath("catalogs", "loss-catalog.v1.json").read_bytes()
    assert [b"".join(archive.blobs.chunks(one.sha256)) for one in kept] == [content]
    assert json.loads(study.joinpath("catalogs.lock.json").read_bytes()) == {"v1": kept[0].sha256}


def test_grading_again_changes_nothing(study: Path) -> None:
    before = archive_of(study, "release-2").head
    assert grade(study)["release-2"].n_new == 0
    assert archive_of(study, "release-2").head == before


def test_the_same_archive_is_graded_to_the_same_bytes(study: Path, tmp_path: Path) -> None:
    other = executed_study(tmp_path / "study", catalog=CATALOG)
    grade(other, arm="release-2")
    for name in ("grades.jsonl", "documents.jsonl", "head.json", "archive.json"):
        assert sha256_of(other, "release-2", name) == sha256_of(study, "release-2", name)


@pytest.mark.requirement("E2E-05")
def test_e2e_05_what_needs_execution_is_not_evaluable_in_frozen_logs_and_lowers_no_loss(
    tmp_path: Path,
) -> None:
    retry = SILENT | {"id": "retried", "weight": 0.6, "is_reexecuted": True}
    arms = [
        {"name": name, "system": {"logs": {"path": "units.jsonl"}}} for name in ("release-1", "old")
    ]
    folder = executed_study(
        tmp_path / "study",
        catalog={"version": "v1", "categories": [WRONG, retry]},
        arms=json.dumps(arms),
        state="",
        sandbox="",
    )
    told = grade(folder)["release-1"]
    assert told.mode == "B"
    assert told.categories["retried"].n_values == 0
    assert all(why.startswith("unbewertbar") for why in told.categories["retried"].why)
    for loss in grades(folder, "release-1", "v1:loss").values():
        assert loss.value == 0.0
        assert "without retried" in loss.note


def test_a_trial_without_an_outcome_has_no_grade(tmp_path: Path) -> None:
    broken = Ending(kind=EndingKind.INFRASTRUCTURE_ERROR)
    folder = executed_study(tmp_path / "study", catalog=CATALOG, endings={"refund-2": broken})
    told = grade(folder)["release-1"]
    assert told.endings == {"infrastructure_error": 3}
    graded = grades(folder, "release-1", "v1:loss")
    assert {t.unit for t in trials(folder, "release-1") if t.id not in graded} == {"refund-2"}


def test_nothing_evaluable_is_no_loss_and_never_zero(tmp_path: Path) -> None:
    folder = executed_study(tmp_path / "study", lambda *_: {}, catalog=CATALOG)
    grade(folder)
    for loss in grades(folder, "release-1", "v1:loss").values():
        assert (loss.value, loss.not_evaluable) == (None, "no category could be evaluated")


@pytest.mark.requirement("E2E-33")
def test_e2e_33_an_empty_answer_is_lost_and_the_record_of_the_trial_shows_it(
    tmp_path: Path,
) -> None:
    folder = executed_study(tmp_path / "study", lambda *_: {"output": b""}, catalog=CATALOG)
    grade(folder)
    archive = archive_of(folder, "release-1")
    for one in grades(folder, "release-1", "v1:wrong_amount").values():
        assert one.value == 1.0
        assert [(p.name, p.quote[:9]) for p in one.evidence] == [("trial.json", '"output":')]
    assert [fault for fault in verify_archive(archive.path) if not fault.is_note] == []


def corpus(n: int = 4, **changes: Any) -> list[dict[str, Any]]:
    held = {"retention_until": "2027-01-01", "may_quote": True} | changes
    return [unit_line(k, intent=i, **held) for i in ("refund", "invoice") for k in range(1, n + 1)]


@pytest.mark.requirement("E2E-07")
def test_e2e_07_a_unit_without_permission_supplies_no_quote(tmp_path: Path) -> None:
    units = corpus()
    units[1]["may_quote"] = False
    folder = executed_study(tmp_path / "study", catalog=CATALOG, provenance="korpus", units=units)
    told = grade(folder)["release-2"]
    units_of = {trial.id: trial.unit for trial in trials(folder, "release-2")}
    for trial, one in grades(folder, "release-2", "v1:wrong_amount").items():
        if units_of[trial] == units[1]["id"]:
            assert (one.value, one.evidence) == (1.0, ())
            assert one.note.startswith("quote withheld: output:1 bytes 0-")
        else:
            assert one.evidence
    assert told.categories["wrong_amount"].n_withheld == 3


@pytest.mark.requirement("E2E-07")
def test_e2e_07_an_expired_unit_is_not_graded_and_that_is_told(tmp_path: Path) -> None:
    units = corpus()
    units[2]["retention_until"] = "2026-06-01"
    folder = executed_study(tmp_path / "study", catalog=CATALOG, provenance="korpus", units=units)
    told = grade(folder, today=date(2026, 6, 2))["release-2"]
    units_of = {trial.id: trial.unit for trial in trials(folder, "release-2")}
    for name in ("v1:wrong_amount", "v1:loss"):
        for trial, one in grades(folder, "release-2", name).items():
            is_expired = units_of[trial] == units[2]["id"]
            assert (one.value is None) == is_expired
    (notice,) = told.notices
    assert notice.message == (
        "3 trials were not graded: the retention of the unit's logs ended on 2026-06-01"
    )


def test_a_study_without_runs_or_another_arm_is_told(study: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no run of arm 'release-3'.*did you mean 'release-"):
        grade(study, arm="release-3")
    bare = executed_study(tmp_path / "study", catalog=CATALOG)
    for path in bare.joinpath("archive").iterdir():
        path.rename(tmp_path / path.name)
    with pytest.raises(Blocked, match="has no runs to grade"):
        grade(bare)


def test_an_altered_document_is_never_graded(tmp_path: Path) -> None:
    folder = executed_study(tmp_path / "study", catalog=CATALOG)
    archive = archive_of(folder, "release-1")
    (first,) = [d for d in archive.read(Document) if d.name == f"{_first(folder)}/output"]
    blob = archive.path / "blobs" / first.sha256[:2] / f"{first.sha256}.zst"
    other = next(d for d in archive.read(Document) if d.sha256 != first.sha256)
    blob.write_bytes(
        archive.path.joinpath("blobs", other.sha256[:2], f"{other.sha256}.zst").read_bytes()
    )
    with pytest.raises(Tampered, match="has other content"):
        grade(folder)


def _first(folder: Path) -> str:
    return trials(folder, "release-1")[0].id


ENDLESS = WRONG | {"id": "endless", "check": {"regex": {"pattern": "^(a|aa)+$"}}}


@pytest.mark.slow
def test_an_expression_without_an_end_stops_the_grading(tmp_path: Path) -> None:
    folder = executed_study(
        tmp_path / "study",
        lambda *_: {"output": b"a" * 90 + b"!"},
        catalog={"version": "v1", "categories": [WRONG, ENDLESS]},
        units=made_units(6),
        mde="0.3",
    )
    with pytest.raises(InputError, match="'endless' took too long in 25 trials"):
        grade(folder, arm="release-1")
