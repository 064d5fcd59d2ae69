"""Cases of ``calc`` with a right answer from elsewhere: read from JSON Lines, and compared."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import equipoise.examples
from equipoise.cli.topics import Topic, compute, loads
from equipoise.errors import EquipoiseError, InputError, NotEstimable

SHIPPED = "examples/calc/cases.jsonl"
"""Where the cases that ship with the package lie in it."""

_ANSWERS = ("value", "not_estimable", "error")
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One input of a topic with its right answer.

    Attributes:
        topic: name of the topic.
        given: the input.
        wanted: ``{"value": ...}``, ``{"not_estimable": code}`` or ``{"error": code}``. Of a value
            only the keys that stand here are compared, so that a table may give what it has.
        tolerance: how far a number may be off, absolutely.
        source: where the right answer comes from.
        where: file and line.
    """

    topic: str
    given: Mapping[str, Any]
    wanted: Mapping[str, Any]
    tolerance: float
    source: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a topic said to a case, and where that differs from what was wanted."""

    case: Case
    found: Mapping[str, Any]
    differences: tuple[str, ...]


def shipped_cases() -> list[Case]:
    """The cases that ship with the package."""
    path = Path(equipoise.examples.__path__[0]).parent / SHIPPED
    return read_cases(path.read_bytes(), SHIPPED)


def read_cases(text: bytes, name: str) -> list[Case]:
    """The cases of a file of JSON Lines: ``{"topic", "input", "value", "tolerance", "source"}``.

    In place of ``value`` a case may have ``not_estimable`` or ``error``, each with the code.
    ``tolerance`` is 1e-9 where it is not given.

    Args:
        text: content of the file.
        name: of the file, for messages.

    Raises:
        InputError: a line is no such case (code ``unreadable``), or the file holds none.
    """
    lines = enumerate(text.split(b"\n"), start=1)
    cases = [_case(line, f"{name}:{number}") for number, line in lines if line.strip()]
    if not cases:
        raise InputError(f"{name} holds no case", wanted=_wanted(), code="unreadable")
    return cases


def answered(topics: Mapping[str, Topic], case: Case) -> Answer:
    """What the topic of the case says now, held against the right answer."""
    try:
        found: dict[str, Any] = {"value": compute(topics, case.topic, case.given)}
    except NotEstimable as reason:
        found = {"not_estimable": reason.code, "why": reason.why}
    except InputError as error:
        found = {"error": error.code, "why": str(error)}
    except EquipoiseError as error:
        found = {"error": type(error).__name__, "why": str(error)}
    (kind,) = case.wanted
    if kind not in found:
        other = next(iter(found))
        told = _short(found[other]) + (f" ({found['why']})" if "why" in found else "")
        differences = [f"found {other} {told}, wanted {kind} {_short(case.wanted[kind])}"]
    else:
        differences = list(_differences(found[kind], case.wanted[kind], case.tolerance, ""))
    return Answer(case=case, found=found, differences=tuple(differences))


def _differences(found: Any, wanted: Any, tolerance: float, where: str) -> Iterator[str]:
    """Where the two differ; of objects only the keys wanted, but an empty one has to be empty."""
    if isinstance(wanted, Mapping) and isinstance(found, Mapping) and wanted:
        for key, inner in wanted.items():
            place = f"{where}.{key}" if where else key
            if key in found:
                yield from _differences(found[key], inner, tolerance, place)
            else:
                yield f"{place}: found nothing, wanted {_short(inner)}"
    elif isinstance(wanted, list) and isinstance(found, list) and len(found) == len(wanted):
        for index, inner in enumerate(wanted):
            yield from _differences(found[index], inner, tolerance, f"{where}[{index}]")
    elif _is_number(wanted) and _is_number(found):
        if not abs(found - wanted) <= tolerance:
            yield f"{_at(where)}found {found!r}, wanted {wanted!r} within {tolerance:g}"
    elif type(found) is not type(wanted) or found != wanted:
        yield f"{_at(where)}found {_short(found)}, wanted {_short(wanted)}"


def _case(line: bytes, where: str) -> Case:
    row = loads(line, where=where)
    if not isinstance(row, Mapping):
        raise _unreadable("the line holds no JSON object", where)
    if not _is_finite(row):
        raise _unreadable(
            "a number of the case is NaN or infinite, which nothing is equal to", where
        )
    for key, kind in (("topic", str), ("input", Mapping), ("source", str)):
        if not isinstance(row.get(key), kind) or not row[key]:
            raise _unreadable(f"the case has no {key}", where)
    answers = [kind for kind in _ANSWERS if row.get(kind) not in (None, "", {}, [])]
    if len(answers) != 1:
        raise _unreadable(f"the case has {len(answers)} right answers", where)
    tolerance = row.get("tolerance", _TOLERANCE)
    if not _is_number(tolerance) or tolerance < 0:
        raise _unreadable(f"tolerance = {tolerance!r}", where)
    return Case(
        topic=row["topic"],
        given=row["input"],
        wanted={answers[0]: row[answers[0]]},
        tolerance=tolerance,
        source=row["source"],
        where=where,
    )


def _unreadable(found: str, where: str) -> InputError:
    return InputError(found, wanted=_wanted(), where=where, code="unreadable")


def _wanted() -> str:
    return (
        '{"topic", "input", "value", "tolerance", "source"} a line, in place of "value" perhaps '
        '"not_estimable" or "error" with the code'
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def _at(where: str) -> str:
    return f"{where}: " if where else ""


def _short(value: Any, most: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= most else text[: most - 3] + "..."
