"""A probe that collects rows which a trial left in a database."""

import base64
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import msgspec
from anyio import to_thread

from equipoise.adapters.probes import parameters
from equipoise.adapters.probes.fields import check_names, value_of
from equipoise.adapters.probes.options import Options
from equipoise.ports import Collected
from equipoise.records.brief import Request
from equipoise.records.plan import ProbeSpec

_MOST_ROWS = 10_000
_STEPS = 10_000


class Unseen(Exception):
    """Why a query gave nothing that could be kept."""


class SqliteProbe:
    """Rows of a SQLite database, opened for reading only.

    Parameters in the query, ``:trial``, ``:unit``, ``:brief.order``, are bound, never pasted. The
    document is ``<name>.jsonl``, one row on each line; bytes become ``{"base64": "..."}``.
    """

    def __init__(
        self, name: str, given: Mapping[str, Any], root: Path, variables: Mapping[str, str]
    ) -> None:
        """Reads the options: `sqlite` (a path from the study's folder), `query`, `timeout_ms`.

        Raises:
            InputError: an option is wrong, or a parameter has no value.
        """
        options = Options(name, "sql", given)
        self.name = name
        self._path = root / options.text("sqlite")
        self._query = options.text("query")
        self._timeout_s = options.number("timeout_ms", 5000, most=600_000) / 1000
        options.end()
        self._variables = variables
        check_names(parameters.names_in(self._query), variables, options.where)

    async def __aenter__(self) -> Self:
        """Opens nothing: the database may not be there yet."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Closes nothing."""

    async def collect(self, request: Request) -> Collected:
        """Collects the rows of a trial."""
        try:
            values = bound(self._query, request, self._variables)
            rows = await to_thread.run_sync(self._rows, values)
            return Collected(documents={f"{self.name}.jsonl": rows})
        except Unseen as why:
            return Collected(unavailable=str(why))

    def _rows(self, values: dict[str, Any]) -> bytes:
        if not self._path.is_file():
            raise Unseen(f"there is no database {self._path.name}")
        end = time.monotonic() + self._timeout_s
        uri = f"file:{quote(str(self._path))}?mode=ro"
        try:
            with closing(sqlite3.connect(uri, uri=True, timeout=self._timeout_s)) as database:
                database.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
                database.execute("PRAGMA query_only = ON")
                cursor = database.execute(parameters.for_sqlite(self._query), values)
                columns = [column[0] for column in cursor.description or ()]
                return as_lines(columns, cursor.fetchmany(_MOST_ROWS + 1))
        except (sqlite3.Error, OverflowError) as error:
            raise Unseen(f"the query failed: {error}") from error


def made(spec: ProbeSpec, root: Path, variables: Mapping[str, str]) -> SqliteProbe:
    """Makes the probe for the database that the options name."""
    return SqliteProbe(spec.name, spec.options, root, variables)


def bound(query: str, request: Request, variables: Mapping[str, str]) -> dict[str, Any]:
    """Gives the values of the parameters by position, ``p0``, ``p1``.

    Raises:
        Unseen: the brief of this unit has no such field, or it holds no single value.
    """
    values: dict[str, Any] = {}
    for k, name in enumerate(parameters.names_in(query)):
        try:
            value = value_of(name, request, variables)
        except KeyError as error:
            raise Unseen(f"unit {request.brief.unit!r} has no field {name}") from error
        if isinstance(value, dict | list):
            value = msgspec.json.encode(value).decode()
        values[f"p{k}"] = value
    return values


def as_lines(columns: list[str], rows: list[Any]) -> bytes:
    """Gives rows as JSON Lines.

    Raises:
        Unseen: the query gives no rows at all, too many, or two columns of one name.
    """
    if not columns:
        raise Unseen("the query gives no rows; mend: write a SELECT")
    if len(set(columns)) < len(columns):
        raise Unseen(f"two columns of one name in {', '.join(columns)}; mend: rename with AS")
    if len(rows) > _MOST_ROWS:
        raise Unseen(f"more than {_MOST_ROWS} rows; mend: let the query choose those of :trial")
    return b"".join(
        _LINE.encode({c: _kept(v) for c, v in zip(columns, row, strict=True)}) + b"\n"
        for row in rows
    )


def _kept(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return {"base64": base64.b64encode(value).decode()}
    return value


_LINE = msgspec.json.Encoder(enc_hook=str)
