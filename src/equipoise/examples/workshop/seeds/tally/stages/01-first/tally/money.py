"""Amounts of money as whole cents."""

import re

_AMOUNT = re.compile(r"(?P<sign>-?)(?P<whole>\d{1,12})(?:[.,](?P<part>\d{1,2}))?")


class BadAmount(ValueError):
    """The text is no amount of money."""


def parse(text):
    """Gives cents for "4", "4.2", "4,20" or "-4.20"."""
    match = _AMOUNT.fullmatch(text.strip())
    if not match:
        raise BadAmount("no amount: %r" % text)
    cents = int(match["whole"]) * 100 + int((match["part"] or "0").ljust(2, "0"))
    return -cents if match["sign"] else cents


def show(cents):
    """Gives "4.20" for 420."""
    sign = "-" if cents < 0 else ""
    whole, part = divmod(abs(cents), 100)
    return "%s%d.%02d" % (sign, whole, part)
