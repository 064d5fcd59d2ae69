"""Values beside the right one: what claims the same of all of them has shown nothing."""

import secrets
from collections.abc import Callable
from typing import Any


def decoys(value: Any) -> list[Any]:
    """Gives other values, of the same type where one can be made, and one of which nobody heard."""
    makers: dict[type, Callable[[], Any]] = {
        bool: lambda: not value,
        int: lambda: value + secrets.choice((-1, 1)) * (1 + secrets.randbelow(9)),
        str: lambda: "".join(secrets.choice(value or "ab") for _ in range(len(value) + 2)),
        bytes: lambda: value + secrets.token_bytes(1),
    }
    make = makers.get(type(value))
    like = [] if make is None else [make(), make()]
    return [*(one for one in like if one != value), f"no such thing {secrets.token_hex(8)}"]


def shuffled(values: list[Any]) -> list[Any]:
    """Gives the values in an order that nobody knows."""
    left = list(values)
    return [left.pop(secrets.randbelow(len(left))) for _ in values]
