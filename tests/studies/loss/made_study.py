"""A small study folder: two partitions, two command arms that answer by rule, an SQLite state."""

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

AGENT = '''\
"""Answers a request for a refund; release 2 forgets the amount of every third unit."""
import sys

release, unit, cents = sys.argv[1], sys.argv[2], sys.argv[3]
number = int(unit.rpartition("-")[2])
forgets = release == "2" and number % 3 == 0
print(f"{unit}: refunded {0 if forgets else cents} cents")
'''

STUDY = """\
kind: loss
title: Refund desk, release 2 against release 1
question: Does release 2 lose more per request than release 1?
seed: 7
provenance: synthetisch
hops:
  - id: desk
    signal: the line on stdout
    correct: the line names the amount asked for
    flake: no line, and one on the next attempt
    error: the line names another amount
axes: {intent: [refund, invoice], language: [de, en]}
partitions:
  by: [intent]
  of:
    - {labels: {intent: refund}, frequency: 0.3, severity: 3, s: 0.25, s_source: pilot}
    - {labels: {intent: invoice}, frequency: 0.7, severity: 1}
units: units.jsonl
repetitions: {stochastic: 3}
mde: 0.5
budget: {cell_timeout_s: 30, concurrency: 2}
catalog: catalogs/loss-catalog.v1.json
cells: [loss, category]
baseline: release-1
arms:
  - name: release-1
    system: {command: {argv: [PYTHON, agent.py, "1", "{unit}", "{brief.cents}"]}}
  - name: release-2
    system: {command: {argv: [PYTHON, agent.py, "2", "{unit}", "{brief.cents}"]}}
state: {sqlite: state/desk.sqlite, scope: run}
sandbox: {environment: [PATH, LANG]}
"""

CATALOG: dict[str, Any] = {
    "version": "v1",
    "categories": [
        {
            "id": "wrong_amount",
            "weight": 0.4,
            "type": "deterministic",
            "max": 1,
            "check": {
                "regex": {
                    "document": "output",
                    "pattern": "{expected.amount}",
                    "lost_when": "absent",
                }
            },
        },
        {"id": "tone_off", "weight": 0.1, "type": "model_judged", "max": 1},
    ],
}


def unit_line(number: int, *, intent: str, **changes: Any) -> dict[str, Any]:
    """One line of `units.jsonl` as a dict; a keyword replaces a key, None removes it."""
    line = {
        "id": f"{intent}-{number}",
        "labels": {"intent": intent, "language": "de" if number % 2 else "en"},
        "brief": {"text": f"Please handle my {intent}.", "cents": 100 * number},
        "expected": {"amount": f"{100 * number} cents"},
        "kind": "deterministic" if number == 1 else "stochastic",
    }
    return {key: value for key, value in (line | changes).items() if value is not None}


def made_units(n_each: int = 8) -> list[dict[str, Any]]:
    """As many units of each intent."""
    return [
        unit_line(number, intent=intent)
        for intent in ("refund", "invoice")
        for number in range(1, n_each + 1)
    ]


def made_study(
    folder: Path,
    *,
    units: list[dict[str, Any]] | None = None,
    catalog: dict[str, Any] | None = None,
    **changes: str,
) -> Path:
    """Writes the study into the folder and gives it.

    Args:
        folder: is made where it is not there.
        units: lines of the units file; default `made_units()`.
        catalog: default `CATALOG`.
        changes: top-level key -> its YAML text in place of the one above; "" leaves the key out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("study.yaml").write_text(study_text(**changes), encoding="utf-8")
    write_units(folder, made_units() if units is None else units)
    folder.joinpath("catalogs").mkdir(exist_ok=True)
    folder.joinpath("catalogs", "loss-catalog.v1.json").write_text(
        json.dumps(CATALOG if catalog is None else catalog), encoding="utf-8"
    )
    folder.joinpath("agent.py").write_text(AGENT, encoding="utf-8")
    state = folder / "state"
    state.mkdir(exist_ok=True)
    with sqlite3.connect(state / "desk.sqlite") as database:
        database.execute("create table if not exists refunds (trace text, cents integer)")
    database.close()
    return folder


LOGS = "[{name: release-1, system: {logs: {path: logs}}}]"
"""Arms that read frozen logs."""


def with_logs(study: Path) -> Path:
    """The study with an empty folder for frozen logs."""
    study.joinpath("logs").mkdir()
    return study


def earlier_suite(stddev_between: float) -> dict[str, Any]:
    """A `suite.json` of an earlier run with one partition."""
    partition = {
        "labels": {"intent": "refund"},
        "weight": 1.0,
        "n": 20,
        "n_min": 20,
        "loss": 0.0,
        "stddev_between": stddev_between,
        "se": 0.1,
        "stddev_within": 0.0,
        "coverage": 1.0,
        "status": "scored",
        "by_category": {},
        "by_category_stats": {},
        "n_planned": 20,
        "n_executions": 60,
    }
    return {
        "catalog_version": "v1",
        "mode": "A",
        "provenance": "synthetisch",
        "mde": 0.05,
        "suite_score": 0.1,
        "completion_rate": 1.0,
        "partitions": [partition],
        "run_id": "release-0-12345678-1",
        "created_at": "2025-12-01T00:00:00Z",
        "plan_sha256": "0" * 64,
        "sample_budget": 20,
        "arm": "release-0",
    }


def write_units(folder: Path, units: list[dict[str, Any]]) -> None:
    """Writes the units file of the study."""
    text = "".join(json.dumps(unit, ensure_ascii=False) + "\n" for unit in units)
    folder.joinpath("units.jsonl").write_text(text, encoding="utf-8")


def study_text(**changes: str) -> str:
    """The study file, with some top-level keys replaced or left out."""
    left = dict(changes)
    blocks = []
    for block in _blocks(STUDY):
        key = block.partition(":")[0]
        if key in left:
            value = left.pop(key)
            if value:
                blocks.append(f"{key}: {value}\n")
        else:
            blocks.append(block)
    blocks += [f"{key}: {value}\n" for key, value in left.items() if value]
    return "".join(blocks).replace("PYTHON", sys.executable)


def _blocks(text: str) -> list[str]:
    """The text of each top-level key."""
    blocks: list[str] = []
    for line in text.splitlines(keepends=True):
        if line[0] in " -":
            blocks[-1] += line
        else:
            blocks.append(line)
    return blocks
