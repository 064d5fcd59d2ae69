"""What a job uses, measured now and then where the kernel does not bound it for us.

Between two looks a job can go over a bound by what it manages in that time; the disk, the one thing
it shares with others, is looked at most often.
"""

import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from equipoise.adapters.sandboxes.order import Watched

_LONGEST_PATH = 4000
_RESERVE = 512 * 2**20
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_SHARE = 0.1
"""The share of the time that may be spent on walking through folders."""


def descendants(of: int) -> list[int]:
    """Gives all processes below one, the nearest first."""
    found = children(of)
    for pid in found:  # grows while it is walked through
        found.extend(children(pid))
    return found


def children(of: int) -> list[int]:
    """Gives the processes that were started by any thread of one, and still are."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{of}/task"):
            with open(f"/proc/{of}/task/{thread}/children") as file:
                found.extend(int(pid) for pid in file.read().split())
    except FileNotFoundError:
        if not os.path.exists("/proc/self/task") or _has_children_files():
            return found
        return [pid for pid in _all() if _parent(pid) == of]
    except OSError:
        pass
    return found


class Measuring:
    """Measures a job against what is to be watched."""

    def __init__(self, watched: Watched) -> None:
        """Measures the folders as they are; a job that has just begun has hardly changed them."""
        self._watched = watched
        self._begin = [_size(folder) for folder in watched.folders]
        self._reserves = [(folder, min(_RESERVE, _free(folder) // 2)) for folder in watched.folders]
        self._next_walk = 0.0

    def exceeded(self, pids: Sequence[int]) -> str:
        """Gives the name of the bound that these processes are over, or nothing."""
        watched = self._watched
        if watched.n_processes is not None and len(pids) > watched.n_processes:
            return "n_processes"
        if watched.cpu_s is not None and sum(map(_cpu_s, pids)) > watched.cpu_s:
            return "cpu_s"
        most = watched.memory_bytes
        if most is not None and sum(map(_memory, pids)) > most and sum(map(_share, pids)) > most:
            return "memory_bytes"
        return self._disk(pids) or self._inner(pids)

    def _disk(self, pids: Sequence[int]) -> str:
        watched = self._watched
        if any(_free(folder) < reserve for folder, reserve in self._reserves):
            return "disk_bytes"
        begin = time.monotonic()
        if not watched.folders or begin < self._next_walk:
            return ""
        sizes = [_size(folder) for folder in watched.folders]
        grown = [
            (now.n_bytes - was.n_bytes, now.n_files - was.n_files, now.is_too_deep)
            for now, was in zip(sizes, self._begin, strict=True)
        ]
        n_bytes = sum(each[0] for each in grown) + _unlinked(pids, watched.folders)
        now = time.monotonic()
        self._next_walk = now + (now - begin) / _SHARE
        if watched.disk_bytes is not None and n_bytes > watched.disk_bytes:
            return "disk_bytes"
        if watched.n_files is not None and sum(each[1] for each in grown) > watched.n_files:
            return "n_files"
        return "path_length" if any(each[2] for each in grown) else ""

    def _inner(self, pids: Sequence[int]) -> str:
        """Looks at the number of files in folders of the job's own, which are kept in memory."""
        most = self._watched.n_files
        for folder in self._watched.inner_folders if most is not None and pids else ():
            with suppress(OSError):
                found = os.statvfs(f"/proc/{pids[-1]}/root{folder}")
                if most is not None and found.f_files - found.f_ffree > most:
                    return "n_files"
        return ""


@dataclass(frozen=True, slots=True)
class _Size:
    n_bytes: int
    n_files: int
    is_too_deep: bool


def _size(folder: str) -> _Size:
    """Measures what is in a folder, or a file; nothing is followed."""
    n_bytes = n_files = 0
    is_too_deep = False
    todo = [folder]
    while todo:
        here = todo.pop()
        if len(here) > _LONGEST_PATH:
            is_too_deep = True
            continue
        with suppress(OSError), os.scandir(here) as entries:
            for entry in entries:
                n_files += 1
                with suppress(OSError):
                    found = entry.stat(follow_symlinks=False)
                    n_bytes += found.st_blocks * 512
                    if stat.S_ISDIR(found.st_mode):
                        todo.append(entry.path)
    with suppress(OSError):
        n_bytes += os.lstat(folder).st_blocks * 512
    return _Size(n_bytes, n_files, is_too_deep)


def _free(folder: str) -> int:
    try:
        found = os.statvfs(folder)
    except OSError:
        return 2**62
    return found.f_bavail * found.f_frsize


def _unlinked(pids: Sequence[int], folders: Sequence[str]) -> int:
    """Gives the bytes of files that have no name any more but are still open."""
    devices = set()
    for folder in folders:
        with suppress(OSError):
            devices.add(os.stat(folder).st_dev)
    sizes: dict[tuple[int, int], int] = {}
    for pid in pids:
        with suppress(OSError):
            for number in os.listdir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    found = os.stat(f"/proc/{pid}/fd/{number}")
                    if not found.st_nlink and found.st_dev in devices:
                        sizes[found.st_dev, found.st_ino] = found.st_blocks * 512
    return sum(sizes.values())


def _fields(pid: int) -> list[str]:
    try:
        with open(f"/proc/{pid}/stat", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def _parent(pid: int) -> int:
    fields = _fields(pid)
    return int(fields[1]) if fields else 0


def _cpu_s(pid: int) -> float:
    """Gives the time of a process and of those of its children that it has waited for."""
    return sum(int(ticks) for ticks in _fields(pid)[11:15]) / _TICKS


def _memory(pid: int) -> int:
    """Gives what a process has in memory; what it has from its parent is counted with both."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            _, resident, shared, *_ = file.read().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * _PAGE


def _share(pid: int) -> int:
    """Gives the part of a process in the memory of all, which takes longer to find out."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except (OSError, ValueError):
        return _memory(pid)


def _all() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdecimal())


def _has_children_files() -> bool:
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")
