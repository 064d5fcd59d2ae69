"""Values of a request by name: ``trial``, ``unit``, ``brief.order.id``."""

from collections.abc import Mapping
from typing import Any

from equipoise.errors import InputError
from equipoise.records.brief import Request

_OWN = ("trial", "unit", "arm", "repetition", "attempt", "seed", "workspace")


def check_names(names: list[str], variables: Mapping[str, str], where: str) -> None:
    """Checks that each name is one of a request, of its brief or of the run.

    Raises:
        InputError: there is no such name.
    """
    known = [*_OWN, *variables]
    for name in names:
        if name not in known and not name.startswith("brief."):
            raise InputError(
                f"no value {name!r}",
                wanted=f"one of {', '.join(known)}, or brief.FIELD",
                where=where,
                code="unknown_value",
            )


def value_of(name: str, request: Request, variables: Mapping[str, str]) -> Any:
    """Gives the value of the name.

    Raises:
        KeyError: the brief of this unit has no such field.
    """
    if name in variables:
        return variables[name]
    if name == "unit":
        return request.brief.unit
    if name in _OWN:
        return getattr(request, name)
    return at_path(request.brief.content, name.removeprefix("brief."))


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
