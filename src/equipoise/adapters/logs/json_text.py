"""Reads JSON that others wrote: fast where it is clean, and plain about it where it is not."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import msgspec

_KEY = re.compile(rb'"\s*:')
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_MAX_FAULT = 120


class BadJson(ValueError):
    """The text is no JSON; the message says what and where in one clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """A JSON value and what was odd about its text."""

    value: Any
    duplicate_keys: tuple[str, ...] = ()
    n_non_finite: int = 0


def decode(text: bytes) -> Decoded:
    """Gives the value of one JSON text.

    Bare ``NaN`` and ``Infinity`` (no JSON, but written by some tools) become float NaN and are
    counted. Of equal keys in one object the last one stands; the names are told.

    Raises:
        BadJson: it is no JSON, no UTF-8, or nested too deeply to be meant.
    """
    try:
        value = msgspec.json.decode(text)
        if len(_KEY.findall(text)) == _count_keys(value):
            return Decoded(value=value)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    return _decode_slowly(text)


def _decode_slowly(text: bytes) -> Decoded:
    duplicates: list[str] = []
    n_non_finite = 0

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        whole = dict(items)
        if len(whole) < len(items):
            counts = Counter(key for key, _ in items)
            duplicates.extend(key for key, n in counts.items() if n > 1)
        return whole

    def constant(_name: str) -> float:
        nonlocal n_non_finite
        n_non_finite += 1
        return float("nan")

    try:
        value = json.loads(text.decode(), object_pairs_hook=pairs, parse_constant=constant)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise BadJson(f"invalid UTF-8 at byte {error.start}") from error
    except UnicodeEncodeError as error:
        raise BadJson("half of a surrogate pair in a string") from error
    except RecursionError as error:
        raise BadJson("nested too deeply") from error
    except ValueError as error:
        raise BadJson(str(error)[:_MAX_FAULT]) from error
    return Decoded(value=value, duplicate_keys=tuple(duplicates), n_non_finite=n_non_finite)


def _count_keys(value: Any) -> int:
    """Counts the keys of all objects inside; a loop over frames that are few in ordinary rows."""
    n_keys = 0
    if value.__class__ is dict:
        n_keys = len(value)
        value = value.values()
    elif value.__class__ is not list:
        return 0
    for inner in value:
        if inner.__class__ is dict or inner.__class__ is list:
            n_keys += _count_keys(inner)
    return n_keys
