"""Which family a model is of: the table that ships with the package, and the user's own."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from equipoise.errors import InputError, nearest
from equipoise.records import yaml_text
from equipoise.records.codec import digest, encode

SHIPPED = "shipped"
"""What a table of one's own `extends` to add its rows to those of the package."""

_FEWEST_LETTERS = 2


class Family(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One family: patterns of the ids of its models, and what a text may call them.

    `doubtful` are names that are ordinary words too (``Opus``), so that a text that has one need
    not speak of a model.
    """

    id: str
    models: tuple[str, ...]
    makers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FamilyMap:
    """The families a study knows.

    Attributes:
        version: what its author calls it, a day as a rule.
        families: the families, in the order of the file.
        sha256: hash of all rows; two maps with the same one say the same.
    """

    version: str
    families: tuple[Family, ...]
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        """Takes the hash of what it says."""
        rows = sorted(encode(family).decode() for family in self.families)
        object.__setattr__(self, "sha256", digest(encode([self.version, rows])))

    def of(self, model: str) -> tuple[str, ...]:
        """Gives the families of a model's id; none at all where no row knows it.

        A model made out of another family's (a distillate) is of both. Patterns without a ``/``
        are held against the last part of the id (``openrouter/x-ai/grok-4.3``: ``grok-4.3``).
        """
        whole = model.strip().casefold()
        last = whole.rsplit("/", maxsplit=1)[-1]
        return tuple(
            family.id
            for family in self.families
            if any(
                _pattern(one.casefold()).match(whole if "/" in one else last)
                for one in family.models
            )
        )

    def named(self, name: str) -> Family | None:
        """Gives the family of this id."""
        return next((family for family in self.families if family.id == name), None)

    def judge_family(self, model: str) -> str:
        """Gives the family of a model that is to judge; several are joined by ``+``.

        Raises:
            InputError: no row knows the model (``unknown_family``): it may not judge.
        """
        found = self.of(model)
        if not found:
            raise InputError(
                f"the model {model!r} is of no family that the table of {self.version} knows",
                wanted="a judge whose family is known: nobody could say what it may not judge",
                mend=(
                    "add it to families.yaml beside study.yaml (`extends: shipped`), under the "
                    "family of the model it is made from"
                ),
                code="unknown_family",
            )
        return "+".join(found)


def read_families(path: Path | None = None) -> FamilyMap:
    """Gives the family map of a study.

    Args:
        path: the study's own ``families.yaml``; None, or no such file, for the shipped table.

    Raises:
        InputError: the file is no family map; names line and field.
    """
    shipped = _shipped()
    if path is None or not path.exists():
        return shipped
    return _read(path.read_bytes(), path.name, shipped)


def families_of(family: str) -> tuple[str, ...]:
    """Gives the families that a judge's `family` names (``deepseek+meta``)."""
    return tuple(part for part in family.split("+") if part)


def count_families(judges: Iterable[str]) -> int:
    """Gives how many families judges are of, from their `family`; related ones count once."""
    groups: list[set[str]] = []
    for own in (set(families_of(family)) for family in judges):
        if not own:
            continue
        apart = [group for group in groups if not group & own]
        groups = [*apart, own.union(*(group for group in groups if group & own))]
    return len(groups)


@cache
def _shipped() -> FamilyMap:
    content = files("equipoise.blind").joinpath("families.yaml").read_bytes()
    return _read(content, "families.yaml", None)


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    return re.compile(translate(glob))


def _read(content: bytes, name: str, shipped: FamilyMap | None) -> FamilyMap:
    read = yaml_text.parse(content, name=name)
    table = read.value
    if not isinstance(table, dict):
        raise _fault(read, name, (), "no table of families", "keys `version` and `families`")
    _only(read, name, (), table, {"version", "families", "extends"})
    version = table.get("version")
    if not isinstance(version, str):
        raise _fault(read, name, (), "no version", "a `version`, such as the day it was written")
    rows = table.get("families") or []
    if not isinstance(rows, list):
        raise _fault(read, name, ("families",), "no list", "a list of families")
    own = [_family(read, name, ("families", number), row) for number, row in enumerate(rows)]
    ids = [family.id for family in own]
    for number, family in enumerate(own):
        if family.id in ids[:number]:
            raise _fault(
                read, name, ("families", number), f"family {family.id!r} twice", "each family once"
            )
    extends = table.get("extends")
    if extends is None:
        return FamilyMap(version, tuple(own))
    if extends != SHIPPED or shipped is None:
        raise _fault(read, name, ("extends",), f"extends {extends!r}", f"`extends: {SHIPPED}`")
    return FamilyMap(f"{version} on {shipped.version}", _merged(shipped.families, own))


def _merged(base: tuple[Family, ...], own: list[Family]) -> tuple[Family, ...]:
    added = {family.id: family for family in own}
    merged = [
        Family(
            id=family.id,
            models=family.models + more.models,
            makers=family.makers + more.makers,
            names=family.names + more.names,
            doubtful=family.doubtful + more.doubtful,
        )
        if (more := added.pop(family.id, None))
        else family
        for family in base
    ]
    return (*merged, *added.values())


def _family(read: yaml_text.YamlText, name: str, path: yaml_text.Path, row: Any) -> Family:
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        raise _fault(read, name, path, "a family without an id", "`id`, `models`")
    _only(read, name, path, row, set(Family.__struct_fields__))
    if not re.fullmatch(r"[a-z0-9][a-z0-9_.-]*", row["id"]):
        raise _fault(read, name, (*path, "id"), f"the id {row['id']!r}", "a-z, 0-9, - . _")
    lists = {
        key: _texts(read, name, (*path, key), row.get(key))
        for key in ("models", "makers", "names", "doubtful")
    }
    for number, one in enumerate(lists["models"]):
        if sum(letter.isalnum() for letter in re.sub(r"\[.*?\]", "", one)) < _FEWEST_LETTERS:
            raise _fault(
                read,
                name,
                (*path, "models", number),
                f"the pattern {one!r}",
                "at least two letters: it would make strangers of every family one",
            )
    if not lists["models"]:
        raise _fault(read, name, path, f"family {row['id']!r} has no models", "patterns of ids")
    return Family(id=row["id"], **lists)


def _texts(
    read: yaml_text.YamlText, name: str, path: yaml_text.Path, value: Any
) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise _fault(read, name, path, f"{value!r}", "a list of texts")
    return tuple(value)


def _only(
    read: yaml_text.YamlText,
    name: str,
    path: yaml_text.Path,
    row: dict[str, Any],
    known: set[str],
) -> None:
    for key in row:
        if key not in known:
            mend = nearest(key, sorted(known))
            raise _fault(read, name, (*path, key), f"unknown key {key!r}", mend or str(known))


def _fault(
    read: yaml_text.YamlText, name: str, path: yaml_text.Path, found: str, wanted: str
) -> InputError:
    place = read.place(path)
    where = f"{name}:{place[0]}" if place else name
    return InputError(found, wanted=wanted, where=where, code="families")
