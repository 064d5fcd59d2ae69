"""Leases: what a job is about to leave on the machine, written down before it can.

A run that is killed cannot clean up. So before the first side effect of a job a file says whose it
is and what will be there; it is deleted last. Whoever starts next sweeps what belongs to nobody.
"""

import itertools
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.adapters.sandboxes.groups import remove
from equipoise.adapters.sandboxes.processes import boot, pid_namespace, started
from equipoise.adapters.sandboxes.sweeping import Settle, Swept, end_begun, owned, read, swept
from equipoise.errors import Blocked

_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """One lease that is taken; `mark` is the value of `MARK` for its processes."""

    name: str
    mark: str
    file: Path

    def end(self, groups: Sequence[str]) -> None:
        """Ends what is left of its processes, where their keeper has been killed.

        `groups` are the control groups of the run, in which the keeper had some of its own.
        """
        for keeper in end_begun(self.file).keepers:
            for folder in groups:
                remove(f"{folder}/{keeper}")


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
        groups: Sequence[str] = (),
        containers: Sequence[tuple[str, str]] = (),
        others: Mapping[str, Any] | None = None,
    ) -> Iterator[Lease]:
        """Holds a lease; what it names need not be there yet.

        `folders` may be files or sockets; `groups` are control groups, by their folders;
        `containers` are pairs of an engine, podman or docker, and the name of a container.
        `mark` is a `new_mark` of this process; empty = it gets one.
        `others` is what only a sweep with a `Settle` of that name can put right, as JSON. It takes
        the place of leases of the same name whose owner is gone, where they have `others` too.
        At the end only the lease goes: what it names is its holder's to remove before that.

        Raises:
            Blocked: the folder of leases cannot be used.
        """
        self._prepare()
        mark = mark or new_mark()
        lease = Lease(name=name, mark=mark, file=self.folder / f"{mark}.json")
        told = {
            "name": name,
            "pid": os.getpid(),
            "start": started(os.getpid()),
            "boot": boot(),
            "pid_namespace": pid_namespace(),
            "folders": [str(folder.absolute()) for folder in folders],
            "groups": list(groups),
            "containers": list(containers),
            "others": dict(others or {}),
        }
        try:
            lease.file.write_text(json.dumps(told) + "\n", encoding="utf-8")
        except OSError as error:
            raise Blocked(f"no lease can be taken: {error}; mend: make room there") from error
        try:
            if others:
                self._replace(name)
            yield lease
        finally:
            lease.file.unlink(missing_ok=True)

    def sweep(self, settle: Mapping[str, Settle] | None = None, heir: str = "") -> Swept:
        """Ends and removes what leases name whose owner is gone; once done, there is nothing to do.

        A lease with `others` that no `settle` is for is left alone. That of the name `heir` loses
        what it leaves on the machine, but its `others` are left to who takes that name next.

        Raises:
            Blocked: the folder of leases cannot be used.
        """
        if not self.folder.exists():
            return Swept()
        self._prepare()
        return swept(sorted(self.folder.glob("*.json")), settle or {}, heir)

    def _replace(self, name: str) -> None:
        for file in self.folder.glob("*.json"):
            told = read(file)
            if told.get("name") == name and told.get("others") and not owned(file, told):
                file.unlink(missing_ok=True)

    def _prepare(self) -> None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise Blocked(
                f"the folder of leases {str(self.folder)!r} cannot be made: {error.strerror}; "
                "mend: name another folder for temporary files (TMPDIR)"
            ) from error
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
        return Path(runtime, "equipoise-leases")
    return Path(tempfile.gettempdir(), f"equipoise-leases-{os.geteuid()}")
