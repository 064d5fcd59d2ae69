"""Orders and their lines."""

import datetime

from depot.db import transaction

OPEN, PICKED, SHIPPED, CANCELLED = "open", "picked", "shipped", "cancelled"


class NoOrder(KeyError):
    pass


class WrongState(Exception):
    """The order is not in a state in which this can be done."""


def create(db, customer, lines, now=None):
    """Makes an order; lines are (sku, quantity). The same sku twice is one line. Gives its number."""
    merged = {}
    for sku, quantity in lines:
        if quantity <= 0:
            raise ValueError("a quantity of %r" % quantity)
        merged[sku] = merged.get(sku, 0) + quantity
    if not merged:
        raise ValueError("an order without lines")
    now = now or datetime.datetime.now(datetime.timezone.utc)
    with transaction(db):
        cursor = db.execute(
            "insert into orders (customer, state, created_at) values (?, ?, ?)",
            (customer, OPEN, now.isoformat()),
        )
        number = cursor.lastrowid
        for sku, quantity in merged.items():
            db.execute("insert or ignore into product (sku) values (?)", (sku,))
            db.execute(
                "insert into order_line (number, sku, quantity) values (?, ?, ?)",
                (number, sku, quantity),
            )
    return number


def get(db, number):
    row = db.execute("select * from orders where number = ?", (number,)).fetchone()
    if row is None:
        raise NoOrder(number)
    return dict(row)


def lines(db, number):
    """Gives sku -> quantity of an order."""
    rows = db.execute("select sku, quantity from order_line where number = ? order by sku", (number,))
    return {row["sku"]: row["quantity"] for row in rows}


def move(db, number, wanted, to):
    """Brings an order from one of the wanted states into another."""
    state = get(db, number)["state"]
    if state not in wanted:
        raise WrongState("order %d is %s" % (number, state))
    db.execute("update orders set state = ? where number = ?", (to, number))


def open_orders(db):
    """Gives the numbers of open orders, the oldest first."""
    rows = db.execute("select number from orders where state = ? order by created_at, number", (OPEN,))
    return [row["number"] for row in rows]
