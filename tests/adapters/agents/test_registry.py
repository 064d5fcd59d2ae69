"""A harness is added by registration; a task that no run could answer is refused."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from adapters.agents.cells import made, task
from equipoise.adapters.agents.asked import ALIASES
from equipoise.errors import InputError
from equipoise.ports.agents import Isolation
from equipoise.wiring import AGENTS
from every import for_every

MODULE = """
from equipoise.ports.agents import Available

class Abacus:
    name, is_simulated = "abacus", True
    def __init__(self, spec, root, layout):
        self.spec, self.layout = spec, layout
    async def probe(self):
        return Available(is_available=True, version="3")

def made(spec, root, layout):
    return Abacus(spec, root, layout)
"""
ASKING = """
from pathlib import Path
import anyio
from equipoise.ports.agents import Isolation
from equipoise.wiring import agent
found = agent("abacus", {"beads": 7}, Path("."), Isolation.NAMESPACES)
print(found.name, found.spec["beads"], anyio.run(found.probe).version)
"""


@pytest.mark.requirement("OUT-42")
def test_a_package_adds_a_harness_without_a_change_of_ours(tmp_path: Path) -> None:
    tmp_path.joinpath("abacus_agent.py").write_text(MODULE)
    info = tmp_path / "abacus-1.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: abacus\nVersion: 1\n")
    info.joinpath("entry_points.txt").write_text("[equipoise.agents]\nabacus = abacus_agent:made\n")
    path = [str(tmp_path), *sys.path]
    code = f"import sys; sys.path[:] = {path!r}\n{ASKING}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "abacus 7 3\n", done.stderr


@pytest.mark.requirement("OUT-42")
def test_an_unknown_harness_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="claude-code"):
        made("claude-kode", {}, tmp_path)
    assert list(AGENTS) == ["claude-code", "codex", "mini-swe", "command", "scripted"]


@pytest.mark.requirement("ABX-46")
@for_every("name", ["claude-code", "codex", "mini-swe", "command"])
@for_every("model", ["", "  ", "latest", "gpt-5-latest", *sorted(ALIASES)[:3]])
def test_a_model_that_is_not_named_exactly_is_refused(
    name: str, model: str, tmp_path: Path
) -> None:
    spec = {"argv": ["true"]} if name == "command" else {}
    harness = made(name, spec, tmp_path)
    with pytest.raises(InputError, match="the model is"):
        harness.job(task(tmp_path, model=model))
    assert not list(tmp_path.joinpath("cell-home").iterdir()), "nothing was begun"


@for_every(
    "name, more",
    [
        ("codex", {"tools": ("Read",)}),
        ("mini-swe", {"tools": ("Read",)}),
        ("mini-swe", {"hooks": {"UserPromptSubmit": "true"}}),
        ("command", {"hooks": {"UserPromptSubmit": "true"}}),
        ("command", {"tools": ("Read",)}),
        ("command", {"max_turns": 3}),
        ("command", {"system_prompt": "Be brief."}),
        ("codex", {"max_turns": 3}),
        ("claude-code", {"skills": (Path("missing"),)}),
    ],
)
def test_a_switch_that_a_harness_lacks_is_refused(
    name: str, more: dict[str, Any], tmp_path: Path
) -> None:
    harness = made(name, {"argv": ["true"]} if name == "command" else {}, tmp_path)
    with pytest.raises(InputError):
        harness.job(task(tmp_path, **more))


@for_every(
    "name, spec",
    [
        ("codex", {"program": "missing"}),
        ("claude-code", {"program": "missing"}),
        ("mini-swe", {"python": "missing"}),
        ("command", {"argv": ["no-such-program"]}),
        ("command", {"argv": ["true"], "version": ["false"]}),
    ],
)
def test_a_missing_program_is_named_with_its_mend(
    name: str, spec: dict[str, Any], tmp_path: Path
) -> None:
    found = anyio.run(made(name, spec, tmp_path, Isolation.NAMESPACES).probe)
    assert not found.is_available
    assert found.why_not
    assert found.mend
    if name in {"codex", "claude-code"}:
        with pytest.raises(InputError, match="not here"):
            made(name, spec, tmp_path).job(task(tmp_path))


@for_every(
    "name, spec",
    [
        ("codex", {"programm": "x"}),
        ("codex", {"request_retries": "many"}),
        ("claude-code", {"bare": "perhaps"}),
        ("claude-code", {"arguments": "one"}),
        ("claude-code", {"setting_sources": ["user"]}),
        ("mini-swe", {"step_timeout_s": "-1"}),
        ("mini-swe", {"temperature": "warm"}),
        ("command", {}),
        ("command", {"argv": ["x", "{promt}"]}),
        ("command", {"argv": ["x"], "transcript": {"form": "codecs"}}),
        ("command", {"argv": ["x"], "transcript": {"form": "codex", "path": "/etc/passwd"}}),
        ("command", {"argv": ["x"], "transcript": {"form": "pi", "path": "../../x"}}),
        ("command", {"argv": ["x"], "transcript": {"form": "mini-swe"}}),
    ],
)
def test_a_wrong_option_is_refused(name: str, spec: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError):
        made(name, spec, tmp_path)
