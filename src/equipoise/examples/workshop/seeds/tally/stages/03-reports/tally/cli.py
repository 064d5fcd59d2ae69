"""The command line."""

import argparse
import datetime
import sys

from tally import money, tables
from tally.dates import Period
from tally.report import Report
from tally.store import Store


def period(text):
    try:
        return Period.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error))


def build_parser():
    parser = argparse.ArgumentParser(prog="tally")
    parser.add_argument("--file", default="tally.jsonl")
    commands = parser.add_subparsers(dest="command", required=True)

    add = commands.add_parser("add", help="add an entry")
    add.add_argument("amount")
    add.add_argument("text")
    add.add_argument("--tag", action="append", default=[])
    add.add_argument("--day", type=datetime.date.fromisoformat)

    show = commands.add_parser("list", help="list entries")
    show.add_argument("--period", type=period)

    total = commands.add_parser("total", help="the sum of entries")
    total.add_argument("--period", type=period)

    by = commands.add_parser("by", help="sums by tag or month")
    by.add_argument("what", choices=["tag", "month"])
    by.add_argument("--period", type=period)

    remove = commands.add_parser("remove", help="remove an entry")
    remove.add_argument("id", type=int)
    return parser


def main(argv=None, out=None, today=None):
    out = out or sys.stdout
    today = today or datetime.date.today()
    args = build_parser().parse_args(argv)
    store = Store(args.file)
    return COMMANDS[args.command](args, store, out, today)


def do_add(args, store, out, today):
    try:
        cents = money.parse(args.amount)
    except money.BadAmount as error:
        print(error, file=sys.stderr)
        return 2
    entry = store.add(args.day or today, cents, args.text, args.tag)
    print("added %d" % entry.id, file=out)
    return 0


def do_list(args, store, out, today):
    for entry in Report(store).entries(args.period):
        print(line(entry), file=out)
    return 0


def do_total(args, store, out, today):
    print(money.show(Report(store).total(args.period)), file=out)
    return 0


def do_by(args, store, out, today):
    report = Report(store)
    sums = report.by_tag(args.period) if args.what == "tag" else report.by_month(args.period)
    rows = [(name or "(none)", money.show(cents)) for name, cents in sums.items()]
    print(tables.draw(rows, header=(args.what, "sum")), file=out)
    return 0


def do_remove(args, store, out, today):
    try:
        store.remove(args.id)
    except KeyError:
        print("no entry %d" % args.id, file=sys.stderr)
        return 1
    print("removed %d" % args.id, file=out)
    return 0


COMMANDS = {
    "add": do_add,
    "list": do_list,
    "total": do_total,
    "by": do_by,
    "remove": do_remove,
}


def line(entry):
    tags = " ".join("#" + tag for tag in entry.tags)
    return ("%4d  %s  %10s  %s %s" % (entry.id, entry.day, money.show(entry.cents), entry.text, tags)).rstrip()
