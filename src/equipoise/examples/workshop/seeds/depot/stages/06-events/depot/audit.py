"""Looks for what cannot be: python -m depot.audit depot.sqlite."""

import sys

from depot import orders
from depot.db import connect


def faults(db):
    """Yields a text for each thing in the database that contradicts another one."""
    yield from _held_for_the_wrong()
    for number, state in db.execute("select number, state from orders order by number").fetchall():
        picked = db.execute(
            "select sku, sum(quantity) from shipment_line where number = ? group by sku", (number,)
        ).fetchall()
        there = {sku: n for sku, n in picked}
        wanted = orders.lines(db, number)
        if state in (orders.PICKED, orders.SHIPPED) and there != wanted:
            yield "order %d is %s with %r of %r" % (number, state, there, wanted)
        if state in (orders.OPEN, orders.CANCELLED) and there:
            yield "order %d is %s and has %r picked" % (number, state, there)


def _held_for_the_wrong():
    # TODO: reservations of orders that are not open any more; Lena says it happens
    return []


def main(argv=None):
    path = (argv or sys.argv[1:])[0]
    db = connect(path)
    n = 0
    for text in faults(db):
        print(text)
        n += 1
    return 1 if n else 0


if __name__ == "__main__":
    raise SystemExit(main())
