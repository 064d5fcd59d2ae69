"""Sweeps what leases name whose owner is gone: processes, containers, groups, folders, sockets."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.adapters.sandboxes.emptying import remove_all
from equipoise.adapters.sandboxes.groups import remove
from equipoise.adapters.sandboxes.processes import boot, end_all, marked, pid_namespace, started

MARK = "EQUIPOISE_LEASE"
"""The variable by which processes of a job are found, whatever became of who started them."""


KEEPERS = "keepers"
"""The name of the lease of a spawner and its keepers: they see that their run is gone, and go."""

_PATIENCE_S = 2.0

Settle = Callable[[Any], str]
"""Puts right one of the `others` of a lease; gives why not, or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What a sweep found and ended; `spared` counts the leases whose owner lives.

    `stuck` says what could not be removed, each in one line.
    """

    leases: tuple[str, ...] = ()
    n_processes: int = 0
    folders: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    spared: int = 0
    stuck: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """What was begun under a lease: how many processes were left to end, and who kept them."""

    n_ended: int
    keepers: tuple[int, ...]


def swept(files: Sequence[Path], settle: Mapping[str, Settle], heir: str) -> Swept:
    """Sweeps the leases in these files; a lease whose things cannot all be removed stays.

    All processes are ended before anything is removed: they may be at work in a folder of another.
    """
    found = _Sweeping(settle=settle, heir=heir)
    _await_keepers(files)
    for file in [file for file in files if found.end(file)]:
        found.clear(file)
    return found.swept()


def read(file: Path) -> dict[str, Any]:
    """Gives what a lease was taken for; nothing where it is gone, or was not written whole."""
    return _lines(file)[0]


def owned(file: Path, told: dict[str, Any]) -> bool:
    """Says whether who took a lease still lives; the file's name says who, were it empty."""
    if told.get("boot", boot()) != boot():
        return False
    if told.get("pid_namespace", pid_namespace()) != pid_namespace():
        return True  # of another container: not ours to judge
    pid, _, rest = file.stem.partition("-")
    start = rest.partition("-")[0]
    if not pid.isdecimal():
        return False
    return started(int(pid)) == start if start else _is_there(int(pid))


def _is_there(pid: int) -> bool:
    """Says whether a process lives, where nothing tells when it was started (no ``/proc``)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _await_keepers(files: Sequence[Path]) -> None:
    """Lets keepers whose run is gone end their jobs: they know best what belongs to them."""
    give_up = time.monotonic() + _PATIENCE_S
    for file in files:
        told, *_ = _lines(file)
        if told.get("name") == KEEPERS and not owned(file, told):
            mark = f"{MARK}={file.stem}".encode()
            while marked(mark) and time.monotonic() < give_up:
                time.sleep(0.01)


def end_begun(file: Path) -> Begun:
    """Ends the processes that were begun under a lease."""
    _, *begun = _lines(file)
    leaders = [line["group"] for line in begun if started(line["group"]) in (line["start"], "")]
    n_ended = end_all(f"{MARK}={file.stem}".encode(), leaders)
    return Begun(n_ended=n_ended, keepers=tuple(line["keeper"] for line in begun))


@dataclass(slots=True)
class _Sweeping:
    """What has been swept so far."""

    settle: Mapping[str, Settle]
    heir: str
    leases: list[str] = field(default_factory=list)
    n_processes: int = 0
    folders: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    spared: int = 0
    stuck: list[str] = field(default_factory=list)

    def end(self, file: Path) -> bool:
        """Ends the processes of a lease; false where it is not ours to sweep."""
        told = read(file)
        if owned(file, told) or not set(told.get("others", ())) <= set(self.settle):
            self.spared += 1
            return False
        if told.get("boot") in (boot(), None):
            self.n_processes += end_begun(file).n_ended
        return True

    def clear(self, file: Path) -> None:
        """Removes what a lease names, then the lease."""
        told, n_stuck = read(file), len(self.stuck)
        is_inherited = bool(self.heir) and told.get("name") == self.heir
        if not is_inherited:
            found = (self.settle[name](value) for name, value in told.get("others", {}).items())
            self.stuck.extend(why for why in found if why)
        if len(self.stuck) == n_stuck:
            self._remove(told)
        if len(self.stuck) == n_stuck and not is_inherited:
            self.leases.append(told.get("name", file.stem))
            file.unlink(missing_ok=True)

    def _remove(self, told: dict[str, Any]) -> None:
        for engine, name in told.get("containers", ()):
            why = _container_removed(engine, name)
            if why:
                self.stuck.append(why)
        for folder in map(Path, told.get("groups", ())):
            if folder.exists():
                if remove(str(folder)):
                    self.groups.append(str(folder))
                else:
                    self.stuck.append(f"the control group {folder} still has processes")
        for folder in map(Path, told.get("folders", ())):
            if os.path.lexists(folder):
                why = remove_all(folder)
                (self.stuck if why else self.folders).append(why or str(folder))

    def swept(self) -> Swept:
        return Swept(
            leases=tuple(self.leases),
            n_processes=self.n_processes,
            folders=tuple(self.folders),
            groups=tuple(self.groups),
            spared=self.spared,
            stuck=tuple(self.stuck),
        )


def _container_removed(engine: str, name: str) -> str:
    """Removes a container; gives why not, or nothing."""
    if Path(engine).name not in ("podman", "docker"):
        return f"{engine} is no engine of containers"
    try:
        done = subprocess.run(  # noqa: S603  one of two programs; no shell
            [engine, "rm", "--force", name], capture_output=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the container {name} cannot be removed: {error}"
    said = done.stderr.decode(errors="replace").strip()
    return "" if done.returncode == 0 or "o such container" in said else said


def _lines(file: Path) -> list[dict[str, Any]]:
    """Reads a lease: what it was taken for, then what was begun; half a line is none."""
    found: list[dict[str, Any]] = []
    with suppress(OSError):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError):
                found.append(json.loads(line))
    return found or [{}]
