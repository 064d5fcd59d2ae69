"""A PostgreSQL database as the state of a system, kept as a template database beside it."""

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.adapters.embedded import Embedded, is_embedded
from equipoise.adapters.postgres import Address, Unreachable
from equipoise.adapters.state.postgres_digest import digest
from equipoise.adapters.state.postgres_settings import copy_settings
from equipoise.adapters.state.standing import Snapshot
from equipoise.adapters.state.store import Store
from equipoise.errors import Blocked, InputError

if TYPE_CHECKING:
    from psycopg import Connection

_KIND = "postgres"
_PROGRAM = "equipoise"
_MISSING = hashlib.sha256(b"no database").hexdigest()
_SERVERS_OWN = ("postgres", "template0", "template1")
_WAIT_S = 60.0


def made(target: str, root: Path) -> Store:
    """Gives the store of a database; `target` is its address, or ``env:NAME`` of one.

    ``embedded`` is the study's own server, ``embedded:FILE.sql`` one that holds what a file says.

    Raises:
        InputError: the address holds a password, or the file leads out of the study.
    """
    if is_embedded(target):
        own = Embedded(target, root, where="study.yaml: field 'state'")
        return Store(_OwnDatabase(own, root), name=f"{_KIND} {target}", address=own.reach)
    address = Address(target, where="study.yaml: field 'state'")
    reach = "" if target.startswith("env:") else target
    return Store(_Database(address, root), name=f"{_KIND} {target}", address=reach)


class _Database:
    """A whole database; the snapshot is another database of the same server, made from it.

    Putting it back drops the database and makes it anew from the snapshot, so whoever is connected
    is disconnected. Where nothing changed, nothing is done.
    """

    def __init__(self, address: Address, root: Path) -> None:
        self.kind = _KIND
        self.target = address.text
        self._address = address
        self._started = ""
        mark = hashlib.sha256(address.text.encode()).hexdigest()[:12]
        self.claim = root / f".postgres-{mark}.claim"

    def check(self, keep: Path) -> None:
        """Does nothing: a server keeps its databases apart."""

    def take(self, content: Path) -> Snapshot:
        name = self._name()
        place = self._place(content)
        with self._server(place) as server:
            if not _exists(server, name):
                raise InputError(
                    f"there is no database {name!r}",
                    wanted="the database that holds the state",
                    mend="make it, or correct the address in study.yaml",
                    code="no_state",
                )
            self._copied(server, name, place)
        return Snapshot(kind=_KIND, target=self.target, sha256=self._digest_of(place), place=place)

    def put_back(self, content: Path, taken: Snapshot) -> None:
        del content
        name = self._name()
        with self._server(taken.place) as server:
            if not _exists(server, taken.place):
                raise Blocked(
                    f"the snapshot of database {name!r} is gone: {taken.place}; mend: put the "
                    "database right by hand, then remove the folder of the snapshot"
                )
            if not _exists(server, name) or self._digest_of(name) != taken.sha256:
                self._copied(server, taken.place, name)

    def digest(self) -> str:
        name = self._name()
        with self._server(_PROGRAM) as server:
            is_there = _exists(server, name)
        return self._digest_of(name) if is_there else _MISSING

    def forget(self, content: Path, taken: Snapshot | None) -> None:
        place = taken.place if taken else self._place(content)
        with self._server(place) as server:
            _persist(lambda: _drop(server, place))

    def fault(self) -> str:
        """Says that the server does not answer, or is another than at the first question."""
        from psycopg import Error  # noqa: PLC0415  an optional package

        try:
            with self._as_it_is() as server:
                row = server.execute("SELECT pg_postmaster_start_time()::text").fetchone()
        except (Error, Unreachable) as error:
            return f"its server does not answer: {self._address.told(error)}"
        started = str(row[0]) if row else ""
        self._started = self._started or started
        return "" if started == self._started else f"its server was started anew at {started}"

    def _as_it_is(self) -> AbstractContextManager["Connection[Any]"]:
        """Opens the server's own database, and starts nothing for it."""
        return Address.opened(self._address, "postgres", program=_PROGRAM)

    def _name(self) -> str:
        name = str(self._address.parts().get("dbname") or "")
        if not name or name in _SERVERS_OWN:
            raise InputError(
                f"database {name!r}",
                wanted="a database of the system under test, by its name",
                mend="write postgresql://USER@HOST/DATABASE; "
                f"{', '.join(_SERVERS_OWN)} belong to the server",
                where="study.yaml: field 'state'",
                code="dangerous_state",
            )
        return name

    def _place(self, content: Path) -> str:
        """Gives the snapshot's name as a database, the same for the same run."""
        keep = content.parent.parent.resolve()
        mark = hashlib.sha256(f"{keep}|{self.target}".encode()).hexdigest()
        return f"equipoise_{mark[:24]}"

    def _copied(self, server: "Connection[Any]", source: str, target: str) -> None:
        """Makes `target` anew from `source`; may be repeated after a kill at any moment."""

        def once() -> None:
            _drop(server, target)
            _end_connections(server, source)
            server.execute(f"CREATE DATABASE {_quoted(target)} TEMPLATE {_quoted(source)}")
            copy_settings(server, source, target)

        _persist(once)

    def _digest_of(self, database: str) -> str:
        from psycopg import Error  # noqa: PLC0415  an optional package

        try:
            with self._address.opened(database, program=_PROGRAM) as connection:
                return digest(connection)
        except Error as error:
            raise Blocked(
                f"cannot read database {database!r}: {self._address.told(error)}; "
                "mend: give the role the right to read all of it"
            ) from None

    @contextmanager
    def _server(self, program: str) -> Iterator["Connection[Any]"]:
        """Opens the server's own database, and ends what a killed run of this name still does."""
        from psycopg import Error  # noqa: PLC0415  an optional package

        try:
            with self._maintenance(program) as server:
                if program != _PROGRAM:
                    server.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE application_name = %s AND pid <> pg_backend_pid()",
                        (program,),
                    )
                yield server
        except Error as error:
            raise Blocked(
                f"PostgreSQL: {self._address.told(error)}; "
                "mend: the role must own the database and have the right CREATEDB"
            ) from None

    @contextmanager
    def _maintenance(self, program: str) -> Iterator["Connection[Any]"]:
        first, second = ("postgres", "template1")
        try:
            opened = self._address.opened(first, program=program)
            server = opened.__enter__()
        except Unreachable:
            opened = self._address.opened(second, program=program)
            server = opened.__enter__()
        try:
            yield server
        finally:
            opened.__exit__(None, None, None)


class _OwnDatabase(_Database):
    """The database of the study's own server, which holds what its file says when that starts.

    The server ends with the process that started it, and the snapshot with it: after a kill both
    are made anew from the file.
    """

    def __init__(self, address: Embedded, root: Path) -> None:
        super().__init__(address, root)
        self._own = address

    def put_back(self, content: Path, taken: Snapshot) -> None:
        with self._server(taken.place) as server:
            is_there = _exists(server, taken.place)
            if not is_there:
                self._own.renew()
                self._copied(server, self._name(), taken.place)
        super().put_back(content, taken)


def _persist(once: Callable[[], None]) -> None:
    """Does it again for a while when another connection gets in between."""
    from psycopg import errors  # noqa: PLC0415  an optional package

    passing = (errors.ObjectInUse, errors.DuplicateDatabase, errors.UniqueViolation)
    end = time.monotonic() + _WAIT_S
    while True:
        try:
            once()
        except passing:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
        else:
            return


def _drop(server: "Connection[Any]", name: str) -> None:
    _end_connections(server, name)
    server.execute(f"DROP DATABASE IF EXISTS {_quoted(name)}")


def _end_connections(server: "Connection[Any]", name: str) -> None:
    server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = %s AND pid <> pg_backend_pid()",
        (name,),
    )


def _exists(server: "Connection[Any]", name: str) -> bool:
    """Tells whether it is there and sound: a drop cut off in the middle leaves an invalid one."""
    query = "SELECT 1 FROM pg_database WHERE datname = %s AND datconnlimit <> -2"
    return server.execute(query, (name,)).fetchone() is not None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
