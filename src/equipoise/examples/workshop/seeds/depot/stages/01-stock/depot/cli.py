"""The command line."""

import argparse
import sys

from depot import stock
from depot.db import connect


def main(argv=None, out=sys.stdout):
    parser = argparse.ArgumentParser(prog="depot")
    parser.add_argument("--db", default="depot.sqlite")
    sub = parser.add_subparsers(dest="command", required=True)
    p = sub.add_parser("receive")
    p.add_argument("sku")
    p.add_argument("quantity", type=int)
    p.add_argument("--bin", default="A")
    sub.add_parser("stock")
    args = parser.parse_args(argv)
    db = connect(args.db)
    if args.command == "receive":
        stock.receive(db, args.sku, args.quantity, args.bin)
    for sku, n in stock.listing(db):
        print(f"{sku}\t{n}", file=out)
    return 0
