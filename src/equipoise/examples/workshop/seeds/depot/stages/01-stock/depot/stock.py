"""What lies where."""

from depot.db import transaction


class NotEnough(Exception):
    """There is less than was asked for."""

    def __init__(self, sku, wanted, there):
        super().__init__("%s: wanted %d, there are %d" % (sku, wanted, there))
        self.sku = sku
        self.wanted = wanted
        self.there = there


def receive(db, sku, quantity, bin="A"):
    """Puts goods that came in into a bin."""
    if quantity <= 0:
        raise ValueError("a quantity of %r" % quantity)
    with transaction(db):
        db.execute("insert or ignore into product (sku) values (?)", (sku,))
        db.execute(
            "insert into stock (sku, bin, quantity) values (?, ?, ?)"
            " on conflict (sku, bin) do update set quantity = quantity + excluded.quantity",
            (sku, bin, quantity),
        )


def on_hand(db, sku):
    """Gives how many lie in all bins together."""
    row = db.execute("select sum(quantity) from stock where sku = ?", (sku,)).fetchone()
    return row[0] or 0


def take(db, sku, quantity):
    """Takes goods out, from the fullest bins first; gives bin -> how many.

    Nothing is taken where there is not enough.
    """
    there = on_hand(db, sku)
    if there < quantity:
        raise NotEnough(sku, quantity, there)
    taken = {}
    with transaction(db):
        rows = db.execute(
            "select bin, quantity from stock where sku = ? and quantity > 0"
            " order by quantity desc, bin",
            (sku,),
        ).fetchall()
        for row in rows:
            if not quantity:
                break
            n = min(quantity, row["quantity"])
            db.execute(
                "update stock set quantity = quantity - ? where sku = ? and bin = ?",
                (n, sku, row["bin"]),
            )
            taken[row["bin"]] = n
            quantity -= n
    return taken


def listing(db):
    """Gives (sku, quantity) of everything that was ever received."""
    rows = db.execute("select sku, sum(quantity) as n from stock group by sku order by sku")
    return [(row["sku"], row["n"]) for row in rows]
