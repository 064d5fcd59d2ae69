"""Where on this machine control groups for jobs can be made, found out by making one."""

import itertools
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from equipoise.adapters.sandboxes.groups import set_up
from equipoise.adapters.sandboxes.order import Group
from equipoise.ports.agents import Bounds

_SPARE_PROCESSES = 4
"""Processes that are the keeper's and the sandbox's own."""

_NUMBERS = itertools.count(1)
_MEMORY, _PIDS = "memory_bytes", "n_processes"
_CONTROLLERS = {"memory": _MEMORY, "pids": _PIDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder in which groups can be made, and the bounds that such a group sets."""

    folder: str
    bounds: tuple[str, ...]
    is_unified: bool


def groups(name: str, bounds: Bounds) -> list[Group]:
    """Gives the groups that bound a job of the run `name`; none where none can be made."""
    return [
        Group(
            folder=f"{place.folder}/equipoise-{name}",
            settings=_settings(place, bounds),
            bounds=place.bounds,
        )
        for place in places()
    ]


@cache
def places() -> tuple[Place, ...]:
    """Gives where groups can be made, one place or one for each bound; asked once."""
    found: list[Place] = []
    for place in _candidates():
        taken = {bound for each in found for bound in each.bounds}
        if not taken.intersection(place.bounds) and _works(place):
            found.append(place)
    return tuple(found)


def _settings(place: Place, bounds: Bounds) -> list[tuple[str, str]]:
    wanted: list[tuple[str, str]] = []
    if _MEMORY in place.bounds:
        most = str(bounds.memory_bytes)
        if place.is_unified:
            wanted += [("memory.max", most), ("memory.swap.max?", "0")]
        else:  # with swap is never below without: it makes room first
            both = "memory.memsw.limit_in_bytes?"
            wanted += [(both, "-1"), ("memory.limit_in_bytes", most), (both, most)]
    if _PIDS in place.bounds:
        wanted.append(("pids.max", str(bounds.n_processes + _SPARE_PROCESSES)))
    return wanted


def _works(place: Place) -> bool:
    """Tries it: makes a group, sets its bounds, moves nothing into it, removes it."""
    probe = f"{place.folder}/equipoise-probe-{os.getpid()}-{next(_NUMBERS)}"
    if place.is_unified:
        with suppress(OSError), open(f"{place.folder}/cgroup.subtree_control", "w") as file:
            file.write("+memory +pids")
    try:
        os.mkdir(probe)
    except OSError:
        return False
    try:
        wanted = _settings(place, Bounds())
        set_up(probe, Group(folder=probe, settings=wanted, bounds=place.bounds))
        # Moving a process needs this file of the place that holds both, which is ours or not.
        return os.access(f"{place.folder}/cgroup.procs", os.W_OK)
    except OSError:
        return False
    finally:
        with suppress(OSError):
            os.rmdir(probe)


def _candidates() -> Iterator[Place]:
    """Gives the groups that we are in, and those above them, nearest first."""
    mounts = list(_mounts())
    for _, controllers, path in _own():
        for root, point, options in mounts:
            if not controllers and options == "cgroup2":
                for folder in _upwards(point, root, path):
                    yield Place(folder=folder, bounds=(_MEMORY, _PIDS), is_unified=True)
            for controller, bound in _CONTROLLERS.items():
                if controller in controllers.split(",") and controller in options.split(","):
                    for folder in _upwards(point, root, path):
                        yield Place(folder=folder, bounds=(bound,), is_unified=False)


def _own() -> Iterator[tuple[str, str, str]]:
    with suppress(OSError), open("/proc/self/cgroup") as file:
        for line in file:
            number, controllers, path = line.rstrip("\n").split(":", 2)
            yield number, controllers, path


def _mounts() -> Iterator[tuple[str, str, str]]:
    """Gives root, mount point and options (``cgroup2`` for the unified hierarchy) of each mount."""
    with suppress(OSError), open("/proc/self/mountinfo") as file:
        for line in file:
            before, _, after = line.partition(" - ")
            kind, _, options = after.split(" ", 2)
            fields = before.split(" ")
            if kind in ("cgroup", "cgroup2"):
                yield fields[3], fields[4], "cgroup2" if kind == "cgroup2" else options.strip()


def _upwards(point: str, root: str, path: str) -> Iterator[str]:
    """Gives the folder of a group, then those above it up to the mount."""
    below = path[len(root) :] if root != "/" and path.startswith(root) else path
    parts = [part for part in below.split("/") if part and part != ".."]
    for n in range(len(parts), -1, -1):
        folder = "/".join((point, *parts[:n]))
        if os.path.isdir(folder):
            yield folder
