"""Placeholders of a study that nothing can fill: what a system is sent names fields of a brief."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from equipoise.errors import nearest
from equipoise.records.wanted import shown
from equipoise.stages.plan.draft import StudyDraft
from equipoise.stages.plan.faults import Faults
from equipoise.stages.plan.units import Unit

_MARK = re.compile(r"\{\{[^{}]*\}\}|\{brief(?P<path>(?:\.[\w-]+)+)\}")

_Place = tuple[str | int, ...]


def unfilled(draft: StudyDraft, units: Sequence[Unit], faults: Faults) -> Iterator[str]:
    """Yields a fault for each ``{brief.x}`` of a system that a unit's brief cannot fill.

    Args:
        draft: the study.
        units: those that would be executed.
        faults: says where a placeholder stands.
    """
    for place, arm in enumerate(draft.arms):
        for path, mark, steps in _marks(arm.system, ("arms", place, "system")):
            lacking = [unit for unit in units if not _has(unit.brief.content, steps)]
            if lacking:
                yield _fault(faults, path, (mark, steps), lacking, len(units))


def _fault(
    faults: Faults,
    path: _Place,
    of: tuple[str, Sequence[str]],
    lacking: Sequence[Unit],
    n_units: int,
) -> str:
    mark, steps = of
    first = lacking[0].brief
    known = _keys(first.content, steps)
    if len(lacking) == n_units:
        found = f"has {mark}, and no unit has that in its brief"
    else:
        found = (
            f"has {mark}, and {len(lacking):,} of {n_units:,} units have nothing there, the first "
            f"is {shown(first.unit)} ({first.origin})"
        )
    close = next(filter(None, (nearest(step, known) for step in steps)), "")
    return faults.at(
        path,
        found,
        wanted=f"a field of the brief, such as {', '.join(known[:8])}" if known else "briefs",
        mend=close or "write it into the brief of each unit, or take it out here",
    )


def _has(content: Any, steps: Sequence[str]) -> bool:
    return _followed(content, steps) == len(steps)


def _keys(content: Any, steps: Sequence[str]) -> list[str]:
    """Gives the keys that stand where the path ends too early."""
    for step in steps[: _followed(content, steps)]:
        content = content[int(step)] if isinstance(content, list) else content[step]
    return list(map(str, content)) if isinstance(content, Mapping) else []


def _followed(content: Any, steps: Sequence[str]) -> int:
    """Counts the steps of a path that lead somewhere."""
    for number, step in enumerate(steps):
        if isinstance(content, list) and step.isdecimal() and int(step) < len(content):
            content = content[int(step)]
        elif isinstance(content, Mapping) and step in content:
            content = content[step]
        else:
            return number
    return len(steps)


def _marks(value: Any, path: _Place) -> Iterator[tuple[_Place, str, list[str]]]:
    """Yields each placeholder of a brief with its place and the steps of its path."""
    if isinstance(value, str):
        for mark in _MARK.finditer(value):
            if mark["path"]:
                yield path, mark[0], mark["path"].split(".")[1:]
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _marks(str(key), (*path, key))
            yield from _marks(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for at, inner in enumerate(value):
            yield from _marks(inner, (*path, at))
