"""Cells for the tests of harnesses: a workspace, a task, a sandbox that really runs its job."""

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from equipoise.gateway.scripted.scenario import Scenario
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.server import RecordingGateway
from equipoise.ports.agents import (
    Agent,
    Available,
    Bounds,
    Ended,
    HowEnded,
    Isolation,
    Job,
    Route,
    Sandbox,
    Task,
    Told,
)
from equipoise.records.brief import Brief, Request
from equipoise.wiring import agent

MODEL = "scripted-model-1"
NOWHERE = Route(trial="t-1", url="http://127.0.0.1:9", socket=None, token="worth-nothing")


class Plain:
    """A sandbox that keeps nothing apart: a process group with a time limit and an output bound."""

    name = "plain"
    isolation = Isolation.NONE

    async def probe(self) -> Available:
        return Available(is_available=True)

    def close(self) -> None:
        """Nothing stays up."""

    async def run(self, job: Job) -> Ended:
        begin = asyncio.get_running_loop().time()
        try:
            child = await asyncio.create_subprocess_exec(
                *job.argv,
                env=dict(job.environment),
                cwd=job.folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            return Ended(how=HowEnded.NOT_STARTED, detail=f"{job.argv[0]}: {error.strerror}")
        how, out, err = await _watched(child, job)
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        code = await child.wait()
        if how is HowEnded.EXITED and code < 0:
            how = HowEnded.SIGNALLED
        return Ended(
            how=how,
            exit_code=code if how is HowEnded.EXITED else None,
            signal=-code if code < 0 else None,
            stdout=out,
            stderr=err,
            duration_ms=(asyncio.get_running_loop().time() - begin) * 1000,
        )


async def _watched(child: asyncio.subprocess.Process, job: Job) -> tuple[HowEnded, bytes, bytes]:
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    out, err, is_full = bytearray(), bytearray(), asyncio.Event()

    async def read(stream: asyncio.StreamReader, into: bytearray) -> None:
        while piece := await stream.read(65536):
            into += piece
            if len(out) + len(err) > job.bounds.output_bytes:
                is_full.set()
                return

    async def fed(stdin: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            stdin.write(job.stdin)
            await stdin.drain()
        stdin.close()

    reading = asyncio.gather(read(child.stdout, out), read(child.stderr, err), fed(child.stdin))
    how = HowEnded.EXITED
    try:
        await asyncio.wait_for(reading, job.bounds.wall_s)
    except TimeoutError:
        how = HowEnded.TIMED_OUT
    if is_full.is_set():
        how = HowEnded.OUTPUT_LIMIT
    return how, bytes(out), bytes(err)


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


async def ran(harness: Agent, of: Task, sandbox: Sandbox | None = None) -> Told:
    """Runs a task that calls no model."""
    ended = await (sandbox or Plain()).run(harness.job(of))
    return harness.told(of, ended, ())


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
    sandbox: Sandbox,
    turns: Sequence[Mapping[str, Any]],
    folder: Path,
    **more: Any,
) -> Cell:
    """Runs a whole cell against a model that follows a scenario."""
    async with models(turns, folder) as gateway:
        of = task(folder, route=gateway.open("t-1", MODEL), **more)
        job = harness.job(of)
        ended = await sandbox.run(job)
        calls = gateway.close("t-1")
    return Cell(told=harness.told(of, ended, calls), ended=ended, job=job, task=of)
