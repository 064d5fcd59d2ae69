"""The control groups of one job as its keeper makes, reads and removes them."""

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress

from equipoise.adapters.sandboxes.order import Group

_PATIENCE_S = 5.0


def made(groups: Sequence[Group]) -> tuple[list[Group], list[str]]:
    """Makes groups; gives those that stand, and the bounds of those that could not be made."""
    standing: list[Group] = []
    unbounded: list[str] = []
    for group in groups:
        try:
            os.mkdir(group.folder, 0o755)
            set_up(group)
        except OSError:
            unbounded.extend(group.bounds)
            with suppress(OSError):
                os.rmdir(group.folder)
        else:
            standing.append(group)
    return standing, unbounded


def set_up(group: Group) -> None:
    """Writes the settings of a group that has been made.

    Raises:
        OSError: one could not be written, and was not one to be left out where its file is missing.
    """
    for name, value in group.settings.items():
        path = f"{group.folder}/{name.rstrip('?')}"
        if not name.endswith("?") or os.path.exists(path):
            _write(path, value)


def join(groups: Sequence[Group]) -> None:
    """Moves this process into groups.

    Raises:
        OSError: it could not be moved.
    """
    for group in groups:
        _write(f"{group.folder}/cgroup.procs", "0")


def told(groups: Sequence[Group]) -> str:
    """Says which bounds were reached, in one clause; empty if none."""
    said = []
    for group in groups:
        for name, key, text in (
            ("memory.oom_control", "oom_kill", "processes ended at the bound of memory"),
            ("memory.events", "oom_kill", "processes ended at the bound of memory"),
            ("pids.events", "max", "starts of a process refused at the bound of processes"),
        ):
            n = _count(f"{group.folder}/{name}", key)
            if n:
                said.append(f"{n} {text}")
    return ", ".join(said)


def remove(groups: Sequence[Group]) -> bool:
    """Ends what is in groups and removes them; gives whether all are gone."""
    give_up = time.monotonic() + _PATIENCE_S
    left = [group.folder for group in groups]
    while left:
        left = [folder for folder in left if not _removed(folder)]
        if left and time.monotonic() > give_up:
            return False
        if left:
            time.sleep(0.001)
    return True


def _removed(folder: str) -> bool:
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        for pid in _members(folder):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        return False
    return True


def _members(folder: str) -> list[int]:
    with suppress(OSError, ValueError), open(f"{folder}/cgroup.procs") as file:
        return [int(line) for line in file]
    return []


def _count(path: str, key: str) -> int:
    with suppress(OSError, ValueError), open(path) as file:
        for line in file:
            name, _, number = line.partition(" ")
            if name == key:
                return int(number)
    return 0


def _write(path: str, value: str) -> None:
    with open(path, "w") as file:
        file.write(value)
