"""Picking, shipping, taking back."""

from depot import orders, reservations, stock
from depot.db import transaction


def pick(db, number, now):
    """Takes the goods of an order out of their bins. All of them, or nothing is done."""
    with transaction(db):
        orders.move(db, number, [orders.OPEN], orders.PICKED)
        for sku, quantity in orders.lines(db, number).items():
            there = reservations.available(db, sku, now, besides=number)
            if there < quantity:
                raise stock.NotEnough(sku, quantity, there)
            for bin, n in stock.take(db, sku, quantity).items():
                db.execute(
                    "insert into shipment_line (number, sku, bin, quantity, shipped_at)"
                    " values (?, ?, ?, ?, ?)",
                    (number, sku, bin, n, reservations.stamp(now)),
                )
        reservations.release(db, number)


def ship(db, number):
    orders.move(db, number, [orders.PICKED], orders.SHIPPED)


def cancel(db, number):
    """Cancels an order that has not left; what was picked goes back to where it came from."""
    with transaction(db):
        orders.move(db, number, [orders.OPEN, orders.PICKED], orders.CANCELLED)
        rows = db.execute(
            "select sku, bin, quantity from shipment_line where number = ?", (number,)
        ).fetchall()
        for row in rows:
            stock.receive(db, row["sku"], row["quantity"], bin=row["bin"])
        db.execute("delete from shipment_line where number = ?", (number,))
        reservations.release(db, number)


def packing_list(db, number):
    """Gives (bin, sku, quantity) in the order in which a picker walks: bin by bin."""
    rows = db.execute(
        "select bin, sku, quantity from shipment_line where number = ? order by bin, sku", (number,)
    )
    return [tuple(row) for row in rows]
