"""A SQLite database as the state of a system."""

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from equipoise.adapters.state import standing
from equipoise.adapters.state.sqlite_digest import digest
from equipoise.adapters.state.standing import Snapshot, sync
from equipoise.adapters.state.targets import check_apart, checked
from equipoise.errors import Blocked, InputError

_KIND = "sqlite"
_ABSENT = "0" * 64
_WAIT_S = 5.0
_BESIDE = ("-wal", "-shm", "-journal")


class SqliteStore:
    """A database file with its journal; the hash is over what it says, not over its bytes.

    A file that is not there yet is a state too: putting it back removes the file.
    """

    def __init__(self, target: str, root: Path) -> None:
        """Takes the path of the database file, relative to the study's folder.

        Raises:
            InputError: the path is a folder, or belongs to the system.
        """
        self._target = checked(target, root, kind=_KIND)
        self.name = f"{_KIND} {target}"
        if self._target.is_dir():
            raise InputError(
                f"{self.name} is a folder",
                wanted="a database file",
                mend="name the file, or write `state: {directory: ...}`",
                where="study.yaml: field 'state'",
                code="no_state",
            )

    def snapshot(self, keep: Path) -> str:
        """Takes the snapshot (or finds the one standing) and gives the state's sha256.

        Raises:
            InputError: the file is no SQLite database.
            Blocked: another process is writing to it, or the disk takes no more.
        """
        check_apart(self._target, keep)
        stands = self._standing(keep)
        return stands.sha256 if stands else standing.take(keep, self._fill).sha256

    def restore(self, keep: Path) -> str:
        """Puts the snapshot back, gives the sha256 afterwards.

        A sound database is changed in place, in one transaction, so that whoever has it open sees
        the change; a damaged or missing one is replaced.

        Raises:
            Blocked: no snapshot stands, or another process does not let go of the database.
        """
        stands = self._standing(keep)
        if stands is None:
            raise Blocked(f"no snapshot of {self.name} stands in {keep}; mend: take one first")
        if stands.is_absent:
            self._remove()
        elif not self._changed_in_place(standing.content(keep), stands.sha256):
            self._replace(standing.content(keep))
        return self.digest()

    def digest(self) -> str:
        """Gives the sha256 over schema and rows of the database as it is.

        Raises:
            InputError: the file is no SQLite database.
        """
        if not self._target.exists():
            return _ABSENT
        with _told(self.name), closing(_opened(self._target)) as connection:
            return digest(connection)

    def teardown(self, keep: Path) -> None:
        """Puts the snapshot back and removes it; does nothing where none stands."""
        if self._standing(keep):
            self.restore(keep)
            standing.remove(keep)
        standing.remove_leftovers(keep)

    def _standing(self, keep: Path) -> Snapshot | None:
        return standing.standing(keep, _KIND, str(self._target))

    def _fill(self, content: Path) -> Snapshot:
        if not self._target.exists():
            if not self._target.parent.is_dir():
                raise InputError(
                    f"{self.name}: there is no folder {self._target.parent}",
                    wanted="a database, or at least the folder for it",
                    mend="correct the path, or make the folder",
                    where="study.yaml: field 'state'",
                    code="no_state",
                )
            return Snapshot(kind=_KIND, target=str(self._target), sha256=_ABSENT, is_absent=True)
        with (
            _told(self.name),
            closing(_opened(self._target)) as source,
            closing(sqlite3.connect(content)) as copy,
        ):
            _back_up(source, copy)
            sha256 = digest(copy)
        shutil.copymode(self._target, content)
        sync(content)
        return Snapshot(kind=_KIND, target=str(self._target), sha256=sha256)

    def _changed_in_place(self, content: Path, sha256: str) -> bool:
        if not self._target.is_file() or self._target.is_symlink():
            return False
        try:
            with closing(_opened(content)) as source, closing(_opened(self._target)) as there:
                _back_up(source, there)
                return digest(there) == sha256
        except sqlite3.OperationalError as error:
            if _is_busy(error):
                raise _in_use(self.name) from error
            return False
        except sqlite3.DatabaseError:
            return False

    def _replace(self, content: Path) -> None:
        """Replaces the file; its old journal goes first, for it must not meet the new content."""
        part = self._target.with_name(f".{self._target.name}.equipoise-new")
        try:
            self._target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(content, part)
            shutil.copymode(content, part)
            sync(part)
            self._remove_beside()
            os.replace(part, self._target)  # noqa: PTH105  replaces a link, never what it points to
            sync(self._target.parent)
        except OSError as error:
            raise Blocked(
                f"cannot put {self.name} back: {error.strerror}; mend: put that right, then again"
            ) from error

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
