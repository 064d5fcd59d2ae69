"""Tests use no mocks, and whatever is excepted from a rule has its reason beside it."""

import ast
import re
from pathlib import Path

from every import for_every
from house.tree import modules, name_of

_STAND_INS = {"mock", "monkeypatch", "MagicMock", "patch", "mocker"}
_TESTS = [path for path in modules() if path.name.startswith("test_")]
_EXCEPTED = re.compile(
    r"#\s*(?:noqa\b(?::[A-Z0-9, ]+)?|type: ignore(?:\[[^\]]*\])?|pragma: no \w+)(?P<why>.*)$",
    re.MULTILINE,
)
_SKIPS = {"skip", "skipif", "xfail"}
_LEAST = 5
"""Letters of the shortest reason, with what stands before it."""


@for_every("path", _TESTS, ids=name_of)
def test_nothing_is_replaced_by_a_mock(path: Path) -> None:
    tree = ast.parse(path.read_bytes())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    assert not names & _STAND_INS


@for_every("path", modules(), ids=name_of)
def test_what_is_excepted_says_why_beside_it(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if (at := _EXCEPTED.search(line)) and len(at["why"]) < _LEAST]
    assert [line.strip() for line in found] == []


@for_every("path", _TESTS, ids=name_of)
def test_a_test_that_is_skipped_says_why(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            is_pytests = ast.unparse(node.func).startswith("pytest.")
            if is_pytests and name in _SKIPS:
                words = {key.arg for key in node.keywords}
                assert (name == "skip" and node.args) or "reason" in words, ast.unparse(node)
