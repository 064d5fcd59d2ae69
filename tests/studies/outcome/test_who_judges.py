"""Who may judge an outcome study, and that it stands without anybody who does."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.made_lists import WHOLE, decompose_pack, leaves, listed, reader
from studies.outcome.made_packs import write_study


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pack") / "pack"
    decompose_pack(folder)
    done = called("prove", folder, "--repeats", "1")
    assert done.exit_code == 0, done.output
    return folder


def planned(pack: Path, study: Path, *arms: dict[str, Any], **more: Any) -> Any:
    shutil.copytree(pack, study / "pack")
    write_study(study, *arms, **more)
    return called("plan", study)


def of_model(name: str, model: str) -> dict[str, Any]:
    arm = leaves(name, listed(WHOLE))
    return arm | {"agent": arm["agent"] | {"model": model}}


@NEEDS_BWRAP
@pytest.mark.requirement("PIL-37")
def test_a_judge_of_the_family_of_an_arm_is_refused(pack: Path, tmp_path: Path) -> None:
    judges = {"policy": "double", "judges": [reader()]}
    own = of_model("own", "gpt-5-2025-08-07")
    other = of_model("other", "claude-haiku-4-5-20251001")
    done = planned(pack, tmp_path / "own", other, own, judges=judges)
    assert done.exit_code == 2
    assert (
        "judge 'reader' and the model of arm 'own' are of one family (openai): it would judge its "
        "own; mend: a judge of another family" in done.output
    )
    strange = of_model("strange", "nobody-knows-1-2025-01-01")
    done = planned(pack, tmp_path / "real", other, strange, judges=judges, is_simulated="false")
    assert done.exit_code == 2
    assert "the model 'nobody-knows-1-2025-01-01' of arm 'strange' is of no family" in done.output
    assert "families.yaml" in done.output
    done = planned(pack, tmp_path / "foreign", other, judges=judges)
    assert done.exit_code == 0, done.output


@NEEDS_BWRAP
@pytest.mark.slow
def test_without_judges_a_study_stands_and_says_what_it_lacks(pack: Path, tmp_path: Path) -> None:
    done = planned(pack, tmp_path / "study", leaves("whole", listed(WHOLE)))
    assert done.exit_code == 0, done.output
    for verb in ("seal", "run", "grade"):
        done = called(verb, tmp_path / "study")
        assert done.exit_code == 0, done.output
    done = called("grade", tmp_path / "study", "--json")
    (whole,) = json.loads(done.output)["runs"]
    lacking = whole["categories"]["decomposition"]
    assert (lacking["mean"], lacking["unbewertbar"]) == (
        None,
        {"the study names no judges; `judges` in study.yaml does": 3},
    )
    assert whole["categories"]["regression"]["mean"] == 0.0
