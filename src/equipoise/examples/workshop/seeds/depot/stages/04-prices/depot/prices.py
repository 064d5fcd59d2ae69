"""What things cost: a price for each quantity from which it holds, discounts, tax."""


class NoPrice(KeyError):
    pass


def set_price(db, sku, cents, from_quantity=1):
    with_product(db, sku)
    db.execute("insert or replace into price (sku, from_quantity, cents) values (?, ?, ?)", (sku, from_quantity, cents))


def with_product(db, sku):
    db.execute("insert or ignore into product (sku) values (?)", (sku,))


def unit_price(db, sku, quantity):
    """Gives the cents a piece costs when so many are bought."""
    row = db.execute(
        "select cents from price where sku = ? and from_quantity <= ?"
        " order by from_quantity desc limit 1",
        (sku, quantity),
    ).fetchone()
    if row is None:
        raise NoPrice(sku)
    return row["cents"]


def share(cents, percent):
    """Gives so many per cent of an amount, half a cent up."""
    return (cents * percent * 2 + 100) // 200


def total(db, lines, discount=0, tax=0):
    """Gives net, tax and gross of lines {sku: quantity}; the discount is taken from the whole.

    The tax is reckoned once, from the discounted sum: sums of rounded taxes would be another sum.
    """
    net = sum(unit_price(db, sku, quantity) * quantity for sku, quantity in lines.items())
    net -= share(net, discount)
    taxed = share(net, tax)
    return {"net": net, "tax": taxed, "gross": net + taxed}
