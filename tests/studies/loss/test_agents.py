"""Arms that are agents: a session in a sandbox for every cell, recorded whole."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.records.event import Event
from equipoise.records.trial import EndingKind, Trial
from studies.loss.study_commands import NOON, run, sealed

_NEEDS_BWRAP = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not here: apt-get install bubblewrap"
)
_CATALOG = {
    "version": "v1",
    "categories": [
        {
            "id": "bug_left",
            "weight": 1,
            "type": "deterministic",
            "max": 1,
            "check": {
                "regex": {
                    "document": "diff.patch",
                    "pattern": r"\+    return a \+ b",
                    "lost_when": "absent",
                }
            },
        }
    ],
}
_SCENARIO = """\
turns:
  - {say: Hello., usage: {input: 12, output: 3, cache_read: 5}}
  - {when: {prompt: long}, say: Once upon, stop: length}
  - {when: {prompt: forbidden}, say: No., stop: refusal}
  - {when: {prompt: broken}, fault: {status: 400, kind: bad_request}}
"""
_LAZY = [{"do": [{"write": {"path": "notes.md", "text": "looked at it"}}]}]
_SENIOR = [
    {
        "do": [
            {"edit": {"path": "calc.py", "old": "a - b", "new": "a + b"}},
            {"run": "python3 -Bc 'import calc; print(calc.add(1, 1))'"},
            {"print": "fixed"},
        ]
    }
]


def _model(**options: Any) -> dict[str, Any]:
    provider = {"scripted": "scenario.yaml"}
    return {"model": {"model": "stand-in-2026-01-01", "provider": provider} | options}


def _agent(harness: Any) -> dict[str, Any]:
    return {
        "agent": {
            "harness": harness,
            "model": "stand-in-2026-01-01",
            "provider": {"scripted": "scenario.yaml"},
            "prompt": "{brief.prompt}",
            "seed": "seeds/calc",
            "artifacts": ["*.md"],
        }
    }


def _study(folder: Path, **arms: Any) -> Path:
    study: dict[str, Any] = {
        "kind": "loss",
        "title": "Does the hint help?",
        "question": "Does the agent with the hint leave more bugs?",
        "seed": "7",
        "provenance": "synthetisch",
        "hops": [{"id": "agent", "signal": "diff", "correct": "c", "flake": "f", "error": "e"}],
        "axes": {"kind": ["fix"]},
        "partitions": {
            "by": ["kind"],
            "of": [{"labels": {"kind": "fix"}, "frequency": "1", "severity": "1"}],
        },
        "units": "units.jsonl",
        "repetitions": {"stochastic": "3"},
        "mde": "0.5",
        "budget": {"cell_timeout_s": "60", "concurrency": "2"},
        "catalog": "loss-catalog.v1.json",
        "cells": ["loss"],
        "baseline": next(iter(arms)),
        "state": {"directory": "state"},
        "sandbox": {"environment": ["PATH"]},
        "arms": [{"name": name, "system": system} for name, system in arms.items()],
    }
    for path, text in {
        "study.yaml": yaml.safe_dump(study),
        "loss-catalog.v1.json": json.dumps(_CATALOG),
        "scenario.yaml": _SCENARIO,
        "units.jsonl": json.dumps(
            {"id": "u1", "labels": {"kind": "fix"}, "brief": {"prompt": "fix add"}}
        ),
        "seeds/calc/calc.py": "def add(a, b):\n    return a - b\n",
        "state/empty": "",
    }.items():
        folder.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
        folder.joinpath(path).write_text(text, encoding="utf-8")
    return sealed(folder)


def _trials(study: Path, arm: str) -> tuple[Archive, list[Trial]]:
    (path,) = study.glob(f"archive/{arm}-*")
    archive = Archive.open(path)
    return archive, list(archive.read(Trial))


def _shell(study: Path, cell: str, command: str) -> str:
    """What a shell in the workspace of a cell says."""
    words = ["run", str(study), "--shell", cell, "--command", command]
    done = subprocess.run(
        [sys.executable, "-m", "equipoise", *words],
        env=os.environ | {"SOURCE_DATE_EPOCH": NOON},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@_NEEDS_BWRAP
@pytest.mark.requirement("OUT-48")
@pytest.mark.requirement("OUT-50")
def test_a_session_is_run_frozen_graded_and_marked_simulated(tmp_path: Path) -> None:
    study = _study(
        tmp_path,
        lazy=_agent({"scripted": {"cases": _LAZY}}),
        senior=_agent({"scripted": {"cases": _SENIOR}}),
    )
    before = study.joinpath("seeds/calc/calc.py").read_bytes()

    code, _, err = run("run", study)
    assert code == 0, err
    archive, trials = _trials(study, "senior")
    assert [t.ending.detail for t in trials] == [""] * 3
    assert all(t.is_simulated and t.ending.kind is EndingKind.COMPLETED for t in trials)
    kept = {
        document.name.partition("/")[2]: b"".join(archive.blobs.chunks(document.sha256))
        for document in archive.read(Document)
        if document.name.startswith(trials[0].id)
    }
    assert b"+    return a + b" in kept["diff.patch"]
    assert list(json.loads(kept["tree.json"])) == ["calc.py"]
    session = json.loads(kept["session.json"])
    assert [step["step"] for step in session["steps"]] == ["copy", "session", "freeze"]
    assert all(step["took_s"] >= 0 for step in session["steps"])
    assert trials[0].versions["isolation"] == "namespaces"
    assert study.joinpath("seeds/calc/calc.py").read_bytes() == before
    assert not study.joinpath("work").exists()

    (preflight,) = [e for e in archive.read(Event) if e.facts.get("preflight") == "anti-mock"]
    assert preflight.outcome == "not applicable"
    assert "stand-in" in preflight.detail

    seen = _shell(study, "senior/u1", "cat calc.py; ls /kept; id -u; ls /root /work 2>&1")
    assert "return a + b" in seen
    assert "session.json" in seen
    assert "\n1000\n" in seen
    assert seen.count("No such file") == 2
    assert _shell(study, "lazy/u1", "cat calc.py").endswith("return a - b\n")
    assert "there is no cell 'lazy/u2'" in _shell(study, "lazy/u2", "true")

    assert run("grade", study)[0] == 0
    code, out, err = run("compare", study)
    assert code == 0, err
    assert "[simulated]" in out


def test_a_harness_that_is_not_here_gives_no_outcome_and_says_the_mend(tmp_path: Path) -> None:
    study = _study(tmp_path, codex=_agent({"codex": {"program": "no-such-codex"}}))

    run("run", study)
    _, trials = _trials(study, "codex")
    assert {t.ending.kind for t in trials} == {EndingKind.INFRASTRUCTURE_ERROR}
    (detail,) = {t.ending.detail for t in trials}
    assert "codex" in detail
    assert "pip install" in detail


@pytest.mark.requirement("OUT-39")
@pytest.mark.requirement("ABX-44")
def test_a_model_is_asked_directly_and_only_a_whole_answer_is_one(tmp_path: Path) -> None:
    study = _study(
        tmp_path,
        short=_model(prompt="{brief.prompt}"),
        long=_model(prompt="long"),
        forbidden=_model(messages=[{"system": "Be kind."}, {"user": "forbidden"}]),
        broken=_model(prompt="broken"),
    )

    run("run", study)
    found = {arm: _trials(study, arm)[1][0] for arm in ("short", "long", "forbidden", "broken")}
    assert {arm: trial.ending.kind.value for arm, trial in found.items()} == {
        "short": "completed",
        "long": "truncated",
        "forbidden": "refused",
        "broken": "infrastructure_error",
    }
    short = found["short"]
    assert (short.output is not None, short.is_simulated) == (True, True)
    assert short.usage is not None
    assert (short.usage.input_tokens, short.usage.cache_read_tokens) == (12, 5)
    assert short.cost_usd is None
    assert found["long"].output is None


def test_a_recording_answers_again_byte_for_byte_and_invents_nothing(tmp_path: Path) -> None:
    first = _study(tmp_path / "first", only=_model())
    run("run", first)
    (recorded,) = first.glob("archive/only-*")

    again = tmp_path / "again"
    shutil.copytree(recorded, again / "recorded")

    _study(
        again,
        only=_model(provider={"replay": "recorded"}),
        other=_model(provider={"replay": "recorded"}, prompt="unheard"),
    )
    run("run", again)

    def outputs(study: Path, arm: str) -> list[str | None]:
        _, trials = _trials(study, arm)
        return [t.output.sha256 if t.output else None for t in trials]

    assert outputs(again, "only") == outputs(first, "only")
    _, trials = _trials(again, "other")
    assert all(t.is_simulated for t in trials)
    assert {t.output for t in trials} == {None}
    assert all("replay_miss" in t.ending.detail for t in trials)
