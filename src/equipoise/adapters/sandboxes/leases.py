"""Leases: what a job is about to leave on the machine, written down before it can.

A run that is killed cannot clean up. So before the first side effect of a job a file says whose it
is and what will be there; it is deleted last. Whoever starts next sweeps what belongs to nobody.
"""

import itertools
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.adapters.sandboxes.emptying import remove_all
from equipoise.adapters.sandboxes.groups import remove
from equipoise.adapters.sandboxes.order import Group
from equipoise.adapters.sandboxes.processes import boot, end_all, pid_namespace, started
from equipoise.errors import Blocked

MARK = "EQUIPOISE_LEASE"
"""The variable by which processes of a job are found, whatever became of who started them."""

_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """One lease that is taken; `mark` is the value of `MARK` for its processes."""

    name: str
    mark: str
    file: Path
    groups: Sequence[Group] = ()

    def end(self) -> None:
        """Ends what is left of its processes, where their keeper has been killed."""
        _, *begun = _lines(self.file)
        end_all(f"{MARK}={self.mark}".encode(), [line["group"] for line in begun])
        remove(self.groups)


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


class Leases:
    """The leases of a machine, one file each in a folder that is ours alone."""

    def __init__(self, folder: Path | None = None) -> None:
        """Keeps leases in `folder`; null = the one that all runs of this user share."""
        self.folder = folder or _shared()

    @contextmanager
    def taken(
        self,
        name: str,
        *,
        mark: str = "",
        folders: Sequence[Path] = (),
        groups: Sequence[Group] = (),
    ) -> Iterator[Lease]:
        """Holds a lease; `folders` (or files, or sockets) and `groups` need not be there yet.

        `mark` is a `new_mark` of this process; empty = it gets one.
        At the end only the lease goes: what it names is its holder's to remove before that.

        Raises:
            Blocked: the folder of leases cannot be used.
        """
        self._prepare()
        mark = mark or new_mark()
        lease = Lease(name=name, mark=mark, file=self.folder / f"{mark}.json", groups=groups)
        told = {
            "name": name,
            "pid": os.getpid(),
            "start": started(os.getpid()),
            "boot": boot(),
            "pid_namespace": pid_namespace(),
            "folders": [str(folder.absolute()) for folder in folders],
            "groups": [group.folder for group in groups],
        }
        lease.file.write_text(json.dumps(told) + "\n", encoding="utf-8")
        try:
            yield lease
        finally:
            lease.file.unlink(missing_ok=True)

    def sweep(self) -> Swept:
        """Ends and removes what leases name whose owner is gone; once done, there is nothing to do.

        Raises:
            Blocked: the folder of leases cannot be used.
        """
        if not self.folder.exists():
            return Swept()
        self._prepare()
        found = _Sweeping()
        for file in sorted(self.folder.glob("*.json")):
            found.look(file)
        return found.swept()

    def _prepare(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = self.folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise Blocked(
                f"the folder of leases {str(self.folder)!r} is not ours alone (owner "
                f"{found.st_uid}, mode {found.st_mode & 0o777:o}); mend: remove it, or "
                f"chmod 700 {self.folder}"
            )


def new_mark() -> str:
    """Gives a mark that no other lease has: which process takes it, and a number."""
    return f"{os.getpid()}-{started(os.getpid())}-{next(_NUMBERS)}"


def _shared() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.access(runtime, os.W_OK):
        return Path(runtime, "equipoise", "leases")
    return Path(tempfile.gettempdir(), f"equipoise-{os.geteuid()}", "leases")


@dataclass(slots=True)
class _Sweeping:
    """What has been swept so far."""

    leases: list[str] = field(default_factory=list)
    n_processes: int = 0
    folders: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    spared: int = 0
    stuck: list[str] = field(default_factory=list)

    def look(self, file: Path) -> None:
        told, *begun = _lines(file)
        if _has_owner(file, told):
            self.spared += 1
            return
        stuck = len(self.stuck)
        if told.get("boot") in (boot(), None):
            leaders = [
                line["group"] for line in begun if started(line["group"]) in (line["start"], "")
            ]
            self.n_processes += end_all(f"{MARK}={file.stem}".encode(), leaders)
        for folder in map(Path, told.get("groups", ())):
            if folder.exists():
                if remove([Group(folder=str(folder), settings={}, bounds=())]):
                    self.groups.append(str(folder))
                else:
                    self.stuck.append(f"the control group {folder} still has processes")
        for folder in map(Path, told.get("folders", ())):
            if os.path.lexists(folder):
                why = remove_all(folder)
                (self.stuck if why else self.folders).append(why or str(folder))
        if len(self.stuck) == stuck:
            self.leases.append(told.get("name", file.stem))
            file.unlink(missing_ok=True)

    def swept(self) -> Swept:
        return Swept(
            leases=tuple(self.leases),
            n_processes=self.n_processes,
            folders=tuple(self.folders),
            groups=tuple(self.groups),
            spared=self.spared,
            stuck=tuple(self.stuck),
        )


def _lines(file: Path) -> list[dict[str, Any]]:
    """Reads a lease: what it was taken for, then what was begun; half a line is none."""
    found: list[dict[str, Any]] = []
    with suppress(OSError):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError):
                found.append(json.loads(line))
    return found or [{}]


def _has_owner(file: Path, told: dict[str, Any]) -> bool:
    """Says whether who took a lease still lives; the file's name says who, were it empty."""
    if told.get("boot", boot()) != boot():
        return False
    if told.get("pid_namespace", pid_namespace()) != pid_namespace():
        return True  # of another container: not ours to judge
    pid, _, rest = file.stem.partition("-")
    start = rest.partition("-")[0]
    return pid.isdecimal() and bool(start) and started(int(pid)) == start
