"""Canonical bytes of records: the same record always gives the same bytes, and so the same hash."""

import hashlib
import math
import re
from typing import Any, TypeVar

import msgspec

from equipoise.errors import InputError
from equipoise.records.wanted import plainly

T = TypeVar("T")

_ENCODER = msgspec.json.Encoder(order="deterministic")


def encode(record: object) -> bytes:
    """Gives the record as one line of canonical JSON (UTF-8, fields in a fixed order, no newline).

    Floats are written in their shortest exact form. Non-finite floats never reach this point:
    a record that could hold one is checked where it is made (see `finite`).
    """
    return _ENCODER.encode(record)


def pretty(record: object) -> bytes:
    """Gives the record as indented canonical JSON with a final newline, for files people open."""
    return msgspec.json.format(encode(record), indent=1) + b"\n"


def decode(line: bytes, kind: type[T], *, where: str = "") -> T:
    """Reads one record from JSON bytes.

    Raises:
        InputError: the bytes are no JSON, or not of this kind; names the field.
    """
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            plainly(error), wanted=_named(kind), where=where, code="bad_record"
        ) from error


def _named(kind: type) -> str:
    """The kind of a record in words: a loss comparison record."""
    return f"a {re.sub('(?<=[a-z])(?=[A-Z])', ' ', kind.__name__).lower()} record"


def digest(data: bytes) -> str:
    """Gives the sha256 of the bytes in hexadecimal; the name of a blob, a plan, a line."""
    return hashlib.sha256(data).hexdigest()


def identity_of(*parts: object) -> str:
    """Gives a stable, order-free-of-context id (16 hex digits) of the parts."""
    return digest(encode(list(parts)))[:16]


def finite(value: Any, *, field: str, where: str = "") -> float:
    """Gives the value as a finite float.

    Raises:
        InputError: it is NaN, infinite, or no number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(
            f"field {field!r} is {value!r}",
            wanted="a finite number",
            where=where,
            code="not_finite",
        )
    return float(value)
