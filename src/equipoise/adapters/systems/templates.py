"""Fills the placeholders of a system's specification with what a request says."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from equipoise.errors import InputError, nearest
from equipoise.records.brief import Request

PLACEHOLDERS = (
    *("brief", "unit", "arm", "trial", "repetition", "attempt", "seed"),
    *("service", "state", "workspace", "study", "python", "env"),
)
"""What may stand between braces; `brief` is followed by a path: ``{brief.customer.name}``, `env` by
the name of a variable that the plan lists: ``{env.API_KEY}``."""

_DEEP = ("brief", "env")

_MARK = re.compile(
    r"\{\{(?P<literal>[A-Za-z_]\w*(?:\.[\w-]+)*)\}\}"
    r"|\{(?P<name>[A-Za-z_]\w*)(?P<path>(?:\.[\w-]+)*)\}"
)
"""``{name}`` is a placeholder, ``{{name}}`` stands for ``{name}``; all other braces are braces."""


def check_placeholders(
    template: Any, environment: Collection[str], *, where: str, own: tuple[str, ...] = ()
) -> None:
    """Checks every placeholder of a template; `own` are further ones that are known there.

    Raises:
        InputError: one is not known, or names a variable that the plan does not list.
    """
    known = [*PLACEHOLDERS, *own]
    for mark in (
        mark for text in _texts(template) for mark in _MARK.finditer(text) if mark["name"]
    ):
        if mark["name"] not in known or (mark["path"] and mark["name"] not in _DEEP):
            raise InputError(
                f"placeholder {mark[0]}",
                wanted=f"one of {', '.join('{' + name + '}' for name in known)}",
                mend=nearest(mark["name"], known) or f"write {{{mark[0]}}} where braces are meant",
                where=where,
                code="unknown_placeholder",
            )
        if mark["name"] == "env" and mark["path"][1:] not in environment:
            raise InputError(
                f"placeholder {mark[0]}",
                wanted="a variable that is set and that sandbox.environment lists",
                mend="add it to sandbox.environment, and set it",
                where=where,
                code="unlisted_variable",
            )


def uses(template: Any, name: str) -> bool:
    """Says whether a template has a placeholder."""
    return any(mark["name"] == name for text in _texts(template) for mark in _MARK.finditer(text))


def values_of(request: Request, fixed: Mapping[str, Any]) -> dict[str, Any]:
    """Gives what the placeholders stand for; `fixed` is what does not depend on the request."""
    return {
        **fixed,
        "brief": request.brief.content,
        "unit": request.brief.unit,
        "arm": request.arm,
        "trial": request.trial,
        "repetition": request.repetition,
        "attempt": request.attempt,
        "seed": request.seed,
        "workspace": request.workspace,
    }


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """Gives the template with its placeholders filled.

    A text that is exactly one placeholder becomes its value with its JSON type; inside a text,
    what is no text is written as JSON.

    Raises:
        InputError: the brief has nothing at a placeholder's path.
    """
    if isinstance(template, str):
        whole = _MARK.fullmatch(template)
        if whole and whole["name"]:
            return _value(whole, values)
        return _MARK.sub(lambda mark: _text(mark, values), template)
    if isinstance(template, Mapping):
        return {str(filled(k, values)): filled(v, values) for k, v in template.items()}
    if isinstance(template, list | tuple):
        return [filled(item, values) for item in template]
    return template


def _text(mark: re.Match[str], values: Mapping[str, Any]) -> str:
    if mark["literal"]:
        return "{" + mark["literal"] + "}"
    value = _value(mark, values)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(mark: re.Match[str], values: Mapping[str, Any]) -> Any:
    found: Any = values.get(mark["name"])
    for step in mark["path"].split(".")[1:]:
        if isinstance(found, list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        elif isinstance(found, Mapping) and step in found:
            found = found[step]
        else:
            keys = list(map(str, found)) if isinstance(found, Mapping) else []
            raise InputError(
                f"the brief of unit {values.get('unit')!r} has nothing at {mark[0]}",
                wanted=f"one of {', '.join(keys)}" if keys else "a brief with that field",
                mend=nearest(step, keys),
                code="no_such_field",
            )
    return found


def _texts(template: Any) -> Iterator[str]:
    if isinstance(template, str):
        yield template
    elif isinstance(template, Mapping):
        for key, value in template.items():
            yield from _texts(str(key))
            yield from _texts(value)
    elif isinstance(template, list | tuple):
        for item in template:
            yield from _texts(item)
