"""Fallbacks that share our files: a plain process, and one that Landlock keeps to its paths."""

import os
import platform
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from equipoise.adapters.sandboxes import landlocking
from equipoise.adapters.sandboxes.emptying import remove_all
from equipoise.adapters.sandboxes.ending import ended, unstarted
from equipoise.adapters.sandboxes.inside import system_paths
from equipoise.adapters.sandboxes.leases import Leases
from equipoise.adapters.sandboxes.order import Restriction
from equipoise.adapters.sandboxes.placing import placed
from equipoise.adapters.sandboxes.probing import tried
from equipoise.adapters.sandboxes.running import Program, Runner
from equipoise.adapters.sandboxes.seccomp import compiled
from equipoise.errors import Blocked, InputError
from equipoise.ports.agents import Available, Ended, Isolation, Job

_NEVER = ("tmp_bytes",)
"""Bounds that nothing enforces here: the folders for temporary files are on the disk."""

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")


class PlainProcess:
    """Runs jobs as plain processes: nothing is hidden from them, and every report says so.

    They have an environment, a home and temporary files of their own, bounds, and an end that takes
    all they started.
    """

    name = "process"
    isolation = Isolation.NONE

    def __init__(self, leases: Leases | None = None) -> None:
        """Takes leases in `leases`."""
        self._runner = Runner(leases)

    async def probe(self) -> Available:
        """Tries it."""
        return await tried(self, "", "")

    async def run(self, job: Job) -> Ended:
        """Runs a job to its end; see `ports.agents.Sandbox`."""
        return await _run(self._runner, job, is_restricted=False)

    def close(self) -> None:
        """Ends the process from which jobs are started; it is started again when needed."""
        self._runner.close()


class Landlock:
    """Runs jobs that may read only the system and their mounts, and make only unix sockets.

    Other paths are denied, but it can be seen that they are there; so can other processes.
    """

    name = "landlock"
    isolation = Isolation.PATHS

    def __init__(self, leases: Leases | None = None) -> None:
        """Takes leases in `leases`."""
        self._runner = Runner(leases)

    async def probe(self) -> Available:
        """Tries it: a job looks for files that it must not be able to read."""
        known = landlocking.version()
        if not known:
            return Available(
                is_available=False,
                why_not="this kernel has no Landlock",
                mend="Linux 5.13 or later with landlock in /sys/kernel/security/lsm (boot option "
                "lsm=landlock,...)",
            )
        return await tried(self, str(known), "")

    async def run(self, job: Job) -> Ended:
        """Runs a job to its end; see `ports.agents.Sandbox`."""
        return await _run(self._runner, job, is_restricted=True)

    def close(self) -> None:
        """Ends the process from which jobs are started; it is started again when needed."""
        self._runner.close()


async def _run(runner: Runner, job: Job, *, is_restricted: bool) -> Ended:
    try:
        with _own(runner.leases, job) as own:
            there = placed(job, own / "home", own / "tmp")
            program = Program(
                argv=there.argv,
                folder=there.folder,
                environment=there.environment,
                restriction=_restriction(job, own) if is_restricted else None,
                own_folders=[str(own)],
            )
            done, unbounded = await runner.run(job, lambda _: program)
    except (Blocked, InputError, OSError) as error:
        return unstarted(str(error))
    return ended(done, (*_NEVER, *unbounded))


@contextmanager
def _own(leases: Leases, job: Job) -> Iterator[Path]:
    """Makes the folder of a job's home and temporary files, and removes it."""
    own = Path(tempfile.gettempdir(), f"equipoise-job-{os.urandom(8).hex()}")
    with leases.taken(f"{job.lease} (folder)", folders=[own]):
        try:
            for name in ("home", "tmp"):
                (own / name).mkdir(mode=0o700, parents=True)
            yield own
        finally:
            remove_all(own)


def _restriction(job: Job, own: Path) -> Restriction:
    writable = [str(mount.source) for mount in job.mounts if mount.is_writable]
    readable = [str(mount.source) for mount in job.mounts if not mount.is_writable]
    return Restriction(
        readable=[*system_paths(), "/proc", *readable],
        writable=[*_DEVICES, str(own), *writable],
        calls=compiled(platform.machine(), has_internet=False).hex(),
    )
