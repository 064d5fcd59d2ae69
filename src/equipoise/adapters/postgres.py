"""PostgreSQL as the state and the probes reach it: a connection, and errors without secrets."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from equipoise.errors import Blocked, InputError

if TYPE_CHECKING:
    from psycopg import Connection

_FROM_ENVIRONMENT = "env:"
_PASSWORD = re.compile(
    r"://[^/@]*:[^/@]*@|\bpassword\s*=|\bpassfile\s*=|[?&]password=", re.IGNORECASE
)
_CONNECT_S = 5


class Unreachable(Blocked):
    """There is no such server or database, or it lets nobody in; the message holds no secret."""


class Address:
    """Where a database is: a connection string without a password, or ``env:NAME`` of one.

    The password comes from the variable, from ``PGPASSWORD``, from ``~/.pgpass`` or a service file,
    and is in no record and no message.
    """

    def __init__(self, text: str, *, where: str) -> None:
        """Takes the text as the study wrote it.

        Raises:
            InputError: the text holds a password, or is empty.
        """
        self.text = text
        if not text.strip() or text.strip() == _FROM_ENVIRONMENT:
            raise InputError(
                "no address of a database",
                wanted="postgresql://USER@HOST/DATABASE, or env:NAME",
                where=where,
                code="database_address",
            )
        if _PASSWORD.search(text):
            raise InputError(
                "a password in the address of a database",
                wanted="postgresql://USER@HOST/DATABASE without a password, for plans are shown",
                mend="name a variable that holds the whole address, env:NAME, "
                "or set PGPASSWORD or ~/.pgpass",
                where=where,
                code="password_in_plan",
            )

    def parts(self) -> dict[str, Any]:
        """Gives the parts of the address, with the password if it has one.

        Raises:
            Unreachable: psycopg is not installed, the variable is not set, or it holds no address.
        """
        text = self.text
        if text.startswith(_FROM_ENVIRONMENT):
            name = text.removeprefix(_FROM_ENVIRONMENT)
            text = os.environ.get(name, "")
            if not text:
                raise Unreachable(f"the variable {name} is not set; mend: let it hold the address")
        try:
            from psycopg import ProgrammingError, conninfo  # noqa: PLC0415  an optional package
        except ImportError:
            raise Unreachable(
                "psycopg is not installed; mend: pip install 'equipoise[postgres]'"
            ) from None
        try:
            return dict(conninfo.conninfo_to_dict(text))
        except ProgrammingError:
            raise Unreachable(
                f"what {self.text if text != self.text else 'the study'} gives is no address of a "
                "database; mend: write postgresql://USER@HOST/DATABASE"
            ) from None

    @contextmanager
    def opened(self, database: str | None = None, *, program: str) -> Iterator["Connection[Any]"]:
        """Opens a connection that commits each statement by itself.

        Args:
            database: another database of the same server.
            program: what the server shows the connection as.

        Raises:
            Unreachable: nothing answers, or it lets nobody in.
        """
        parts = self.parts()
        from psycopg import Error, OperationalError, connect  # noqa: PLC0415  an optional package

        parts |= {"application_name": program, "connect_timeout": _CONNECT_S}
        if database is not None:
            parts["dbname"] = database
        try:
            connection = connect(**parts, autocommit=True)
        except (OperationalError, Error) as error:
            raise Unreachable(f"PostgreSQL: {self.told(error, parts)}") from None
        with connection:
            yield connection

    def told(self, error: BaseException, parts: dict[str, Any] | None = None) -> str:
        """Gives what an error says in one line, without the password."""
        text = " ".join(str(error).split())
        secrets = {str((parts or {}).get("password") or ""), os.environ.get("PGPASSWORD", "")}
        for secret in secrets - {""}:
            text = text.replace(secret, "***")
        return text
