"""The database: one file, opened once per command."""

import sqlite3
from contextlib import contextmanager

SCHEMA = [
    """
    create table product (
        sku text primary key,
        title text not null default ''
    )
    """,
    """
    create table stock (
        sku text not null references product (sku),
        bin text not null default 'A',
        quantity integer not null check (quantity >= 0),
        primary key (sku, bin)
    )
    """,
    """
    create table orders (
        number integer primary key,
        customer text not null,
        state text not null,
        created_at text not null
    )
    """,
    """
    create table order_line (
        number integer not null references orders (number),
        sku text not null references product (sku),
        quantity integer not null check (quantity > 0),
        primary key (number, sku)
    )
    """,
    """
    create table reservation (
        number integer not null references orders (number),
        sku text not null references product (sku),
        quantity integer not null check (quantity > 0),
        until text not null,
        primary key (number, sku)
    )
    """,
    """
    create table price (
        sku text not null references product (sku),
        from_quantity integer not null check (from_quantity >= 1),
        cents integer not null check (cents >= 0),
        primary key (sku, from_quantity)
    )
    """,
    """
    create table shipment_line (
        number integer not null references orders (number),
        sku text not null,
        bin text not null,
        quantity integer not null check (quantity > 0),
        shipped_at text not null
    )
    """,
    """
    create table event (
        id integer primary key,
        at text not null,
        kind text not null,
        number integer,
        body text not null
    )
    """,
]


def connect(path):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("pragma foreign_keys = on")
    migrate(connection)
    return connection


def migrate(connection):
    """Applies the steps of SCHEMA that this file has not seen yet."""
    done = connection.execute("pragma user_version").fetchone()[0]
    for number, statement in enumerate(SCHEMA[done:], start=done + 1):
        with transaction(connection):
            connection.execute(statement)
            connection.execute("pragma user_version = %d" % number)


@contextmanager
def transaction(connection):
    """All or nothing; inside another one it is a part of it."""
    if connection.in_transaction:
        yield connection
        return
    connection.execute("begin immediate")
    try:
        yield connection
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")
