"""Where seeds come from: a folder of the scenario, or a snapshot with a track of its own."""

import json
import shutil
from pathlib import Path

import pytest

from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.made_packs import SEED, TRAP, scripted, trap_pack, write, write_study
from studies.outcome.planned_studies import change, planned, refused


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-11")
@pytest.mark.requirement("X-O4")
def test_a_seed_is_a_folder_of_the_scenario_or_of_the_pack_and_a_snapshot_is_a_track(
    tmp_path: Path,
) -> None:
    pack = trap_pack(tmp_path / "pack")
    write(pack, {"pack.yaml": 'name: small\nversion: "1"\norigin: snapshot\n'})
    write(pack / "seeds/ledger/snapshot", SEED)
    first = pack / "fixtures/e2e/s01-trap"
    second = pack / "fixtures/e2e/s02-snapshot"
    shutil.copytree(first, second, ignore=shutil.ignore_patterns("seed-repo"))
    scenario = TRAP | {"id": "s02-snapshot", "seed": "ledger"}
    second.joinpath("scenario.json").write_text(json.dumps(scenario), encoding="utf-8")
    done = called("prove", pack, "--repeats", "1")
    assert done.exit_code == 0, done.output
    study = write_study(tmp_path, scripted("stops", {"print": "no"}))
    plan = planned(study)
    assert plan.origin == "snapshot"
    assert [one.id for one in plan.scenarios] == ["s01-trap", "s02-snapshot"]
    assert plan.in_environment
    page = study.joinpath("E2E-PLAN.md").read_text(encoding="utf-8")
    assert "a track of its own, never put together with others" in page
    change(study, onboarding="false")
    assert "field 'onboarding' is false, and the seed of s01-trap, s02-snapshot" in refused(study)
