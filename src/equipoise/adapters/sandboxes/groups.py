"""The control groups of a keeper: made and joined once, set anew for each of its jobs.

Moving a process into a group waits for the whole kernel, some 10 ms each time; being born in one
costs nothing. So a keeper lives in groups of its own, its jobs are born there, and they change only
their bounds.
"""

import os
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from equipoise.adapters.sandboxes.order import Group

_PATIENCE_S = 5.0
_REACHED = (
    ("memory.oom_control", "oom_kill", "processes ended at the bound of memory"),
    ("memory.events", "oom_kill", "processes ended at the bound of memory"),
    ("pids.events", "max", "starts of a process refused at the bound of processes"),
)


class Joined:
    """The groups that this process has joined."""

    def __init__(self) -> None:
        """Has joined none."""
        self._own: dict[str, str] = {}
        self._before: Mapping[tuple[str, str], int] = {}

    def set(self, groups: Sequence[Group]) -> list[str]:
        """Sets the bounds of the next job; gives the bounds that could not be set."""
        unbounded: list[str] = []
        for group in groups:
            try:
                if group.folder not in self._own:
                    self._own[group.folder] = _joined(group)
                set_up(self._own[group.folder], group)
            except OSError:
                unbounded.extend(group.bounds)
        self._before = self._counts()
        return unbounded

    def told(self) -> str:
        """Says which bounds were reached since they were set, in one clause; empty if none."""
        texts = {name: text for name, _, text in _REACHED}
        now = self._counts()
        said = {place: n - self._before.get(place, 0) for place, n in now.items()}
        return ", ".join(f"{n} {texts[name]}" for (_, name), n in said.items() if n > 0)

    def leave(self) -> None:
        """Removes them, where their process may go up; else that is left to who ends the run."""
        for parent, own in self._own.items():
            with suppress(OSError):
                _write(f"{parent}/cgroup.procs", "0")
                os.rmdir(own)

    def _counts(self) -> dict[tuple[str, str], int]:
        return {
            (folder, name): n
            for folder in self._own.values()
            for name, key, _ in _REACHED
            if (n := _count(f"{folder}/{name}", key))
        }


def set_up(folder: str, group: Group) -> None:
    """Writes the settings of a group into its folder.

    Raises:
        OSError: one could not be written, and was not one to be left out where its file is missing.
    """
    for name, value in group.settings:
        path = f"{folder}/{name.rstrip('?')}"
        if not name.endswith("?") or os.path.exists(path):
            _write(path, value)


def remove(folder: str) -> bool:
    """Ends what is in a group and in those in it, and removes them; gives whether all are gone."""
    give_up = time.monotonic() + _PATIENCE_S
    while not all(_removed(each) for each in (*_inner(folder), folder)):
        if time.monotonic() > give_up:
            return False
        time.sleep(0.002)
    return True


def _joined(group: Group) -> str:
    """Makes a group for this process in that of its run, and moves it there."""
    with suppress(FileExistsError):
        os.mkdir(group.folder, 0o755)
    if os.path.exists(f"{group.folder}/cgroup.subtree_control"):
        _write(f"{group.folder}/cgroup.subtree_control", "+memory +pids")
    own = f"{group.folder}/{os.getpid()}"
    os.mkdir(own, 0o755)
    try:
        set_up(own, group)
        _write(f"{own}/cgroup.procs", "0")
    except OSError:
        os.rmdir(own)
        raise
    return own


def _inner(folder: str) -> list[str]:
    with suppress(OSError):
        return [entry.path for entry in os.scandir(folder) if entry.is_dir()]
    return []


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
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, value.encode())
    finally:
        os.close(file)
