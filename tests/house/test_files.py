"""Files have one subject: they open with a sentence, stay short, and are named by what they do."""

import ast
import re
from pathlib import Path

from every import for_every
from house.tree import SOURCE, modules, name_of, tracked

_LONGEST = 400
_LONGEST_FUNCTION = 50
_NO_ROOM = {"utils", "util", "helpers", "helper", "common", "misc"}
_MACHINE = re.compile(rb"(?<![\w.])/(?:home|root|Users|work|mnt)/[\w.-]+")
_TEXTS = {".py", ".md", ".toml", ".yaml", ".yml", ".json", ".jsonl", ".j2", ".css", ".js", ""}
_SOURCES = [path for path in modules() if SOURCE in path.parents]


@for_every("path", modules(), ids=name_of)
def test_a_file_is_short_or_says_why_not(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = [line for line in lines[:40] if line.startswith("# ")]
    assert len(lines) <= _LONGEST or (comments and "one file" in comments[0]), (
        f"{name_of(path)} has {len(lines)} lines; split it, or let its first comment say why it is "
        "one file"
    )


@for_every("path", _SOURCES, ids=name_of)
def test_a_module_opens_with_one_sentence(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_bytes())) or ""
    first = docstring.split("\n\n", maxsplit=1)[0]
    assert first.endswith((".", "?", ":")), f"{name_of(path)} opens with {first!r}"


@for_every("path", _SOURCES, ids=name_of)
def test_a_function_fits_on_a_screen(path: Path) -> None:
    long = [
        f"{node.name}: {n_lines} lines"
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.FunctionDef) and (n_lines := _n_lines(node)) > _LONGEST_FUNCTION
    ]
    assert long == []


def _n_lines(function: ast.FunctionDef) -> int:
    """Lines of the body, without the docstring."""
    has_docstring = ast.get_docstring(function) is not None and len(function.body) > 1
    first = function.body[1 if has_docstring else 0]
    return (function.end_lineno or first.lineno) - first.lineno + 1


@for_every("path", modules(), ids=name_of)
def test_no_file_is_a_drawer_for_odds_and_ends(path: Path) -> None:
    assert not _NO_ROOM & set(path.with_suffix("").parts)


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    found = [
        f"{name_of(path)}: {match.group().decode()}"
        for path in tracked()
        if path.suffix in _TEXTS and path != Path(__file__)
        for match in _MACHINE.finditer(path.read_bytes())
    ]
    assert found == []
