"""Reads the YAML that people write: every scalar stays text, every value knows its line.

``no`` is the word no, ``1.10`` is 1.10, a key stands once, and there are no anchors, aliases, tags
or second documents: what a reader of the file sees is what the program gets.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from equipoise.errors import InputError

MAX_BYTES = 64 * 1024 * 1024
"""Largest file that is read."""

MAX_DEPTH = 64
"""Deepest nesting that is read."""

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlText:
    """The plain value of a YAML text (dict, list, str, None) and where each part of it stands."""

    value: Any
    marks: dict[Path, tuple[int, int]] = field(default_factory=dict)

    def place(self, path: Path) -> tuple[int, int] | None:
        """Gives (line, column), from 1, of the value at the path, or of its nearest parent."""
        while path and path not in self.marks:
            path = path[:-1]
        return self.marks.get(path)


def parse(text: bytes, *, name: str) -> YamlText:
    """Gives the one document of the text.

    Args:
        text: the bytes of the file, UTF-8.
        name: the file's name, for messages.

    Raises:
        InputError: it is no YAML, or uses what this form leaves out (duplicate keys, anchors and
            aliases, tags, several documents, nesting beyond `MAX_DEPTH`); names line and column.
    """
    if len(text) > MAX_BYTES:
        raise InputError(
            f"{name} has {len(text)} bytes", wanted=f"at most {MAX_BYTES}", code="yaml_too_large"
        )
    try:
        return _Walk(name, _joined(text.decode("utf-8-sig"))).document()
    except UnicodeDecodeError as error:
        raise InputError(
            f"invalid UTF-8 at byte {error.start}", wanted="UTF-8", where=name, code="not_utf8"
        ) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise InputError(f"{error.problem}", wanted="YAML", where=where, code="no_yaml") from error
    except (yaml.YAMLError, ValueError) as error:
        fault = str(error).splitlines()[0] if str(error) else "not readable"
        raise InputError(fault, wanted="YAML", where=name, code="no_yaml") from error


def _joined(text: str) -> str:
    """Gives JSON with each character that it writes as two escapes written out.

    JSON writes what lies beyond U+FFFF as a pair of escapes, which YAML, else wider, does not know.
    """
    if not text.lstrip().startswith(("{", "[")):
        return text
    return _PAIR.sub(lambda pair: pair[1] + json.loads(f'"{pair[2]}"'), text)


_PAIR = re.compile(
    r"(?<!\\)((?:\\\\)*)(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)


class _Walk:
    """Builds plain values from parser events; knows how deep it is."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        # events of the C parser where it is built in: the same events, thirty times faster
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        self._events: Iterator[yaml.Event] = iter(yaml.parse(text, Loader=loader))
        self._marks: dict[Path, tuple[int, int]] = {}

    def document(self) -> YamlText:
        next(self._events)  # stream start
        first = next(self._events)
        if isinstance(first, yaml.StreamEndEvent):
            return YamlText(value=None)
        value = self._value(next(self._events), ())
        next(self._events)  # document end
        after = next(self._events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise self._fault(after, "a second document begins", "one document")
        return YamlText(value=value, marks=self._marks)

    def _value(self, event: yaml.Event, path: Path) -> Any:
        self._marks[path] = _place(event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise self._fault(event, "an anchor or alias", "values written out")
        if len(path) > MAX_DEPTH:
            raise self._fault(event, f"nesting deeper than {MAX_DEPTH}", "a flatter file")
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        tag = getattr(event, "tag", None)
        if tag:
            raise self._fault(event, f"the tag {tag!r}", "values without tags")
        if isinstance(event, yaml.SequenceStartEvent):
            return self._items(path)
        return self._pairs(path)

    def _scalar(self, event: yaml.ScalarEvent) -> str | None:
        if event.tag and event.tag != "tag:yaml.org,2002:str":
            raise self._fault(event, f"the tag {event.tag!r}", "values without tags")
        is_plain = event.style in {None, ""}
        text: str = event.value
        return None if is_plain and text in _NULLS else text

    def _items(self, path: Path) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._value(event, (*path, len(items))))
        return items

    def _pairs(self, path: Path) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._value(event, (*path, "?")) if isinstance(event, yaml.ScalarEvent) else None
            if not isinstance(key, str):
                raise self._fault(event, "a key that is no text", "a plain name as key")
            if key in pairs:
                raise self._fault(event, f"the key {key!r} a second time", "each key once")
            pairs[key] = self._value(next(self._events), (*path, key))
        return pairs

    def _fault(self, event: yaml.Event, found: str, wanted: str) -> InputError:
        line, column = _place(event)
        where = f"{self._name}:{line}:{column}"
        return InputError(found, wanted=wanted, where=where, code="yaml_form")


def _place(event: yaml.Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)
