"""Runs the commands of a gate, each in a sandbox of its own, on a fresh seed with a diff on top."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from equipoise.adapters.suites.fresh import fresh
from equipoise.adapters.suites.interpreters import ours
from equipoise.errors import NotEstimable
from equipoise.ports.agents import Bounds, Ended, HowEnded, Job, Mount, Sandbox, Seed
from equipoise.ports.suites import GateAsked, GateCommandAsked
from equipoise.records.gate_run import GateResult, GateRun

_PYTHONS = ("python", "python3")
_N_TRIES = 2
_MOST_SAID = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """Everything that the agent left counts; nothing stays the seed's."""

    name: str = "gate"
    allowed: tuple[str, ...] = ("**",)
    kept: tuple[str, ...] = ()


async def gated(
    asked: GateAsked, seed: Seed, sandbox: Sandbox, work: Path, clock: Callable[[], datetime]
) -> GateRun:
    """Runs every command, one after the other; none sees what another one did.

    Raises:
        NotEstimable: a program of the machine cannot be started here. A program of the workspace
            that cannot be started is what the agent left, and is not met.
        InputError: the diff does not fit the seed.
    """
    started_at = clock()
    results, own_s = [], asked.own_s
    for one in asked.commands:
        bound_s = own_s if one.is_own else asked.timeout_s
        if bound_s <= 0:
            results.append(_not_run(one))
            continue
        began = time.monotonic()
        results.append(
            await _run(one, replace(asked, timeout_s=bound_s), seed, sandbox, work, clock)
        )
        own_s -= one.is_own * (time.monotonic() - began)
    return GateRun(
        results=tuple(results),
        isolation=sandbox.isolation.value,
        seed_sha256=seed.sha256,
        diff_sha256=hashlib.sha256(asked.diff).hexdigest(),
        started_at=started_at.isoformat(timespec="milliseconds"),
    )


def _not_run(one: GateCommandAsked) -> GateResult:
    """Tells of a command of the agent's own for which no time was left."""
    return GateResult(
        id=one.id,
        command=one.command,
        how="not_run",
        is_core=one.is_core,
        is_own=True,
        of=one.of,
        said="the commands of its checklists took all the time there is for them",
    )


async def _run(
    one: GateCommandAsked,
    asked: GateAsked,
    seed: Seed,
    sandbox: Sandbox,
    work: Path,
    clock: Callable[[], datetime],
) -> GateResult:
    for _ in range(_N_TRIES):
        async with fresh(seed, asked.diff, work, _Rules(), clock) as place:
            job = _job(one, asked, place.workspace)
            ended = await sandbox.run(job)
        if ended.how is not HowEnded.NOT_STARTED:
            break
    said = _last_words(ended)
    is_machines = not one.is_own and "/" not in one.command[0]
    if ended.how is HowEnded.NOT_STARTED and is_machines:
        raise NotEstimable(
            f"unbewertbar: the command {one.id!r} of the gate cannot be started here: {said}",
            code="gate_failed",
        )
    return GateResult(
        id=one.id,
        command=one.command,
        how=ended.how.value,
        exit_code=ended.exit_code if ended.how is HowEnded.EXITED else None,
        is_core=one.is_core,
        is_own=one.is_own,
        of=one.of,
        duration_ms=round(ended.duration_ms, 3),
        said=said,
    )


def _job(one: GateCommandAsked, asked: GateAsked, workspace: Path) -> Job:
    """Gives the job of a command; `python` is ours, whatever the system calls its own."""
    python = ours()
    first, *rest = one.command
    return Job(
        argv=[python.program if first in _PYTHONS else first, *rest],
        lease=asked.lease,
        folder=str(workspace),
        environment={
            "LANG": "C.UTF-8",
            "PATH": f"{Path(python.program).parent}:/usr/local/bin:/usr/bin:/bin",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONNOUSERSITE": "1",
            "TZ": "UTC",
        },
        mounts=(
            *python.mounts(),
            Mount(source=workspace, target=str(workspace), is_writable=True),
        ),
        bounds=Bounds(wall_s=asked.timeout_s),
    )


def _last_words(ended: Ended) -> str:
    text = ended.detail or (ended.stderr or ended.stdout)[-_MOST_SAID:].decode(errors="replace")
    return "".join(one if one.isprintable() else " " for one in text).strip()[-_MOST_SAID:]
