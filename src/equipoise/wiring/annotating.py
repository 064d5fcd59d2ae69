"""Finds the database in which a campaign keeps its answers."""

from functools import partial

from equipoise.adapters.postgres import Address
from equipoise.annotate.postgres import PostgresDatabase
from equipoise.annotate.store import Database

_PROGRAM = "equipoise annotate"


def answers_database(address: str) -> Database | None:
    """Gives the PostgreSQL database at `address`; None, for the campaign's own file, if empty.

    Raises:
        InputError: the address holds a password.
        Blocked: the server does not answer.
    """
    if not address:
        return None
    where = Address(address, where="--database")
    return PostgresDatabase(partial(where.opened, program=_PROGRAM))
