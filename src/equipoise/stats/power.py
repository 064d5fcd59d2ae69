"""How many units a comparison needs, and what it can report with a given number of units."""

import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from equipoise.errors import InputError

_LEAST_UNITS = 2
"""Fewer units have no spread, so no minimum may be below it."""


def least_units(spread: str | float, margin: str | float) -> int:
    """The minimum number of units per partition, ``ceil(16 s^2 / mde^2)``, never below 2.

    Computed in exact rational arithmetic on the decimal text of the numbers, since the same
    formula in doubles is one too high on some inputs (s = 0.05, mde = 0.01 gives 401, not 400).
    The 16 is Lehr's 2 (1.96 + 0.84)^2 rounded up: two independent equal arms, one comparison.

    Args:
        spread: standard deviation between units, as text or a number (its shortest decimal form).
        margin: the smallest difference one cares about (``mde``), above 0.

    Raises:
        InputError: a value is no decimal number, ``spread`` is negative or ``margin`` not above 0.

    Source: Lehr (1992), Statistics in Medicine 11, 1099-1102.

    >>> least_units("0.3", "0.05")
    576
    >>> least_units(0.05, 0.01)
    400
    """
    s = exact_number(spread, "s")
    mde = exact_number(margin, "mde")
    if s < 0:
        raise InputError(
            f"s = {spread}", wanted="a standard deviation, 0 or more", where="field 's'"
        )
    if mde <= 0:
        raise InputError(f"mde = {margin}", wanted="a margin above 0", where="field 'mde'")
    return max(_LEAST_UNITS, math.ceil(16 * s * s / (mde * mde)))


def exact_number(given: str | float | Decimal, name: str) -> Fraction:
    """A decimal text, or a number by its shortest decimal form, as an exact fraction.

    >>> exact_number("0.1", "mde")
    Fraction(1, 10)
    """
    try:
        number = Decimal(str(given).strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or abs(number.adjusted()) > 400:
        raise InputError(f"{name} = {given!r}", wanted="a decimal number", where=f"field '{name}'")
    return Fraction(number)
