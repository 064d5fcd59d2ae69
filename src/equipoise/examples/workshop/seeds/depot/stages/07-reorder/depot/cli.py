"""The command line."""

import argparse
import datetime
import json
import sys

from depot import events, labels, orders, prices, reorder, reservations, shipments, stock
from depot.db import connect, transaction


def parser():
    root = argparse.ArgumentParser(prog="depot")
    root.add_argument("--db", default="depot.sqlite")
    sub = root.add_subparsers(dest="command", required=True)

    p = sub.add_parser("receive", help="goods came in")
    p.add_argument("sku")
    p.add_argument("quantity", type=int)
    p.add_argument("--bin", default="A")

    sub.add_parser("stock", help="what is there, and what of it is free")

    p = sub.add_parser("order", help="a new order: depot order ann bolt=5 nut=2")
    p.add_argument("customer")
    p.add_argument("line", nargs="+")

    for name in ("reserve", "pick", "ship", "cancel"):
        p = sub.add_parser(name)
        p.add_argument("number", type=int)

    p = sub.add_parser("list", help="what is in an order")
    p.add_argument("number", type=int)

    p = sub.add_parser("label")
    p.add_argument("number", type=int)
    p.add_argument("address")

    p = sub.add_parser("price")
    p.add_argument("sku")
    p.add_argument("cents", type=int)
    p.add_argument("--from", dest="from_quantity", type=int, default=1)

    p = sub.add_parser("quote", help="what an order costs")
    p.add_argument("number", type=int)
    p.add_argument("--discount", type=int, default=0)
    p.add_argument("--tax", type=int, default=0)

    p = sub.add_parser("reorder", help="what to order again")
    p.add_argument("--pack", type=int, default=1)

    p = sub.add_parser("events", help="what happened, a JSON object a line")
    p.add_argument("--since", type=int, default=0)
    return root


def main(argv=None, out=None, now=None):
    out = out or sys.stdout
    now = now or datetime.datetime.now(datetime.timezone.utc)
    args = parser().parse_args(argv)
    db = connect(args.db)
    try:
        return COMMANDS[args.command](db, args, out, now)
    except (stock.NotEnough, orders.WrongState, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    except (orders.NoOrder, prices.NoPrice) as error:
        print("not known: %s" % error.args[0], file=sys.stderr)
        return 1
    finally:
        db.close()


def receive(db, args, out, now):
    with transaction(db):
        stock.receive(db, args.sku, args.quantity, args.bin)
        events.record(db, "received", now, sku=args.sku, quantity=args.quantity)
    return 0


def show_stock(db, args, out, now):
    for sku, n in stock.listing(db):
        print(f"{sku}\t{n}\t{reservations.available(db, sku, now)}", file=out)
    return 0


def order(db, args, out, now):
    lines = []
    for text in args.line:
        sku, _, quantity = text.partition("=")
        lines.append((sku, int(quantity or 1)))
    with transaction(db):
        number = orders.create(db, args.customer, lines, now=now)
        events.record(db, "ordered", now, number=number)
    print(number, file=out)
    return 0


def step(kind, act):
    def run(db, args, out, now):
        with transaction(db):
            act(db, args.number, now)
            events.record(db, kind, now, number=args.number)
        return 0

    return run


def list_order(db, args, out, now):
    found = shipments.packing_list(db, args.number)
    if found:
        for bin, sku, n in found:
            print(f"{bin}\t{sku}\t{n}", file=out)
    else:
        for sku, n in orders.lines(db, args.number).items():
            print(f"-\t{sku}\t{n}", file=out)
    return 0


def label(db, args, out, now):
    found = orders.get(db, args.number)
    print(labels.label(found["customer"], args.number, args.address), file=out)
    return 0


def price(db, args, out, now):
    prices.set_price(db, args.sku, args.cents, args.from_quantity)
    return 0


def quote(db, args, out, now):
    found = prices.total(db, orders.lines(db, args.number), args.discount, args.tax)
    print(json.dumps(found), file=out)
    return 0


def show_reorder(db, args, out, now):
    for sku, n in reorder.proposal(db, now, pack=args.pack).items():
        print(f"{sku}\t{n}", file=out)
    return 0


def show_events(db, args, out, now):
    for event in events.since(db, args.since, limit=1000):
        print(json.dumps(event, sort_keys=True), file=out)
    return 0


COMMANDS = {
    "receive": receive,
    "stock": show_stock,
    "order": order,
    "reserve": step("reserved", lambda db, number, now: reservations.reserve(db, number, now)),
    "pick": step("picked", lambda db, number, now: shipments.pick(db, number, now)),
    "ship": step("shipped", lambda db, number, now: shipments.ship(db, number)),
    "cancel": step("cancelled", lambda db, number, now: shipments.cancel(db, number)),
    "list": list_order,
    "label": label,
    "price": price,
    "quote": quote,
    "reorder": show_reorder,
    "events": show_events,
}
