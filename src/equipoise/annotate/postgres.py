"""Answers in a PostgreSQL database, for many annotators or a server that keeps no files."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from queue import Empty, LifoQueue
from typing import TYPE_CHECKING, Any, TypeVar

from equipoise.annotate.store import APPEND_ONLY, TABLES, Do, Rows
from equipoise.errors import Blocked

if TYPE_CHECKING:
    from psycopg import Connection

    Connect = Callable[[], AbstractContextManager[Connection[Any]]]

T = TypeVar("T")

_LOCK = 0x65717569_706F6973
"""The number under which writers queue, so that `seq` is the order in which they were answered."""

_PAUSE_S = 0.2
_TRIES = 3
_REFUSE = """
CREATE OR REPLACE FUNCTION equipoise_only_appended() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN RAISE EXCEPTION 'answers are only appended'; END $$
"""


class PostgresDatabase:
    """A database of a server; each campaign needs one of its own."""

    def __init__(self, connect: "Connect") -> None:
        """Takes what opens a connection that commits each statement by itself; makes the tables."""
        self._connect = connect
        self._idle: LifoQueue[tuple[Connection[Any], ExitStack]] = LifoQueue()
        self.write(_make)

    def write(self, work: Callable[[Do], T]) -> T:
        """See `Database`; a connection that broke before the transaction ended is tried anew.

        What `work` does finds what an earlier try has done, should its commit have come through.
        """

        def locked(connection: "Connection[Any]") -> T:
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                return work(_does(connection))

        return self._tried(locked)

    def read(self, sql: str, *values: object) -> Rows:
        """See `Database`."""
        return self._tried(lambda connection: _does(connection)(sql, *values))

    def close(self) -> None:
        """See `Database`."""
        while True:
            try:
                _, stack = self._idle.get_nowait()
            except Empty:
                return
            stack.close()

    def _tried(self, work: "Callable[[Connection[Any]], T]") -> T:
        from psycopg import OperationalError  # noqa: PLC0415  an optional package

        for left in reversed(range(_TRIES)):
            try:
                with self._lent() as connection:
                    return work(connection)
            except OperationalError as error:
                if not left:
                    raise Blocked("the PostgreSQL server does not answer any more") from error
                time.sleep(_PAUSE_S)
        raise AssertionError

    @contextmanager
    def _lent(self) -> "Iterator[Connection[Any]]":
        """Lends a connection; one that fails, or broke, is given up with all that are idle."""
        try:
            connection, stack = self._idle.get_nowait()
        except Empty:
            stack = ExitStack()
            connection = stack.enter_context(self._connect())
        try:
            yield connection
        finally:
            if connection.closed or connection.broken:
                stack.close()
                self.close()
            else:
                self._idle.put((connection, stack))


def _does(connection: "Connection[Any]") -> Do:
    def do(sql: str, *values: object) -> Rows:
        cursor = connection.execute(sql.replace("?", "%s").encode(), values or None)
        return cursor.fetchall() if cursor.description else []

    return do


def _make(do: Do) -> None:
    for name, columns in TABLES.items():
        do(f"CREATE TABLE IF NOT EXISTS {name} ({columns})")
    do(_REFUSE)
    for table in APPEND_ONLY:
        if do("SELECT 1 FROM pg_trigger WHERE tgname = ?", f"{table}_only_appended"):
            continue
        do(
            f"CREATE TRIGGER {table}_only_appended BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION equipoise_only_appended()"
        )
