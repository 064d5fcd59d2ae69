"""Reads the list of work items that an agent left: a stranger's data, taken for text alone."""

from dataclasses import dataclass
from typing import Any

from equipoise.errors import InputError, NotEstimable
from equipoise.records.decomposition import WorkItem
from equipoise.records.yaml_text import YamlText, parse

MOST_ITEMS = 40
"""So many items of a list are read; a longer one says more than anybody plans by."""

_MOST_BYTES = 1 << 18
_LONGEST = 600
_MOST_LINES = 12
_KEYS = ("text", "title", "name", "description", "summary")
_LISTS = ("items", "tasks", "children")


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliverable:
    """The items that were read, and what of the file was passed over, a sentence each."""

    items: tuple[WorkItem, ...]
    remarks: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """Gives the items as a judge sees them: numbered by us, an item on lines of its own.

        Whatever an item says stands behind its number, in one line: no text can begin an item.
        """
        lines = []
        for number, item in enumerate(self.items, start=1):
            lines.append(f"[{number}] {item.text}")
            lines += [f"    done when: {one}" for one in item.acceptance]
        return "\n".join(lines)

    def words(self, number: int) -> str:
        """Gives what is shown of an item, counted from 1."""
        item = self.items[number - 1]
        return "\n".join([f"[{number}] {item.text}", *_done(item)])


def read_deliverable(content: bytes, name: str) -> Deliverable:
    """Gives the items of an agent's list, as far as they can be read.

    A list of mappings is wanted; what is only in another shape (a mapping with ``items``, a title
    in place of a text, no ids) is taken as it is meant.

    Raises:
        NotEstimable: there is no list of items in it; says why and where.
    """
    if len(content) > _MOST_BYTES:
        raise NotEstimable(f"{name} has {len(content)} bytes", code="too_long")
    try:
        yaml = parse(content, name=name)
    except InputError as error:
        raise NotEstimable(f"no YAML that can be read: {error}", code="no_yaml") from error
    path, entries = _entries(yaml.value)
    if not entries:
        raise NotEstimable(f"{name} holds no list of items", code="no_items")
    items: list[WorkItem] = []
    remarks: list[str] = []
    for place, entry in enumerate(entries):
        if len(items) == MOST_ITEMS:
            remarks.append(f"only the first {MOST_ITEMS} of {len(entries)} items are read")
            break
        item = _item(entry, len(items) + 1, yaml, (*path, place))
        if item is None:
            remarks.append(f"entry {place + 1} says nothing")
        else:
            items.append(item)
    if not items:
        raise NotEstimable(f"{name}: no entry of its list says anything", code="no_items")
    remarks += _id_remarks(items)
    return Deliverable(items=tuple(items), remarks=tuple(remarks))


def _done(item: WorkItem) -> list[str]:
    return [f"    done when: {one}" for one in item.acceptance]


def _entries(value: Any) -> tuple[tuple[str | int, ...], list[Any]]:
    if isinstance(value, list):
        return (), value
    if isinstance(value, dict):
        for key in _LISTS:
            if isinstance(value.get(key), list):
                return (key,), value[key]
    return (), []


def _item(entry: Any, number: int, yaml: YamlText, path: tuple[str | int, ...]) -> WorkItem | None:
    place = yaml.place(path)
    line = place[0] if place else 0
    if isinstance(entry, str):
        text = _line(entry)
        return WorkItem(id=f"item-{number}", text=text, line=line) if text else None
    if not isinstance(entry, dict):
        return None
    text = _line(": ".join(filter(None, (_line(entry.get(key)) for key in _KEYS))))
    if not text:
        return None
    return WorkItem(
        id=_line(entry.get("id")) or f"item-{number}",
        text=text,
        depends_on=tuple(_lines(entry.get("depends_on"))),
        acceptance=tuple(_lines(entry.get("acceptance"))),
        line=line,
    )


def _lines(value: Any) -> list[str]:
    given = value if isinstance(value, list) else [value]
    return [line for one in given[:_MOST_LINES] if (line := _line(one))]


def _line(value: Any) -> str:
    """Gives a text in one line, without unseen characters; of anything else nothing."""
    if not isinstance(value, str):
        return ""
    seen = "".join(char if char.isprintable() else " " for char in value[: 4 * _LONGEST])
    return " ".join(seen.split())[:_LONGEST].rstrip()


def _id_remarks(items: list[WorkItem]) -> list[str]:
    ids = [item.id for item in items]
    found = []
    if twice := sorted({name for name in ids if ids.count(name) > 1}):
        found.append(f"ids stand twice: {len(twice)}")
    unknown = {name for item in items for name in item.depends_on} - set(ids)
    if unknown:
        found.append(f"dependencies on ids that no item has: {len(unknown)}")
    return found
