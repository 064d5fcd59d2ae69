"""Many workers wait for the one who writes: each goes on, and each attempt is recorded once."""

from datetime import UTC, datetime
from pathlib import Path

import anyio
import anyio.lowlevel

from equipoise.archive.manifest import Manifest
from equipoise.archive.store import Archive
from equipoise.records.cell import Cell
from equipoise.records.notice import Notice
from equipoise.records.trial import Ending, Trial, trial_id
from equipoise.stages.run.attempt import Executed
from equipoise.studies.loss.running_record import RunRecorder

NOW = datetime(2026, 5, 1, tzinfo=UTC)
MANIFEST = Manifest(run_id="new-1", kind="run", tool_version="0")
N_WORKERS = 8
N_EACH = 400


def test_every_worker_that_waits_for_room_goes_on(tmp_path: Path) -> None:
    """Several wait at once for the same write; none may miss that it happened."""

    async def work(recorder: RunRecorder, worker: int) -> None:
        for i in range(N_EACH):
            recorder.begun(Cell(unit=f"w{worker}-{i}", arm="new"), 1)
            recorder.record(_executed(f"w{worker}-{i}"))
            await recorder.room()
            await anyio.lowlevel.checkpoint()

    async def all_of_them() -> None:
        with Archive.create(tmp_path / "run", MANIFEST) as archive:
            recorder = RunRecorder(archive, tmp_path, lambda: NOW)
            with anyio.fail_after(20):
                async with anyio.create_task_group() as group:
                    group.start_soon(recorder.keep_writing)
                    async with anyio.create_task_group() as workers:
                        for worker in range(N_WORKERS):
                            workers.start_soon(work, recorder, worker)
                    await recorder.flush()
                    group.cancel_scope.cancel()
            recorder.close()

    anyio.run(all_of_them)
    n_kept = sum(1 for _ in Archive.open(tmp_path / "run").read(Trial))
    assert n_kept == N_WORKERS * N_EACH


def test_an_attempt_that_is_delivered_twice_is_recorded_once(tmp_path: Path) -> None:
    """Each cell's attempt comes twice, and once more after another attempt of it was begun."""

    async def deliver() -> None:
        with Archive.create(tmp_path / "run", MANIFEST) as archive:
            recorder = RunRecorder(archive, tmp_path, lambda: NOW)
            for unit in ("a", "b"):
                recorder.begun(Cell(unit=unit, arm="new"), 1)
                recorder.record(_executed(unit))
                recorder.record(_executed(unit))
                recorder.begun(Cell(unit=unit, arm="new"), 2)
                recorder.record(_executed(unit))
                recorder.record(_executed(unit, attempt=2))
            await recorder.flush()
            recorder.close()

    anyio.run(deliver)
    archive = Archive.open(tmp_path / "run")
    kept = [(trial.unit, trial.attempt) for trial in archive.read(Trial)]
    assert kept == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    told = [notice.message for notice in archive.read(Notice)]
    assert len(told) == 4
    assert all("delivered again: not recorded" in message for message in told)


def _executed(unit: str, attempt: int = 1) -> Executed:
    trial = Trial(
        id=trial_id(unit, "new", None, 1, attempt),
        unit=unit,
        arm="new",
        attempt=attempt,
        ending=Ending(),
    )
    return Executed(trial=trial, output=None, documents={}, unavailable={})
