"""Fills the placeholders of a system's specification with what a request says."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from equipoise.errors import InputError, nearest
from equipoise.records.brief import Request

PLACEHOLDERS = (
    *("brief", "unit", "arm", "trial", "repetition", "attempt", "seed"),
    *("service", "workspace", "study", "python", "nonce"),
)
"""What may stand between braces; `brief` is followed by a path: ``{brief.customer.name}``."""

_MARK = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)((?:\.[\w-]+)*)\}")


def check_placeholders(template: Any, *, where: str) -> None:
    """Checks every placeholder of a template.

    Raises:
        InputError: one is not known; the nearest is named.
    """
    for text in _texts(template):
        for mark in _MARK.finditer(text):
            if mark[1] and (mark[1] not in PLACEHOLDERS or (mark[2] and mark[1] != "brief")):
                raise InputError(
                    f"placeholder {mark[0]}",
                    wanted=f"one of {', '.join('{' + name + '}' for name in PLACEHOLDERS)}",
                    mend=nearest(mark[1], list(PLACEHOLDERS))
                    or "write {{ and }} where braces are meant",
                    where=where,
                    code="unknown_placeholder",
                )


def values_of(request: Request, fixed: Mapping[str, str]) -> dict[str, Any]:
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
        if whole and whole[1]:
            return _value(whole, values)
        return _MARK.sub(lambda mark: _text(mark, values), template)
    if isinstance(template, Mapping):
        return {str(filled(k, values)): filled(v, values) for k, v in template.items()}
    if isinstance(template, list | tuple):
        return [filled(item, values) for item in template]
    return template


def _text(mark: re.Match[str], values: Mapping[str, Any]) -> str:
    if not mark[1]:
        return mark[0][0]
    value = _value(mark, values)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(mark: re.Match[str], values: Mapping[str, Any]) -> Any:
    found: Any = values.get(mark[1])
    for step in mark[2].split(".")[1:]:
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
