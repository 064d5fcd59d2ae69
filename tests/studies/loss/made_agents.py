"""Studies whose arms are agents or models, with stand-ins that are here."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from studies.loss.study_commands import sealed

NEEDS_BWRAP = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not here: apt-get install bubblewrap"
)
CATALOG: dict[str, Any] = {
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
SCENARIO = """\
turns:
  - {say: Hello., usage: {input: 12, output: 3, cache_read: 5}}
  - {when: {prompt: long}, say: Once upon, stop: length}
  - {when: {prompt: forbidden}, say: No., stop: refusal}
  - {when: {prompt: broken}, fault: {status: 400, kind: bad_request}}
"""
LAZY = [{"do": [{"write": {"path": "notes.md", "text": "looked at it"}}]}]
SENIOR = [
    {
        "do": [
            {"edit": {"path": "calc.py", "old": "a - b", "new": "a + b"}},
            {"run": "python3 -Bc 'import calc; print(calc.add(1, 1))'"},
            {"print": "fixed"},
        ]
    }
]


def model_arm(**options: Any) -> dict[str, Any]:
    """A model alone, answered by the scenario."""
    provider = {"scripted": "scenario.yaml"}
    return {"model": {"model": "stand-in-2026-01-01", "provider": provider} | options}


def agent_arm(harness: Any) -> dict[str, Any]:
    """An agent on the seed with a bug."""
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


def agent_study(
    folder: Path,
    *,
    n_units: int = 1,
    mde: str = "0.5",
    check: dict[str, Any] | None = None,
    expected: dict[str, Any] | None = None,
    files: dict[str, str] | None = None,
    study: dict[str, Any] | None = None,
    **arms: Any,
) -> Path:
    """A sealed study whose arms are these systems; `check` in place of the look at the diff.

    `study` are further keys of the study file, `files` further files.
    """
    written: dict[str, Any] = {
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
        "mde": mde,
        "budget": {"cell_timeout_s": "60", "concurrency": "2"},
        "catalog": "loss-catalog.v1.json",
        "cells": ["loss"],
        "baseline": next(iter(arms)),
        "state": {"directory": "state"},
        "sandbox": {"environment": ["PATH"]},
        "arms": [{"name": name, "system": system} for name, system in arms.items()],
        **(study or {}),
    }
    for path, text in {
        "study.yaml": yaml.safe_dump(json.loads(json.dumps(written))),
        "loss-catalog.v1.json": json.dumps(_catalog(check)),
        "scenario.yaml": SCENARIO,
        "units.jsonl": "".join(
            json.dumps(
                {
                    "id": f"u{n}",
                    "labels": {"kind": "fix"},
                    "brief": {"prompt": "fix add"},
                    "expected": expected or {},
                }
            )
            + "\n"
            for n in range(1, n_units + 1)
        ),
        "seeds/calc/calc.py": "def add(a, b):\n    return a - b\n",
        "state/empty": "",
        **(files or {}),
    }.items():
        folder.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
        folder.joinpath(path).write_text(text, encoding="utf-8")
    return sealed(folder)


def _catalog(check: dict[str, Any] | None) -> dict[str, Any]:
    if check is None:
        return CATALOG
    return {"version": "v1", "categories": [{**CATALOG["categories"][0], "check": check}]}
