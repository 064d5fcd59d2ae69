"""Reads an expert's decomposition, `items.yaml` of a scenario, and holds it to its rules."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from equipoise.errors import InputError, nearest
from equipoise.records.decomposition import WorkItem
from equipoise.records.wanted import shown
from equipoise.records.yaml_text import parse
from equipoise.stages.grade.ordering import cycle_in
from equipoise.stages.plan.faults import Faults, refuse

LABELS = ("obvious", "edge")
MOST_ITEMS = 40
"""So many items an expert's list may have: a judge is asked about all of them at once."""

_NEEDED = ("id", "text", "label")
_KEYS = ("id", "text", "label", "depends_on", "acceptance")
_LONGEST = 600


def read_items(path: Path, name: str) -> tuple[WorkItem, ...]:
    """Gives the items in their order.

    Args:
        path: the file.
        name: how messages call it.

    Raises:
        InputError: names every fault with line and field: a key that is missing, unknown or of the
            wrong kind, an id that stands twice, a dependency on no item, on itself or in a circle.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{name} cannot be read: {error.strerror}",
            wanted="the expert's decomposition",
            code="no_items",
        ) from error
    yaml = parse(content, name=name)
    faults = Faults(yaml=yaml, name=name)
    entries = yaml.value
    if not isinstance(entries, list) or not entries:
        told = faults.at((), f"it holds {shown(entries)}", wanted=_WANTED, mend="list the items")
        raise InputError(told, code="bad_items")
    found = [fault for n, entry in enumerate(entries) for fault in _entry(entry, n, faults)]
    if len(entries) > MOST_ITEMS:
        mend = "leave out what no plan has to name"
        found.append(
            faults.at((), f"it holds {len(entries)} items", wanted="at most 40", mend=mend)
        )
    if not found:
        found += _ids(entries, faults)
    refuse(found)
    return tuple(
        WorkItem(
            id=one["id"],
            text=" ".join(one["text"].split()),
            label=one["label"],
            depends_on=tuple(one.get("depends_on") or ()),
            acceptance=tuple(" ".join(text.split()) for text in one.get("acceptance") or ()),
            line=(faults.yaml.place((number,)) or (0, 0))[0],
        )
        for number, one in enumerate(entries)
    )


_WANTED = "a list of items: {id, text, label, depends_on, acceptance}"


def _entry(entry: Any, number: int, faults: Faults) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield faults.at((number,), f"is {shown(entry)}", wanted=_WANTED, mend="write it so")
        return
    for key in _NEEDED:
        if key not in entry:
            yield faults.at((number, key), "is missing", mend=f"add {key}")
    for key in entry:
        if key not in _KEYS:
            hint = nearest(key, list(_KEYS)) or f"the keys are {', '.join(_KEYS)}"
            yield faults.at((number, key), f"is unknown; {hint}", mend="rename it")
    for key in ("id", "text"):
        value = entry.get(key, "-")
        if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
            wanted = f"a text of at most {_LONGEST} characters"
            yield faults.at((number, key), f"is {shown(value)}", wanted=wanted, mend="write one")
    label = entry.get("label", LABELS[0])
    if label not in LABELS:
        yield faults.at(
            (number, "label"), f"is {shown(label)}", wanted="obvious or edge", mend=_PUT
        )
    yield from _texts(entry, number, faults)


_PUT = "say whether whoever reads the need names it, or only who thinks of what can go wrong"


def _texts(entry: dict[str, Any], number: int, faults: Faults) -> Iterator[str]:
    for key, what in {
        "depends_on": "ids of other items",
        "acceptance": "what is seen then",
    }.items():
        value = entry.get(key) or []
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            wanted = f"a list of texts: {what}"
            yield faults.at((number, key), f"is {shown(value)}", wanted=wanted, mend="write it so")


def _ids(entries: list[dict[str, Any]], faults: Faults) -> Iterator[str]:
    first: dict[str, int] = {}
    for number, entry in enumerate(entries):
        before = first.setdefault(entry["id"], number)
        if before != number:
            told = f"is {entry['id']!r}, the id of item {before + 1} already"
            yield faults.at((number, "id"), told, mend="name each item apart")
    for number, entry in enumerate(entries):
        for place, name in enumerate(entry.get("depends_on") or ()):
            path = (number, "depends_on", place)
            if name == entry["id"]:
                yield faults.at(path, f"is {name!r}, the item itself", mend="leave it out")
            elif name not in first:
                mend = nearest(name, list(first)) or f"the ids are {', '.join(first)}"
                yield faults.at(path, f"is {name!r}, the id of no item", mend=mend)
    items = [
        WorkItem(id=one["id"], text="", depends_on=tuple(one.get("depends_on") or ()))
        for one in entries
    ]
    cycle = cycle_in([one for one in items if one.id not in one.depends_on])
    if cycle:
        told = f"goes in a circle: {' -> '.join(cycle)}"
        yield faults.at(
            (first[cycle[0]], "depends_on"), told, mend="take out the one that is not so"
        )
