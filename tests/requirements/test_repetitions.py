"""What is executed: every unit, in every variant, under every model, three times."""

import json
from pathlib import Path
from typing import Any

import pytest

from studies.loss.made_agents import agent_study, model_arm
from studies.loss.study_commands import run


@pytest.mark.requirement("ABX-47")
@pytest.mark.parametrize(("n_models", "n_runs"), [(3, 702), (2, 468)])
def test_the_plan_counts_each_repetition_of_each_cell(
    tmp_path: Path, n_models: int, n_runs: int
) -> None:
    arms: dict[str, Any] = {
        f"variant-{variant}-model-{number}": model_arm(model=f"stand-in-{number}-2026-01-01")
        for variant in range(6)
        for number in range(n_models)
    }
    study = agent_study(tmp_path, n_units=13, mde="0.333", **arms)
    code, out, err = run("plan", study, "--json")
    assert code == 0, err
    assert json.loads(out)["n_executions"] == n_runs
    code, out, err = run("run", study, "--dry-run")
    assert code == 0, err
    assert out.count("0 of 39 cells done, 39 left") == 6 * n_models
