"""What to order again, from how fast it goes."""

import datetime
import math

from depot import reservations

DAY = datetime.timedelta(days=1)


def demand(db, sku, now, days=28):
    """Gives how many left a day, on average over the last days."""
    since = reservations.stamp(now - days * DAY)
    row = db.execute(
        "select sum(quantity) from shipment_line where sku = ? and shipped_at >= ?", (sku, since)
    ).fetchone()
    return (row[0] or 0) / days


def proposal(db, now, lead_days=7, safety_days=3, pack=1):
    """Gives sku -> how many to order, in whole packs, for all that would run out.

    What is available has to last for the lead time and a safety margin on top.
    """
    found = {}
    for (sku,) in db.execute("select sku from product order by sku").fetchall():
        need = demand(db, sku, now) * (lead_days + safety_days)
        lacking = need - reservations.available(db, sku, now)
        if lacking > 0:
            found[sku] = math.ceil(lacking / pack) * pack
    return found
