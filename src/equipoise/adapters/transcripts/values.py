"""Narrows the values of foreign JSON: a word, an object, a list of objects, a count, a time."""

from datetime import datetime
from typing import Any


def word(value: Any) -> str | None:
    """Gives a text or a whole number as text without blanks around it; None for all else."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**30:
        return str(value)
    if not isinstance(value, str):
        return None
    name = value.strip()
    return name if name.isascii() else name.encode("utf-8", "replace").decode()


def record(value: Any) -> dict[str, Any]:
    """Gives an object; an empty one for all else."""
    return value if isinstance(value, dict) else {}


def records(value: Any) -> list[dict[str, Any]]:
    """Gives the objects of a list; none for all else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def words(value: Any) -> tuple[str, ...]:
    """Gives the texts of a list; none for all else."""
    found = value if isinstance(value, list) else []
    return tuple(name for one in found if isinstance(one, str) and (name := word(one)))


def amount(value: Any) -> float | None:
    """Gives a number that is not negative; None for all else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < 1e15 else None


def elapsed_ms(first: str, last: str) -> float | None:
    """Gives the time between two ISO stamps; None where they are none."""
    try:
        start, end = datetime.fromisoformat(first), datetime.fromisoformat(last)
        return 1000.0 * (end - start).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
