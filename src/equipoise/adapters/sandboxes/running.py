"""Runs a job the way all sandboxes of this machine do: lease, order, keeper, end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import anyio
import anyio.to_thread

from equipoise.adapters.sandboxes.following import Ran, ran
from equipoise.adapters.sandboxes.leases import Leases, new_mark
from equipoise.adapters.sandboxes.limiting import limiting
from equipoise.adapters.sandboxes.order import Order, Restriction
from equipoise.adapters.sandboxes.spawning import Spawner, memory_file
from equipoise.adapters.sandboxes.sweeping import MARK
from equipoise.ports.agents import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What a sandbox starts for a job.

    `argv[0]` is an absolute path; `environment` is complete but for the mark of the lease. `texts`:
    number, above `STATUS_FILE`, -> what the program reads from the open file with that number.
    `memory_folders` are folders that exist in memory for this job alone, `own_folders` folders of
    ours on the disk that were made for it.
    """

    argv: Sequence[str]
    folder: str = "/"
    environment: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[int, bytes] = field(default_factory=dict)
    memory_folders: Sequence[str] = ()
    own_folders: Sequence[str] = ()
    restriction: Restriction | None = None


class Runner:
    """Holds the spawner and the leases of a sandbox.

    Before its first job it sweeps what killed runs have left.
    """

    def __init__(self, leases: Leases | None = None) -> None:
        """Takes leases in `leases`; null = in the folder that all runs of this user share."""
        self.leases = leases or Leases()
        self._spawner = Spawner()
        self._has_swept = False

    async def run(self, job: Job, program: Program) -> tuple[Ran, tuple[str, ...]]:
        """Runs a program to the end of its whole tree; gives also the bounds nothing enforced.

        Raises:
            OSError: nothing could be started.
            Blocked: no lease can be taken.
        """
        if not self._has_swept:
            self._has_swept = True
            await anyio.to_thread.run_sync(self.leases.sweep)
        mark = new_mark()
        limits = limiting(
            job, mark, memory_folders=program.memory_folders, own_folders=program.own_folders
        )
        with self.leases.taken(job.lease, mark=mark, groups=limits.groups) as lease:
            order = Order(
                argv=program.argv,
                environment={**program.environment, MARK: mark},
                folder=program.folder,
                wall_s=job.bounds.wall_s,
                limits=limits.limits,
                inherits=list(program.texts),
                groups=limits.groups,
                watched=limits.watched,
                lease_file=str(lease.file),
                restriction=program.restriction,
            )
            files = [memory_file(text) for text in program.texts.values()]
            done = await ran(self._spawner, order, job, files)
            if done.report is None:
                lease.end()
        return done, limits.unbounded

    def close(self) -> None:
        """Ends the process from which jobs are started; it is started again when needed."""
        self._spawner.close()
