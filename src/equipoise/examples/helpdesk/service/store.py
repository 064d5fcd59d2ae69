"""The SQLite store: customers, orders and invoices; what the tools did; the tickets."""

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SCHEMA = """
CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL);
CREATE TABLE orders (
    id TEXT PRIMARY KEY, customer TEXT NOT NULL, product TEXT NOT NULL,
    total_cents INTEGER NOT NULL, currency TEXT NOT NULL,
    first_date TEXT NOT NULL, due_date TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'sent');
CREATE TABLE invoices (
    id TEXT PRIMARY KEY, customer TEXT NOT NULL, issued TEXT NOT NULL);
CREATE TABLE actions (
    conversation TEXT NOT NULL, tool TEXT NOT NULL, subject TEXT NOT NULL, amount_cents INTEGER,
    PRIMARY KEY (conversation, tool));
CREATE TABLE tickets (
    id TEXT PRIMARY KEY, conversation TEXT NOT NULL UNIQUE, intent TEXT NOT NULL);
CREATE TABLE tries (trace TEXT PRIMARY KEY, conversation TEXT NOT NULL);
CREATE INDEX orders_of ON orders (customer);
CREATE INDEX invoices_of ON invoices (customer);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One order; ``first_date`` was promised first, ``due_date`` is what holds now."""

    id: str
    product: str
    total_cents: int
    currency: str
    first_date: str
    due_date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """One invented customer with orders and invoices, each newest first."""

    id: str
    name: str
    email: str
    orders: tuple[Order, ...]
    invoices: tuple[tuple[str, str], ...]
    """Number and day of issue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What a tool was asked to do: which tool, on what, for how much (None: not about money)."""

    tool: str
    subject: str
    amount_cents: int | None = None


class Store:
    """One connection, used by one thread at a time; every write is committed at once."""

    def __init__(self, path: Path) -> None:
        """Opens the file, which :func:`create` has made."""
        self._lock = threading.Lock()
        self._link = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._link.execute("PRAGMA journal_mode=WAL")
        self._link.execute("PRAGMA synchronous=NORMAL")

    def customer(self, customer: str) -> Customer | None:
        """The customer with orders and invoices, newest first; None when there is none."""
        known = self._rows("SELECT id, name, email FROM customers WHERE id = ?", customer)
        if not known:
            return None
        orders = self._rows(
            "SELECT id, product, total_cents, currency, first_date, due_date"
            " FROM orders WHERE customer = ? ORDER BY id DESC",
            customer,
        )
        invoices = self._rows(
            "SELECT id, issued FROM invoices WHERE customer = ? ORDER BY issued DESC", customer
        )
        names = ("id", "product", "total_cents", "currency", "first_date", "due_date")
        return Customer(
            id=known[0][0],
            name=known[0][1],
            email=known[0][2],
            orders=tuple(Order(**dict(zip(names, row, strict=True))) for row in orders),
            invoices=tuple((row[0], row[1]) for row in invoices),
        )

    def note_try(self, trace: str, conversation: str) -> None:
        """Notes to which conversation a try belongs."""
        self._rows("INSERT OR IGNORE INTO tries VALUES (?, ?)", trace, conversation)

    def act(self, conversation: str, action: Action) -> None:
        """Carries the action out, once per conversation and tool: asking again changes nothing."""
        self._rows(
            "INSERT OR IGNORE INTO actions VALUES (?, ?, ?, ?)",
            conversation,
            action.tool,
            action.subject,
            action.amount_cents,
        )
        if action.tool == "cancel_order":
            self._rows("UPDATE orders SET state = 'cancelled' WHERE id = ?", action.subject)

    def open_ticket(self, ticket: str, conversation: str, intent: str) -> None:
        """Files the ticket, once per conversation."""
        self._rows("INSERT OR IGNORE INTO tickets VALUES (?, ?, ?)", ticket, conversation, intent)

    def actions(self) -> dict[str, list[Action]]:
        """All that the tools did, by conversation."""
        done: dict[str, list[Action]] = {}
        for conversation, tool, subject, amount_cents in self._rows("SELECT * FROM actions"):
            action = Action(tool=tool, subject=subject, amount_cents=amount_cents)
            done.setdefault(conversation, []).append(action)
        return done

    def ticketed(self) -> set[str]:
        """The conversations that have a ticket."""
        return {row[0] for row in self._rows("SELECT conversation FROM tickets")}

    def close(self) -> None:
        """Closes the connection."""
        with self._lock:
            self._link.close()

    def _rows(self, statement: str, *values: object) -> Sequence[tuple[Any, ...]]:
        with self._lock:
            return self._link.execute(statement, values).fetchall()


def create(path: Path, customers: Iterable[Customer]) -> None:
    """Makes a new store that holds these customers and nothing that has happened."""
    link = sqlite3.connect(path)
    link.execute("PRAGMA journal_mode=WAL")
    with link:
        link.executescript(_SCHEMA)
        for one in customers:
            link.execute("INSERT INTO customers VALUES (?, ?, ?)", (one.id, one.name, one.email))
            link.executemany(
                "INSERT INTO orders (id, customer, product, total_cents, currency, first_date,"
                " due_date) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (o.id, one.id, o.product, o.total_cents, o.currency, o.first_date, o.due_date)
                    for o in one.orders
                ],
            )
            link.executemany(
                "INSERT INTO invoices VALUES (?, ?, ?)",
                [(number, one.id, issued) for number, issued in one.invoices],
            )
    link.close()
