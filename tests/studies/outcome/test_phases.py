"""Phases of a campaign: what each is made of, what comes before it, what it takes."""

import json
from pathlib import Path

import pytest

from equipoise.records.outcome_plan import Phase
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.made_packs import scripted
from studies.outcome.planned_studies import arm, change, planned, refused, starter

TALKS = {"print": "Done."}
PAIR = [scripted("bare", TALKS), {**scripted("with-skill", TALKS), "skill": "feature"}]


def begun(folder: Path, phase: str) -> Path:
    """The study that ``init --phase`` writes, with stand-ins that only talk."""
    done = called("init", "outcome", folder, "--phase", phase)
    assert done.exit_code == 0, done.output
    arms = PAIR if phase != "P0" else [scripted(name, TALKS) for name in ("literal", "senior")]
    change(folder, arms=arms)
    return folder


@pytest.mark.requirement("OUT-51")
@pytest.mark.requirement("OUT-53")
@pytest.mark.requirement("OUT-46")
def test_a_phase_is_what_it_is_made_of_and_says_what_it_takes(tmp_path: Path) -> None:
    study = begun(tmp_path / "p0", "P0")
    plan = planned(study)
    assert plan.phase is Phase.P0
    assert {one.kind for one in plan.scenarios} == {"fix", "stop"}
    assert len(plan.scenarios) >= 8
    assert not any(one.held_out for one in plan.scenarios)
    arms = [arm("literal"), arm("senior", model="gpt-5.1-2025-11-13")]
    change(study, arms=arms, is_simulated=None)
    assert "is P0, and the arms have the models gpt-5.1-2025-11-13, gpt-5.1-codex" in refused(study)
    change(study, arms=arms[:1], hypotheses=None, budget={"max_usd": "15"})
    assert planned(study).undecided == ("exploratory: no hypotheses were registered",)
    assert called("seal", study).exit_code == 0
    done = called("run", study, "--dry-run")
    n = 3 * len(plan.scenarios)
    assert done.exit_code == 0, done.output
    assert "a cell: 50,000 to 200,000 tokens, 0.42 to 0.83 USD; assumed" in done.output
    assert f"literal: {n} cells left" in done.output
    assert f"phase P0 (bugs, 8 scenarios, one model, 3 repetitions): {n} cells left" in done.output
    assert "the limit is 15 USD" in done.output
    takes = json.loads(called("run", study, "--dry-run", "--json").output)["takes"]
    assert takes["literal"]["n_cells"] == takes[""]["n_cells"] == n
    assert takes[""]["tokens"] == [n * 50_000, n * 200_000]
    done = called("run", study)
    assert done.exit_code == 3
    assert "this will take up to 25.00 USD (assumed" in done.output
    assert "mend: --yes" in done.output
    assert not study.joinpath("archive").exists()
    page = study.joinpath("E2E-PLAN.md").read_text(encoding="utf-8")
    assert "| a cell | 1 | 50,000 to 200,000 tokens | 0.42 to 0.83 USD |" in page
    assert "The run stops at 15 USD." in page


@pytest.mark.requirement("OUT-51")
def test_p1_cannot_begin_before_a_p0_went_through(tmp_path: Path) -> None:
    study = begun(tmp_path / "p1", "P1")
    said = refused(study, 3)
    assert "after names ../p0" in said
    assert "study.yaml:7:8: after names ../p0, and there is no such folder" in said
    change(study, after=None)
    said = refused(study)
    assert "field 'phase' is P1, and nothing shows that P0 went through once" in said
    assert "mend: write after: ../p0" in said
    begun(tmp_path / "p0", "P0")
    for verb in ("plan", "seal"):
        assert called(verb, tmp_path / "p0").exit_code == 0
    change(study, after="../p0")
    said = refused(study, 3)
    assert "did not go through once: literal was never run; senior was never run" in said
    change(study, scenarios=["i01-last-day-missing"], without_stops="elsewhere")
    assert "i01-last-day-missing is not of it" in refused(study)


@pytest.mark.requirement("OUT-23")
@pytest.mark.requirement("OUT-51")
def test_p3_does_not_begin_before_its_budget_was_confirmed(tmp_path: Path) -> None:
    study = begun(tmp_path / "p3", "P3")
    change(study, budget={"cell_timeout_s": "3600"})
    assert "is P3, and budget has no max_usd" in refused(study)
    change(study, budget={"max_usd": "60"})
    for verb in ("plan", "seal"):
        assert called(verb, study).exit_code == 0
    done = called("run", study)
    assert done.exit_code == 3
    assert "phase P3, which may spend 60 USD, and nobody confirmed that apart" in done.output
    assert not study.joinpath("archive").exists()
    done = called("run", study, "--confirm-budget", "50")
    assert done.exit_code == 2
    assert "--confirm-budget is 50, and the sealed plan may spend 60 USD" in done.output
    assert called("run", study, "--dry-run").exit_code == 0
    confirmed = called("run", study, "--confirm-budget", "60", "--max-cells", "0")
    assert confirmed.exit_code == 0, confirmed.output
    assert called("run", study, "--max-cells", "0").exit_code == 0
    confirmation = study / "budget-confirmation.json"
    kept = confirmation.read_bytes()
    confirmation.unlink()
    assert "a run of phase P3 began, and nobody confirmed" in called("verify", study).output
    confirmation.write_bytes(kept)
    dearer = called("amend", study, "--reason", "more", "--set", "max_usd=600")
    assert dearer.exit_code == 0, dearer.output
    done = called("run", study, "--max-cells", "0")
    assert done.exit_code == 3
    assert "which may spend 600 USD, and 60 were confirmed apart" in done.output
    other = starter(tmp_path / "other")
    for verb in ("plan", "seal"):
        assert called(verb, other).exit_code == 0
    done = called("run", other, "--confirm-budget", "60")
    assert done.exit_code == 2
    assert "needs no confirmation" in done.output


@NEEDS_BWRAP
@pytest.mark.slow
@pytest.mark.requirement("OUT-51")
def test_a_whole_p0_is_what_p1_rests_on(tmp_path: Path) -> None:
    before = begun(tmp_path / "p0", "P0")
    for verb in ("plan", "seal", "run", "grade"):
        done = called(verb, before)
        assert done.exit_code == 0, done.output
    study = begun(tmp_path / "p1", "P1")
    assert "its arms were never compared" in refused(study, 3)
    done = called("compare", before)
    assert done.exit_code == 0, done.output
    rests_on = planned(study).after
    assert rests_on is not None
    assert rests_on.phase is Phase.P0
    assert len(rests_on.archives) == 2
    assert len(rests_on.comparisons) == 1
    real = [arm("bare"), arm("with-skill", "feature")]
    change(study, is_simulated=None, arms=real)
    assert "in which stand-ins worked; wanted: one in which a real agent went" in refused(study, 3)
