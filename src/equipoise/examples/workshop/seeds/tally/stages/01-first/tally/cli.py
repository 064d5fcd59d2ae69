"""The command line."""

import argparse
import datetime
import sys

from tally import money
from tally.store import Store


def build_parser():
    parser = argparse.ArgumentParser(prog="tally")
    parser.add_argument("--file", default="tally.jsonl")
    commands = parser.add_subparsers(dest="command", required=True)

    add = commands.add_parser("add", help="add an entry")
    add.add_argument("amount")
    add.add_argument("text")
    add.add_argument("--tag", action="append", default=[])
    add.add_argument("--day", type=datetime.date.fromisoformat)

    commands.add_parser("list", help="list all entries")
    commands.add_parser("total", help="the sum of all entries")

    remove = commands.add_parser("remove", help="remove an entry")
    remove.add_argument("id", type=int)
    return parser


def main(argv=None, out=None, today=None):
    out = out or sys.stdout
    today = today or datetime.date.today()
    args = build_parser().parse_args(argv)
    store = Store(args.file)
    if args.command == "add":
        try:
            cents = money.parse(args.amount)
        except money.BadAmount as error:
            print(error, file=sys.stderr)
            return 2
        entry = store.add(args.day or today, cents, args.text, args.tag)
        print("added %d" % entry.id, file=out)
    elif args.command == "list":
        for entry in store.entries:
            print(line(entry), file=out)
    elif args.command == "total":
        print(money.show(sum(entry.cents for entry in store.entries)), file=out)
    elif args.command == "remove":
        try:
            store.remove(args.id)
        except KeyError:
            print("no entry %d" % args.id, file=sys.stderr)
            return 1
        print("removed %d" % args.id, file=out)
    return 0


def line(entry):
    tags = " ".join("#" + tag for tag in entry.tags)
    return ("%4d  %s  %10s  %s %s" % (entry.id, entry.day, money.show(entry.cents), entry.text, tags)).rstrip()
