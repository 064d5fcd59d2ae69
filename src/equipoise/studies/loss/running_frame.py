"""The frame around a run that executes: preflights, snapshot, and the state put back at the end."""

import os
import secrets
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from equipoise.errors import Blocked, EquipoiseError, Void
from equipoise.ports import Probe, StateStore, System
from equipoise.records.brief import Brief
from equipoise.records.event import EventKind
from equipoise.records.plan import Plan
from equipoise.stages.run.anti_mock import Bench, anti_mock_faults, canary_of
from equipoise.stages.run.sandbox import Surroundings, sandbox_faults
from equipoise.studies.loss.running_record import RunRecorder

KEEP = "state"
CELLS = "cells"
PASSED, FAILED, NOT_APPLICABLE = "passed", "failed", "not applicable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What a run of one arm is framed by.

    `store` is the state that is put back, or null; `work` the run's folder for things that go at
    its end, where the snapshot is kept.
    """

    plan: Plan
    recorder: RunRecorder
    store: StateStore | None
    work: Path

    @property
    def keep(self) -> Path:
        """Gives the folder of the snapshot."""
        return self.work / KEEP

    async def check_sandbox(
        self, given: Mapping[str, str], observe: Callable[[], Awaitable[Mapping[str, str]]]
    ) -> None:
        """Checks what the system would see, before anything is started.

        Raises:
            Blocked: the preflight failed.
        """
        around = Surroundings(ours=dict(os.environ), given=given)
        faults = sandbox_faults(self.plan, around)
        if not faults:
            around = Surroundings(ours=around.ours, given=given, observed=await observe())
            faults = sandbox_faults(self.plan, around)
        await self._preflight("sandbox", faults, f"{len(given)} variables, all listed")

    async def take_snapshot(self) -> str:
        """Puts a snapshot back that a killed run left, or takes one; gives the state's hash.

        Raises:
            Void: the state put back is not the one that was taken.
        """
        if self.store is None:
            return ""
        before = await to_thread.run_sync(self.store.snapshot, self.keep)
        found = await to_thread.run_sync(self.store.digest)
        if found != before:
            found = await to_thread.run_sync(self.store.restore, self.keep)
            self.recorder.event(
                EventKind.RESTORED,
                outcome=PASSED if found == before else FAILED,
                detail="after a run that was ended",
                facts={"state_sha256": found},
            )
            _same(found, before, self.store.name)
        self.recorder.event(EventKind.SNAPSHOT, facts={"state_sha256": before})
        await self.state_fault()  # from now on
        return before

    async def state_fault(self) -> str:
        """Says what befell what holds the state since the snapshot; empty = nothing."""
        assert self.store is not None
        try:
            return await to_thread.run_sync(self.store.fault)
        except EquipoiseError as error:
            return str(error)

    async def check_anti_mock(
        self, system: System, probes: Sequence[Probe], arm: str, briefs: Sequence[Brief]
    ) -> None:
        """Sends canaries, and puts the state back after them; a declared stand-in gets none.

        Raises:
            Blocked: nothing real answered.
        """
        if system.is_simulated:
            told = f"arm {arm!r} is a declared stand-in: its trials are marked simulated"
            facts = {"preflight": "anti-mock"}
            self.recorder.event(
                EventKind.PREFLIGHT, outcome=NOT_APPLICABLE, detail=told, facts=facts
            )
            return
        canary = canary_of(self.plan.anti_mock, briefs)
        bench = Bench(
            system=system,
            probes=probes,
            state=self._digest if self.store else None,
            nonce=lambda: secrets.token_hex(8),
            arm=arm,
            timeout_s=self.plan.limits.cell_timeout_s,
            workspace=self._workspace,
            max_attempts=self.plan.limits.max_attempts,
        )
        faults = await anti_mock_faults(canary, bench)
        shutil.rmtree(self.work / CELLS, ignore_errors=True)
        await self.restore()
        told = f"{len(canary.briefs)} canaries" if canary.is_declared else "units as canaries"
        await self._preflight("anti-mock", faults, told, of=f" of arm {arm!r}")

    async def restore(self) -> None:
        """Puts the state back as it was at the snapshot.

        Raises:
            Void: what was put back has another hash.
        """
        if self.store is not None:
            before = await to_thread.run_sync(self.store.snapshot, self.keep)
            found = await to_thread.run_sync(self.store.restore, self.keep)
            _same(found, before, self.store.name)

    async def tear_down(self, before: str) -> None:
        """Puts the state back for good and compares its hash with the one before.

        Raises:
            Void: the state is not what it was.
        """
        if self.store is None:
            return
        try:
            await to_thread.run_sync(self.store.teardown, self.keep)
            found = await to_thread.run_sync(self.store.digest)
        except EquipoiseError as error:
            self.recorder.event(EventKind.TORN_DOWN, outcome=FAILED, detail=str(error))
            raise
        self.recorder.event(
            EventKind.TORN_DOWN,
            outcome=PASSED if found == before else FAILED,
            facts={"state_sha256": found, "before_sha256": before},
        )
        _same(found, before, self.store.name)

    async def _preflight(self, name: str, faults: Sequence[str], told: str, of: str = "") -> None:
        self.recorder.event(
            EventKind.PREFLIGHT,
            outcome=FAILED if faults else PASSED,
            detail="; ".join(faults) or told,
            facts={"preflight": name},
        )
        if faults:
            raise Blocked(f"the {name} preflight failed, nothing was run{of}: {'; '.join(faults)}")

    async def _digest(self) -> str:
        assert self.store is not None
        return await to_thread.run_sync(self.store.digest)

    def _workspace(self, trial: str) -> str:
        folder = self.work / CELLS / trial
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)


def _same(found: str, before: str, name: str) -> None:
    if found != before:
        raise Void(
            f"{name} was put back and has the hash {found[:16]}…, before it was {before[:16]}…; "
            "mend: end whatever else writes to it"
        )
