"""Takes single fields out of a row: text, numbers and counts; what is missing is None."""

import hashlib
import math
import re
from collections.abc import Callable
from typing import Any

import msgspec

from equipoise.adapters.logs.table.mapping import Column
from equipoise.adapters.logs.table.words import MISSING_WORDS

Row = dict[str, Any]
MAX_TEXT = 4096
"""Longest id, label or name that is kept; a longer one is cut and ends in its hash."""

_DIGITS = re.compile(r"(\d{1,9})\s*$")


def field(row: Row, name: str) -> Any:
    """Gives the column, or the nested field a dotted name leads to; None where there is none."""
    if name in row:
        return row[name]
    if "." not in name:
        return None
    value: Any = row
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def text(value: Any) -> str | None:
    """Gives a value as the text that names it: ``3``, ``3.0`` and ``"3"`` are one name."""
    if value is None:
        return None
    if isinstance(value, str):
        name = value.strip()
    elif isinstance(value, bool):
        name = "true" if value else "false"
    elif isinstance(value, int):
        name = str(value) if abs(value) < 10**30 else f"{value:x}"
    elif isinstance(value, float):
        name = str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    else:
        name = msgspec.json.encode(value, enc_hook=str, order="sorted").decode()
    if not name.isascii():
        name = name.encode("utf-8", "replace").decode()
    if len(name) > MAX_TEXT:
        tail = hashlib.sha256(name.encode()).hexdigest()[:16]
        name = f"{name[: MAX_TEXT - 17]}#{tail}"
    return name or None


def number(value: Any) -> float | None:
    """Gives a value as a finite number; None where there is none.

    Raises:
        ValueError: it is something else: text that is no number, a negative or infinite number.
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in MISSING_WORDS):
        return None
    try:
        found = float("no" if isinstance(value, bool) else value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError("no number") from error
    if math.isnan(found):
        return None
    if found < 0 or math.isinf(found):
        raise ValueError("negative or infinite")
    return found


def count(value: Any) -> int | None:
    """Gives a value as a whole number >= 0, taken from the end of a name such as ``run-3``.

    Gives None where there is none, or nothing that counts.
    """
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if 0 <= value < 10**9 else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and 0 <= value < 10**9 else None
    found = _DIGITS.search(value) if isinstance(value, str) else None
    return int(found.group(1)) if found else None


def is_set(value: Any) -> bool:
    """Whether a flag is set, or a field such as ``error`` holds anything."""
    if isinstance(value, str):
        return value.strip().lower() not in MISSING_WORDS | {"false", "no", "0", "f"}
    return bool(value)


def getter(column: Column) -> Callable[[Row], str | None]:
    """Gives the function that reads the column's text out of a row."""
    if column.const is not None:
        constant = column.const
        return lambda _row: constant
    names = (column.column,) if column.column is not None else column.columns
    read = _single(names[0]) if len(names) == 1 else _joined(names)
    return read if column.match is None else _matching(read, re.compile(column.match))


def _single(name: str) -> Callable[[Row], str | None]:
    def read(row: Row) -> str | None:
        value = row.get(name)
        if value.__class__ is str and value.isascii() and 0 < len(value) < 128:
            return value.strip() or None
        return text(field(row, name))

    return read


def _joined(names: tuple[str, ...]) -> Callable[[Row], str | None]:
    def read(row: Row) -> str | None:
        parts = [text(field(row, name)) for name in names]
        return None if None in parts else "/".join(p for p in parts if p is not None)

    return read


def _matching(
    read: Callable[[Row], str | None], pattern: re.Pattern[str]
) -> Callable[[Row], str | None]:
    def match(row: Row) -> str | None:
        value = read(row)
        found = pattern.search(value) if value is not None else None
        if found is None:
            return None
        return found.group(1) if pattern.groups else found.group()

    return match
