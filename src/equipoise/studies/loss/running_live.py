"""One run while it goes: resumed, framed, executed, recorded, and ended in good order."""

import shutil
import signal
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import anyio
from anyio import CancelScope
from msgspec import structs

from equipoise.archive.durable import storage_errors
from equipoise.archive.store import Archive
from equipoise.errors import ArchiveError
from equipoise.ports import Addressed, Collected, Probe, Serves, System, TellsNotices
from equipoise.records.brief import Request
from equipoise.records.cell import Cell
from equipoise.records.event import EventKind
from equipoise.records.plan import ArmPlan, Limits
from equipoise.stages.run.attempt import Terms
from equipoise.stages.run.engine import Progress, Tools, execute
from equipoise.stages.run.schedule import Errand, cells_of, errands, ordered
from equipoise.stages.run.spending import Spending
from equipoise.studies.loss.needing import MODEL, is_served, needs_of
from equipoise.studies.loss.running_asked import Adapters, Around, Asked, Clock, Part
from equipoise.studies.loss.running_frame import CELLS, Frame
from equipoise.studies.loss.running_place import Place, Stood, what_stood, witness_of
from equipoise.studies.loss.running_record import ATTEMPTS, RunRecorder, aborted_facts
from equipoise.studies.loss.sealed import Sealed

LEDGER = "processes.log"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one part of a run ended."""

    n_before: int
    stopped: str
    is_interrupted: bool
    is_down: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """The run of one arm into an archive that is open for appending.

    With a `part` only its units are executed, in its order, and the run is not finished then.
    """

    sealed: Sealed
    arm: ArmPlan
    place: Place
    archive: Archive
    work: Path
    adapters: Adapters
    asked: Asked
    clock: Clock
    spent_usd: float
    part: Part | None = None

    async def run(self) -> Outcome:
        """Executes what is missing, until it is done, a limit is reached or a signal comes."""
        stood = self._cleared()
        recorder = RunRecorder(self.archive, self.work, self.clock)
        try:
            outcome = await self._recorded(recorder, stood)
        finally:
            recorder.close()
        if not outcome.is_interrupted:
            self.work.joinpath(LEDGER).unlink(missing_ok=True)  # whatever it names has ended
        return outcome

    def _cleared(self) -> Stood:
        """Ends what a killed run left running, and reads what stands.

        What we started is ended and the state is put back, so nothing is left of an attempt that
        gave no trial; only a system that somebody else runs may still be at work on it.
        """
        with storage_errors(f"making {self.work}"):
            self.work.mkdir(parents=True, exist_ok=True)
        self.adapters.end_leftovers(self.work / LEDGER)
        shutil.rmtree(self.work / CELLS, ignore_errors=True)
        cell_of = {(c.unit, c.repetition): c.id for c in self._cells()}
        is_ours = bool(self.arm.service) or "http" not in self.arm.system
        return what_stood(
            self.archive,
            cell_of,
            self.work / ATTEMPTS,
            is_undone=is_ours and self.sealed.plan.state is not None,
        )

    async def _recorded(self, recorder: RunRecorder, stood: Stood) -> Outcome:
        left = self._errands(stood)
        self._tell_resumed(recorder, stood)
        progress, heard = Progress(n_cells=len(left)), list[str]()
        async with anyio.create_task_group() as group:
            group.start_soon(recorder.keep_writing)
            with anyio.CancelScope() as scope:
                if self.asked.hears_signals:
                    group.start_soon(_hear, scope, heard)
                progress = await self._flushed(recorder, left, stood)
            with anyio.CancelScope(shield=True):
                stopped = f"ended by {heard[0]}" if heard else progress.stopped
                self._tell_end(recorder, stopped, len(left) - progress.n_settled)
                await recorder.flush()
            group.cancel_scope.cancel()
        return Outcome(
            n_before=self._n_settled(stood),
            stopped=stopped,
            is_interrupted=bool(heard),
            is_down=progress.is_down,
        )

    async def _flushed(
        self, recorder: RunRecorder, left: Sequence[Errand], stood: Stood
    ) -> Progress:
        """Executes in the frame; what befell the run is kept even where it fails."""
        try:
            return await self._framed(recorder, left, stood)
        except BaseException:
            with anyio.CancelScope(shield=True), suppress(ArchiveError):
                await recorder.flush()
            raise

    async def _framed(
        self, recorder: RunRecorder, left: Sequence[Errand], stood: Stood
    ) -> Progress:
        plan = self.sealed.plan
        store = self.adapters.state_store(plan.state, self.sealed.root) if plan.state else None
        frame = Frame(plan=plan, recorder=recorder, store=store, work=self.work)
        around = Around(
            folder=self.sealed.root.resolve(),
            environment=self.adapters.environment(plan.environment),
            ledger=self.work / LEDGER,
            concurrency=self._limits().concurrency,
            clock=self.clock,
            spent_usd=stood.spent_usd,
            state=store.address if isinstance(store, Addressed) else "",
            most_calls=plan.limits.resources.get(MODEL),
        )
        await frame.check_sandbox(around.environment, lambda: self.adapters.observed(around))
        before = await frame.take_snapshot()
        try:
            async with AsyncExitStack() as stack:
                system = self.adapters.system(self.arm, around)
                system = await stack.enter_async_context(system)
                probes = [await _entered(stack, probe) for probe in self._probes(system)]
                briefs = list(self.sealed.briefs.values())
                await frame.check_anti_mock(system, probes, self.arm.name, briefs)
                try:
                    return await self._executed(frame, system, probes, left, stood)
                finally:
                    _tell_notices(recorder, probes)
        finally:
            with anyio.CancelScope(shield=True):
                await frame.tear_down(before)

    async def _executed(
        self,
        frame: Frame,
        system: System,
        probes: Sequence[Probe],
        left: Sequence[Errand],
        stood: Stood,
    ) -> Progress:
        plan, told = self.sealed.plan, self.asked.on_progress
        terms = Terms(
            seed=plan.seed,
            witness=witness_of(self.sealed),
            limits=self._limits(),
            clock=self.clock,
            workspaces=self.work / CELLS,
            is_simulated=plan.is_simulated,
        )
        tools = Tools(
            system=system,
            recorder=frame.recorder,
            spending=Spending(
                terms.limits,
                max_cells=self.asked.max_cells,
                monotonic=time.monotonic,
                spent_usd=self.spent_usd + stood.spent_usd,
                spent_s=self.part.spent_s if self.part else 0.0,
            ),
            probes=probes,
            prepare=frame.restore if plan.state and plan.state.scope == "cell" else None,
            state_fault=frame.state_fault if is_served(plan.state) else None,
            on_settled=(lambda progress: told(self.arm.name, progress)) if told else None,
        )
        return await execute(left, terms, tools)

    def _tell_resumed(self, recorder: RunRecorder, stood: Stood) -> None:
        if self.place.is_new:
            return
        recorder.event(EventKind.RESUMED, detail="; ".join(self.archive.salvaged))
        cells = {cell.id: cell for cell in self._cells()}
        for cell, attempt in stood.aborted:
            if cell in cells:
                why = "begun, and no trial of it was recorded when the run was ended"
                recorder.event(
                    EventKind.ABORTED, detail=why, facts=aborted_facts(cells[cell], attempt)
                )

    def _tell_end(self, recorder: RunRecorder, stopped: str, n_left: int) -> None:
        if stopped:
            recorder.event(EventKind.STOPPED, detail=stopped, facts={"n_left": str(n_left)})
        elif not n_left and self.part is None:
            recorder.event(EventKind.FINISHED)

    def _cells(self) -> list[Cell]:
        return cells_of(self.sealed.plan.units, self.arm.name)

    def _n_settled(self, stood: Stood) -> int:
        limit = self.sealed.plan.limits.max_attempts
        return sum(one.is_settled(limit) for one in stood.standing.values())

    def _errands(self, stood: Stood) -> list[Errand]:
        if self.part is None:
            due = self._cells()
            in_order = ordered(due, self.sealed.plan.units, self.sealed.plan.seed)
        else:
            place = {unit: number for number, unit in enumerate(self.part.units)}
            due = [cell for cell in self._cells() if cell.unit in place]
            in_order = sorted(due, key=lambda cell: (place[cell.unit], cell.repetition))
        limit = self.sealed.plan.limits.max_attempts
        needs = needs_of(self.arm, self.sealed.plan.state)
        return errands(in_order, self.sealed.briefs, stood.standing, limit, needs)

    def _limits(self) -> Limits:
        limits, asked = self.sealed.plan.limits, self.asked
        dollars = [usd for usd in (limits.max_usd, asked.max_usd) if usd is not None]
        return structs.replace(
            limits,
            max_usd=min(dollars, default=None),
            concurrency=asked.concurrency or limits.concurrency,
        )

    def _probes(self, system: System) -> list[Probe]:
        address = system.address if isinstance(system, Serves) else ""
        variables = {"service": address} if address else {}
        root = self.sealed.root
        return [self.adapters.probe(spec, root, variables) for spec in self.sealed.plan.probes]


def _tell_notices(recorder: RunRecorder, probes: Sequence[Probe]) -> None:
    for probe in probes:
        if isinstance(probe, TellsNotices):
            for told in probe.notices():
                recorder.notice(probe.name, told)


async def _entered(stack: AsyncExitStack, probe: Probe) -> Probe:
    """Enters a probe; one that cannot be entered has nothing to see, and stops nothing."""
    try:
        return await stack.enter_async_context(probe)
    except Exception as error:  # noqa: BLE001  a broken probe must not touch any trial
        return await stack.enter_async_context(
            NoProbe(probe.name, f"{type(error).__name__}: {error}")
        )


class NoProbe:
    """A probe that can see nothing, and says why."""

    def __init__(self, name: str, why: str) -> None:
        """Keeps the name of the probe it stands for."""
        self.name = name
        self._why = why

    async def __aenter__(self) -> Self:
        """Gives itself."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Does nothing."""

    async def collect(self, request: Request) -> Collected:
        """Gives nothing, whatever the trial."""
        del request
        return Collected(unavailable=self._why)


async def _hear(scope: CancelScope, heard: list[str]) -> None:
    """Ends the scope at the first signal; further ones change nothing while things are put back."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async for number in signals:
            heard.append(signal.Signals(number).name)
            scope.cancel()
