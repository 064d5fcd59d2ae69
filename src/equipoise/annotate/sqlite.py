"""Answers in a SQLite file: one writer, every transaction on the disk before it is acknowledged."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TypeVar

from equipoise.annotate.store import APPEND_ONLY, TABLES, Do, Rows
from equipoise.errors import Blocked

T = TypeVar("T")

_BUSY_MS = 10_000
_SAYS = "'answers are only appended'"


class SqliteFile:
    """A database in one file (0600), with a write-ahead log beside it."""

    def __init__(self, path: Path) -> None:
        """Opens the file, or makes it.

        Raises:
            Blocked: it cannot be opened, or is no such database.
        """
        self._path = path
        try:
            path.touch(mode=0o600)
            self._writer, self._reader = self._open(), self._open()
            self._writing, self._reading = Lock(), Lock()
            self.write(_make)
        except (OSError, sqlite3.Error) as error:
            raise Blocked(f"{path}: {error}; mend: let the folder be writable") from error

    def write(self, work: Callable[[Do], T]) -> T:
        """See `Database`."""
        with self._writing:
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                done = work(self._do)
                self._writer.execute("COMMIT")
            finally:
                if self._writer.in_transaction:  # what failed, the commit on a full disk included
                    self._writer.execute("ROLLBACK")
            return done

    def read(self, sql: str, *values: object) -> Rows:
        """See `Database`."""
        with self._reading:
            return self._reader.execute(sql, values).fetchall()

    def close(self) -> None:
        """See `Database`."""
        with self._writing, self._reading:
            self._reader.close()
            self._writer.close()

    def _do(self, sql: str, *values: object) -> Rows:
        return self._writer.execute(sql, values).fetchall()

    def _open(self) -> sqlite3.Connection:
        # Each use holds a lock, so that threads take turns.
        made = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        made.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        made.execute("PRAGMA journal_mode = WAL")
        made.execute("PRAGMA synchronous = FULL")
        return made


def _make(do: Do) -> None:
    for name, columns in TABLES.items():
        do(f"CREATE TABLE IF NOT EXISTS {name} ({columns})")
    for table in APPEND_ONLY:
        key = "name" if table == "settings" else "seq"
        taken = f"EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key})"  # noqa: S608  our names
        for act, when in (
            ("UPDATE", ""),
            ("DELETE", ""),
            ("INSERT", f"WHEN {taken}"),
        ):
            do(
                f"CREATE TRIGGER IF NOT EXISTS {table}_no_{act.lower()} BEFORE {act} ON {table} "
                f"{when} BEGIN SELECT RAISE(ABORT, {_SAYS}); END"
            )
