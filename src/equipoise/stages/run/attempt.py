"""One attempt at a cell: the system is asked, probes collect, and a trial record comes of it."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import anyio

from equipoise.ports import Answer, Collected, Probe, System, TakesLonger
from equipoise.records.brief import Request
from equipoise.records.plan import Limits
from equipoise.records.trial import Ending, EndingKind, Fault, Trial, trial_id
from equipoise.stages.run.schedule import Errand

T = TypeVar("T")

_GRACE_S = 10.0
"""How much longer than its time-out an adapter may take before it counts as hanging."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """One attempt that ended: its trial (without `output`) and the content that belongs to it.

    `documents` are by name, without the trial's id. `unavailable` says of each probe that had
    nothing to see why.
    """

    trial: Trial
    output: bytes | None
    documents: Mapping[str, bytes]
    unavailable: Mapping[str, str]
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all attempts of a run share.

    `workspaces` is the folder in which each trial has the place for a folder of its own; a system
    that needs it makes it. Null = none.
    """

    seed: int
    witness: str
    limits: Limits
    clock: Callable[[], datetime]
    workspaces: Path | None = None
    is_simulated: bool = False
    versions: Mapping[str, str] | None = None


def request_of(errand: Errand, terms: Terms) -> Request:
    """Gives the request of the errand's next attempt."""
    cell = errand.cell
    trial = trial_id(cell.unit, cell.arm, cell.model, cell.repetition, errand.attempt)
    return Request(
        trial=trial,
        brief=errand.brief,
        arm=cell.arm,
        repetition=cell.repetition,
        attempt=errand.attempt,
        seed=cell.seed(terms.seed, terms.witness),
        timeout_s=terms.limits.cell_timeout_s,
        workspace=f"{terms.workspaces}/{trial}" if terms.workspaces else "",
    )


async def attempt(
    request: Request,
    terms: Terms,
    system: System,
    probes: Sequence[Probe],
    prepare: Callable[[], Awaitable[None]] | None = None,
) -> Executed:
    """Executes one attempt. Whatever goes wrong in the harness becomes the trial's ending.

    A probe that fails changes nothing about the ending: what it would have collected is missing.
    """
    started_at = terms.clock().isoformat(timespec="milliseconds")
    before = time.monotonic()
    answer = await _asked(request, system, prepare)
    elapsed_ms = (time.monotonic() - before) * 1000
    documents, unavailable = dict(answer.documents), dict[str, str]()
    for probe in probes:
        found = await _collected(probe, request)
        documents |= found.documents
        if found.unavailable:
            unavailable[probe.name] = found.unavailable
    trial = Trial(
        id=request.trial,
        unit=request.brief.unit,
        arm=request.arm,
        repetition=request.repetition,
        attempt=request.attempt,
        ending=answer.ending,
        model=answer.model,
        model_answered=answer.model_answered,
        labels=request.brief.labels,
        cluster=request.brief.cluster,
        usage=answer.usage,
        cost_usd=answer.cost_usd,
        duration_ms=round(elapsed_ms if answer.duration_ms is None else answer.duration_ms, 3),
        exit_code=answer.exit_code,
        stop_reason=answer.stop_reason,
        counts=dict(answer.counts),
        versions={**(terms.versions or {}), **answer.versions},
        started_at=started_at,
        is_simulated=terms.is_simulated or system.is_simulated,
        source=request.brief.origin,
    )
    return Executed(
        trial=trial,
        output=answer.output,
        documents=documents,
        unavailable=unavailable,
        retry_after_s=answer.retry_after_s,
    )


async def _asked(
    request: Request, system: System, prepare: Callable[[], Awaitable[None]] | None
) -> Answer:
    try:
        if prepare is not None:
            await prepare()
        longest_s = request.timeout_s + grace_s_of(system)
        with anyio.CancelScope(deadline=anyio.current_time() + longest_s):
            return await system.execute(request)
        detail = f"the adapter did not end within {longest_s:g} s"
        return _harness_error(detail)
    except Exception as error:  # noqa: BLE001  the border of one trial: it becomes its ending
        return _harness_error(f"{type(error).__name__}: {error}")


def grace_s_of(system: System) -> float:
    """Gives how long an attempt may go on beyond its time-out."""
    return system.grace_s if isinstance(system, TakesLonger) else _GRACE_S


async def _collected(probe: Probe, request: Request) -> Collected:
    try:
        return await probe.collect(request)
    except Exception as error:  # noqa: BLE001  a broken probe must not touch the trial's outcome
        return Collected(unavailable=f"the probe failed: {type(error).__name__}: {error}")


def _harness_error(detail: str) -> Answer:
    ending = Ending(
        kind=EndingKind.HARNESS_ERROR, fault=Fault.HARNESS, is_retriable=True, detail=detail
    )
    return Answer(ending=ending)
