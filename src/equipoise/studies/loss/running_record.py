"""Records a run as it goes: many attempts in one write, each durable a moment after it ended."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

import anyio
import msgspec

from equipoise.archive.store import Archive
from equipoise.records.cell import Cell
from equipoise.records.event import Event, EventKind
from equipoise.records.notice import Notice, Severity
from equipoise.records.trial import Blob, Trial
from equipoise.stages.run.attempt import Executed

ATTEMPTS = "attempts.log"
"""The file that says which attempts were begun; what no record follows was aborted."""

_LATENCY_S = 0.25
_BATCH = 256
_ROOM = 1024


class RunRecorder:
    """The recorder of one run: what it takes is durable at most a quarter of a second later.

    Everything is written by one thread at a time, in the order in which it was taken. An attempt
    counts as executed only when its trial is in the archive; what was begun and is not there when
    the process dies is found by `attempts.log` on the next start.
    """

    def __init__(self, archive: Archive, work: Path, clock: Callable[[], datetime]) -> None:
        """Records into an open archive; `work` is the run's folder for things that will go."""
        self._archive = archive
        self._clock = clock
        self._begun = work.joinpath(ATTEMPTS).open("ab", buffering=0)
        self._pending: list[Executed | Event | Notice] = []
        self._wake = anyio.Event()
        self._room = anyio.Event()
        self._told: set[tuple[str, str]] = set()
        self._held: dict[tuple[str, int], int] = {}
        self._writing = anyio.Lock()

    def begun(self, cell: Cell, attempt: int) -> None:
        """Takes note that an attempt is about to begin, which holds its cell from now on."""
        self._held[cell.unit, cell.repetition] = attempt
        self._begun.write(f"{cell.id} {attempt}\n".encode())

    def record(self, executed: Executed) -> None:
        """Takes an attempt that ended, once, and only while it holds its cell.

        What is delivered again, or after another attempt of the cell was begun, is not recorded.
        """
        trial = executed.trial
        if self._held.get((trial.unit, trial.repetition)) != trial.attempt:
            told = f"attempt {trial.attempt}, trial {trial.id}, was delivered again: not recorded"
            self._pending.append(Notice(code="again", message=told, severity=Severity.REFUSED))
            return
        del self._held[trial.unit, trial.repetition]
        self._pending.append(executed)
        for probe, why in executed.unavailable.items():
            if (probe, why) not in self._told:
                self._told.add((probe, why))
                self.event(EventKind.PROBE, detail=why, facts={"probe": probe})
        if len(self._pending) >= _BATCH:
            self._wake.set()

    def aborted(self, cell: Cell, attempt: int, why: str) -> None:
        """Takes note that an attempt was begun and gives no trial."""
        self.event(EventKind.ABORTED, detail=why, facts=aborted_facts(cell, attempt))

    def paused(self, seconds: float, why: str) -> None:
        """Takes note that no attempt begins for so long."""
        self.event(EventKind.PAUSED, detail=why, facts={"seconds": f"{seconds:.1f}"})

    def event(
        self,
        kind: EventKind,
        *,
        outcome: str = "",
        detail: str = "",
        facts: Mapping[str, str] | None = None,
    ) -> None:
        """Takes note of something that befell the run."""
        at = self._clock().isoformat(timespec="milliseconds")
        self._pending.append(
            Event(kind=kind, at=at, outcome=outcome, detail=detail, facts=dict(facts or {}))
        )

    def notice(self, probe: str, told: str) -> None:
        """Takes note of what a probe could not read."""
        message = f"probe {probe}: {told}"
        self._pending.append(Notice(code="probe", message=message, severity=Severity.LOST))

    async def room(self) -> None:
        """Waits while too much is waiting to be written."""
        while len(self._pending) >= _ROOM:
            self._wake.set()
            await self._room.wait()

    async def keep_writing(self) -> None:
        """Writes what was taken, again and again, until cancelled.

        Raises:
            StorageFull: the disk took no more; what was acknowledged before is kept.
        """
        while True:
            with anyio.move_on_after(_LATENCY_S):
                await self._wake.wait()
            await self.flush()

    async def flush(self) -> None:
        """Makes everything taken so far durable."""
        async with self._writing:
            batch, self._pending = self._pending, []
            self._wake = anyio.Event()
            if batch:
                await anyio.to_thread.run_sync(self._write, batch)
            room, self._room = self._room, anyio.Event()
            room.set()

    def close(self) -> None:
        """Closes the list of attempts; what was not flushed is not recorded."""
        self._begun.close()

    def _write(self, batch: list[Executed | Event | Notice]) -> None:
        for item in batch:
            self._archive.append(self._kept(item) if isinstance(item, Executed) else item)
        self._archive.commit()

    def _kept(self, executed: Executed) -> Trial:
        trial = executed.trial
        for name, content in executed.documents.items():
            self._archive.attach_later(f"{trial.id}/{name}", content)
        if executed.output is None:
            return trial
        stored = self._archive.attach_later(f"{trial.id}/output", executed.output)
        output = Blob(sha256=stored.sha256, n_bytes=stored.n_bytes, name=stored.name)
        return msgspec.structs.replace(trial, output=output)


def aborted_facts(cell: Cell, attempt: int) -> dict[str, str]:
    """Gives what an event says of an aborted attempt."""
    return {
        "cell": cell.id,
        "unit": cell.unit,
        "repetition": str(cell.repetition),
        "attempt": str(attempt),
    }
