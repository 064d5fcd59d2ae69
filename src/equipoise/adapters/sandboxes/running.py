"""Runs a job the way all sandboxes of this machine do: lease, order, keeper, end."""

import os
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import anyio.to_thread

from equipoise.adapters.sandboxes.emptying import remove_all
from equipoise.adapters.sandboxes.etc import write_etc
from equipoise.adapters.sandboxes.following import Ran, ran
from equipoise.adapters.sandboxes.grouping import groups
from equipoise.adapters.sandboxes.groups import remove
from equipoise.adapters.sandboxes.leases import Leases, new_mark
from equipoise.adapters.sandboxes.limiting import limiting
from equipoise.adapters.sandboxes.order import Order, Restriction
from equipoise.adapters.sandboxes.spawning import Spawner, memory_file
from equipoise.adapters.sandboxes.sweeping import KEEPERS, MARK
from equipoise.errors import InputError
from equipoise.ports.agents import Bounds, Job


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
        self._held: _Held | None = None
        self._lock = threading.Lock()

    async def run(self, job: Job, make: Callable[[str], Program]) -> tuple[Ran, tuple[str, ...]]:
        """Runs a program to the end of its whole tree; gives also the bounds nothing enforced.

        `make` gives the program; it is told a folder that may be shown to jobs as ``/etc``.

        Raises:
            InputError: as `make` does, or a text cannot be told to a program.
            OSError: nothing could be started.
            Blocked: no lease can be taken.
        """
        _check([*job.argv, job.folder], job.environment)
        if self._held is None:
            await anyio.to_thread.run_sync(self.leases.sweep)
        held = self._hold()
        program = make(held.etc)
        limits = limiting(
            job, held.name, memory_folders=program.memory_folders, own_folders=program.own_folders
        )
        with self.leases.taken(job.lease) as lease:
            order = Order(
                argv=program.argv,
                environment={**program.environment, MARK: lease.mark},
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
            done = await ran(held.spawner, order, job, files)
            if done.report is None:
                lease.end([group.folder for group in limits.groups])
        return done, limits.unbounded

    def close(self) -> None:
        """Ends the process from which jobs are started, and them; the next job starts it again."""
        with self._lock:
            held, self._held = self._held, None
        if held is not None:
            held.end()

    def _hold(self) -> "_Held":
        with self._lock:
            if self._held is None:
                self._held = _Held(self.leases)
            return self._held


def _check(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """Refuses what no program can be given; under bubblewrap it could say what is mounted.

    Raises:
        InputError: a text has a null character or is no text, or a name of a variable has ``=``.
    """
    for name in environment:
        if not name or "=" in name:
            raise InputError(f"{name!r} cannot be the name of a variable", code="bad_job")
    for text in (*words, *environment, *environment.values()):
        if "\0" in text or _is_no_text(text):
            raise InputError(
                f"{text[:40]!r} cannot be told to a program",
                wanted="text without null characters",
                code="bad_job",
            )


def _is_no_text(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return True
    return False


class _Held:
    """A spawner, and the groups of its keepers under a lease; goes at the latest when we do."""

    def __init__(self, leases: Leases) -> None:
        self.name = new_mark()
        self.spawner = Spawner({MARK: self.name})
        stack = ExitStack()
        folders = [group.folder for group in groups(self.name, Bounds())]
        self.etc = os.path.join(tempfile.gettempdir(), f"equipoise-etc-{os.urandom(8).hex()}")
        etc = Path(self.etc)
        stack.enter_context(leases.taken(KEEPERS, mark=self.name, groups=folders, folders=[etc]))
        stack.callback(remove_all, etc)
        os.mkdir(self.etc, 0o755)
        write_etc(self.etc)
        for folder in folders:
            stack.callback(remove, folder)
        stack.callback(self.spawner.close)
        self.end = weakref.finalize(self, _closed, stack, os.getpid())


def _closed(stack: ExitStack, owner: int) -> None:
    if os.getpid() == owner:  # not in a copy of the process that was forked
        stack.close()
    else:
        stack.pop_all()
