"""Cells for the tests of harnesses: a workspace, a task, a gateway before a scripted model."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.adapters.sandboxes.unmounted import PlainProcess
from equipoise.gateway.scripted.scenario import Scenario
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.server import RecordingGateway
from equipoise.ports.agents import Agent, Bounds, Ended, Isolation, Job, Route, Task, Told
from equipoise.records.brief import Brief, Request
from equipoise.wiring import agent

MODEL = "scripted-model-1"
NOWHERE = Route(trial="t-1", url="http://127.0.0.1:9", socket=None, token="worth-nothing")


def task(folder: Path, *, route: Route = NOWHERE, **more: Any) -> Task:
    """Gives a task whose workspace has one small program with a fault."""
    workspace, home = folder / "workspace", folder / "cell-home"
    workspace.mkdir(parents=True, exist_ok=True)
    home.mkdir(exist_ok=True)
    if not workspace.joinpath("calc.py").exists():
        workspace.joinpath("calc.py").write_text("def add(a, b):\n    return a - b\n")
    unit = more.pop("unit", "calc")
    request = Request(
        trial=route.trial,
        brief=Brief(unit=unit, content={}, labels={}),
        arm=more.pop("arm", "base"),
        repetition=more.pop("repetition", 1),
        attempt=1,
        seed=more.pop("seed", 7),
        timeout_s=60.0,
    )
    asked: dict[str, Any] = {
        "prompt": "Mend calc.py.",
        "model": MODEL,
        "bounds": Bounds(wall_s=60.0),
    } | more
    return Task(request=request, route=route, workspace=workspace, home=home, **asked)


def made(name: str, spec: Any, root: Path, isolation: Isolation = Isolation.NONE) -> Agent:
    return agent(name, spec, root, isolation)


async def ended(harness: Agent, of: Task) -> Ended:
    """Runs the job of a task as a plain process."""
    sandbox = PlainProcess()
    try:
        return await sandbox.run(harness.job(of))
    finally:
        sandbox.close()


async def ran(harness: Agent, of: Task) -> Told:
    """Runs a task that calls no model."""
    return harness.told(of, await ended(harness, of), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell that ran: what was told, and how its job ended."""

    told: Told
    ended: Ended
    job: Job
    task: Task


@asynccontextmanager
async def models(
    turns: Sequence[Mapping[str, Any]], folder: Path, **more: Any
) -> AsyncIterator[RecordingGateway]:
    """Gives a gateway in front of a scenario."""
    scenario = Scenario.model_validate({"turns": list(turns), **more})

    def clock() -> datetime:
        return datetime(2026, 3, 1, 12, tzinfo=UTC)

    sockets = folder / "s"
    async with RecordingGateway(Scripted(scenario), clock, folder=sockets) as held:
        yield held


async def lived(
    harness: Agent,
    sandbox: Bubblewrap | PlainProcess,
    turns: Sequence[Mapping[str, Any]],
    folder: Path,
    **more: Any,
) -> Cell:
    """Runs a whole cell against a model that follows a scenario."""
    async with models(turns, folder) as gateway:
        of = task(folder, route=gateway.open("t-1", MODEL), **more)
        job = harness.job(of)
        try:
            end = await sandbox.run(job)
        finally:
            sandbox.close()
        calls = gateway.close("t-1")
    return Cell(told=harness.told(of, end, calls), ended=end, job=job, task=of)
