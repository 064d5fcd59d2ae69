"""Executes the cells of an arm with bounded concurrency and hands each trial to a recorder."""

import os
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import anyio
from msgspec import structs

from equipoise.ports import Probe, System
from equipoise.records.brief import Request
from equipoise.records.cell import Cell
from equipoise.records.trial import Ending, EndingKind, Fault
from equipoise.stages.run.attempt import Executed, Terms, attempt, request_of
from equipoise.stages.run.pace import LONGEST_S, Pace
from equipoise.stages.run.resources import Waiting
from equipoise.stages.run.schedule import Errand, is_worth_another
from equipoise.stages.run.spending import Spending

_FIRST_WAIT_S = 0.2
_LONGEST_WAIT_S = 10.0
_WORTH_TELLING_S = 1.0


class Recorder(Protocol):
    """Keeps what happens; owned by who runs the engine."""

    def begun(self, cell: Cell, attempt: int) -> None:
        """Takes note that an attempt is about to begin."""
        ...

    def record(self, executed: Executed) -> None:
        """Takes an attempt that ended."""
        ...

    async def room(self) -> None:
        """Waits until there is room for what further attempts give."""
        ...

    def aborted(self, cell: Cell, attempt: int, why: str) -> None:
        """Takes note that an attempt was begun and gives no trial."""
        ...

    def paused(self, seconds: float, why: str) -> None:
        """Takes note that no attempt begins for so long."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What the engine works with.

    `prepare` puts the state back before each attempt (scope ``cell``), or is null; then attempts
    may overlap. `on_settled` is called after each cell, and when all of them have to wait.
    `state_fault` says after each attempt what befell what holds the state, or is null.
    """

    system: System
    recorder: Recorder
    spending: Spending
    probes: Sequence[Probe] = ()
    prepare: Callable[[], Awaitable[None]] | None = None
    state_fault: Callable[[], Awaitable[str]] | None = None
    on_settled: Callable[["Progress"], None] | None = None
    pace: Pace = field(default_factory=Pace)

    @property
    def why_down(self) -> str:
        """Gives how the program behind the system ended before its time; empty while it is up."""
        return str(getattr(self.system, "why_down", ""))  # of `Serves`, whose check is slow

    def stops(self, progress: "Progress") -> bool:
        """Says whether no further attempt may begin, and keeps the reason."""
        if not progress.stopped:
            down = self.why_down
            progress.is_down = bool(down)
            progress.stopped = down or self.spending.why_stop()
        return bool(progress.stopped)


@dataclass(slots=True)
class Progress:
    """How far a run is: cells settled of those it set out with, endings, why it stopped.

    `is_down`: it stopped because the program behind the system had ended. `usd` was spent as far as
    attempts say, `usd_before` of it by earlier parts; `waits` says why no attempt begins just now.
    """

    n_cells: int
    n_settled: int = 0
    n_attempts: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    stopped: str = ""
    is_down: bool = False
    usd: float = 0.0
    n_cost_unknown: int = 0
    waits: str = ""
    usd_before: float = 0.0

    @property
    def usd_at_end(self) -> float:
        """Gives what will be spent at this rate; 0 before the first cell has settled."""
        each = (self.usd - self.usd_before) / max(self.n_settled, 1)
        return self.usd_before + each * self.n_cells


async def execute(errands: Sequence[Errand], terms: Terms, tools: Tools) -> Progress:
    """Executes the errands and gives how far it came.

    Of one cell, faults that are not the system's are tried again up to the plan's `max_attempts`; a
    retry is a further attempt of the same repetition, never a further repetition. Beside the plan's
    concurrency each of its resources bounds how many cells that need it are under way. Where an
    answer asks to wait, no cell begins an attempt meanwhile. When cancelled, every attempt
    under way is ended and recorded as aborted.

    Raises:
        StorageFull: what the recorder raises ends the run; attempts under way are aborted.
    """
    before = tools.spending.usd
    progress = Progress(n_cells=len(errands), usd=before, usd_before=before)
    waiting = Waiting(errands, terms.limits.resources)
    n_workers = 1 if tools.prepare else max(1, min(terms.limits.concurrency, len(errands)))
    async with anyio.create_task_group() as group:
        for _ in range(n_workers):
            group.start_soon(_work, waiting, terms, tools, progress)
    return progress


async def _work(waiting: Waiting, terms: Terms, tools: Tools, progress: Progress) -> None:
    while True:
        async with waiting.next() as errand:
            if errand is None or not await tools.pace.clear(lambda: tools.stops(progress)):
                return
            tools.spending.n_cells += 1
            if not await _settle(errand, terms, tools, progress):
                return
        progress.n_settled += 1
        progress.waits = ""
        if tools.on_settled:
            tools.on_settled(progress)


async def _settle(errand: Errand, terms: Terms, tools: Tools, progress: Progress) -> bool:
    """Attempts a cell until it stands; false where a limit came first."""
    while True:
        request = request_of(errand, terms)
        tools.recorder.begun(errand.cell, errand.attempt)
        try:
            done = await attempt(request, terms, tools.system, tools.probes, tools.prepare)
            done = await _spoiled(done, tools, progress)
        except BaseException:
            tools.recorder.aborted(errand.cell, errand.attempt, "ended before it gave a trial")
            raise
        finally:
            _clear(request)
        tools.recorder.record(done)
        await tools.recorder.room()
        progress.n_attempts += 1
        tools.spending.add(done.trial.cost_usd)
        progress.usd, progress.n_cost_unknown = tools.spending.usd, tools.spending.n_cost_unknown
        is_passing = is_worth_another(done.trial.ending)
        if is_passing:
            _hold(done, tools, progress)
        n_faults = errand.n_faults + is_passing
        if not is_passing or n_faults >= terms.limits.max_attempts:
            progress.endings[done.trial.ending.kind.value] += 1
            return True
        if tools.stops(progress):
            return False
        if done.retry_after_s is None:
            await anyio.sleep(_wait_s(n_faults))
        if not await tools.pace.clear(lambda: tools.stops(progress)):
            return False
        errand = replace(errand, attempt=errand.attempt + 1, n_faults=n_faults)


async def _spoiled(done: Executed, tools: Tools, progress: Progress) -> Executed:
    """Gives the attempt as it counts: what was done on a state that was lost says nothing."""
    why = await tools.state_fault() if tools.state_fault else ""
    if not why:
        return done
    progress.stopped, progress.is_down = progress.stopped or why, True
    ending = Ending(
        kind=EndingKind.INFRASTRUCTURE_ERROR,
        fault=Fault.INFRASTRUCTURE,
        is_retriable=True,
        detail=why,
    )
    return replace(done, trial=structs.replace(done.trial, ending=ending), output=None)


def _hold(done: Executed, tools: Tools, progress: Progress) -> None:
    """Lets all cells wait where the answer asked for it; a run does not wait for hours."""
    seconds = done.retry_after_s
    if not seconds:
        return
    why = done.trial.ending.detail or "it asked to wait"
    left_s = tools.spending.left_s
    if seconds > LONGEST_S or (left_s is not None and seconds > left_s):
        progress.stopped = progress.stopped or f"asked to wait {seconds:,.0f} s: {why}"
    elif tools.pace.hold(seconds) and seconds >= _WORTH_TELLING_S:
        tools.recorder.paused(seconds, why)
        progress.waits = f"{seconds:,.0f} s: {why}"
        if tools.on_settled:
            tools.on_settled(progress)


def _wait_s(n_faults: int) -> float:
    """Gives how long to wait before another attempt of a cell: ever longer."""
    return min(_FIRST_WAIT_S * 2.0 ** min(n_faults - 1, 16), _LONGEST_WAIT_S)


def _clear(request: Request) -> None:
    if request.workspace and os.path.lexists(request.workspace):
        shutil.rmtree(request.workspace, ignore_errors=True)
