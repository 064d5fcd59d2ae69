"""Places in a check's text that stand for what the unit expects: ``{expected.refund_cents}``."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from equipoise.errors import NotEstimable

_PLACE = re.compile(
    r"\{((?:expected|brief|labels)(?:\.[\w-]+)+|unit|arm|trial|repetition)\}", re.ASCII
)


def filled(text: str, values: Mapping[str, Any], written: Callable[[Any], str]) -> str:
    """Gives the text with every place replaced; `written` says how a value is put into it.

    Raises:
        NotEstimable: the unit does not have what a place names.
    """
    if "{" not in text:
        return text
    return _PLACE.sub(lambda found: written(_at(found[1], values)), text)


def resolved(value: Any, values: Mapping[str, Any]) -> Any:
    """Gives the JSON value with its places replaced; a text that is one place keeps the type.

    Raises:
        NotEstimable: the unit does not have what a place names.
    """
    if isinstance(value, str):
        whole = _PLACE.fullmatch(value)
        return _at(whole[1], values) if whole else filled(value, values, as_text)
    if isinstance(value, list | tuple):
        return [resolved(item, values) for item in value]
    if isinstance(value, dict):
        return {key: resolved(item, values) for key, item in value.items()}
    return value


def has_places(text: str) -> bool:
    """Says whether the text has places that depend on the unit."""
    return _PLACE.search(text) is not None


def without_places(text: str, stand_in: str) -> str:
    """Gives the text with `stand_in` at every place, to see whether it is well formed."""
    return _PLACE.sub(lambda _: stand_in, text)


def places(text: str) -> list[str]:
    """Gives the names of the places in a text, in order: ``expected.refund_cents``."""
    return _PLACE.findall(text)


def as_text(value: Any) -> str:
    """Gives a value as a person would write it: texts as they are, numbers without a final .0."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def as_literal(value: Any) -> str:
    """Gives a value's text so that a regular expression takes it literally."""
    return re.escape(as_text(value))


def _at(place: str, values: Mapping[str, Any]) -> Any:
    value: Any = values
    for part in place.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise NotEstimable(f"the unit has no {place}", code="no_expectation")
    return value
