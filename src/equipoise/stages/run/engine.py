"""Executes the cells of an arm with bounded concurrency and hands each trial to a recorder."""

import os
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import anyio

from equipoise.ports import Probe, System
from equipoise.records.brief import Request
from equipoise.records.cell import Cell
from equipoise.stages.run.attempt import Executed, Terms, attempt, request_of
from equipoise.stages.run.schedule import Errand, is_worth_another
from equipoise.stages.run.spending import Spending

_FIRST_WAIT_S = 0.2
_LONGEST_WAIT_S = 10.0


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What the engine works with.

    `prepare` puts the state back before each attempt (scope ``cell``), or is null; then attempts
    may overlap. `on_settled` is called after each cell.
    """

    system: System
    recorder: Recorder
    spending: Spending
    probes: Sequence[Probe] = ()
    prepare: Callable[[], Awaitable[None]] | None = None
    on_settled: Callable[["Progress"], None] | None = None

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

    `is_down`: it stopped because the program behind the system had ended.
    """

    n_cells: int
    n_settled: int = 0
    n_attempts: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    stopped: str = ""
    is_down: bool = False


async def execute(errands: Sequence[Errand], terms: Terms, tools: Tools) -> Progress:
    """Executes the errands and gives how far it came.

    Of one cell, faults that are not the system's are tried again up to the plan's `max_attempts`; a
    retry is a further attempt of the same repetition, never a further repetition. When cancelled,
    every attempt under way is ended and recorded as aborted.

    Raises:
        StorageFull: what the recorder raises ends the run; attempts under way are aborted.
    """
    progress = Progress(n_cells=len(errands))
    queue = iter(errands)
    n_workers = 1 if tools.prepare else max(1, min(terms.limits.concurrency, len(errands)))
    async with anyio.create_task_group() as group:
        for _ in range(n_workers):
            group.start_soon(_work, queue, terms, tools, progress)
    return progress


async def _work(queue: Iterator[Errand], terms: Terms, tools: Tools, progress: Progress) -> None:
    for errand in queue:
        if tools.stops(progress):
            return
        tools.spending.n_cells += 1
        if not await _settle(errand, terms, tools, progress):
            return
        progress.n_settled += 1
        if tools.on_settled:
            tools.on_settled(progress)


async def _settle(errand: Errand, terms: Terms, tools: Tools, progress: Progress) -> bool:
    """Attempts a cell until it stands; false where a limit came first."""
    while True:
        request = request_of(errand, terms)
        tools.recorder.begun(errand.cell, errand.attempt)
        try:
            done = await attempt(request, terms, tools.system, tools.probes, tools.prepare)
        except BaseException:
            tools.recorder.aborted(errand.cell, errand.attempt, "ended before it gave a trial")
            raise
        finally:
            _clear(request)
        tools.recorder.record(done)
        await tools.recorder.room()
        progress.n_attempts += 1
        tools.spending.add(done.trial.cost_usd)
        n_faults = errand.n_faults + is_worth_another(done.trial.ending)
        if not is_worth_another(done.trial.ending) or n_faults >= terms.limits.max_attempts:
            progress.endings[done.trial.ending.kind.value] += 1
            return True
        if tools.stops(progress):
            return False
        await anyio.sleep(_wait_s(done, n_faults))
        errand = replace(errand, attempt=errand.attempt + 1, n_faults=n_faults)


def _wait_s(done: Executed, n_faults: int) -> float:
    """Gives how long to wait before another attempt: what the system asked for, or ever longer."""
    if done.retry_after_s is not None:
        return done.retry_after_s
    return min(_FIRST_WAIT_S * 2.0 ** min(n_faults - 1, 16), _LONGEST_WAIT_S)


def _clear(request: Request) -> None:
    if request.workspace and os.path.lexists(request.workspace):
        shutil.rmtree(request.workspace, ignore_errors=True)
