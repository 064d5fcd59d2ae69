"""Rubrics: criteria by script or by judge, passed or failed, with violations of policy apart."""

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import InputError
from equipoise.records.catalog import MODEL_JUDGED, Catalog
from equipoise.records.grade import Grade
from equipoise.stages.grade.catalog import read_catalog
from equipoise.stages.grade.deciding import undecidable
from equipoise.stages.grade.rubrics import outcome
from studies.loss.executed import executed_study, grade, grades
from studies.loss.judged import ask, judge, judged_study, judgements
from studies.loss.runs import equipoise


def criterion(name: str = "names-amount", **changes: Any) -> dict[str, Any]:
    """A criterion that a script decides; a keyword changes a key, `check` what it finds."""
    check = {"type": "deterministic", "script": "grep cents", "judge_prompt": None}
    return {
        "id": name,
        "description": "It names the amount.",
        "check": check,
        "weight": 1,
    } | changes


def judged(name: str, prompt: str, **changes: Any) -> dict[str, Any]:
    check = {"type": "llm-judge", "script": None, "judge_prompt": prompt}
    return criterion(name, check=check | changes.pop("check", {}), **changes)


def read(*criteria: dict[str, Any]) -> Catalog:
    return read_catalog(json.dumps({"criteria": criteria}).encode(), "rubric.json")


@pytest.mark.requirement("ABX-33")
def test_a_criterion_without_what_finds_it_is_refused() -> None:
    wrong: dict[str, dict[str, Any]] = {
        "deterministic without script": {"type": "deterministic", "script": None},
        "llm-judge without judge_prompt": {"type": "llm-judge", "judge_prompt": " "},
        "deterministic with judge_prompt": {
            "type": "deterministic",
            "script": "true",
            "judge_prompt": "Is it?",
        },
        "did you mean 'llm-judge'": {"type": "llm_judge", "judge_prompt": "Is it?"},
        "prompt is no field": {"type": "llm-judge", "judge_prompt": "Is it?", "prompt": ""},
    }
    for told, check in wrong.items():
        with pytest.raises(InputError, match=told):
            read(criterion(check=check))
    with pytest.raises(InputError, match="2 faults"):
        read(criterion(weight=2), criterion())
    kept = read(criterion(), judged("polite", "The text is polite."))
    assert [one.type for one in kept.categories] == ["deterministic", MODEL_JUDGED]


@pytest.mark.requirement("ABX-34")
def test_scripts_decide_offline_by_their_exit_code(tmp_path: Path) -> None:
    rubric = {
        "version": "v1",
        "criteria": [
            criterion(),
            criterion("no-zero", check={"type": "deterministic", "script": "! grep ' 0 cents'"}),
            criterion(
                "ended-well", check={"type": "deterministic", "script": "test $EXIT_CODE = 0"}
            ),
            criterion("broken", check={"type": "deterministic", "script": "exit 7"}, weight=0.5),
        ],
    }
    study = executed_study(tmp_path / "study", catalog=rubric)
    told = grade(study)
    assert told["release-1"].rubric == {
        "passed": 28,
        "failed": 0,
        "not evaluable": 0,
        "disqualified": 0,
    }
    assert told["release-2"].rubric["failed"] == told["release-2"].categories["no-zero"].n_lost > 0
    assert set(told["release-1"].categories["broken"].why) == {
        "the check failed: the script ended with exit code 7"
    }
    lost = [g for g in grades(study, "release-2", "v1:no-zero").values() if g.value]
    assert all("refunded 0 cents" in one.evidence[0].quote for one in lost)
    again = executed_study(tmp_path / "again", catalog=rubric)
    assert grade(again)["release-2"].rubric == told["release-2"].rubric


@pytest.mark.requirement("ABX-36")
def test_all_criteria_of_weight_1_pass_a_test_and_a_violation_disqualifies_all_the_same() -> None:
    rubric = read(
        criterion("a"),
        criterion("b"),
        criterion("nice", weight=0.5),
        criterion("leaks", policy=True),
        criterion("only-two", applies_to=["two"]),
    )

    def given(**values: float | None) -> dict[str, Grade]:
        return {
            name.replace("_", "-"): Grade(
                trial="t",
                criterion=name,
                value=value,
                not_evaluable="" if value is not None else "nobody looked",
            )
            for name, value in values.items()
        } | {
            "only-two": Grade(
                trial="t", criterion="only-two", not_evaluable="the criterion is not for this arm"
            )
        }

    found = outcome(rubric, given(a=0.0, b=0.0, nice=1.0, leaks=1.0))
    assert (found.passes, found.n_violations, found.is_disqualified) == (True, 1, True)
    assert outcome(rubric, given(a=0.0, b=1.0, leaks=0.0)).passes is False
    assert outcome(rubric, given(a=0.0, b=None, leaks=0.0)).passes is None
    assert outcome(rubric, given(a=1.0, b=None)).passes is False


def test_a_judge_says_whether_a_criterion_is_met_and_what_is_absent_is_lost(
    tmp_path: Path,
) -> None:
    rubric = {
        "version": "v1",
        "criteria": [
            judged("says-nothing", "The amount is nothing at all.", applies_to=["release-2"]),
            judged("fault", "The amount is nothing at all.", check={"lost_when": "found"}),
        ],
    }
    study = judged_study(tmp_path / "study", judge(), catalog=rubric)
    told = ask(study)
    met = grades(study, "release-2", "v1:says-nothing")
    faults = grades(study, "release-2", "v1:fault")
    assert {met[t].value for t in met} == {0.0, 1.0}
    assert all(met[t].value == 1.0 - (faults[t].value or 0.0) for t in met)
    absent = [g for g in met.values() if g.value]
    assert all("refunded" in one.evidence[0].quote for one in absent)
    assert set(told["release-1"].categories["says-nothing"].why) == {
        "the criterion is not for this arm"
    }
    assert "verified" in equipoise("verify", study).stdout


@pytest.mark.requirement("PIL-39")
def test_komissarovs_six_categories_stand_in_the_form_and_in_the_report(tmp_path: Path) -> None:
    equipoise("init", "questionnaire", tmp_path / "q")
    rubric = json.loads(tmp_path.joinpath("q", "rubric.komissarov.json").read_bytes())
    names = [one["id"] for one in rubric["criteria"]]
    assert names == [
        *("mistranslation", "omission", "addition", "terminology"),
        *("gender-agreement", "style-bureaucratese"),
    ]
    study = judged_study(tmp_path / "study", judge(), catalog=rubric)
    told = ask(study)["release-1"]
    assert [name for name in told.categories if name != "loss"] == names
    assert set(judgements(study)[0].scores) == set(names)
    equipoise("compare", study, code=None)
    (page,) = study.glob("comparisons/*/report/index.html")
    text = page.read_text(encoding="utf-8")
    assert all(name in text for name in names)
    assert "not validated" in text


@pytest.mark.requirement("OUT-40")
def test_recall_of_tokens_decides_over_a_change_and_never_over_a_text() -> None:
    check = {"type": "deterministic", "script": "grep defect", "metric": "planted_defect"}
    over = check | {"over": "decomposition"}
    with pytest.raises(InputError, match="planted_defect over decomposition cannot decide"):
        read(criterion(check=over))
    diagnostic = read(criterion("recall", check=over, weight=0), criterion("b"))
    assert [one.id for one in diagnostic.categories] == ["b"]
    assert read(criterion(check=check | {"over": "diff"})).categories[0].weight == 1.0
    assert undecidable("token_recall", "generated_text")
    assert not undecidable("exact_match", "generated_text")
