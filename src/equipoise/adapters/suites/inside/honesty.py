"""Looks at what is compared in the assertions of tests: nothing may be equal to everything."""

import ast
import builtins
import sys
from typing import Any

from _pytest.assertion import rewrite

_NAME = "equipoise_honest"
_DEPTH = 3
_ITEMS = 1000


class Honesty:
    """A plugin of pytest: each value that an assertion compares is first set against an object."""

    def __init__(self) -> None:
        """Puts itself before the rewriting of assertions."""
        self.lies: list[str] = []
        self._look = self.seen
        vars(builtins)[_NAME] = self._look
        rewriting = rewrite.rewrite_asserts

        def rewritten(mod: ast.Module, source: bytes, *words: Any, **named: Any) -> None:
            _Watching().visit(mod)
            ast.fix_missing_locations(mod)
            rewriting(mod, source, *words, **named)

        rewrite.rewrite_asserts = rewritten

    def pytest_sessionfinish(self) -> None:
        """Looks whether somebody took its place."""
        if vars(builtins).get(_NAME) is not self._look:
            self.lies.append("what looks at the values of assertions was replaced")

    def seen(self, value: Any) -> Any:
        """Gives the value back.

        Raises:
            AssertionError: it, or something in it, equals just any object.
        """
        if _equals_anything(value, _DEPTH):
            self.lies.append(f"{type(value).__qualname__}: equals any object")
            raise AssertionError(f"a {type(value).__qualname__} that equals any object")
        return value


def _equals_anything(value: Any, depth: int) -> bool:
    kind = type(value)
    if kind in (list, tuple, set, frozenset) and depth:
        return any(_equals_anything(one, depth - 1) for one in list(value)[:_ITEMS])
    if kind is dict and depth:
        return any(_equals_anything(one, depth - 1) for one in list(value.values())[:_ITEMS])
    anything = getattr(sys.modules.get("unittest.mock"), "ANY", None)
    if kind.__module__ == "builtins" or value is anything:
        return False
    try:
        return (value == object()) is True
    except Exception:  # noqa: BLE001  the program's own __eq__
        return False


class _Watching(ast.NodeTransformer):
    """Wraps what an assertion compares into a look at it."""

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        """Wraps the sides of each comparison below an assertion."""
        for part in ast.walk(node.test):
            if isinstance(part, ast.Compare):
                part.left = _wrapped(part.left)
                part.comparators = [_wrapped(one) for one in part.comparators]
        return node


def _wrapped(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Constant):
        return node
    call = ast.Call(func=ast.Name(id=_NAME, ctx=ast.Load()), args=[node], keywords=[])
    return ast.copy_location(call, node)
