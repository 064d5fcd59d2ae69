"""What a method may be given: samples, levels, margins and counts, each refused in one place."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from equipoise.errors import InputError, NotEstimable

_LARGEST = 1e100
"""Larger numbers overflow when squared."""

_MOST = 1e15
"""Larger counts are no longer exact as numbers."""

_SAME = 1e-12
"""Relative spread below which values differ by rounding alone."""


def sample(values: ArrayLike, name: str, *, least: int = 2) -> NDArray[np.float64]:
    """The values as a one-dimensional array of finite numbers.

    Args:
        values: one number per unit.
        name: what to call them in a message.
        least: with fewer values no honest number exists.

    Raises:
        InputError: not one-dimensional, not numbers, or a value is NaN or infinite.
        NotEstimable: fewer than ``least`` values (code ``too_few``).

    >>> sample([0, 1], "loss")
    array([0., 1.])
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} holds something that is no number", wanted="one number per unit"
        ) from error
    if array.ndim != 1:
        raise InputError(
            f"{name} has {array.ndim} dimensions", wanted="a flat list with one number per unit"
        )
    bad = np.flatnonzero(~(np.abs(array) <= _LARGEST))
    if bad.size:
        raise InputError(
            f"{name}[{bad[0]}] is {array[bad[0]]} ({bad.size} such of {array.size})",
            wanted=f"finite numbers up to {_LARGEST:g}",
            mend="leave missing values out and count them apart",
            where=f"field '{name}'",
            code="not_a_number",
        )
    if array.size < least:
        raise NotEstimable(
            f"{name} holds {array.size} unit{'s' * (array.size != 1)}, at least {least} needed",
            code="too_few",
        )
    return array


def shares(values: ArrayLike, name: str, *, least: int = 2) -> NDArray[np.float64]:
    """As :func:`sample`, for values on [0, 1].

    Raises:
        InputError: also where a value lies outside [0, 1].

    >>> shares([0, 0.5], "loss")
    array([0. , 0.5])
    """
    array = sample(values, name, least=least)
    outside = np.flatnonzero((array < 0) | (array > 1))
    if outside.size:
        raise InputError(
            f"{name}[{outside[0]}] is {array[outside[0]]:g} ({outside.size} such)",
            wanted="values on [0, 1]",
            mend="divide by the largest possible value",
            where=f"field '{name}'",
            code="outside_range",
        )
    return array


def pairs(
    new: ArrayLike, base: ArrayLike, *, bounded: bool = False, least: int = 2
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two samples of equal length, matched by position.

    Raises:
        InputError: also where the lengths differ (code ``unequal_length``).

    >>> pairs([1, 2], [0, 2])[0]
    array([1., 2.])
    """
    take = shares if bounded else sample
    first, second = take(new, "new", least=0), take(base, "base", least=0)
    if first.size != second.size:
        raise InputError(
            f"new has {first.size} units and base has {second.size}",
            wanted="one value of each arm per unit",
            mend="match the units by id first, or compare unpaired",
            code="unequal_length",
        )
    return take(first, "new", least=least), take(second, "base", least=least)


def refuse_constant(array: NDArray[np.float64], name: str, *, scale: float = 0.0) -> None:
    """Refuses values that are all equal but for rounding: their spread of 0 is no certainty.

    Args:
        array: the values.
        name: what to call them in a message.
        scale: size of the numbers they were computed from, where larger than their own.

    Raises:
        NotEstimable: all values are equal (code ``degenerate``).

    >>> refuse_constant(sample([0, 1], "x"), "x")
    """
    size = max(scale, float(np.abs(array).max()))
    if float(np.ptp(array)) <= _SAME * size:
        raise NotEstimable(
            f"all {array.size} values of {name} are equal: a spread of 0 is not certainty",
            code="degenerate",
        )


def normal_quantile(level: float) -> float:
    """The two-sided normal critical value of a confidence level: 1.96 for 0.95.

    Raises:
        InputError: the level is not strictly between 0 and 1.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    return float(-ndtri((1.0 - confidence(level)) / 2.0))


def confidence(level: float) -> float:
    """The level itself, strictly between 0 and 1.

    Raises:
        InputError: it is not.

    >>> confidence(0.9)
    0.9
    """
    return open_unit(level, "level", "a confidence level between 0 and 1, such as 0.95")


def open_unit(value: float, name: str, wanted: str = "a number between 0 and 1") -> float:
    """The value itself, strictly between 0 and 1.

    Raises:
        InputError: it is not.

    >>> open_unit(0.05, "alpha")
    0.05
    """
    if not 0.0 < value < 1.0:
        raise InputError(f"{name} = {value}", wanted=wanted, where=f"field '{name}'")
    return value


def positive(value: float, name: str, *, zero: bool = False) -> float:
    """The value itself, above 0 (or, with ``zero``, not below).

    Raises:
        InputError: it is not, or it is not finite.

    >>> positive(0.3, "sd")
    0.3
    """
    if not value <= _LARGEST or value < 0 or (value == 0 and not zero):
        wanted = "a finite number, 0 or more" if zero else "a finite number above 0"
        raise InputError(f"{name} = {value}", wanted=wanted, where=f"field '{name}'")
    return value


def count(value: float, name: str, *, most: int | None = None, most_name: str = "n") -> int:
    """The value as a whole number from 0 to ``most``.

    Raises:
        InputError: it is negative, not whole, or above ``most``.

    >>> count(3, "x", most=20)
    3
    """
    if not 0 <= value <= _MOST or value != int(value):
        raise InputError(
            f"{name} = {value:g}",
            wanted=f"a whole number from 0 to {_MOST:g}",
            where=f"field '{name}'",
        )
    if most is not None and value > most:
        raise InputError(
            f"{name} = {value:g} is above {most_name} = {most}",
            wanted=f"{name} from 0 to {most_name}",
            where=f"field '{name}'",
        )
    return int(value)


def units(n: float, name: str = "n", *, least: int = 2) -> int:
    """A number of units, at least ``least``.

    Raises:
        InputError: negative or not whole.
        NotEstimable: fewer than ``least`` (code ``too_few``).

    >>> units(12)
    12
    """
    whole = count(n, name)
    if whole < least:
        raise NotEstimable(f"{name} = {whole}, at least {least} needed", code="too_few")
    return whole


def same_length(named: Sequence[tuple[str, int]]) -> int:
    """The one length that all the named lists have.

    Raises:
        InputError: they differ.

    >>> same_length([("y", 3), ("cluster", 3)])
    3
    """
    lengths = {length for _, length in named}
    if len(lengths) != 1:
        told = ", ".join(f"{name} has {length}" for name, length in named)
        raise InputError(told, wanted="lists of one length", code="unequal_length")
    return lengths.pop()
