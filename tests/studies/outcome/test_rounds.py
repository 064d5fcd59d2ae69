"""Rounds of optimisation: two at most, under one standard, and never on what is held out."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.made_packs import HANDOVER, SAID, scripted, trap_pack, write_study
from studies.outcome.planned_studies import change, planned, refused

pytestmark = [NEEDS_BWRAP, pytest.mark.slow]
STOPS = {"write": {"path": HANDOVER, "text": "# Currencies\n\nA new feature.\n"}}
CLAIM = {"id": "H1", "statement": "It stops", "metric": "main", "direction": "better"}


def went_through(study: Path) -> None:
    for verb in ("plan", "seal", "run", "grade"):
        done = called(verb, study)
        assert done.exit_code == 0, done.output


def made(folder: Path, pack: Path, **keys: Any) -> Path:
    shutil.copytree(pack, folder / "pack")
    write_study(folder, scripted("stops", STOPS, {"print": SAID}), **keys)
    return folder


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three studies that went through: the first look and both rounds; and the proved pack."""
    root = tmp_path_factory.mktemp("campaign")
    pack = trap_pack(trap_pack(root / "pack"), "s02-kept")
    path = pack / "fixtures/e2e/s02-kept/scenario.json"
    asks = "Bug: total() adds dollars to pounds. Please fix it."
    kept = json.loads(path.read_text(encoding="utf-8")) | {"held_out": True, "prompt": asks}
    path.write_text(json.dumps(kept), encoding="utf-8")
    done = called("prove", pack, "--repeats", "1")
    assert done.exit_code == 0, done.output
    for number in range(3):
        before = {"optimises": f"../study-{number - 1}"} if number else {}
        said = {"print": f"{SAID} Try {number}."}
        study = made(root / f"study-{number}", pack, **before)
        change(study, arms=[scripted("stops", STOPS, said)])
        went_through(study)
    return root


@pytest.mark.requirement("OUT-32")
def test_a_third_round_is_refused_and_two_are_told_with_what_was_before(campaign: Path) -> None:
    rounds = planned(campaign / "study-2").rounds
    assert rounds.number == 2
    assert [one.study for one in rounds.chain] == ["../study-0", "../study-1"]
    seals = [campaign / f"study-{number}/seal.json" for number in (0, 1)]
    assert [one.plan_sha256 for one in rounds.chain] == [
        json.loads(path.read_text(encoding="utf-8"))["plan_sha256"] for path in seals
    ]
    assert rounds.changed == ("stops: harness",)
    assert rounds.held_out == ("s02-kept",)
    assert any("round 2 of optimisation" in why for why in planned(campaign / "study-2").undecided)
    third = made(campaign / "study-3", campaign / "pack", optimises="../study-2")
    said = refused(third, 3)
    assert "this would be round 3, and 2 is the most; wanted: a final study" in said
    change(third, optimises="../study-1", repetitions="4")
    assert "under one standard, and against ../study-1 repetitions is 4, was 3" in refused(third, 3)


@pytest.mark.requirement("OUT-32")
def test_what_decides_was_changed_so_that_earlier_scores_are_stale(campaign: Path) -> None:
    study = made(campaign / "other-oracle", campaign / "pack", optimises="../study-0")
    path = study / "pack/fixtures/e2e/s01-trap/scenario.json"
    scenario = json.loads(path.read_text(encoding="utf-8"))
    scenario["expected_end_state"]["told"] = ["requirement"]
    path.write_text(json.dumps(scenario), encoding="utf-8")
    assert "the proof of s01-trap is stale" in refused(study, 3)
    assert called("prove", study / "pack", "--repeats", "1").exit_code == 0
    plan = planned(study)
    assert plan.rounds.stale == ("s01-trap",)
    told = "changed since ../study-0: what any arm scored in them there is stale"
    assert any(told in doubt for doubt in plan.doubts)
    kept = campaign / "study-0"
    try:
        assert called("seal", study).exit_code == 0
        kept.rename(campaign / "gone")
        assert planned(study) == plan  # what it was sealed with stands
    finally:
        campaign.joinpath("gone").rename(kept)


@pytest.mark.requirement("OUT-32")
def test_only_what_was_held_out_carries_the_final_claim(campaign: Path) -> None:
    early = made(campaign / "early", campaign / "pack", optimises="../study-0")
    change(early, scenarios=["s01-trap", "s02-kept"])
    said = refused(early)
    assert "field 'scenarios' names s02-kept, held out, in a round of optimisation" in said
    final = made(campaign / "final", campaign / "pack", optimises="../study-2", final="true")
    arms = [scripted(name, STOPS, {"print": SAID}) for name in ("stops", "new")]
    claim = CLAIM | {"new": "new", "primary": "true"}
    change(final, arms=arms, hypotheses=[claim], scenarios=["s01-trap", "s02-kept"])
    plan = planned(final)
    assert plan.rounds.is_final
    assert plan.rounds.number == 2
    assert plan.hypotheses[0].scenarios == ("s02-kept",)
    assert plan.undecided == ()
    change(final, scenarios=["s01-trap"])
    assert "is true, and no scenario of the study is held out" in refused(final)
    change(final, scenarios=None)
    assert [one.id for one in planned(final).scenarios] == ["s02-kept"]
