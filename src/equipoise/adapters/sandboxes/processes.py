"""Processes of this machine: which one a number means, which carry a mark, how a set is ended."""

import os
import signal
import time
from contextlib import suppress

from equipoise.adapters.sandboxes.measuring import descendants

_PATIENCE_S = 10.0


def boot() -> str:
    """Gives the id of this start of the machine."""
    with suppress(OSError), open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip()
    return "unknown"


def pid_namespace() -> str:
    """Gives the name of the namespace in which our process numbers count."""
    with suppress(OSError):
        return os.readlink("/proc/self/ns/pid")
    return "unknown"


def started(pid: int) -> str:
    """Gives when a process was started, in ticks since the machine was; empty if it is not there.

    Together with the number it names one process: numbers are used again.
    """
    with suppress(OSError, IndexError), open(f"/proc/{pid}/stat", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
        return fields[19] if fields[0] not in "ZX" else ""
    return ""


def marked(mark: bytes) -> list[int]:
    """Gives the living processes that have `mark`, ``NAME=value``, in their environment."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal() and int(name) != os.getpid():
            with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                if mark in file.read().split(b"\0"):
                    found.append(int(name))
    return found


def session(leader: int) -> list[int]:
    """Gives the living processes of the session, or group, with this leader."""
    found = []
    for name in os.listdir("/proc"):
        with suppress(OSError, IndexError, ValueError):
            if name.isdecimal() and leader in (os.getsid(int(name)), os.getpgid(int(name))):
                found.append(int(name))
    return found


def end_all(mark: bytes, leaders: list[int]) -> int:
    """Ends all processes with a mark or in the sessions of leaders, and all below them.

    Gives how many there were; some may be left where they are not ours to end.
    """
    ended: set[int] = set()
    give_up = time.monotonic() + _PATIENCE_S
    while time.monotonic() < give_up:
        roots = {*marked(mark), *(pid for leader in leaders for pid in session(leader))}
        left = {pid for root in roots for pid in (root, *descendants(root)) if started(pid)}
        left -= {os.getpid()}
        if not left:
            break
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        ended |= left
        time.sleep(0.01)
    return len(ended)
