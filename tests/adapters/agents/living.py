"""Real harnesses in the real sandbox with the stand-in for a model, or a skip that says why."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from adapters.agents.cells import Cell, lived, made
from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.adapters.sandboxes.unmounted import PlainProcess
from equipoise.ports.agents import Agent, Available, Isolation

Turns = Sequence[Mapping[str, Any]]

MENDING = "sed -i 's/a - b/a + b/' calc.py && echo mended"
TURNS: dict[str, Turns] = {
    name: (
        {"say": "I look at it.", "calls": [{"shell": "cat calc.py"}]},
        {"say": "The sign is wrong.", "calls": [{"shell": MENDING}]},
        {"say": "Mended."},
    )
    for name in ("claude-code", "codex")
} | {
    "mini-swe": (
        {"say": "I look at it.", "calls": [{"shell": "cat calc.py"}]},
        {"say": "The sign is wrong.", "calls": [{"shell": MENDING}]},
        {"calls": [{"shell": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo Mended."}]},
    )
}
"""What the model says, so that the harness mends the program."""

_FOUND: dict[str, Available] = {}


def live(name: str, spec: Any, root: Path, isolation: Isolation) -> Agent:
    """Gives a harness whose program is here, for the sandbox that is here; skips otherwise."""
    harness = made(name, spec, root, isolation)
    if name not in _FOUND:
        _FOUND[name] = anyio.run(harness.probe)
    if not _FOUND[name].is_available:
        pytest.skip(f"{_FOUND[name].why_not}; mend: {_FOUND[name].mend}")
    if "sandbox" not in _FOUND:
        sandbox = Bubblewrap()
        _FOUND["sandbox"] = anyio.run(sandbox.probe)
        sandbox.close()
    if not _FOUND["sandbox"].is_available:
        pytest.skip(f"{_FOUND['sandbox'].why_not}; mend: {_FOUND['sandbox'].mend}")
    return harness


def cell(
    name: str,
    root: Path,
    turns: Turns = (),
    spec: Any = None,
    *,
    is_apart: bool = True,
    **more: Any,
) -> Cell:
    """Runs one whole cell, in the sandbox or (not apart) as a plain process."""
    isolation = Isolation.NAMESPACES if is_apart else Isolation.NONE
    harness = live(name, spec or {}, root, isolation)

    sandbox = Bubblewrap() if is_apart else PlainProcess()
    return anyio.run(lambda: lived(harness, sandbox, turns or TURNS[name], root, **more))
