"""A probe that collects rows which a trial left in a database."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, Self

import msgspec
from anyio import to_thread

from equipoise.adapters.embedded import Embedded, is_embedded
from equipoise.adapters.postgres import Address
from equipoise.adapters.probes import parameters
from equipoise.adapters.probes.databases import PostgresDatabase, SqliteDatabase
from equipoise.adapters.probes.fields import check_names, value_of
from equipoise.adapters.probes.options import Options
from equipoise.adapters.probes.rows import Unseen
from equipoise.ports import Collected
from equipoise.records.brief import Request
from equipoise.records.plan import ProbeSpec


class Database(Protocol):
    """A database that is read with one query."""

    def lines(self, query: str, values: dict[str, Any]) -> bytes:
        """Gives the rows as JSON Lines, or raises `Unseen`."""
        ...


class SqlProbe:
    """Rows of a database, opened for reading only.

    Parameters in the query, ``:trial``, ``:unit``, ``:brief.order``, are bound, never pasted. The
    document is ``<name>.jsonl``, one row on each line.
    """

    def __init__(
        self, name: str, given: Mapping[str, Any], root: Path, variables: Mapping[str, str]
    ) -> None:
        """Reads the options: `sqlite` (a path) or `postgres` (an address), `query`, `timeout_ms`.

        Raises:
            InputError: an option is wrong, a parameter has no value, or an address a password.
        """
        options = Options(name, "sql", given)
        self.name = name
        self._query = options.text("query")
        timeout_s = options.number("timeout_ms", 5000, most=600_000) / 1000
        self._database: Database
        if options.one_of("sqlite", "postgres") == "sqlite":
            self._database = SqliteDatabase(root / options.text("sqlite"), timeout_s)
        else:
            target = options.text("postgres")
            made = Embedded(target, root, where=options.where) if is_embedded(target) else None
            address = made or Address(target, where=options.where)
            self._database = PostgresDatabase(address, timeout_s)
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
            values = self._values(request)
            rows = await to_thread.run_sync(self._database.lines, self._query, values)
        except Unseen as why:
            return Collected(unavailable=str(why))
        return Collected(documents={f"{self.name}.jsonl": rows})

    def _values(self, request: Request) -> dict[str, Any]:
        """Gives the values of the parameters by position, ``p0``, ``p1``."""
        values: dict[str, Any] = {}
        for k, name in enumerate(parameters.names_in(self._query)):
            value = value_of(name, request, self._variables)
            if isinstance(value, dict | list):
                value = msgspec.json.encode(value).decode()
            values[f"p{k}"] = value
        return values


def made(spec: ProbeSpec, root: Path, variables: Mapping[str, str]) -> SqlProbe:
    """Makes the probe for the database that the options name."""
    return SqlProbe(spec.name, spec.options, root, variables)
