"""A provider's spending cap holds over the end of a run: what it cost before counts."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from equipoise.archive.store import Archive
from equipoise.records.trial import EndingKind, Reason, Trial
from studies.loss.made_agents import agent_study, model_arm
from studies.loss.study_commands import run

_TURNS = """\
turns:
  - {when: {prompt: u1}, say: One., usage: {input: 100, output: 0}}
  - {say: Another., usage: {input: 100, output: 0}}
"""
_CALL_USD, _CAP_USD = 0.1, 5.8
_PRICES = "source: of the test\nmodels: {stand-in-2026-01-01: {input: 1000, output: 0}}\n"
_N_CELLS = 18


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[str]:
    """The address of a provider, a process of its own."""
    scenario = tmp_path / "provider.yaml"
    scenario.write_text(_TURNS)
    command = [sys.executable, "-m", "equipoise.gateway.scripted", str(scenario)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
        process.kill()


@pytest.mark.requirement("OUT-46")
def test_a_run_that_is_taken_up_does_not_begin_its_money_anew(
    tmp_path: Path, provider: str
) -> None:
    model = model_arm(prompt="{brief.prompt}")
    model["model"]["provider"] = {
        "provider": "here",
        "url": provider,
        "prices": "prices.yaml",
        "max_usd": str(_CAP_USD),
    }
    units = "".join(
        json.dumps({"id": f"u{n}", "labels": {"kind": "fix"}, "brief": {"prompt": f"fix u{n}"}})
        + "\n"
        for n in range(1, 13)
    )
    files = {"units.jsonl": units, "prices.yaml": _PRICES}
    study = agent_study(tmp_path / "study", files=files, only=model)
    n_before = 8
    code, _, err = run("run", study, "-j", "1", "--max-cells", str(n_before))
    assert code == 0, err
    assert [t.ending.kind for t in _trials(study)] == [EndingKind.COMPLETED] * n_before
    assert run("run", study, "-j", "1")[0] == 0
    trials = _trials(study)
    done = [t for t in trials if t.ending.kind is EndingKind.COMPLETED]
    refused = [t for t in trials if t not in done]
    assert len(trials) == _N_CELLS  # a refusal is the study's own, and is not tried again
    assert {(t.ending.kind, t.ending.reason) for t in refused} == {
        (EndingKind.HARNESS_ERROR, Reason.BUDGET)
    }
    # A call may cost some 4.1 US dollars: 4000 unseen tokens and its bytes.
    assert n_before < len(done) < _N_CELLS
    assert sum(t.cost_usd or 0.0 for t in done) == pytest.approx(_CALL_USD * len(done))


def _trials(study: Path) -> list[Trial]:
    (path,) = study.glob("archive/only-*")
    return list(Archive.open(path).read(Trial))
