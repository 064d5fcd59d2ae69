"""Tests use no mocks."""

import ast
from pathlib import Path

from every import for_every
from house.tree import modules, name_of

_STAND_INS = {"mock", "monkeypatch", "MagicMock", "patch", "mocker"}
_TESTS = [path for path in modules() if path.name.startswith("test_")]


@for_every("path", _TESTS, ids=name_of)
def test_nothing_is_replaced_by_a_mock(path: Path) -> None:
    tree = ast.parse(path.read_bytes())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    assert not names & _STAND_INS
