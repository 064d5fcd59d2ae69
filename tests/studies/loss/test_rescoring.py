"""An archive graded under another catalog: nothing is executed, and the old grades stay."""

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.archive.manifest import Document
from equipoise.errors import Blocked, InputError
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.catalog import Catalog
from equipoise.records.grade import Grade
from equipoise.stages.grade.catalog import read_catalog
from equipoise.studies.loss.rescoring import catalog_changes
from studies.loss.executed import archive_of, executed_study, grade, grades
from studies.loss.runs import equipoise
from studies.loss.test_grading import CATALOG, SILENT, WRONG

LATE = SILENT | {"id": "late", "weight": 0.2}
SECOND: dict[str, Any] = {"version": "v2", "categories": [WRONG | {"weight": 0.5}, LATE]}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return executed_study(tmp_path / "study", catalog=CATALOG)


def write(study: Path, content: dict[str, Any] | str, version: str = "v2") -> Path:
    path = study / "catalogs" / f"loss-catalog.{version}.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.requirement("E2E-42")
def test_e2e_42_an_archive_is_graded_under_another_catalog_without_the_system(study: Path) -> None:
    equipoise("grade", study)
    study.joinpath("agent.py").unlink()
    before = archive_of(study, "release-2").path.joinpath("grades.jsonl").read_bytes()
    trials = archive_of(study, "release-2").path.joinpath("trials.jsonl").read_bytes()
    said = equipoise("grade", study, "--catalog", write(study, SECOND)).stdout
    assert "against v1, under which these trials were graded before:" in said
    assert "added: late (weight 0.2)" in said
    assert "removed: silent (weight 0.1)" in said
    assert "changed: wrong_amount: weight 0.3 -> 0.5" in said
    archive = archive_of(study, "release-2")
    assert archive.path.joinpath("grades.jsonl").read_bytes().startswith(before)
    assert archive.path.joinpath("trials.jsonl").read_bytes() == trials
    criteria = {grade.criterion.partition(":")[0] for grade in archive.read(Grade)}
    assert criteria == {"v1", "v2"}
    lost = {round(one.value or 0, 6) for one in grades(study, "release-2", "v2:loss").values()}
    assert lost == {0.0, round(0.5 / 0.7, 6)}
    assert [fault for fault in verify_archive(archive.path) if not fault.is_note] == []
    names = [d.name for d in archive.read(Document) if d.name.startswith("loss-catalog")]
    assert names == ["loss-catalog.v1.json", "loss-catalog.v2.json"]


def test_compare_takes_the_catalog_that_grade_took(study: Path) -> None:
    second = write(study, SECOND)
    equipoise("grade", study)
    said = equipoise("grade", study, "--catalog", second).stdout
    assert said.endswith(f"next: equipoise compare {study} --catalog v2\n")
    by_path, by_name = (
        equipoise("compare", study, "--catalog", which, "--json", code=None).stdout
        for which in (second, "v2")
    )
    assert json.loads(by_path)["catalog_version"] == "v2"
    assert json.loads(by_name)["catalog_version"] == "v2"
    refused = equipoise("compare", study, "--catalog", "v3", code=2).stderr
    assert "name one that both have (v1, v2)" in refused


@pytest.mark.requirement("E2E-30")
def test_e2e_30_changed_content_under_the_planned_version_is_refused(study: Path) -> None:
    elsewhere = study / "other" / "loss-catalog.v1.json"
    elsewhere.parent.mkdir()
    elsewhere.write_text(json.dumps(CATALOG).replace("0.3", "0.4"), encoding="utf-8")
    done = equipoise("grade", study, "--catalog", elsewhere, code=2)
    assert "under the same version v1" in done.stderr
    assert "give the changed catalog a new version, loss-catalog.v2.json" in done.stderr
    study.joinpath("catalogs", elsewhere.name).write_bytes(elsewhere.read_bytes())
    assert elsewhere.name in equipoise("grade", study, code=1).stderr
    assert grades(study, "release-1", "v1:loss") == {}


@pytest.mark.requirement("E2E-30")
def test_e2e_30_changed_content_under_a_version_used_before_is_refused(study: Path) -> None:
    grade(study, catalog=write(study, SECOND))
    changed = write(study, json.dumps(SECOND) + "\n")
    with pytest.raises(InputError, match=r"catalogs\.lock\.json: v2 has .* under the same version"):
        grade(study, catalog=changed)
    study.joinpath("catalogs.lock.json").unlink()
    with pytest.raises(InputError, match=r"archive release-\d.* under the same version v2"):
        grade(study, catalog=changed)


def test_a_catalog_that_is_not_there_or_none_is_told(study: Path) -> None:
    with pytest.raises(Blocked, match=r"cannot be read: No such file"):
        grade(study, catalog=study / "catalogs" / "loss-catalog.v9.json")
    with pytest.raises(InputError, match=r"loss-catalog\.v2\.json:1:1"):
        grade(study, catalog=write(study, "no catalog"))
    study.joinpath("catalogs.lock.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="no list of catalogs"):
        grade(study)


def test_a_catalog_of_the_same_content_changes_nothing() -> None:
    assert catalog_changes(made(), made()) == []


def test_every_kind_of_change_is_told() -> None:
    other = SILENT | {"max": 3, "check": {"exit_code": {}}, "type": "deterministic"}
    assert catalog_changes(made(), made(WRONG, other)) == [
        "changed: silent: max 2 -> 3, found in another way"
    ]


def made(*categories: dict[str, Any]) -> Catalog:
    content = {"version": "v1", "categories": list(categories or (WRONG, SILENT))}
    return read_catalog(json.dumps(content).encode(), "loss-catalog.v1.json")
