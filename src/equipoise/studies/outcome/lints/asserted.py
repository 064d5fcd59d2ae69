"""Reads out of a test file what it asserts literally, and which interfaces it goes through."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPTION = re.compile(r"--?[A-Za-z][\w-]*(?==|$)")
_WORD = re.compile(r"[A-Za-z][\w.-]*$")
_PROGRAM = "program"
"""The fixture with which hidden tests run a program of the workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """A text that an assertion compares with, and where."""

    test: str
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """A name by which a test reaches the program: what kind of name, and where."""

    kind: str
    name: str
    test: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TestFile:
    """What a test file says: its assertions' literals, its interfaces, its inputs, its tests."""

    __test__ = False  # it is no test itself, whatever pytest makes of its name

    literals: tuple[Literal, ...]
    interfaces: tuple[Interface, ...]
    inputs: tuple[str, ...]
    tests: tuple[str, ...]


def read_tests(tree: ast.Module, tops: frozenset[str]) -> TestFile:
    """Reads a test file; `tops` are the names of the program's modules at the top."""
    compared = {id(node) for node in _compared(tree)}
    texts = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    tests = {
        node.name: node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    }
    where = _places(tests)
    return TestFile(
        literals=tuple(
            Literal(test=where.get(node.lineno, ""), line=node.lineno, text=_value(node))
            for node in texts
            if id(node) in compared
        ),
        interfaces=tuple(_interfaces(tree, tops, where)),
        inputs=tuple(_value(node) for node in texts if id(node) not in compared),
        tests=tuple(tests),
    )


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _value(node: ast.AST) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _places(tests: dict[str, ast.FunctionDef]) -> dict[int, str]:
    """Gives line -> the test that it belongs to."""
    return {
        line: name
        for name, node in tests.items()
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def _compared(tree: ast.Module) -> Iterator[ast.AST]:
    """Yields texts that an assertion compares with: not what is handed to a call inside of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            yield from _outside_calls(node.test)
        elif isinstance(node, ast.Call) and _called(node).startswith("assert"):
            for word in (*node.args, *(one.value for one in node.keywords if one.arg != "msg")):
                yield from _outside_calls(word)
        elif isinstance(node, ast.Call) and _called(node) == "raises":
            for named in node.keywords:
                if named.arg == "match":
                    yield from _outside_calls(named.value)


def _outside_calls(node: ast.AST) -> Iterator[ast.AST]:
    if _is_text(node):
        yield node
        return
    if isinstance(node, ast.Call):
        yield from _outside_calls(node.func)
        return
    if isinstance(node, ast.Subscript):
        yield from _outside_calls(node.value)  # the key is an interface, not what is compared
        return
    for inner in ast.iter_child_nodes(node):
        yield from _outside_calls(inner)


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _interfaces(
    tree: ast.Module, tops: frozenset[str], where: dict[int, str]
) -> Iterator[Interface]:
    runners = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.args.vararg is not None
    }
    modules = {
        one.asname or one.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "") in tops
        for one in node.names
    }
    for node in ast.walk(tree):
        for kind, name in _named(node, tops, runners, modules):
            line = getattr(node, "lineno", 0)
            yield Interface(kind=kind, name=name, test=where.get(line, ""), line=line)


def _named(
    node: ast.AST, tops: frozenset[str], runners: set[str], modules: set[str]
) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in tops:
        yield from (("module", part) for part in (node.module or "").split("."))
        yield from (("name", one.name) for one in node.names)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.value.id in modules:
            yield "name", node.attr
    elif isinstance(node, ast.Subscript) and _is_text(node.slice):
        yield "column", _value(node.slice)
    elif isinstance(node, ast.Call):
        if _called(node) in runners:
            yield from _words(node.args)
        elif _called(node) == _PROGRAM:
            yield from _words(_after_module(node.args))
    elif isinstance(node, ast.List) and any(
        _is_text(one) and _value(one).startswith("-") for one in node.elts
    ):
        yield from _words(node.elts)


def _after_module(given: list[ast.expr]) -> list[ast.expr]:
    """Gives the words after ``python -m NAME``; all of them where it does not begin so."""
    said = [_value(one) for one in given[:2]]
    return given[3:] if said == ["python", "-m"] else given[1:]


def _words(given: list[ast.expr]) -> Iterator[tuple[str, str]]:
    """Yields the options among the words of a command line, and the first word: a subcommand."""
    is_value, is_first = False, True
    for one in given:
        text = _value(one) if _is_text(one) else ""
        if (option := _OPTION.match(text)) and not is_value:
            yield "option", option.group()
            is_value = "=" not in text
        elif is_value:
            is_value = False
        elif is_first and _WORD.match(text):
            yield "subcommand", text
            is_first = False
