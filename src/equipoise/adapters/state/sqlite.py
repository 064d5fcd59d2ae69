"""A SQLite database as the state of a system."""

import hashlib
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from equipoise.adapters.state.sqlite_digest import digest
from equipoise.adapters.state.standing import Snapshot, sync
from equipoise.adapters.state.store import Store
from equipoise.adapters.state.targets import check_apart, checked
from equipoise.errors import Blocked, InputError

_KIND = "sqlite"
_ABSENT = "0" * 64
_WAIT_S = 5.0
_BESIDE = ("-wal", "-shm", "-journal")


def made(target: str, root: Path) -> Store:
    """Gives the store of a database file; the path counts from `root`, the folder of the study.

    Raises:
        InputError: the path is a folder, or belongs to the system.
    """
    path = checked(target, root, kind=_KIND)
    if path.is_dir():
        raise InputError(
            f"{_KIND} {target} is a folder",
            wanted="a database file",
            mend="name the file, or write `state: {directory: ...}`",
            where="study.yaml: field 'state'",
            code="no_state",
        )
    return Store(_File(path), name=f"{_KIND} {target}")


class _File:
    """A database file with its journal; the hash is over what it says, not over its bytes.

    A file that is not there yet is a state too: putting it back removes the file. A sound database
    is put back in place, in one transaction, so that whoever has it open sees the change; a damaged
    or missing one is replaced.
    """

    def __init__(self, path: Path) -> None:
        self.kind = _KIND
        self.target = str(path)
        self.claim = path.with_name(f".{path.name}.claim")
        self._target = path

    def check(self, keep: Path) -> None:
        check_apart(self._target, keep)

    def take(self, content: Path) -> Snapshot:
        if not self._target.exists():
            return self._absent()
        with (
            _told(self.target),
            closing(_opened(self._target)) as source,
            closing(sqlite3.connect(content)) as copy,
        ):
            _back_up(source, copy)
            sha256 = digest(copy)
        shutil.copymode(self._target, content)
        sync(content)
        return Snapshot(kind=_KIND, target=self.target, sha256=sha256)

    def put_back(self, content: Path, taken: Snapshot) -> None:
        try:
            if taken.is_absent:
                self._remove()
            elif not self._changed_in_place(content, taken.sha256):
                self._replace(content)
        except OSError as error:
            raise Blocked(
                f"cannot put {self.target} back: {error.strerror}; mend: put that right, then again"
            ) from error

    def digest(self) -> str:
        if not self._target.exists():
            return _ABSENT
        try:
            with closing(_opened(self._target)) as connection:
                return digest(connection)
        except sqlite3.OperationalError as error:
            if _is_busy(error):
                raise _in_use(self.target) from error
            return self._digest_of_damaged()
        except sqlite3.DatabaseError:
            return self._digest_of_damaged()

    def forget(self, content: Path, taken: Snapshot | None) -> None:
        """Does nothing: all of it is in the folder of the snapshot."""

    def _absent(self) -> Snapshot:
        if not self._target.parent.is_dir():
            raise InputError(
                f"{self.target}: there is no folder {self._target.parent}",
                wanted="a database, or at least the folder for it",
                mend="correct the path, or make the folder",
                where="study.yaml: field 'state'",
                code="no_state",
            )
        return Snapshot(kind=_KIND, target=self.target, sha256=_ABSENT, is_absent=True)

    def _digest_of_damaged(self) -> str:
        try:
            return hashlib.sha256(b"damaged" + self._target.read_bytes()).hexdigest()
        except OSError as error:
            raise Blocked(
                f"cannot read {self.target}: {error.strerror}; mend: give the right to read"
            ) from error

    def _changed_in_place(self, content: Path, sha256: str) -> bool:
        if not self._target.is_file() or self._target.is_symlink():
            return False
        try:
            with closing(_opened(content)) as source, closing(_opened(self._target)) as there:
                _back_up(source, there)
                return digest(there) == sha256
        except sqlite3.OperationalError as error:
            if _is_busy(error):
                raise _in_use(self.target) from error
            return False
        except sqlite3.DatabaseError:
            return False

    def _replace(self, content: Path) -> None:
        """Replaces the file; its old journal goes first, for it must not meet the new content."""
        part = self._target.with_name(f".{self._target.name}.equipoise-new")
        self._target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(content, part)
        shutil.copymode(content, part)
        sync(part)
        self._remove_beside()
        part.replace(self._target)
        sync(self._target.parent)

    def _remove(self) -> None:
        self._remove_beside()
        self._target.unlink(missing_ok=True)

    def _remove_beside(self) -> None:
        for end in _BESIDE:
            self._target.with_name(self._target.name + end).unlink(missing_ok=True)


def _opened(path: Path) -> sqlite3.Connection:
    """Opens a database that is there; what a killed writer left in the journal is taken in."""
    uri = f"file:{quote(str(path))}?mode=rw"
    return sqlite3.connect(uri, uri=True, timeout=_WAIT_S, isolation_level=None)


def _back_up(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copies page by page in one transaction; gives up when the target stays locked."""
    end = time.monotonic() + _WAIT_S

    def goes_on(status: int, _left: int, _total: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > end:
            raise sqlite3.OperationalError("database is locked")

    source.backup(target, pages=-1, progress=goes_on, sleep=0.05)
    with suppress(sqlite3.OperationalError):  # somebody reads: the journal is taken in later
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Turns an error of SQLite into one of the house."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _is_busy(error):
            raise _in_use(name) from error
        raise Blocked(f"{name}: {error}; mend: put that right, then again") from error
    except sqlite3.DatabaseError as error:
        raise InputError(
            f"{name}: {error}",
            wanted="a SQLite database",
            mend="name the database, or repair it with `sqlite3 FILE .recover`",
            code="no_state",
        ) from error


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _in_use(name: str) -> Blocked:
    return Blocked(f"{name} is being used by another process; mend: stop it, then again")
