"""While an agent works, no name and no word of the hidden tests is anywhere in its world."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from adapters.sandboxes.cells import needs_bubblewrap
from adapters.suites import shop
from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.adapters.suites.hidden import opened
from equipoise.adapters.suites.hidden_tests import HiddenTests
from equipoise.ports.agents import Bounds, Ended, Job, Mount

pytestmark = needs_bubblewrap

_WORD = "zebra7731"
# The pattern does not match itself, so that nobody finds who looks.
_LOOKING = """
find / -xdev -not -path '/proc/*' -not -path '/usr/*' -name '*[z]ebra7731*' 2>/dev/null
grep -rl [z]ebra7731 /ws /tmp /home /etc /run /dev/shm 2>/dev/null
env | grep [z]ebra7731
cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep [z]ebra7731
cd /ws && git log -p --all | grep [z]ebra7731
git cat-file --batch-all-objects --batch | grep -a [z]ebra7731
git fsck --lost-found
echo looked
"""


@pytest.mark.requirement("OUT-27")
def test_an_agent_that_looks_everywhere_finds_nothing(tmp_path: Path) -> None:
    seed = shop.seed(tmp_path)
    hidden = shop.hidden(tmp_path)
    hidden.joinpath(f"test_{_WORD}.py").write_text(f"def test_{_WORD}(): pass\n", encoding="utf-8")
    found: list[Ended] = []

    async def run() -> None:
        clock = datetime(2026, 1, 2, tzinfo=UTC)
        with closing(Bubblewrap()) as sandbox:
            async with opened(
                HiddenTests(folder=hidden), sandbox, tmp_path / "w", lambda: clock
            ) as suite:
                seed.copy(tmp_path / "ws")
                found.append(await sandbox.run(_agent(tmp_path / "ws", _LOOKING)))
                # ... and would have found it, had it been there
                found.append(await sandbox.run(_agent(hidden, f"grep -rl {_WORD} /ws")))
                run = await suite.run(seed, b"", "grading")
        assert run.n_expected == 6

    anyio.run(run)
    assert found[0].stdout.decode().split() == ["looked"], found[0]
    assert _WORD in found[1].stdout.decode()


def _agent(workspace: Path, script: str) -> Job:
    return Job(
        argv=["/bin/sh", "-c", script],
        lease="agent",
        folder="/ws",
        environment={"PATH": "/usr/bin:/bin", "HOME": "/home"},
        mounts=[Mount(source=workspace, target="/ws", is_writable=True)],
        bounds=Bounds(wall_s=60.0),
    )
