"""Finds keys of a file that nobody reads: misspelt ones, and those that stand there twice."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import msgspec.inspect as types

from equipoise.errors import nearest
from equipoise.records.unseen import UNSEEN


def unknown_keys(value: Any, kind: type[msgspec.Struct]) -> Iterator[str]:
    """Yields a fault for each key of a value that its record does not have, however deep."""
    yield from _unknown(value, types.type_info(kind), "")


def unseen_texts(value: Any, place: str = "") -> Iterator[str]:
    """Yields a fault for each text with characters that nobody sees, but line ends and tabs.

    A prompt goes into the arguments of programs, a name into terminals and pages.
    """
    if isinstance(value, str):
        found = UNSEEN.search(value.translate(_ENDS))
        if found:
            which = f"U+{ord(found.group()):04X}"
            yield f"{place or 'a text'!r} has the unseen character {which}; mend: write it without"
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from unseen_texts(str(name), "a key")
            yield from unseen_texts(inner, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from unseen_texts(inner, f"{place}.{number}")


_ENDS = dict.fromkeys(map(ord, "\n\r\t"))


def doubled_keys(content: bytes) -> Iterator[str]:
    """Yields a fault for each key that stands twice in one object of a JSON text."""
    found: list[str] = []

    def pairs(given: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in given]
        found.extend(sorted({name for name in names if names.count(name) > 1}))
        return dict(given)

    try:
        json.loads(content, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return
    yield from (f"the key {name!r} stands there twice" for name in found)


def _unknown(value: Any, kind: types.Type, place: str) -> Iterator[str]:
    if isinstance(kind, types.UnionType):
        structs = [one for one in kind.types if not isinstance(one, types.NoneType)]
        yield from (fault for one in structs[:1] for fault in _unknown(value, one, place))
    elif isinstance(kind, types.StructType) and isinstance(value, dict):
        known = {field.encode_name: field.type for field in kind.fields}
        for name, inner in value.items():
            where = f"{place}.{name}" if place else str(name)
            if name in known:
                yield from _unknown(inner, known[name], where)
            else:
                meant = nearest(str(name), list(known))
                yield f"the key {where!r} is unknown" + (f"; {meant}" if meant else "")
    elif isinstance(kind, types.VarTupleType | types.ListType) and isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _unknown(inner, kind.item_type, f"{place}.{number}")
