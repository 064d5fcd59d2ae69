"""What a comparison of an outcome study says: cells, parts, items, and that they follow."""

import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from equipoise.studies.outcome.verifying import check_outcomes
from house.schema_files import SCHEMAS
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.outcome_studies import (
    FEATURE,
    FIX,
    STRONG,
    comparison,
    graded,
    lines,
    made,
    of_the_pack,
)

pytestmark = NEEDS_BWRAP


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = made(tmp_path_factory.mktemp("outcome") / "study", [of_the_pack(a) for a in STRONG])
    graded(folder)
    done = called("compare", folder)
    assert done.exit_code == 0, done.output
    folder.joinpath("told.txt").write_text(done.output, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def cells(study: Path) -> list[dict[str, Any]]:
    return lines(comparison(study) / "outcome-results.jsonl")


@pytest.fixture(scope="module")
def outcome(study: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(comparison(study).joinpath("outcome.json").read_bytes())
    return found


@pytest.mark.requirement("OUT-16")
@pytest.mark.requirement("OUT-49")
@pytest.mark.requirement("X-O11")
@pytest.mark.requirement("X-O13")
def test_each_cell_has_a_line_with_its_tests_its_parts_and_its_cost(
    cells: list[dict[str, Any]],
) -> None:
    assert [(one["arm"], one["scenario"], one["repetition"]) for one in cells] == [
        (arm, scenario, repetition)
        for arm in ("senior", "literal")
        for scenario in (FEATURE, FIX)
        for repetition in (1, 2, 3)
    ]
    first = next(one for one in cells if (one["arm"], one["scenario"]) == ("literal", FEATURE))
    assert (first["hidden_explicit"]["passed"], first["hidden_explicit"]["total"]) == (2, 2)
    implicit = first["hidden_implicit"]
    assert (implicit["passed"], implicit["total"]) == (2, 4)
    assert implicit["per_file"] == {"test_f01_implicit.py": [2, 4]}
    failed = {one["id"] for one in implicit["per_test"] if one["outcome"] == "failed"}
    assert "test_f01_implicit.py::test_texts_come_back_as_they_were" in failed
    assert first["regression"] == "pass"
    assert first["artifact"] == first["checkpoint"] == "n/a"
    assert first["truncated"] is None  # no model answered, so nobody told a stop reason
    assert first["tokens_in"] is first["tokens_out"] is first["tokens_source"] is None
    assert first["turns"] > 0
    assert first["wall_ms"] > 0
    assert first["tag"] == "measured"


def test_pipelines_are_told_of_outcomes_and_not_of_losses(study: Path) -> None:
    content = comparison(study).joinpath("report", "junit.xml").read_bytes()
    root = ET.fromstring(content)
    assert [suite.get("name") for suite in root] == [
        "Who thinks of what nobody wrote down?",
        "scenarios",
    ]
    assert len(root[1].findall("testcase")) == 2 * 3
    assert b"loss" not in content
    printed = called("report", comparison(study), "--format", "junit")
    assert printed.output.encode() == content


def test_every_line_and_the_file_hold_to_their_schemas(
    cells: list[dict[str, Any]], outcome: dict[str, Any]
) -> None:
    for name, documents in (("outcome-results", cells), ("outcome", [outcome])):
        schema = json.loads(SCHEMAS.joinpath(f"{name}.schema.json").read_bytes())
        validator = Draft202012Validator(schema)
        for document in documents:
            validator.validate(document)


@pytest.mark.requirement("OUT-17")
@pytest.mark.requirement("OUT-20")
def test_explicit_and_implicit_stand_apart_and_by_tier(outcome: dict[str, Any]) -> None:
    arms = {one["arm"]: one for one in outcome["arms"]}
    rates = {
        (arm, rate["criterion"], rate.get("tier", "")): rate["value"]
        for arm, one in arms.items()
        for rate in one["rates"]
    }
    assert rates["literal", "hidden_explicit", ""] == 1.0
    assert rates["literal", "hidden_implicit", ""] == pytest.approx((2 / 3 + 2 / 4) / 2)
    assert rates["literal", "hidden_implicit", "easy"] == pytest.approx(2 / 3)
    assert rates["literal", "hidden_implicit", "medium"] == pytest.approx(2 / 4)
    assert rates["senior", "hidden_implicit", ""] == 1.0
    assert arms["literal"]["tests"]["hidden_implicit"] == [3 * 2 + 3 * 2, 3 * 3 + 3 * 4]
    assert set(arms["literal"]["main"]["tags"]) == {"measured", "underpowered"}


@pytest.mark.requirement("OUT-37")
def test_each_hidden_test_tells_what_it_can_tell(outcome: dict[str, Any]) -> None:
    items = {one["test"].partition("::")[2]: one for one in outcome["items"]}
    assert all(one["red"] and one["green"] for one in items.values())
    telling = items["test_texts_come_back_as_they_were"]
    assert telling["passed"] == {"senior": [3, 3], "literal": [0, 3]}
    assert telling["between"] == 1.0
    assert telling["discrimination"] == pytest.approx(1.0)
    free = items["test_refunds_keep_their_sign"]
    assert "ceiling" in free["flags"]
    assert free["discrimination"] is None
    assert free["why"] == "every cell is alike"
    groups = {(one["scenario"], one["group"]) for one in outcome["alarms"]}
    assert (FIX, "implicit") in groups
    assert (FEATURE, "implicit") not in groups


@pytest.mark.requirement("OUT-41")
def test_without_hypotheses_it_is_exploratory_and_every_figure_has_a_tag(study: Path) -> None:
    told = study.joinpath("told.txt").read_text(encoding="utf-8")
    assert "exploratory: no hypothesis was registered before the runs" in told
    assert "[simulated]" in told
    figures = [line for line in told.splitlines() if " of 6 cells" in line]
    assert figures
    assert all("[measured]" in line or "[soft]" in line for line in figures)
    page = comparison(study).joinpath("report/index.html").read_text(encoding="utf-8")
    assert "Stand-ins made these runs" in page
    assert comparison(study).joinpath("report/losses.html").is_file()


@pytest.mark.requirement("OUT-08")
def test_the_page_says_what_authors_do_to_figures(study: Path) -> None:
    page = comparison(study).joinpath("report/index.html").read_text(encoding="utf-8")
    assert "the difference between arms stands" in page


def test_what_was_found_of_the_pack_stands_in_its_reports(
    study: Path, outcome: dict[str, Any]
) -> None:
    (found,) = (note for note in outcome["notes"] if note.startswith("Pack: "))
    assert found.startswith("Pack: 1 reference spoilt on purpose passed all hidden tests: see")
    page = comparison(study).joinpath("report/index.html").read_text(encoding="utf-8")
    assert "1 reference spoilt on purpose passed all hidden tests" in page
    assert found in study.joinpath("told.txt").read_text(encoding="utf-8")


@pytest.mark.requirement("OUT-03")
@pytest.mark.requirement("OUT-11")
@pytest.mark.parametrize(
    ("origin", "says"),
    [("fork", "Models may have seen the code"), ("snapshot", "Supplementary track")],
)
def test_where_seeds_come_from_is_said_by_every_report(
    study: Path, tmp_path: Path, origin: str, says: str
) -> None:
    other = shutil.copytree(study, tmp_path / "other")
    path = other / "pack/pack.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("origin: built", f"origin: {origin}"),
        encoding="utf-8",
    )
    assert says not in comparison(other).joinpath("report/index.html").read_text(encoding="utf-8")
    assert says in called("compare", other).output
    assert says in comparison(other).joinpath("report/index.html").read_text(encoding="utf-8")
    assert json.loads(comparison(other).joinpath("outcome.json").read_bytes())["origin"] == origin


def test_what_was_said_is_derived_again_and_an_edit_is_found(study: Path, tmp_path: Path) -> None:
    other = shutil.copytree(study, tmp_path / "other")
    path = comparison(other) / "outcome-results.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"fail"', '"pass"'), encoding="utf-8")
    file = comparison(other) / "outcome.json"
    file.write_text(
        file.read_text(encoding="utf-8").replace("exploratory: no hyp", "proved: no hyp"),
        encoding="utf-8",
    )
    done = called("verify", other)
    assert done.exit_code == 1
    assert "outcome.json: does not follow from the archives" in done.output
    kept = file.read_bytes()
    file.unlink()
    faults = [fault for check in check_outcomes(other) for fault in check.faults]
    assert [fault.what for fault in faults] == ["is missing: compare again"]
    file.write_bytes(kept)
    assert called("report", other).exit_code == 0
    assert called("verify", other).exit_code == 0
    told = json.loads(file.read_bytes())
    scenario, sha256 = next(iter(told["proofs"].items()))
    file.write_text(
        file.read_text(encoding="utf-8")
        .replace(sha256, "0" * 64)
        .replace('"red": true', '"red": false'),
        encoding="utf-8",
    )
    done = called("verify", other)
    assert done.exit_code == 1
    assert f"names proofs of {scenario} that are not those of the plan" in done.output
