"""The topics of ``equipoise calc``: each file here holds the ``TOPICS`` of one family."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import msgspec

from equipoise.errors import EquipoiseError, InputError, nearest

_NEAR = 0.85
"""How alike an unknown key must be to a known one to be taken for a slip."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One statistic that the shell can ask for.

    Attributes:
        says: one sentence: what the topic gives.
        takes: the msgspec Struct of the input; its docstring's ``Attributes`` are the keys.
        gives: key -> meaning of each key of the value.
        compute: from the Struct to a mapping (or any other JSON value) of plain Python numbers.
    """

    says: str
    takes: type[msgspec.Struct]
    gives: Mapping[str, str]
    compute: Callable[[Any], Any]


def load_topics() -> dict[str, Topic]:
    """All topics of all files in this package, by name and sorted."""
    found: dict[str, Topic] = {}
    for topics in load_families().values():
        twice = found.keys() & topics.keys()
        assert not twice, f"two files define {twice}"
        found |= topics
    return dict(sorted(found.items()))


def load_families() -> dict[str, dict[str, Topic]]:
    """The topics of each file in this package, by its name with blanks."""
    families = {}
    for entry in iter_modules(__path__):
        topics: dict[str, Topic] = getattr(import_module(f"{__name__}.{entry.name}"), "TOPICS", {})
        families[entry.name.replace("_", " ")] = topics
    return families


def compute(topics: Mapping[str, Topic], name: str, given: Any) -> Any:
    """The value of topic ``name`` for the JSON object ``given``.

    Unknown keys are ignored unless they are all but the name of an optional key.

    Raises:
        InputError: unknown topic (code ``unknown_topic``), a missing key or one of a wrong type
            (code ``input``), naming the field and the nearest valid name.
        NotEstimable: the topic has no honest number for this input.
    """
    if name not in topics:
        hint = nearest(name, list(topics)) or "see `equipoise calc --list`"
        raise InputError(f"no topic {name!r}", mend=hint, code="unknown_topic")
    topic = topics[name]
    try:
        return plain(topic.compute(_convert(topic.takes, given)))
    except EquipoiseError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise InputError(
            f"{name} could not be computed ({type(error).__name__}: {error})",
            wanted="numbers inside the ranges that `equipoise calc --list` names",
            code="uncomputable",
        ) from error


def plain(value: Any) -> Any:
    """The value with numpy scalars and arrays as plain Python, fit for JSON.

    Raises:
        InputError: a number came out as NaN or infinite, which is never an answer.
    """
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"the result is {value}", wanted="a finite number", code="not_finite")
    return value


def loads(text: str | bytes, *, where: str) -> Any:
    """One JSON text as Python values; ``NaN`` is read so that the field that holds it is named.

    Raises:
        InputError: it is not UTF-8 or not JSON (code ``unreadable``).
    """
    try:
        return json.loads(text)
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8"
    except RecursionError:
        reason = "it is nested too deeply"
    except ValueError as error:
        reason = str(error)
    raise InputError(
        f"not readable as JSON: {reason}", wanted="one JSON object", where=where, code="unreadable"
    )


def _convert(takes: type[msgspec.Struct], given: Any) -> msgspec.Struct:
    if not isinstance(given, Mapping):
        raise InputError(
            f"the input is {_kind(given)}", wanted=f"an object with {_keys(takes)}", code="input"
        )
    for field in msgspec.structs.fields(takes):
        if field.required and field.encode_name not in given:
            near = nearest(field.encode_name, [str(key) for key in given])
            mend = f"is it the key {near.removeprefix('did you mean ')}" if near else ""
            raise InputError(
                f"no key {field.encode_name!r}",
                wanted=f"an object with {_keys(takes)}",
                mend=mend,
                where=f"field '{field.encode_name}'",
            )
    _refuse_near_miss(takes, given)
    _refuse_nan(given, "$")
    try:
        return msgspec.convert(given, type=takes)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        place = path.rstrip("`").lstrip(".")
        raise InputError(
            what.replace("`", "'"), where=f"field '{place}'" if place else "input"
        ) from error


def _refuse_near_miss(takes: type[msgspec.Struct], given: Mapping[str, Any]) -> None:
    """Refuses an unknown key that is all but the name of an optional key not given."""
    keys = {field.encode_name for field in msgspec.structs.fields(takes)}
    for key in given:
        close = get_close_matches(str(key), keys - given.keys(), n=1, cutoff=_NEAR)
        if key not in keys and close:
            raise InputError(
                f"unknown key {key!r}", mend=f"did you mean {close[0]!r}?", where=f"field '{key}'"
            )


def _refuse_nan(value: Any, path: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(
            f"the value is {value}",
            wanted="a finite number",
            mend="leave missing values out and count them apart",
            where=f"field '{path.removeprefix('$.')}'",
            code="not_a_number",
        )
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _refuse_nan(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _refuse_nan(inner, f"{path}[{index}]")


def _keys(takes: type[msgspec.Struct]) -> str:
    fields = msgspec.structs.fields(takes)
    return ", ".join(f.encode_name if f.required else f"[{f.encode_name}]" for f in fields)


def _kind(value: Any) -> str:
    names = {type(None): "null", list: "a list", str: "a string", bool: "a boolean"}
    return names.get(type(value), "a number")
