"""Values of a request by name, ``trial``, ``unit``, ``brief.order.id``, and templates of them."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from equipoise.adapters.probes.rows import Unseen
from equipoise.errors import InputError, nearest
from equipoise.records.brief import Request

_OWN = ("trial", "unit", "arm", "repetition", "attempt", "seed", "workspace")
_SERVICE = "service"
_MARK = re.compile(r"\{\{|\}\}|\{(?P<name>[A-Za-z_]\w*(?:\.[\w-]+)*)\}")


def check_names(names: list[str], variables: Mapping[str, str], where: str) -> None:
    """Checks that each name is one of a request, of its brief or of the run.

    Raises:
        InputError: there is no such name.
    """
    known = list(dict.fromkeys([*_OWN, _SERVICE, *variables]))
    for name in names:
        if name not in known and not name.startswith("brief."):
            raise InputError(
                f"no value {name!r}",
                wanted=f"one of {', '.join(known)}, or brief.FIELD",
                mend=nearest(name, known),
                where=where,
                code="unknown_value",
            )


def names_in(template: str) -> list[str]:
    """Gives the names between braces in a template."""
    return [mark["name"] for mark in _MARK.finditer(template) if mark["name"]]


def filled(
    template: str, request: Request, variables: Mapping[str, str], *, as_address: bool = False
) -> str:
    """Gives the template with its names filled in; ``{{`` and ``}}`` are braces.

    Args:
        template: the text with names between braces.
        request: what is asked about.
        variables: values of the run.
        as_address: the text is an address, so a value of the request is quoted for it: it may not
            lead to another place.

    Raises:
        Unseen: a name has no value here.
    """

    def one(mark: re.Match[str]) -> str:
        name = mark["name"]
        if not name:
            return mark[0][0]
        value = value_of(name, request, variables)
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        return quote(text, safe="") if as_address and name not in variables else text

    return _MARK.sub(one, template)


def value_of(name: str, request: Request, variables: Mapping[str, str]) -> Any:
    """Gives the value of the name.

    Raises:
        Unseen: the brief of this unit has no such field, or no service is up.
    """
    if name in variables:
        return variables[name]
    if name == "unit":
        return request.brief.unit
    if name in _OWN:
        return getattr(request, name)
    if name == _SERVICE:
        raise Unseen("no service of the study is up that an address could lead to")
    try:
        return at_path(request.brief.content, name.removeprefix("brief."))
    except KeyError:
        raise Unseen(f"unit {request.brief.unit!r} has no field {name}") from None


def at_path(content: Any, path: str) -> Any:
    """Gives what stands at a dotted path of a JSON value.

    Raises:
        KeyError: nothing stands there.
    """
    found = content
    for key in path.split("."):
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        else:
            raise KeyError(path)
    return found
