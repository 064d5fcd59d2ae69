"""What pytest and Python consist of, so that a change of it can be seen."""

import builtins
import sys
import types
from collections.abc import Iterator
from typing import Any

_WATCHED = ("_pytest", "pytest", "pluggy", "unittest", "builtins", "os", "posix", "operator")


def fingerprint() -> dict[str, tuple[int, ...]]:
    """Gives name -> what identifies it, for all that is watched."""
    found: dict[str, tuple[int, ...]] = {
        "sys.settrace": (id(sys.gettrace()),),
        "sys.setprofile": (id(sys.getprofile()),),
        "sys.excepthook": (id(sys.excepthook),),
    }
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] in _WATCHED and isinstance(module, types.ModuleType):
            found[f"module {name}"] = (id(module),)
            for key, value in list(vars(module).items()):
                found.update(_parts(f"{name}.{key}", value))
    return found


def changed(before: dict[str, tuple[int, ...]], after: dict[str, tuple[int, ...]]) -> list[str]:
    """Gives what was there before and is another now."""
    return [f"{name} was changed" for name, one in before.items() if after.get(name) != one][:20]


def _parts(name: str, value: Any) -> Iterator[tuple[str, tuple[int, ...]]]:
    if isinstance(value, types.FunctionType):
        yield name, (id(value), id(value.__code__))
    elif isinstance(value, type):
        yield name, (id(value),)
        if value.__module__.partition(".")[0] in _WATCHED and value not in _PLAIN:
            for key, one in list(vars(value).items()):
                if isinstance(one, types.FunctionType):
                    yield f"{name}.{key}", (id(one), id(one.__code__))
    elif isinstance(value, types.BuiltinFunctionType):
        yield name, (id(value),)


_PLAIN = {value for value in vars(builtins).values() if isinstance(value, type)}
