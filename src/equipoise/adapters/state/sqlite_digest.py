"""The sha256 of what a SQLite database says: its schema and its rows in order."""

import hashlib
import sqlite3
from collections.abc import Iterator

import msgspec

_ROWS = 2000
_SETTINGS = ("user_version", "application_id", "encoding")


def digest(connection: sqlite3.Connection) -> str:
    """Gives the sha256 over schema and rows; pages, free space and journal do not count.

    Two databases that hold the same tables with the same rows in the same order have equal hashes,
    whatever became of their files. Rows are read as a stream.
    """
    hasher = hashlib.sha256()
    for part in _parts(connection):
        hasher.update(msgspec.msgpack.encode(part))
    return hasher.hexdigest()


def _parts(connection: sqlite3.Connection) -> Iterator[object]:
    connection.text_factory = _text
    yield [connection.execute(f"PRAGMA {name}").fetchone() for name in _SETTINGS]
    yield connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    ).fetchall()
    connection.text_factory = str
    tables = connection.execute(
        "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' "
        "AND type IN ('table', 'shadow') AND name != 'sqlite_schema' ORDER BY name"
    ).fetchall()
    connection.text_factory = _text
    for name, _, without_rowid in tables:
        yield name
        rows = connection.execute(_select(connection, name, without_rowid=bool(without_rowid)))
        while some := rows.fetchmany(_ROWS):
            yield some


def _select(connection: sqlite3.Connection, table: str, *, without_rowid: bool) -> str:
    columns = [
        (bytes(row[0][0]).decode("utf-8", "replace"), int(row[1]))
        for row in connection.execute("SELECT name, pk FROM pragma_table_xinfo(?)", (table,))
    ]
    if without_rowid:
        keys = sorted((position, name) for name, position in columns if position)
        order = ", ".join(quoted(name) for _, name in keys)
    else:
        taken = {name.lower() for name, _ in columns}
        order = next((name for name in ("rowid", "_rowid_", "oid") if name not in taken), "1")
    return f"SELECT * FROM {quoted(table)} ORDER BY {order}"  # noqa: S608  both are quoted names


def quoted(name: str) -> str:
    """Gives a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _text(value: bytes) -> tuple[bytes]:
    """Keeps text apart from bytes, and as it is: a database may hold text that is no UTF-8."""
    return (value,)
