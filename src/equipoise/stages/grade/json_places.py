"""Reads JSON documents so that every value can be found again in their bytes."""

import json
from typing import Any

from equipoise.errors import NotEstimable
from equipoise.stages.grade.material import Material, Page, page

_DECODER = json.JSONDecoder()
_BLANK = " \t\r\n"


def json_of(material: Material, name: str) -> Any:
    """Gives the JSON value of a document; of a ``.jsonl`` document the list of its lines.

    Raises:
        NotEstimable: there is no such document, or it is no JSON.
    """
    key = ("json", name)
    if key not in material.cache:
        material.cache[key] = _parsed(page(material, name))
    return material.cache[key]


def span_of(seen: Page, parts: tuple[int | str, ...]) -> tuple[int, int]:
    """Gives the span, in characters of the page's text, of the value at a path, with its key."""
    text = seen.text
    at = _skip(text, 0)
    start = at
    if seen.name.endswith(".jsonl") and parts:
        at = start = _line_start(text, int(parts[0]))
        parts = parts[1:]
    for part in parts:
        start, at = _inside(text, at, part)
    return start, _DECODER.raw_decode(text, at)[1]


def _parsed(seen: Page) -> Any:
    try:
        if seen.name.endswith(".jsonl"):
            return [json.loads(line) for line in _lines(seen.text)]
        return json.loads(seen.text.removeprefix("\ufeff"))
    except RecursionError as error:
        raise NotEstimable(f"{seen.name} is nested too deep", code="no_json") from error
    except ValueError as error:
        raise NotEstimable(f"{seen.name} is no JSON: {error}", code="no_json") from error


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip(_BLANK)]


def _line_start(text: str, wanted: int) -> int:
    start = 0
    for line in text.split("\n"):
        if line.strip(_BLANK):
            if wanted == 0:
                return _skip(text, start)
            wanted -= 1
        start += len(line) + 1
    raise AssertionError("the line was parsed before")


def _inside(text: str, at: int, part: int | str) -> tuple[int, int]:
    """Gives where the member or item begins (a member with its key), and where its value does."""
    at = _skip(text, at + 1)
    found: tuple[int, int] | None = None
    number = 0
    while text[at] not in "]}":
        start = at
        if isinstance(part, str):
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
            if key == part:
                found = (start, at)
        elif number == part:
            return start, at
        at = _skip(text, _DECODER.raw_decode(text, at)[1])
        number += 1
        if text[at] == ",":
            at = _skip(text, at + 1)
    assert found is not None, "the value was selected before"
    return found


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK + "\ufeff":
        at += 1
    return at
