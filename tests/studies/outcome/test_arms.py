"""Arms of an outcome study: in what two of them differ, shown by rendering what each is given."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from equipoise.records.outcome_plan import Contrast, Control
from equipoise.records.scenario import Confirmation, Dependency, Scenario, ScenarioKind
from equipoise.studies.outcome.prompts import exemption_faults, prompt_of
from equipoise.wiring.rendering import rendered
from studies.loss.compared_loss_runs import called
from studies.outcome.planned_studies import CODEX, arm, change, planned, refused, starter

FIXES = ["i01-last-day-missing", "i03-rent-moves"]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = starter(tmp_path / "study")
    change(
        folder,
        hypotheses=None,
        scenarios=FIXES,
        baseline="bare",
        is_simulated=None,
        without_stops="elsewhere",
    )
    return folder


def hypothesis(**keys: Any) -> dict[str, Any]:
    claim = {"id": "H1", "statement": "It is worth having", "metric": "main"}
    return {**claim, "direction": "better", "primary": "true", **keys}


@pytest.mark.requirement("OUT-25")
@pytest.mark.requirement("X-O8")
def test_with_and_without_a_skill_differ_in_nothing_else_and_the_plan_proves_it(
    study: Path,
) -> None:
    change(study, arms=[arm("bare"), arm("with-skill", "issue")])
    change(study, hypotheses=[hypothesis(control="L2")])
    (contrast,) = planned(study).contrasts
    assert contrast.control is Control.L2
    assert contrast.differs == ()
    proofs = json.loads(study.joinpath("outcome-arms.json").read_text(encoding="utf-8"))
    assert [one["scenario"] for one in proofs] == FIXES
    for proof in proofs:
        assert proof["remains"] == []
        assert proof["shown"], "the skill itself has to show"
        assert all("skill issue, sha256" in one for one in proof["shown"])
    prompts = [
        rendered(study, {**CODEX, "prompt": "{brief.prompt}", **skill}, FIXES[0], "Mend it.")
        for skill in ({}, {"skills": ["pack/skills/issue"]})
    ]
    assert prompts[0]["prompt"] == prompts[1]["prompt"]
    change(study, arms=[arm("bare"), arm("with-skill", "issue", max_turns="40")])
    said = refused(study)
    assert "field 'hypotheses.0.control' is L2, and with-skill and bare differ in max_turns" in said
    change(study, hypotheses=[hypothesis(metric="artifact")])
    assert "has no meaning for bare" in refused(study)


@pytest.mark.requirement("OUT-24")
def test_two_versions_of_a_skill_are_arms_of_one_study(study: Path) -> None:
    old = study / "pack/skills/versions/v1/issue"
    shutil.copytree(study / "pack/skills/issue", old)
    old.joinpath("SKILL.md").write_text("# Mend it\n\nAny way you like.\n", encoding="utf-8")
    arms = [arm("bare", {"name": "issue", "version": "v1"}), arm("after", "issue")]
    change(study, arms=arms, hypotheses=[hypothesis(control="L1", metric="artifact")])
    plan = planned(study)
    assert [one.control for one in plan.contrasts] == [Control.L1]
    assert [one.folder for one in plan.skills] == [
        *("pack/skills/versions/v1/issue", "pack/skills/issue"),
    ]
    assert len({one.sha256 for one in plan.skills}) == 2
    assert called("seal", study).exit_code == 0
    old.joinpath("SKILL.md").write_text("# Mend it\n\nBetter.\n", encoding="utf-8")
    done = called("run", study, "--dry-run")
    assert done.exit_code == 1
    assert f"the skill {old.relative_to(study)} of bare was changed after sealing" in done.output
    change(study, arms=[arm("bare", {"name": "issue", "version": "v9"}), arm("after", "issue")])
    assert "there is no pack/skills/versions/v9/issue/SKILL.md" in refused(study)


@pytest.mark.requirement("OUT-26")
@pytest.mark.requirement("X-O5")
def test_a_cheap_model_with_a_skill_is_held_against_a_dear_one_without(study: Path) -> None:
    arms = [arm("bare", model="gpt-5.1-2025-11-13"), arm("cheap", "issue")]
    same = hypothesis(direction="equivalent", margin="0.1", control="L3")
    change(study, arms=arms, hypotheses=[same])
    said = refused(study)
    assert "is L3, and no hypothesis holds what the two arms cost against each other" in said
    cost = hypothesis(id="H2", metric="usd", threshold="0.3", primary="false")
    change(study, hypotheses=[same, cost])
    plan = planned(study)
    assert plan.contrasts == (
        Contrast(
            new="cheap",
            base="bare",
            control=Control.L3,
            differs=("model: gpt-5.1-codex-2025-11-13 against gpt-5.1-2025-11-13",),
            skills=plan.contrasts[0].skills,
        ),
    )
    assert plan.contrasts[0].skills.startswith("issue (")


@pytest.mark.requirement("OUT-38")
@pytest.mark.requirement("X-O7")
def test_what_is_missing_is_told_to_every_arm_and_takes_no_confirmation_away(study: Path) -> None:
    driver = Dependency(name="driver", provided=False, exemption="Finish in this session.")
    scenario = Scenario(
        id="f", kind=ScenarioKind.FEATURE, seed="tally", prompt="Add it.", dependencies=(driver,)
    )
    told = prompt_of(scenario)
    assert told.startswith("Add it.\n")
    assert "- No driver. Finish in this session." in told
    waits = Scenario(
        id="f",
        kind=ScenarioKind.FEATURE,
        seed="tally",
        prompt="Add it.",
        dependencies=(driver,),
        confirmation=Confirmation.EXPECT_STOP,
    )
    assert "where a confirmation is asked for, it still is" in prompt_of(waits)
    assert list(exemption_faults(waits)) == []
    greedy = Dependency(name="driver", provided=False, exemption="Finish without asking.")
    faults = exemption_faults(
        Scenario(
            id="f",
            kind=ScenarioKind.FEATURE,
            seed="tally",
            prompt="Add it.",
            dependencies=(greedy,),
            confirmation=Confirmation.EXPECT_STOP,
        )
    )
    assert "says 'without asking', and confirmation is expect_stop" in next(faults)
    skill = study / "pack/skills/issue/SKILL.md"
    text = skill.read_text(encoding="utf-8").replace("[python, git]", "[python, driver]")
    skill.write_text(text, encoding="utf-8")
    change(study, arms=[arm("bare"), arm("with-skill", "issue")])
    said = refused(study)
    assert "relies on 'driver'; i01-last-day-missing, i03-rent-moves neither provides nor" in said


@pytest.mark.requirement("OUT-28")
def test_a_study_without_onboarding_is_out_of_its_environment_and_decides_nothing(
    study: Path,
) -> None:
    change(study, arms=[arm("bare"), arm("with-skill", "issue")], hypotheses=[hypothesis()])
    assert planned(study).undecided == ()
    change(study, onboarding="false")
    plan = planned(study)
    assert not plan.in_environment
    assert [one.partition(":")[0] for one in plan.undecided] == ["out-of-environment"]
    units = study.joinpath("outcome-units.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(one)["brief"]["seed"]["bare"] for one in units} == {"true"}


@pytest.mark.requirement("OUT-55")
@pytest.mark.requirement("OUT-58")
@pytest.mark.requirement("OUT-27")
def test_two_scenarios_share_a_seed_and_stay_independent(study: Path) -> None:
    change(study, arms=[arm("bare"), arm("with-skill", "issue")])
    planned(study)  # with no other study anywhere near
    lines = study.joinpath("outcome-units.jsonl").read_text(encoding="utf-8").splitlines()
    units = [json.loads(line) for line in lines]
    assert {one["brief"]["seed"]["recipe"] for one in units} == {"pack/seeds/tally"}
    assert len({one["brief"]["seed"]["bug"] for one in units}) == 2
    scenario = study / "pack/fixtures/e2e" / FIXES[0] / "scenario.json"
    bug = json.loads(scenario.read_text(encoding="utf-8"))["bug_id"]
    assert all(bug not in json.dumps(one["brief"]) for one in units)
    tests = next(study.glob(f"pack/fixtures/e2e/{FIXES[0]}/hidden-tests/explicit/test_*.py"))
    tests.write_text(tests.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    said = refused(study, 3)
    assert f"the proof of {FIXES[0]} is stale" in said
    assert FIXES[1] not in said


def test_long_texts_in_which_arms_differ_are_shown_where_they_part(study: Path) -> None:
    long = "Read the whole module first, and its neighbours, and what calls it. " * 8
    cases = [
        {"cases": [{"do": [{"print": f"{long}{end}"}]}]} for end in ("Then mend it.", "Then stop.")
    ]
    arms = [
        {
            "name": name,
            "agent": {
                "harness": {"scripted": one},
                "model": "stand-in-2026-01-01",
                "provider": {"scripted": "model.yaml"},
            },
        }
        for name, one in zip(("old", "new"), cases, strict=True)
    ]
    change(study, arms=arms, baseline="old", hypotheses=None)
    said = called("plan", study).output
    (line,) = [one for one in said.splitlines() if "harness.scripted.cases" in one]
    assert "Then stop." in line
    assert "Then mend it." in line
    assert line.count(" characters)") == 2
    assert line.endswith("the whole stands in study.yaml")
    assert len(line) < 200


def test_a_study_that_was_never_run_or_graded_says_what_comes_next(study: Path) -> None:
    change(study, hypotheses=None, baseline="literal")
    assert called("plan", study).exit_code == 0
    assert called("seal", study).exit_code == 0
    done = called("triage", study)
    assert done.exit_code == 3
    assert f"mend: equipoise run {study}, then equipoise grade {study}" in done.output


@pytest.mark.requirement("OUT-26")
def test_the_study_of_the_how_to_on_a_changed_skill_is_planned_as_two_versions(study: Path) -> None:
    page = Path(__file__).parents[3].joinpath("docs", "how-to", "changed-skill.md")
    text = page.read_text(encoding="utf-8").replace("MODEL-ID", "claude-sonnet-4-5-20250929")
    told = yaml.load(text.split("```yaml\n")[1].split("```")[0], Loader=yaml.BaseLoader)
    for version in ("old", "new"):
        shutil.copytree(study / "pack" / "skills" / "issue", study / "skills" / version / "issue")
    skill = study / "skills" / "new" / "issue" / "SKILL.md"
    skill.write_text(skill.read_text(encoding="utf-8") + "\nRead twice.\n", encoding="utf-8")
    change(study, **told)
    plan = planned(study)
    assert [one.control for one in plan.contrasts] == [Control.L1]
    assert [one.name for one in plan.skills] == ["issue", "issue"]
    assert plan.doubts == ()
    said = called("plan", study).output
    assert said.count("models of old, new: there is no key for anthropic") == 1
