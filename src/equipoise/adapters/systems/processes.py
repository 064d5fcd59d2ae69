"""Child programs that end with us: own session, ended as a group, remembered over our death."""

import errno
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

import anyio

LEDGER = "processes.log"
"""Name of the file that remembers which programs a run started."""

UNEXECUTED = b"setpriv: failed to execute"
"""How `setpriv` begins to say, with exit code 126 or 127, that it could not execute a program."""

_POLL_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What is started: arguments, complete environment, folder, what it reads.

    Standard input is the open file `stdin`, or a pipe where it `has_input`, else nothing.
    """

    argv: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    stdin: IO[bytes] | None = None
    has_input: bool = False


class Processes:
    """Starts programs, each in a session of its own, and ends them with all they started.

    A program ends with its group: when it is told to, when we are cancelled, and (through
    ``setpriv --pdeathsig`` where that is installed) when we are killed. What survives our death all
    the same stands in the ledger and is ended by `end_leftovers` of the next run.
    """

    def __init__(self, ledger: Path | None = None) -> None:
        """Appends to `ledger`, a file; null = nothing is remembered."""
        self._ledger = ledger
        self._tied = shutil.which("setpriv")

    def start(self, launch: Launch) -> subprocess.Popen[bytes]:
        """Starts a program.

        Raises:
            OSError: it cannot be started (no such program, no more files or processes).
        """
        argv = list(launch.argv)
        argv[0] = _found(argv[0], launch)
        if self._tied:
            argv = [self._tied, "--pdeathsig", "KILL", "--", *argv]
        child = subprocess.Popen(  # noqa: S603  the study names the program; no shell
            argv,
            stdin=launch.stdin or (subprocess.PIPE if launch.has_input else subprocess.DEVNULL),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(launch.environment),
            cwd=launch.folder,
            start_new_session=True,
        )
        if self._ledger is not None:
            stat = _stat(child.pid)
            started = stat.started if stat else "0"
            with self._ledger.open("ab", buffering=0) as file:
                file.write(f"{_boot()} {child.pid} {started}\n".encode())
        return child

    @staticmethod
    async def ended(child: subprocess.Popen[bytes]) -> int:
        """Waits for the end of a program, ends what it left running, and gives its exit code.

        When cancelled, the program is ended.
        """
        is_over = False
        try:
            await over(child.pid)
            is_over = True
        finally:
            end_group(child, is_over=is_over)
        return child.returncode

    def end_leftovers(self) -> int:
        """Ends what a killed run left running, empties the ledger, and gives how many ended."""
        if self._ledger is None or not self._ledger.exists():
            return 0
        n_ended = 0
        boot = _boot()
        for line in self._ledger.read_text(encoding="ascii", errors="replace").splitlines():
            parts = line.split(" ")
            if len(parts) == 3 and parts[0] == boot and parts[1].isdecimal():
                n_ended += _end_leftover(int(parts[1]), parts[2])
        self._ledger.unlink()
        return n_ended


def end_group(child: subprocess.Popen[bytes], *, is_over: bool = False) -> None:
    """Ends a program and everything in its session, and takes its exit code.

    The program is reaped last: until then no other one can have its number.
    """
    if child.returncode is not None:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    for pid in _session(child.pid, newer_only=is_over):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    child.wait()


async def over(pid: int) -> None:
    """Waits until a child has ended, without reaping it."""
    if hasattr(os, "pidfd_open"):
        handle = os.pidfd_open(pid)
        try:
            await anyio.wait_readable(handle)
        finally:
            os.close(handle)
        return
    while not _has_ended(pid):  # noqa: ASYNC110  without pidfd nothing tells us
        await anyio.sleep(_POLL_S)


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end_leftover(leader: int, started: str) -> int:
    """Ends the session of a leader that a killed run started, if it is still that one."""
    found = _stat(leader)
    if found is not None and found.started != started:
        return 0  # the number belongs to another program by now
    pids = [pid for pid in _session(leader) if pid != os.getpid()]
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    return len(pids)


def _session(leader: int, *, newer_only: bool = False) -> list[int]:
    """Gives the living processes of a session, or of its leader's group."""
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208  Paths cost
    except OSError:
        return []
    found = []
    for pid in pids:
        if newer_only and pid <= leader:
            continue
        stat = _stat(pid)
        if stat is not None and leader in (stat.session, stat.group) and stat.state != "Z":
            found.append(pid)
    return found


class _Stat(NamedTuple):
    state: str
    group: int
    session: int
    started: str


def _stat(pid: int) -> _Stat | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return _Stat(fields[0], int(fields[2]), int(fields[3]), fields[19])


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "unknown"


def _found(name: str, launch: Launch) -> str:
    """Gives the program's path: looked up where we ourselves would look.

    Raises:
        OSError: there is no such program, or it may not be executed.
    """
    if "/" not in name:
        place = shutil.which(name, path=launch.environment.get("PATH", os.environ.get("PATH")))
        if place is None:
            raise FileNotFoundError(errno.ENOENT, "no such program", name)
        return place
    path = Path(launch.folder, name)
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, "no such program", name)
    if path.is_dir() or not os.access(path, os.X_OK):
        raise PermissionError(errno.EACCES, "it may not be executed", name)
    return name
