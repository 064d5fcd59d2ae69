"""Measures whole cells of a real harness: seed, sandbox, gateway, session, what its files say.

Wanted: 200 cells of mini-swe-agent in three minutes on two processors.

usage: python -m benchmarks.bench_agents [HARNESS] [CELLS]     (mini-swe, codex, claude-code; 200)
"""

import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.gateway.scripted.scenario import Scenario
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.server import RecordingGateway
from equipoise.ports.agents import Agent, Isolation, Task
from equipoise.records.brief import Brief, Request
from equipoise.wiring import agent

MODEL = "stand-in-2026-01-01"
AT_ONCE = 2
END = {
    "mini-swe": {"calls": [{"shell": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}]},
}
TURNS = (
    {"say": "I look at it.", "calls": [{"shell": "cat calc.py"}]},
    {"say": "The sign.", "calls": [{"shell": "sed -i 's/a - b/a + b/' calc.py"}]},
)


async def main(name: str, n_cells: int) -> None:
    """Runs the cells, two at once, and says what each took."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        harness = agent(name, {}, root, Isolation.NAMESPACES)
        found = await harness.probe()
        if not found.is_available:
            sys.exit(f"{found.why_not}; mend: {found.mend}")
        turns = [*TURNS, END.get(name, {"say": "Mended."})]
        upstream = Scripted(Scenario.model_validate({"turns": turns}))
        sandbox, gate, endings = Bubblewrap(), asyncio.Semaphore(AT_ONCE), Counter[str]()
        gateway = RecordingGateway(upstream, lambda: datetime(2026, 1, 2, tzinfo=UTC), folder=root)
        begin, spent = time.monotonic(), os.times()
        async with gateway:

            async def one(number: int) -> None:
                async with gate:
                    kind = await cell(harness, sandbox, gateway, root / str(number))
                    endings[kind] += 1

            await asyncio.gather(*map(one, range(n_cells)))
        took, now = time.monotonic() - begin, os.times()
        sandbox.close()
    ours = now.user + now.system - spent.user - spent.system
    print(f"{name} {found.version}: {n_cells} cells in {took:.1f} s, {took / n_cells:.2f} s each")
    print(f"  our own processor time {1000 * ours / n_cells:.0f} ms a cell; ended {dict(endings)}")


async def cell(harness: Agent, sandbox: Bubblewrap, gateway: RecordingGateway, at: Path) -> str:
    """Runs one cell to its end."""
    workspace, home = at / "workspace", at / "home"
    workspace.mkdir(parents=True)
    home.mkdir()
    workspace.joinpath("calc.py").write_text("def add(a, b):\n    return a - b\n")
    request = Request(
        trial=at.name,
        brief=Brief(unit="calc", content={}, labels={}),
        arm="bench",
        repetition=1,
        attempt=1,
        seed=1,
        timeout_s=120,
    )
    task = Task(
        request=request,
        prompt="add() gives the wrong sum.",
        model=MODEL,
        route=gateway.open(at.name, MODEL),
        workspace=workspace,
        home=home,
    )
    ended = await sandbox.run(harness.job(task))
    told = harness.told(task, ended, gateway.close(at.name))
    return told.ending.kind.value


if __name__ == "__main__":
    harness_name = sys.argv[1] if len(sys.argv) > 1 else "mini-swe"
    asyncio.run(main(harness_name, int(sys.argv[2]) if len(sys.argv) > 2 else 200))
