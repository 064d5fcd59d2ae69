"""A session of a real Codex is replayed from its recording, byte for byte."""

import json
import shutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import anyio
import pytest

from equipoise.gateway.exchange import Exchange, Upstream, pack, unpack
from equipoise.gateway.replay import Replay
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.server import RecordingGateway
from gateway.asking import clock, scenario

_MODEL = "codex-model-1"
_TURNS = (
    {"say": "I write it.", "calls": [{"shell": "echo mended > out.txt && ls"}]},
    {"when": {"tool_result": "out.txt"}, "say": "Done."},
    {"say": "It was not written."},
)


def test_a_session_of_codex_is_replayed_byte_for_byte(tmp_path: Path) -> None:
    codex = _codex()

    async def run() -> tuple[tuple[Exchange, ...], tuple[Exchange, ...]]:
        first = await _session(codex, Scripted(scenario(*_TURNS)), tmp_path)
        kept = [unpack(pack(exchange)) for exchange in first]
        return first, await _session(codex, Replay(kept), tmp_path)

    first, again = anyio.run(run)
    assert [e.call.fault for e in again] == ["", ""]
    assert [e.answer for e in again] == [e.answer for e in first]
    assert [e.call.usage for e in again] == [e.call.usage for e in first]
    assert {e.call.answered_by for e in again} == {"replay"}
    assert [e.call.request_sha256 for e in again] != [e.call.request_sha256 for e in first]


def _codex() -> str:
    if (found := shutil.which("codex")) is not None:
        return found
    if find_spec("codex_cli_bin") is None:
        pytest.skip("Codex is not here; mend: pip install 'equipoise[codex]'")
    folder = Path(str(import_module("codex_cli_bin").__file__)).parent
    return str(folder / "bin" / "codex")


async def _session(codex: str, upstream: Upstream, folder: Path) -> tuple[Exchange, ...]:
    """Runs one session in the same folder, emptied, and gives what went over the wire."""
    work, home = folder / "work", folder / "home"
    for place in (work, home):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
    async with RecordingGateway(upstream, clock) as held:
        route = held.open("t1", _MODEL)
        provider = {
            "name": "cell",
            "base_url": f"{route.url}/v1",
            "env_key": "TOKEN",
            "wire_api": "responses",
        }
        pairs = ", ".join(f"{key}={json.dumps(value)}" for key, value in provider.items())
        settings = (
            *("analytics.enabled=false", 'web_search="disabled"', f'model="{_MODEL}"'),
            *('model_provider="cell"', f"model_providers.cell={{{pairs}}}"),
        )
        options = [word for setting in settings for word in ("-c", setting)]
        off = [word for name in ("plugins", "apps") for word in ("--disable", name)]
        command = [codex, "exec", "--json", "--skip-git-repo-check", "-C", str(work), *options]
        command += [*off, "--dangerously-bypass-approvals-and-sandbox", "Mend it."]
        environment = {
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(home),
            "CODEX_HOME": str(home),
            "TOKEN": route.token,
        }
        with anyio.fail_after(60):
            done = await anyio.run_process(command, env=environment, input=b"", check=False)
        assert done.returncode == 0, done.stdout
        assert work.joinpath("out.txt").read_text() == "mended\n"
        return held.exchanges("t1")
