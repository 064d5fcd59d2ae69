"""What is wrong in a study file, each fault with its place, what was wanted, and the mend."""

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from equipoise.errors import InputError, nearest
from equipoise.records.wanted import NAME_WANTED, as_name, shown, wanted
from equipoise.records.yaml_text import YamlText
from equipoise.stages.plan.draft import StudyDraft

_PLACE = re.compile(r"^([^\s:]+):(\d+)(?::(\d+))?: ")

_EXAMPLES = {
    "kind": "kind: loss",
    "title": "title: Help desk, release 2 against release 1",
    "question": "question: Does release 2 lose more per conversation than release 1?",
    "seed": "seed: 7",
    "provenance": "provenance: synthetisch (invented units) or provenance: korpus (from life)",
    "mode": "nothing: the mode follows from the arms",
    "hops": "hops: with id, signal, correct, flake and error each",
    "signal": "signal: which line or status shows that the hop was passed",
    "correct": "correct: what is seen where the hop works",
    "flake": "flake: what is seen where it fails by chance and would pass again",
    "error": "error: what is seen where it is really wrong",
    "axes": "axes: {intent: [refund, invoice]}",
    "partitions": "partitions: with by and of",
    "by": "by: [intent]",
    "of": "of: with labels, frequency and severity each",
    "labels": "labels: {intent: refund}",
    "frequency": "frequency: 0.3",
    "severity": "severity: 2",
    "s": "s: 0.28 with s_source: pilot",
    "units": "units: units.jsonl",
    "repetitions": "repetitions: {stochastic: 3}",
    "stochastic": "stochastic: 3",
    "budget": "budget: {sample: 1152, max_minutes: 60}",
    "stopping": "stopping: {rule: none}",
    "state": "state: {directory: state}",
    "sandbox": "sandbox: {environment: [PATH, LANG]}",
    "system": "system: {command: {argv: [python, -m, desk]}}",
    "service": "service: {command: [python, -m, desk]}",
    "adversarial_cap": "adversarial_cap: 0.10",
    "mde": "mde: 0.05",
    "catalog": "catalog: catalogs/loss-catalog.v1.json",
    "cells": "cells: [category]",
    "baseline": "baseline: the name of an arm, or a path to an earlier suite.json or archive",
    "arms": "arms: with name and system each",
    "name": "a name of a-z, 0-9, dot, dash and underscore, such as release-1",
    "environment": "environment: [PATH, LANG]",
    "double_rating": "double_rating: 0.20",
}
"""Key -> what might stand there."""

_MAPPINGS = frozenset({"model_type", "model_attributes_type", "dict_type"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Where values stand in a file, to say what is wrong with them.

    Args:
        yaml: the file as read.
        name: its name.
        draft: what its keys are.
        examples: key -> what might stand there.
    """

    yaml: YamlText
    name: str
    draft: type[BaseModel] = StudyDraft
    examples: Mapping[str, str] = field(default_factory=lambda: _EXAMPLES)

    def where(self, path: tuple[str | int, ...]) -> str:
        """Gives file, line and column of a key: ``study.yaml:17:3``; the file alone without it."""
        place = self.yaml.place(path)
        return f"{self.name}:{place[0]}:{place[1]}" if place else self.name

    def at(self, path: tuple[str | int, ...], found: str, *, wanted: str = "", mend: str) -> str:
        """Gives one fault: ``study.yaml:17:3: field 'mde' is '2'; wanted: …; mend: …``."""
        where = f"{self.where(path)}: "
        field = f"field '{key_of(path)}'" if path else ""
        joint = " " if field and not found.startswith(":") else ""
        middle = f"; wanted: {wanted}" if wanted else ""
        return f"{where}{field}{joint}{found}{middle}; mend: {mend}"

    def named(self, key: str) -> str:
        """Gives the place of a key of the file, to begin a message: ``study.yaml:17:3: after``."""
        place = self.yaml.place((key,))
        return f"{self.name}:{place[0]}:{place[1]}: {key}" if place else f"{self.name}: {key}"

    def of(self, error: ValidationError) -> list[str]:
        """Gives every fault that the types found."""
        items = error.errors(include_url=False)
        return [self._typed(item) for item in items if not _is_echo(item, items)]

    def _typed(self, item: ErrorDetails) -> str:
        path = tuple(part for part in item["loc"] if not _is_internal(part))
        key = str(path[-1]) if path else ""
        message = wanted(item)
        mend = f"write {self.examples[key]}" if key in self.examples else "write it so"
        if message == NAME_WANTED:
            mend = f"write {as_name(item['input']) or 'such as a1'}"
        if item["type"] == "extra_forbidden":
            close = nearest(key, keys_at(path[:-1], self.draft))
            valid = ", ".join(keys_at(path[:-1], self.draft))
            return self.at(
                path, f"is unknown; {close or f'the keys are {valid}'}", mend="rename it"
            )
        if item["type"] == "missing":
            return self.at(path, "is missing", mend=mend.replace("write it so", "add it"))
        if item["type"] in _MAPPINGS and (keys := keys_at(path, self.draft)):
            message = f"a mapping with {', '.join(keys)}"
            if key not in self.examples:
                mend = f"write {key + ': ' if not key.isdecimal() else ''}{{{keys[0]}: ...}}"
        if item["type"] == "value_error":
            found, _, rest = message.partition("; ")
            return self.at(path, f": {found}", mend=rest or "change one of them")
        return self.at(path, f"is {shown(item['input'])}", wanted=message, mend=mend)


def _from_the_top(faults: Iterable[str]) -> list[str]:
    """Gives the faults file by file, each from its first line; what has no line comes after."""
    files: dict[str, int] = {}

    def place(fault: str) -> tuple[int, int, int]:
        found = _PLACE.search(fault)
        if found is None:
            return (files.get(fault.partition(":")[0], sys.maxsize), sys.maxsize, 0)
        return (files[found[1]], int(found[2]), int(found[3] or 0))

    distinct = list(dict.fromkeys(faults))
    for fault in distinct:
        if found := _PLACE.search(fault):
            files.setdefault(found[1], len(files))
    return sorted(distinct, key=place)


def key_of(path: Iterable[str | int]) -> str:
    """Gives the name of a place in the file: ``partitions.of.1.s``."""
    return ".".join(str(part) for part in path)


def refuse(faults: Iterable[str]) -> None:
    """Raises all faults as one error; does nothing where there are none.

    Raises:
        InputError: there is a fault.
    """
    told = _from_the_top(faults)
    if told:
        raise InputError("\n".join(told), code="study")


def keys_at(path: tuple[str | int, ...], draft: type[BaseModel] = StudyDraft) -> list[str]:
    """Gives the keys that are known at a place of the study file."""
    model = draft
    for part in path:
        if isinstance(part, int):
            continue
        inner = model.model_fields.get(part)
        models = _models_in(inner.annotation) if inner else []
        if not models:
            return []
        model = models[0]
    return [known.alias or name for name, known in model.model_fields.items()]


def _models_in(kind: Any) -> list[type[BaseModel]]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [kind]
    return [model for part in get_args(kind) for model in _models_in(part)]


def _is_echo(item: ErrorDetails, items: list[ErrorDetails]) -> bool:
    """Says whether a list counts as too short only because what is in it has faults of its own."""
    if item["type"] != "too_short":
        return False
    own = item["loc"]
    return any(other["loc"][: len(own)] == own and other is not item for other in items)


def _is_internal(part: str | int) -> bool:
    return isinstance(part, str) and part.startswith(("function-", "literal["))
