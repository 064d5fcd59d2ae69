"""Which test says that it covers which requirement, read from the marks in the test files."""

import ast
import re
from functools import cache

from house.tree import modules, name_of

_FIELD_CASE = re.compile(r"test_(a\d+)_")


@cache
def covered() -> dict[str, tuple[str, ...]]:
    """Requirement id -> the test files that are marked with it, in order.

    A test of a field case may name it in its own name: ``test_a13_...`` covers A13.
    """
    found: dict[str, set[str]] = {}
    for path in modules():
        if path.name.startswith("test_"):
            tree = ast.parse(path.read_bytes())
            for identity in [*_marked(tree), *_named(tree)]:
                found.setdefault(identity, set()).add(name_of(path))
    return {identity: tuple(sorted(files)) for identity, files in sorted(found.items())}


def _marked(tree: ast.Module) -> list[str]:
    """The ids in calls of ``requirement(...)``, on a test, on a class, in ``pytestmark``."""
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "requirement"
    ]
    return [
        argument.value
        for call in calls
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def _named(tree: ast.Module) -> list[str]:
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [match[1].upper() for name in names if (match := _FIELD_CASE.match(name))]
