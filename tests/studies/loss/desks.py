"""Agents that leave traces in the state and in a log, for studies that are really executed."""

import sys
from pathlib import Path
from typing import Any

from studies.loss.made_study import made_units
from studies.loss.runs import sealed_study

DESK = '''
"""Books a refund in the state, says so in a log, and answers."""
import json, os, sqlite3, sys, time

unit, cents, trial, seed, slow = sys.argv[1:6]
time.sleep(float(slow))
database = sqlite3.connect("state/desk.sqlite", timeout=30)
with database:
    database.execute("insert into refunds values (?, ?)", (trial, int(cents)))
database.close()
with open("logs/desk.jsonl", "a") as log:
    log.write(json.dumps({"trace": trial, "event": "refunded", "cents": int(cents)}) + "\\n")
print(f"{unit}: refunded {cents} cents, seed {seed}")
'''

STUB = 'print("Your request was handled.")\n'
"""A stand-in with a canned answer, as no study may be run against."""

CANARY = '{canary: {text: "refund {nonce}", cents: 5}, state_changes: true}'


def arms_of(*names: str, slow: str = "0") -> str:
    """The arms of the study, each the same desk."""
    command = f'[{sys.executable}, agent.py, "{{unit}}", "{{brief.cents}}", "{{trial}}", "{{seed}}"'
    return "".join(
        f'\n  - {{name: {name}, system: {{command: {command}, "{slow}"]}}}}'
        for name in names or ("release-1", "release-2")
    )


def desk_study(
    folder: Path, *, n_each: int = 2, slow: str = "0", agent: str = DESK, **changes: Any
) -> Path:
    """Makes and seals a study of desks that book into an SQLite state.

    Args:
        folder: is made.
        n_each: units of each intent, all of them drawn.
        slow: seconds that each request takes.
        agent: the program.
        changes: see `made_study`.
    """
    terms: dict[str, Any] = {
        "units": made_units(n_each),
        "arms": arms_of(slow=slow),
        "anti_mock": CANARY,
        "mde": "0.1",
        **changes,
    }
    sealed_study(folder, **terms)
    folder.joinpath("agent.py").write_text(agent, encoding="utf-8")
    folder.joinpath("logs").mkdir()
    return folder
