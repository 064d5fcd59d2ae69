"""The command line."""

import argparse
import datetime
import sys

from tally import bank_csv, money, old_import, tables
from tally.budget import Budget
from tally.dates import Period
from tally.journal import Journal
from tally.recurring import Rule, Rules
from tally.report import Report
from tally.search import BadQuery, Index
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

    find = commands.add_parser("find", help="find entries: words, #tags, >5, <20, -without")
    find.add_argument("query", nargs="+")

    commands.add_parser("undo", help="take the last act back")

    rent = commands.add_parser("repeat", help="an entry that comes every month")
    rent.add_argument("name")
    rent.add_argument("amount")
    rent.add_argument("--first", type=datetime.date.fromisoformat, required=True)
    rent.add_argument("--every", type=int, default=1)
    rent.add_argument("--tag", action="append", default=[])

    commands.add_parser("post", help="add what is due of the repeated entries")

    budget = commands.add_parser("budget", help="what is left of a limit this month")
    budget.add_argument("tag")
    budget.add_argument("limit")

    take = commands.add_parser("import", help="take in the export of a bank")
    take.add_argument("csv")
    take.add_argument("--old", action="store_true", help=argparse.SUPPRESS)
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
    journal(args).added(entry)
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
        journal(args).removed(store.remove(args.id))
    except KeyError:
        print("no entry %d" % args.id, file=sys.stderr)
        return 1
    print("removed %d" % args.id, file=out)
    return 0


def do_find(args, store, out, today):
    try:
        found = Index(store.entries).find(" ".join(args.query))
    except BadQuery as error:
        print(error, file=sys.stderr)
        return 2
    for entry in found:
        print(line(entry), file=out)
    return 0 if found else 1


def do_undo(args, store, out, today):
    told = journal(args).undo(store)
    print(told or "nothing to undo", file=out)
    return 0 if told else 1


def do_repeat(args, store, out, today):
    try:
        rule = Rule(args.name, args.first, money.parse(args.amount), args.every, args.tag)
        Rules(args.file + ".rules").add(rule)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    print("from %s every %d months" % (rule.first, rule.every), file=out)
    return 0


def do_post(args, store, out, today):
    added = Rules(args.file + ".rules").post(store, today)
    print("added %d" % len(added), file=out)
    return 0


def do_budget(args, store, out, today):
    budget = Budget({args.tag: money.parse(args.limit)})
    left = budget.left(Report(store), args.tag, today.year, today.month)
    print(money.show(left), file=out)
    return 0


def do_import(args, store, out, today):
    if args.old:
        print("added %d" % old_import.importOld(args.csv, store), file=out)
        return 0
    try:
        with open(args.csv, encoding="utf-8-sig", newline="") as file:
            added, known = bank_csv.take_in(store, file)
    except (bank_csv.BadRow, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print("added %d, known %d" % (added, known), file=out)
    return 0


def journal(args):
    return Journal(args.file + ".journal")


COMMANDS = {
    "add": do_add,
    "list": do_list,
    "total": do_total,
    "by": do_by,
    "remove": do_remove,
    "find": do_find,
    "undo": do_undo,
    "repeat": do_repeat,
    "post": do_post,
    "budget": do_budget,
    "import": do_import,
}


def line(entry):
    tags = " ".join("#" + tag for tag in entry.tags)
    return ("%4d  %s  %10s  %s %s" % (entry.id, entry.day, money.show(entry.cents), entry.text, tags)).rstrip()
