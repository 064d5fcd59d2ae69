"""An outcome study asks each arm to say a word back before it spends anything on scenarios."""

import os
from pathlib import Path
from typing import Any

import pytest

from adapters.systems.asked import variables
from equipoise.archive.store import Archive
from equipoise.records.trial import EndingKind, Trial
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.outcome_studies import FIX, made

_PROVIDER = {"provider": "my-server", "url": "http://127.0.0.1:9/v1", "key_variable": "ANY_KEY"}


def study_of(folder: Path, says: str) -> Path:
    """A study of one scenario, whose only arm is a program that is no declared stand-in."""
    command: dict[str, Any] = {
        "argv": ["sh", "-c", f"{says} > answer.txt", "agent", "{prompt}"],
        "calls_model": "false",
        "result": "answer.txt",
    }
    agent = {"harness": {"command": command}, "model": "some-2026-01-01", "provider": _PROVIDER}
    return made(
        folder / "study", [{"name": "only", "agent": agent}], scenarios=[FIX], is_simulated="false"
    )


@NEEDS_BWRAP
@pytest.mark.parametrize(("says", "is_run"), [('echo "$1"', True), ("echo Done.", False)])
@pytest.mark.requirement("OUT-12")
def test_an_agent_is_told_from_a_stub_with_one_scenario(
    tmp_path: Path, says: str, is_run: bool
) -> None:
    study = study_of(tmp_path, says)
    with variables(ANY_KEY="sk-none", PATH=os.environ["PATH"]):
        for verb in ("plan", "seal"):
            done = called(verb, study)
            assert done.exit_code == 0, done.output
        done = called("run", study)
    trials = [t for path in study.glob("archive/only-*") for t in Archive.open(path).read(Trial)]
    if is_run:
        assert done.exit_code == 0, done.output
        assert [one.ending.kind for one in trials] == [EndingKind.COMPLETED] * 3
        assert not any(one.is_simulated for one in trials)
        return
    assert done.exit_code != 0
    assert "2 requests with different content got the same answer" in done.output
    assert trials == []
