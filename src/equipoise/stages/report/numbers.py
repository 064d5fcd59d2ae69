"""Prints numbers: the digits an interval warrants, a true minus, never a zero that is none."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from equipoise.records.estimate import Interval

MINUS = "−"
_MOST_PLACES = 6
_FEWEST_PLACES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A value and its interval, printed with the same number of decimals."""

    value: str
    lo: str
    hi: str
    level: str

    @property
    def brackets(self) -> str:
        """Gives ``[−0.041, −0.021]``."""
        return f"[{self.lo}, {self.hi}]"


def count(n: int) -> str:
    """Gives a count with thousands separators."""
    return f"{MINUS if n < 0 else ''}{abs(n):,}"


def fixed(value: float, places: int, *, sign: bool = False) -> str:
    """Gives the value with `places` decimals; more where it would show as zero and is none.

    Below a millionth it turns to powers of ten. `sign` writes the plus as well.
    """
    if value != 0 and places < _MOST_PLACES and float(f"{value:.{places}f}") == 0:
        places = min(_MOST_PLACES, 1 - math.floor(math.log10(abs(value))))
    shown = f"{abs(value):,.{places}f}"
    if value != 0 and float(shown.replace(",", "")) == 0:
        shown = scientific(abs(value))
    if value < 0:
        return MINUS + shown
    return f"+{shown}" if sign and value > 0 else shown


def scientific(value: float) -> str:
    """Gives a positive value as ``3.1×10^−9``, with raised digits."""
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa}×10{raised}"


def places_of(width: float) -> int:
    """Gives the decimals that suit a half width: three to six.

    Two significant digits of it where it begins below 3, else one.
    """
    if width <= 0 or not math.isfinite(width):
        return _FEWEST_PLACES
    power = math.floor(math.log10(width))
    digits = 1 if width / 10.0**power >= 3 else 2
    return min(_MOST_PLACES, max(_FEWEST_PLACES, digits - 1 - power))


def span(
    value: float | None,
    interval: Interval | None,
    *,
    marks: Iterable[float] = (),
    sign: bool = True,
) -> Span:
    """Prints a value with its interval.

    Args:
        value: the estimate, or None.
        interval: its interval, or None.
        marks: margins the printed limits must stay on the right side of; decimals are added until
            each limit compares with each mark as the exact one does.
        sign: whether the plus is written (differences) or not (means).
    """
    if interval is None:
        shown = "" if value is None else fixed(value, 3, sign=sign)
        return Span(value=shown, lo="", hi="", level="")
    places = places_of((interval.hi - interval.lo) / 2)
    numbers = [interval.lo, interval.hi]
    while places < _MOST_PLACES and not _keeps(numbers, [0.0, *marks], places):
        places += 1
    return Span(
        value="" if value is None else fixed(value, places, sign=sign),
        lo=fixed(interval.lo, places, sign=sign),
        hi=fixed(interval.hi, places, sign=sign),
        level=percent(interval.level),
    )


def mean(value: float, *, width: float | None = None) -> str:
    """Gives a mean without sign, with the digits its uncertainty warrants (three without one)."""
    return fixed(value, 3 if width is None else places_of(width))


def compact(value: float, *, sign: bool = False) -> str:
    """Gives the value of one unit: three decimals, and whole numbers without any."""
    return fixed(value, 0 if value == round(value) else 3, sign=sign)


def plain(value: float) -> str:
    """Gives a figure somebody chose (a margin, a level) with all its digits and no others."""
    shown = f"{abs(value):.10f}".rstrip("0").rstrip(".")
    if value != 0 and float(shown) == 0:
        shown = scientific(abs(value))
    return MINUS + shown if value < 0 else shown


def percent(share: float) -> str:
    """Gives a share as ``95 %`` or ``99.83 %``: exact ends stay exact, others never reach them."""
    value = share * 100
    if math.isclose(value, round(value), abs_tol=1e-9):
        return f"{round(value)} %"
    places = 1
    while places < _MOST_PLACES and float(f"{value:.{places}f}") in {0.0, 100.0}:
        places += 1
    if 90 < value < 100:
        places = max(places, 2)
    shown = f"{value:.{places}f}".rstrip("0").rstrip(".")
    return f"{shown} %"


def p_value(p: float) -> str:
    """Gives ``p = 0.012``, or ``p < 0.0001``."""
    if p < 0.0001:
        return "p < 0.0001"
    return f"p = {fixed(p, 3 if p >= 0.01 else 4)}"


def quantity(value: float) -> str:
    """Gives an amount of money, tokens or time: three significant digits, whole from 1,000."""
    size = abs(value)
    if size == 0:
        return "0"
    if size >= 1000:
        return fixed(value, 0)
    return fixed(value, min(_MOST_PLACES, max(0, 2 - math.floor(math.log10(size)))))


def _keeps(numbers: list[float], marks: list[float], places: int) -> bool:
    return all(
        _order(float(f"{number:.{places}f}"), mark) == _order(number, mark)
        for number in numbers
        for mark in marks
    )


def _order(number: float, mark: float) -> int:
    return (number > mark) - (number < mark)
