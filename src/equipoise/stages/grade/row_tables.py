"""Documents that hold rows as tables of a database in memory, which a query can only read."""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from equipoise.stages.grade.templates import places

QUERY_SECONDS = 2.0
"""Longest time that a query may take."""

LINE = "_line"
"""The column of every table that says in which line of its document the row stands."""

_STEPS = 10_000
_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_LARGEST = 2**63

Row = Mapping[str, Any]


@contextmanager
def tables(
    rows: Mapping[str, tuple[Sequence[str], Iterable[tuple[int, Row]]]],
) -> Iterator[sqlite3.Connection]:
    """Opens a database with these tables, for reading only and for a limited time.

    Args:
        rows: table name -> its columns, and its rows with their line numbers.
    """
    database = sqlite3.connect(":memory:")
    try:
        for name, (columns, held) in rows.items():
            listed = ", ".join(_name(column) for column in (LINE, *columns))
            database.execute(f"CREATE TABLE {_name(name)} ({listed})")
            database.executemany(
                f"INSERT INTO {_name(name)} VALUES ({', '.join('?' * (len(columns) + 1))})",  # noqa: S608  names are quoted, values bound
                ([line, *(_value(row.get(c)) for c in columns)] for line, row in held),
            )
        end = time.monotonic() + QUERY_SECONDS
        database.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 64 * 2**20)
        database.set_authorizer(_judge)
        yield database
    finally:
        database.close()


def query_fault(query: str, columns: Mapping[str, Sequence[str]]) -> str:
    """Says what is wrong with a query over tables with these columns; empty where nothing is."""
    bound = dict.fromkeys(parameters(query), 1)
    try:
        with tables({name: (held, ()) for name, held in columns.items()}) as database:
            if database.execute(with_parameters(query), bound).description is None:
                return "the query gives no columns; wanted one SELECT"
    except (sqlite3.Error, sqlite3.Warning, UnicodeEncodeError) as error:
        return f"the query cannot be asked: {error}"
    return ""


def parameters(query: str) -> dict[str, str]:
    """Gives the names under which the query's places are bound: ``p0`` -> ``expected.x``."""
    return {f"p{number}": place for number, place in enumerate(places(query))}


def with_parameters(query: str) -> str:
    """Gives the query with a parameter at every place."""
    for number, place in enumerate(places(query)):
        query = query.replace(f"{{{place}}}", f":p{number}", 1)
    return query


def as_bound(value: Any) -> Any:
    """Gives a JSON value as a query's parameter; lists and objects as their JSON text."""
    return _value(value)


def _judge(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _value(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
        return float(value) if abs(value) < 10**300 else str(value)
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
