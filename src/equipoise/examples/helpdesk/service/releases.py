"""The two releases of the service; all in which they differ stands in this file."""

import re
from collections.abc import Callable
from dataclasses import dataclass

_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)*)\s?(?:€|eur|руб)", re.IGNORECASE)
_FULL_NUMBER = re.compile(r"\b\d{4}-\d{6}\b")
_SHORT_NUMBER = re.compile(r"[#№]\s?(\d{4,6})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """How one release reads an amount of money and finds the invoice a customer means."""

    number: int
    read_amount: Callable[[str], int | None]
    """Text to cents; None when no amount is named. The last amount named is taken."""
    find_invoice: Callable[[str, tuple[str, ...]], str]
    """Text and the customer's invoice numbers, newest first (at least one), to a number."""


def release(number: int) -> Release:
    """The release with this number, 1 or 2."""
    if number == 1:
        return Release(number=1, read_amount=_comma_or_point, find_invoice=_by_full_number)
    return Release(number=2, read_amount=_comma_groups, find_invoice=_by_any_number)


def _comma_or_point(text: str) -> int | None:
    """Release 1: a comma and a point both begin the cents, ``12,50`` is twelve and a half."""
    return _cents(text, lambda number: number.replace(",", "."))


def _comma_groups(text: str) -> int | None:
    """Release 2, THE PLANTED REGRESSION: a comma groups thousands, ``12,50`` becomes 1250."""
    return _cents(text, lambda number: number.replace(",", ""))


def _by_full_number(text: str, invoices: tuple[str, ...]) -> str:
    """Release 1: a full number is found; for anything else the newest invoice is taken."""
    named = [number for number in _FULL_NUMBER.findall(text) if number in invoices]
    return named[0] if named else invoices[0]


def _by_any_number(text: str, invoices: tuple[str, ...]) -> str:
    """Release 2, THE PLANTED IMPROVEMENT: a short number such as ``#4711`` is found as well."""
    for short in _SHORT_NUMBER.findall(text):
        for number in invoices:
            if int(number.partition("-")[2]) == int(short):
                return number
    return _by_full_number(text, invoices)


def _cents(text: str, plain: Callable[[str], str]) -> int | None:
    named = _AMOUNT.findall(text)
    if not named:
        return None
    whole, _, rest = plain(named[-1]).partition(".")
    return int(whole) * 100 + int((rest + "00")[:2])
