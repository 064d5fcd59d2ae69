"""Lines kept by trace on disk, so that memory does not grow with the logs."""

import sqlite3
from collections.abc import Iterable


class Spool:
    """A private database without a name; it is gone when it is closed."""

    def __init__(self) -> None:
        """Makes it; it holds its first few megabytes in memory."""
        self._rows = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._rows.execute("PRAGMA journal_mode = OFF")
        self._rows.execute("CREATE TABLE line (trace TEXT, text BLOB)")
        self._rows.execute("CREATE INDEX by_trace ON line (trace)")

    def put(self, lines: Iterable[tuple[str, bytes]]) -> None:
        """Adds lines with their traces, in order."""
        self._rows.execute("BEGIN")
        self._rows.executemany("INSERT INTO line VALUES (?, ?)", lines)
        self._rows.execute("COMMIT")

    def of(self, trace: str) -> list[bytes]:
        """Gives the lines of one trace in the order in which they were added."""
        rows = self._rows.execute(
            "SELECT text FROM line WHERE trace = ? ORDER BY rowid", (trace,)
        ).fetchall()
        return [row[0] for row in rows]

    def count(self, trace: str) -> int:
        """Gives how many lines there are of one trace."""
        row = self._rows.execute("SELECT count(*) FROM line WHERE trace = ?", (trace,)).fetchone()
        return int(row[0])

    def close(self) -> None:
        """Removes everything."""
        self._rows.close()
