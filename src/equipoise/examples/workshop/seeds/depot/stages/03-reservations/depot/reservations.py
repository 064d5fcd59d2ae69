"""Goods that are held for an order, for a while."""

import datetime

from depot import orders, stock
from depot.db import transaction

HOLD = datetime.timedelta(hours=48)


def stamp(moment):
    """Gives a moment as it is stored: in UTC, so that texts compare as moments do."""
    return moment.astimezone(datetime.timezone.utc).isoformat(timespec="seconds")


def held(db, sku, now, besides=None):
    """Gives how many are held for orders, but for one of them."""
    row = db.execute(
        "select sum(quantity) from reservation where sku = ? and until > ? and number is not ?",
        (sku, stamp(now), besides),
    ).fetchone()
    return row[0] or 0


def available(db, sku, now, besides=None):
    """Gives how many are there and held for nobody."""
    return max(0, stock.on_hand(db, sku) - held(db, sku, now, besides))


def reserve(db, number, now, hold=HOLD):
    """Holds all lines of an order, or none of them."""
    with transaction(db):
        if orders.get(db, number)["state"] != orders.OPEN:
            raise orders.WrongState("order %d is not open" % number)
        db.execute("delete from reservation where number = ?", (number,))
        for sku, quantity in orders.lines(db, number).items():
            there = available(db, sku, now)
            if there < quantity:
                raise stock.NotEnough(sku, quantity, there)
            db.execute(
                "insert into reservation (number, sku, quantity, until) values (?, ?, ?, ?)",
                (number, sku, quantity, stamp(now + hold)),
            )


def release(db, number):
    db.execute("delete from reservation where number = ?", (number,))


def expire(db, now):
    """Forgets what is over; gives the numbers of the orders it was held for."""
    with transaction(db):
        rows = db.execute(
            "select distinct number from reservation where until <= ? order by number",
            (stamp(now),),
        ).fetchall()
        db.execute("delete from reservation where until <= ?", (stamp(now),))
    return [row["number"] for row in rows]
