"""The frozen reference set is graded before everything else; where it drifts, nothing is graded."""

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import Blocked, InputError, Tampered
from every import for_every
from studies.loss.executed import executed_study, grade, grades
from studies.loss.made_study import made_study
from studies.loss.runs import equipoise
from studies.loss.test_grading import SILENT, WRONG

TONE = {
    "id": "tone",
    "weight": 0.1,
    "type": "deterministic",
    "max": 2,
    "check": {"callable": {"function": "checks:tone"}},
}
CATALOG: dict[str, Any] = {"version": "v1", "categories": [WRONG, SILENT, TONE]}
CHECKS = """
def tone(trial):
    text = trial["documents"]["output"]
    return {"raw": text.count("!"), "quotes": [text.splitlines()[0]]}
"""
EXAMPLES: list[dict[str, Any]] = [
    {
        "id": "good",
        "documents": {"output": "refunded 100 cents\n", "desk.jsonl": '{"hop":"end"}\n'},
        "expected": {"amount": "100 cents"},
        "raw": {"wrong_amount": 0, "silent": 0, "tone": 0},
    },
    {
        "id": "bad",
        "documents": {"output": "No! No! No!\n"},
        "expected": {"amount": "100 cents"},
        "raw": {"wrong_amount": 1, "silent": None, "tone": 3},
    },
]


def with_reference(folder: Path, examples: list[Any]) -> Path:
    folder.mkdir(parents=True)
    text = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in examples)
    folder.joinpath("reference.jsonl").write_text(text, encoding="utf-8")
    folder.joinpath("checks.py").write_text(CHECKS, encoding="utf-8")
    return executed_study(folder, catalog=CATALOG, reference_set="reference.jsonl")


@pytest.mark.requirement("E2E-42")
def test_e2e_42_a_reference_set_as_it_was_frozen_lets_the_grading_pass(tmp_path: Path) -> None:
    study = with_reference(tmp_path / "study", EXAMPLES)
    assert grade(study)["release-1"].n_new > 0


@pytest.mark.requirement("E2E-42")
def test_e2e_42_a_check_that_says_something_else_now_is_drift_and_nothing_is_graded(
    tmp_path: Path,
) -> None:
    study = with_reference(tmp_path / "study", EXAMPLES)
    study.joinpath("checks.py").write_text(CHECKS.replace('"!"', '"?"'), encoding="utf-8")
    done = equipoise("grade", study, code=3)
    assert "the reference set has drifted: 1 of 6 values" in done.stderr
    assert "reference.jsonl:2: bad, tone: was 1, is 0" in done.stderr
    assert grades(study, "release-1", "v1:loss") == {}
    assert not study.joinpath("catalogs.lock.json").exists()


def test_a_value_that_became_evaluable_or_not_is_drift_too(tmp_path: Path) -> None:
    wrong = [EXAMPLES[0] | {"raw": {"silent": None}}, EXAMPLES[1] | {"raw": {"silent": 0}}]
    study = with_reference(tmp_path / "study", wrong)
    with pytest.raises(Blocked) as caught:
        grade(study)
    assert "good, silent: was not evaluable, is 0" in str(caught.value)
    assert "bad, silent: was 0, is no document desk.jsonl" in str(caught.value)


def test_an_edited_reference_set_is_detected(tmp_path: Path) -> None:
    study = with_reference(tmp_path / "study", EXAMPLES)
    path = study / "reference.jsonl"
    path.write_text(path.read_text("utf-8").replace('"tone": 3', '"tone": 2'), encoding="utf-8")
    with pytest.raises(Tampered, match="was changed after sealing"):
        grade(study)
    path.unlink()
    with pytest.raises(Blocked, match="missing"):
        grade(study)


@for_every(
    "line, part",
    [
        ("no json", "no JSON"),
        ("[]", "no JSON object"),
        ({"id": "x", "documents": {}}, "raw is missing"),
        ({"id": "x", "documents": [], "raw": {}}, "documents is []; wanted an object"),
        ({"id": "x", "documents": {"output": 1}, "raw": {}}, "no text"),
        ({"id": "x", "documents": {}, "raw": {"tone": "1"}}, "raw.tone is '1'"),
        ({"id": "x", "documents": {}, "raw": {}, "weight": 1}, "no field 'weight'"),
    ],
)
def test_a_line_that_is_no_example_is_named(
    tmp_path: Path, line: str | dict[str, Any], part: str
) -> None:
    study = with_reference(tmp_path / "study", [EXAMPLES[0], line])
    with pytest.raises(InputError) as caught:
        grade(study)
    assert "reference.jsonl:2: " in str(caught.value)
    assert part in str(caught.value)


def test_a_study_without_a_reference_set_is_graded(tmp_path: Path) -> None:
    made_study(tmp_path / "study")
    study = executed_study(tmp_path / "study", catalog={"version": "v1", "categories": [WRONG]})
    assert grade(study)["release-1"].n_new > 0
