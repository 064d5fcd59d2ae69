"""Databases as a probe reads them: never written to, and for no longer than said."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from equipoise.adapters.postgres import Address, Unreachable
from equipoise.adapters.probes import parameters
from equipoise.adapters.probes.rows import MOST_ROWS, Unseen, as_lines

_STEPS = 10_000


class SqliteDatabase:
    """A SQLite file; it need not be there before it is read."""

    def __init__(self, path: Path, timeout_s: float) -> None:
        """Takes the path; opens nothing."""
        self._path = path
        self._timeout_s = timeout_s

    def lines(self, query: str, values: dict[str, Any]) -> bytes:
        """Gives the rows of a query as JSON Lines.

        Raises:
            Unseen: there is no such database, or the query fails or takes too long.
        """
        if not self._path.is_file():
            raise Unseen(f"there is no database {self._path.name}")
        end = time.monotonic() + self._timeout_s
        uri = f"file:{quote(str(self._path))}?mode=ro"
        try:
            with closing(sqlite3.connect(uri, uri=True, timeout=self._timeout_s)) as database:
                database.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
                database.execute("PRAGMA query_only = ON")
                cursor = database.execute(parameters.for_sqlite(query), values)
                columns = [column[0] for column in cursor.description or ()]
                return as_lines(columns, cursor.fetchmany(MOST_ROWS + 1))
        except (sqlite3.Error, OverflowError) as error:
            raise Unseen(f"the query failed: {error}") from error


class PostgresDatabase:
    """A PostgreSQL database, read in a transaction that cannot write."""

    def __init__(self, address: Address, timeout_s: float) -> None:
        """Takes the address; opens nothing."""
        self._address = address
        self._timeout_s = timeout_s

    def lines(self, query: str, values: dict[str, Any]) -> bytes:
        """Gives the rows of a query as JSON Lines.

        Raises:
            Unseen: psycopg or the server is missing, or the query fails or takes too long.
        """
        try:
            with self._address.opened(program="equipoise probe") as connection:
                return self._read(connection, query, values)
        except Unreachable as error:
            raise Unseen(str(error)) from None

    def _read(self, connection: Any, query: str, values: dict[str, Any]) -> bytes:
        from psycopg import Error  # noqa: PLC0415  an optional package

        text = parameters.for_postgres(query).encode()
        limit = str(max(1, round(self._timeout_s * 1000)))
        try:
            connection.read_only = True
            with connection.transaction():
                connection.execute("SELECT set_config('statement_timeout', %s, true)", (limit,))
                cursor = connection.execute(text, values, prepare=True)  # so one statement only
                columns = [column.name for column in cursor.description or ()]
                return as_lines(columns, cursor.fetchmany(MOST_ROWS + 1) if columns else [])
        except Error as error:
            raise Unseen(f"the query failed: {self._address.told(error)}") from None
