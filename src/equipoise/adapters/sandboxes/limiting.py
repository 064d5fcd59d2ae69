"""How the bounds of a job are enforced on this machine: by groups, by limits, by measuring."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from equipoise.adapters.sandboxes.grouping import groups
from equipoise.adapters.sandboxes.order import Group, Watched
from equipoise.ports.agents import Bounds, Job

_SPARE_THREADS = 256
"""How many threads the user may start elsewhere meanwhile."""

_N_FILES_OPEN = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Limiting:
    """What enforces the bounds of one job; `unbounded` names those that nothing enforces."""

    groups: Sequence[Group]
    limits: dict[str, int]
    watched: Watched
    unbounded: tuple[str, ...]


def limiting(
    job: Job, name: str, *, memory_folders: Sequence[str] = (), own_folders: Sequence[str] = ()
) -> Limiting:
    """Gives what enforces the bounds of a job; its run is called `name` among groups.

    `memory_folders` are those that are kept in memory for it alone, `own_folders` those on the disk
    that it may write to beside its mounts.
    """
    bounds = job.bounds
    made = groups(name, bounds)
    grouped = {bound for group in made for bound in group.bounds}
    return Limiting(
        groups=made,
        limits=_limits(bounds, has_group="n_processes" in grouped),
        watched=Watched(
            folders=[*own_folders, *(str(m.source) for m in job.mounts if m.is_writable)],
            disk_bytes=bounds.disk_bytes,
            n_files=bounds.n_files,
            cpu_s=bounds.cpu_s,
            memory_bytes=None if "memory_bytes" in grouped else bounds.memory_bytes,
            n_processes=None if "n_processes" in grouped else bounds.n_processes,
            inner_folders=memory_folders,
        ),
        unbounded=tuple(
            bound
            for bound in ("memory_bytes", "n_processes")
            if bound not in grouped and (bound != "n_processes" or os.geteuid() == 0)
        ),
    )


def _limits(bounds: Bounds, *, has_group: bool) -> dict[str, int]:
    limits = {
        "RLIMIT_CORE": 1,  # with 0 a collector of the host would still be fed; nothing fits in 1
        "RLIMIT_FSIZE": bounds.file_bytes,
        "RLIMIT_NOFILE": _N_FILES_OPEN,
        "RLIMIT_MEMLOCK": 2**20,
        "RLIMIT_MSGQUEUE": 2**20,
    }
    if bounds.cpu_s is not None:
        limits["RLIMIT_CPU"] = max(1, round(bounds.cpu_s))
    if not has_group and os.geteuid() != 0:  # the kernel excepts root
        limits["RLIMIT_NPROC"] = bounds.n_processes + _n_threads() + _SPARE_THREADS
    return limits


@cache
def _n_threads() -> int:
    """Gives how many threads this user had when it was first asked: the limit counts them all."""
    n = 0
    for name in os.listdir("/proc"):
        with suppress(OSError):
            if name.isdecimal() and os.stat(f"/proc/{name}").st_uid == os.geteuid():
                n += len(os.listdir(f"/proc/{name}/task"))
    return n
