"""Where seeds come from: a folder of the scenario, or a snapshot with a track of its own."""

import json
import shutil
from pathlib import Path

import pytest

from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.made_packs import (
    HANDOVER,
    PROGRAM,
    SEED,
    TRAP,
    diff_of,
    scripted,
    trap_pack,
    write,
    write_study,
)
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
    prompt = "Bug: total() adds pounds to euros. Please mend it."
    scenario = TRAP | {"id": "s02-snapshot", "seed": "ledger", "prompt": prompt}
    second.joinpath("scenario.json").write_text(json.dumps(scenario), encoding="utf-8")
    other = "# Pounds\n\nA new feature: somebody has to design it.\n"
    write(second, {"patches/reference.patch": diff_of(SEED, {HANDOVER: other})})
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


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-11")
def test_a_bug_of_a_snapshot_is_in_it_as_it_stands(tmp_path: Path) -> None:
    pack = trap_pack(tmp_path / "pack")
    write(pack, {"pack.yaml": 'name: small\nversion: "1"\norigin: snapshot\n'})
    own = {name: text for name, text in SEED.items() if not name.startswith(".codestable")}
    write(pack / "seeds/ledger/snapshot", own | {"AGENTS.md": "Add a test to every mending.\n"})
    place = pack / "fixtures/e2e/f01-texts"
    right = PROGRAM.replace("sum(rows)", "sum(int(row) for row in rows)")
    hasty = PROGRAM.replace("sum(rows)", "int(rows[0]) + int(rows[1])")
    check = "from tally import total\n\n\ndef test_it():\n    assert total({}) == {}\n"
    fix = {
        "id": "f01-texts",
        "answerType": "e2e-outcome",
        "kind": "fix",
        "seed": "ledger",
        "prompt": "`total(['1', '2'])` fails. It should be 3.",
        "hidden_tests": {"explicit": ["explicit/test_a.py"], "implicit": ["implicit/test_b.py"]},
        "proofs": {"reference": "patches/right.patch", "near_misses": ["patches/hasty.patch"]},
    }
    write(
        place,
        {
            "scenario.json": json.dumps(fix),
            "hidden-tests/explicit/test_a.py": check.format(["1", "2"], 3),
            "hidden-tests/implicit/test_b.py": check.format(["1", "2", "3"], 6),
            "patches/right.patch": diff_of({"tally.py": PROGRAM}, {"tally.py": right}),
            "patches/hasty.patch": diff_of({"tally.py": PROGRAM}, {"tally.py": hasty}),
        },
    )
    done = called("prove", pack, "--repeats", "1")
    assert done.exit_code == 0, done.output
    assert "note: 2 scenarios to be run: over fewer than 6 a study can confirm" in done.output
    assert "in no scenario is stopping right" not in done.output
    plan = planned(write_study(tmp_path, scripted("stops", {"print": "no"})))
    assert plan.in_environment
    write(place, {"scenario.json": json.dumps(fix | {"bug_id": "texts"})})
    done = called("prove", pack, "--lint")
    assert done.exit_code == 2
    assert "where the bug is in the seed as it stands, leave bug_id out" in done.output
