"""What a harness would refuse is refused before a run; what only one cell lacks is that cell's."""

from pathlib import Path
from typing import Any

from equipoise.archive.store import Archive
from equipoise.records.trial import EndingKind, Trial
from every import for_every
from studies.loss.made_agents import NEEDS_BWRAP, agent_arm, agent_study
from studies.loss.study_commands import run

COMMAND = {"command": {"argv": ["true"]}}


@for_every(
    "harness, switch, said",
    [
        ("codex", {"max_turns": ["5"]}, "no limit of turns"),
        ("codex", {"tools": ["Read"]}, "tools of its own choice"),
        (
            "mini-swe",
            {"max_turns": ["-3"]},
            "agent.max_turns is -3; wanted: a whole number above 0",
        ),
        ("mini-swe", {"hooks": {"UserPromptSubmit": "true"}}, "has no hooks"),
        ("codex", {"model": "gpt-5-latest"}, "gpt-5-latest"),
        (COMMAND, {"tools": ["Read"]}, "chooses its own tools"),
    ],
)
def test_a_switch_that_a_harness_lacks_stops_the_run_before_its_first_cell(
    tmp_path: Path, harness: Any, switch: dict[str, Any], said: str
) -> None:
    arm = agent_arm(harness)
    arm["agent"] |= switch
    study = agent_study(tmp_path, only=arm)
    code, out, err = run("run", study)
    assert code != 0
    assert said in out + err
    trials = [t for path in study.glob("archive/*") for t in Archive.open(path).read(Trial)]
    assert not trials


@NEEDS_BWRAP
def test_a_cell_that_a_scenario_forgot_is_the_infrastructures_and_the_others_finish(
    tmp_path: Path,
) -> None:
    cases = [{"when": {"unit": "u1"}, "do": [{"print": "done"}]}]
    study = agent_study(tmp_path, n_units=6, only=agent_arm({"scripted": {"cases": cases}}))
    code, _, err = run("run", study)
    (path,) = study.glob("archive/*")
    trials = list(Archive.open(path).read(Trial))
    kinds = {trial.unit: trial.ending for trial in trials}
    assert kinds["u1"].kind is EndingKind.COMPLETED, (code, err)
    assert kinds["u2"].kind is EndingKind.INFRASTRUCTURE_ERROR
    assert "no case of the scenario fits unit 'u2'" in kinds["u2"].detail
