"""Takes in what banks export: CSV with a header line."""

import csv
import datetime

from tally import money

DAY = ("date", "booking date", "day")
AMOUNT = ("amount", "sum")
TEXT = ("text", "purpose", "payee")


class BadRow(ValueError):
    """A row cannot be taken in; says its line and why."""


def read(file):
    """Yields (day, cents, text) for each row. What a bank took from the account is spent.

    A row that cannot be read stops everything: half an import is worse than none.
    """
    rows = csv.DictReader(file)
    names = {name.strip().lower(): name for name in rows.fieldnames or ()}
    day_name, amount_name, text_name = (pick(names, group) for group in (DAY, AMOUNT, TEXT))
    for row in rows:
        try:
            day = parse_day(row[day_name])
            cents = parse_amount(row[amount_name])
        except (ValueError, TypeError) as error:
            raise BadRow("line %d: %s" % (rows.line_num, error)) from None
        yield day, -cents, (row[text_name] or "").strip()


def pick(names, wanted):
    for name in wanted:
        if name in names:
            return names[name]
    raise BadRow("no column %s" % " or ".join(wanted))


def parse_day(text):
    """Reads 2024-03-01 and 01.03.2024."""
    text = text.strip()
    if "." in text:
        return datetime.datetime.strptime(text, "%d.%m.%Y").date()
    return datetime.date.fromisoformat(text)


def parse_amount(text):
    """Reads 1.234,56 and 1,234.56 and 1234.56: the last mark is the decimal one."""
    text = text.strip().replace(" ", "").replace("'", "")
    last = max(text.rfind(","), text.rfind("."))
    if last >= 0 and len(text) - last == 4:
        last = len(text)
    whole = text[:last] if last >= 0 else text
    part = text[last:] if last >= 0 else ""
    return money.parse(whole.replace(",", "").replace(".", "") + part.replace(",", "."))


def take_in(store, file):
    """Adds all rows that are not in the store yet; gives how many were added and how many known."""
    rows = list(read(file))
    known = {}
    for entry in store.entries:
        key = (entry.day, entry.cents, entry.text)
        known[key] = known.get(key, 0) + 1
    added = 0
    for row in rows:
        if known.get(row, 0) > 0:
            known[row] -= 1
            continue
        store.add(row[0], row[1], row[2], ["bank"])
        added += 1
    return added, len(rows) - added
