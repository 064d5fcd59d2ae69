"""Reads the Python of a seed: lines of code, what it imports, its age, its habits of style."""

import ast
import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

_MARKER = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
_DEPRECATED = re.compile(r"deprecat", re.IGNORECASE)
_CAMEL = re.compile(r"[a-z0-9][A-Z]")
_PROVIDED = frozenset({"pytest"})
"""What is there for tests although it is not of the standard library."""
_LEAST_BODY = 3
"""A module with less in it has no docstring to be missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A Python file of a seed; `tree` is null where it cannot be parsed."""

    path: str
    text: str
    tree: ast.Module | None

    @property
    def is_test(self) -> bool:
        """Says whether it belongs to the seed's own suite."""
        *folders, name = self.path.split("/")
        return "tests" in folders or name.startswith("test_") or name == "conftest.py"

    @property
    def n_lines(self) -> int:
        """Gives its lines of code: neither blank nor a comment."""
        return sum(
            bool(line.strip()) and not line.lstrip().startswith("#")
            for line in self.text.splitlines()
        )

    def runnable(self) -> frozenset[int]:
        """Gives the numbers of its lines in which something can be run."""
        try:
            with _no_warnings():
                code = compile(self.text, self.path, "exec")
        except (SyntaxError, ValueError, RecursionError):
            return frozenset()
        return frozenset(_lines(code))


def sources(folder: Path) -> tuple[Source, ...]:
    """Gives the Python files below a folder, by path; what git keeps for itself is left out."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        inner = path.relative_to(folder)
        if ".git" in inner.parts or not path.is_file() or path.is_symlink():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found.append(Source(path=inner.as_posix(), text=text, tree=parsed(text)))
    return tuple(found)


def parsed(text: str) -> ast.Module | None:
    """Gives the tree of a Python text; null where it is none."""
    try:
        with _no_warnings():
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def foreign(files: tuple[Source, ...]) -> Iterator[str]:
    """Yields imports that are neither of the standard library nor of the seed: module (file)."""
    own = {part for one in files for part in (*one.path.split("/")[:-1], Path(one.path).stem)}
    for one in files:
        known = {*sys.stdlib_module_names, *own, *(_PROVIDED if one.is_test else ())}
        for name in sorted(_imported(one.tree) - known):
            yield f"{name} ({one.path})"


def markers(files: tuple[Source, ...]) -> Iterator[str]:
    """Yields the places of what is left to do: file:line."""
    for one in files:
        for number, line in enumerate(one.text.splitlines(), start=1):
            if _MARKER.search(line):
                yield f"{one.path}:{number}"


def deprecated(files: tuple[Source, ...]) -> Iterator[str]:
    """Yields the files, tests aside, that say of something that it is deprecated."""
    yield from (one.path for one in files if not one.is_test and _DEPRECATED.search(one.text))


def drift(files: tuple[Source, ...]) -> Iterator[str]:
    """Yields the habits in which files differ: what is done in two ways, and in how many files."""
    for what, of in _HABITS.items():
        seen: dict[str, int] = defaultdict(int)
        for one in files:
            if one.tree is not None:
                for way in of(one, one.tree):
                    seen[way] += 1
        if len(seen) > 1:
            counted = ", ".join(f"{way} in {n}" for way, n in sorted(seen.items()))
            yield f"{what}: {counted}"


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Keeps what Python has to say of the style of a text from those who read it here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _lines(code: CodeType) -> Iterator[int]:
    yield from (line for _, _, line in code.co_lines() if line)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _lines(inner)


def _imported(tree: ast.Module | None) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            names |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


def _texts(_: Source, tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            found.add("f-strings")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left):
            found.add("%")
        elif isinstance(node, ast.Attribute) and node.attr == "format" and _is_text(node.value):
            found.add(".format")
    return found


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _annotations(one: Source, tree: ast.Module) -> set[str]:
    defined = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    if one.is_test or not defined:
        return set()
    is_typed = any(
        node.returns is not None or any(word.annotation for word in node.args.args)
        for node in defined
    )
    return {"written" if is_typed else "left out"}


def _names(_: Source, tree: ast.Module) -> set[str]:
    defined = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    ours = [one for one in defined if not one.startswith(("setUp", "tearDown", "visit_", "do_"))]
    return {"camelCase" for one in ours if _CAMEL.search(one)} | {
        "snake_case" for one in ours if "_" in one.strip("_")
    }


def _paths(_: Source, tree: ast.Module) -> set[str]:
    found = {"pathlib"} if "pathlib" in _imported(tree) else set()
    is_os = any(
        isinstance(node, ast.Attribute)
        and node.attr == "path"
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
        for node in ast.walk(tree)
    )
    return found | ({"os.path"} if is_os else set())


def _docstrings(one: Source, tree: ast.Module) -> set[str]:
    if one.is_test or len(tree.body) < _LEAST_BODY:
        return set()
    return {"written" if ast.get_docstring(tree) else "left out"}


def _tests(one: Source, tree: ast.Module) -> set[str]:
    if not one.is_test:
        return set()
    found = {"classes" for node in tree.body if isinstance(node, ast.ClassDef)}
    return found | {
        "functions"
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    }


_HABITS: Mapping[str, Callable[[Source, ast.Module], set[str]]] = {
    "texts are put together by": _texts,
    "annotations": _annotations,
    "names of functions": _names,
    "paths": _paths,
    "docstrings of modules": _docstrings,
    "tests are": _tests,
}
