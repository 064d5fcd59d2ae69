"""Spoils a reference solution in many small ways, to see whether the hidden tests notice each.

Each way changes one thing of what the reference added: a hunk undone, a comparison turned or moved
by its edge, a number one larger, `and` for `or`, a condition turned round, a statement left out, a
result left out. After DeMillo, Lipton and Sayward (1978), "Hints on test data selection": tests
that notice small faults notice most large ones. Some ways change nothing that can be seen: a
survivor is a question to the author, and no fault.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from equipoise.studies.outcome.lints.patches import Hunk, hunks, with_file, written
from equipoise.studies.outcome.lints.sources import parsed
from equipoise.studies.outcome.lints.trees import Tree

_COMPARED: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">="),
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<="),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
}
_REDUCED: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.FloorDiv: "*",
    ast.Mod: "//",
}
_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Delete, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A spoilt reference: how, where, and the diff from the reference and from the seed."""

    what: str
    where: str
    from_seed: str
    diff: str


@dataclass(frozen=True, slots=True)
class _Edit:
    """A text that stands in place of a stretch of a file, counted in signs."""

    what: str
    line: int
    begin: int
    end: int
    text: str


def mutants(now: Tree, right: Tree, patch: str) -> tuple[Mutant, ...]:
    """Gives every way to spoil a reference, in the order of files and lines.

    Args:
        now: the seed's files.
        right: the same with the reference on top.
        patch: the reference.
    """
    found: dict[tuple[str, str], Mutant] = {}
    changed = [path for path in sorted(right) if now.get(path) != right[path]]
    parts = {path: _hunks(path, now, right) for path in changed}
    n_hunks = sum(len(one) for one in parts.values())
    for path in changed:
        text = right[path]
        for edit in _edits(path, text, parts[path], is_undone=n_hunks > 1):
            spoilt = text[: edit.begin] + edit.text + text[edit.end :]
            is_seed = n_hunks == 1 and spoilt == now.get(path)
            if spoilt == text or is_seed or not _is_read(path, spoilt):
                continue
            made = with_file(patch, path, now.get(path), spoilt)
            where = f"{path}:{edit.line}"
            diff = written(path, text, spoilt)
            found.setdefault(
                (path, spoilt), Mutant(what=edit.what, where=where, from_seed=made, diff=diff)
            )
    return tuple(found.values())


def spread(made: tuple[Mutant, ...], most: int) -> tuple[Mutant, ...]:
    """Gives at most so many of them, evenly spread from the first to the last."""
    if len(made) <= most:
        return made
    last = len(made) - 1
    return tuple(made[number * last // max(1, most - 1)] for number in range(most))


def _edits(path: str, text: str, parts: list[Hunk], *, is_undone: bool) -> list[_Edit]:
    edits = list(_undone(text, parts)) if is_undone else []
    if path.endswith(".py"):
        added = {
            number for hunk in parts for number in range(hunk.line, hunk.line + len(hunk.added))
        }
        edits += _spoilt(text, added)
    return sorted(edits, key=lambda edit: (edit.begin, edit.end))


def _is_read(path: str, text: str) -> bool:
    return not path.endswith(".py") or parsed(text) is not None


def _hunks(path: str, now: Tree, right: Tree) -> list[Hunk]:
    return list(hunks(path, now.get(path, "").splitlines(), right[path].splitlines()))


def _undone(text: str, parts: list[Hunk]) -> Iterator[_Edit]:
    starts = _starts(text)
    for hunk in parts:
        begin = starts[hunk.line - 1]
        end = starts[hunk.line - 1 + len(hunk.added)]
        before = "".join(f"{line}\n" for line in hunk.removed)
        yield _Edit("a change undone", hunk.line, begin, end, before)


def _spoilt(text: str, added: set[int]) -> Iterator[_Edit]:
    tree = parsed(text)
    if tree is None:
        return
    starts = _starts(text)
    docstrings = {id(node) for node in _docstrings(tree)}
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        last = getattr(node, "end_lineno", 0)
        if line in added and last in added and id(node) not in docstrings:
            yield from _of(node, _Text(text, starts))


@dataclass(frozen=True, slots=True)
class _Text:
    """A text, and where its lines begin; columns of the tree count bytes."""

    text: str
    starts: list[int]

    def at(self, line: int, column: int) -> int:
        begin = self.starts[line - 1]
        here = self.text[begin : self.starts[line]] if line < len(self.starts) else ""
        return begin + len(here.encode()[:column].decode("utf-8", "ignore"))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        last = node.end_lineno or node.lineno
        end = node.end_col_offset or node.col_offset
        return self.at(node.lineno, node.col_offset), self.at(last, end)

    def between(
        self, left: ast.expr, right: ast.expr, old: str, new: str
    ) -> tuple[int, int, str] | None:
        """Gives where an operator stands between two operands, and what comes there instead."""
        begin, end = self.span(left)[1], self.span(right)[0]
        at = self.text.find(old, begin, end)
        return None if at < 0 else (at, at + len(old), new)


def _of(node: ast.AST, text: _Text) -> Iterator[_Edit]:
    if isinstance(node, ast.Compare):
        yield from _compared(node, text)
    elif isinstance(node, ast.BinOp) and type(node.op) in _REDUCED:
        old = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}[
            type(node.op)
        ]
        if not isinstance(node.left, ast.Constant) or not isinstance(node.left.value, str):
            yield from _replaced(text, node, node.left, node.right, old, _REDUCED[type(node.op)])
    elif isinstance(node, ast.BoolOp):
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        yield from _replaced(text, node, node.values[0], node.values[1], old, new)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        begin, end = text.span(node)
        inner = text.text[slice(*text.span(node.operand))]
        yield _Edit("a condition turned round", node.lineno, begin, end, inner)
    elif isinstance(node, ast.Constant):
        yield from _constant(node, text)
    elif isinstance(node, ast.If | ast.While):
        begin, end = text.span(node.test)
        turned = f"not ({text.text[begin:end]})"
        yield _Edit("a condition turned round", node.lineno, begin, end, turned)
    elif isinstance(node, ast.Return) and node.value is not None:
        begin, end = text.span(node)
        yield _Edit("a result left out", node.lineno, begin, end, "return None")
    elif isinstance(node, _SIMPLE) and not _is_said(node):
        begin, end = text.span(node)
        yield _Edit("a statement left out", node.lineno, begin, end, "pass")


def _is_said(node: ast.stmt) -> bool:
    """Says whether a statement only prints to stderr: what it says there nobody has fixed."""
    return isinstance(node, ast.Expr) and "sys.stderr" in ast.unparse(node)


def _compared(node: ast.Compare, text: _Text) -> Iterator[_Edit]:
    signs = {
        ast.Lt: "<",
        ast.LtE: "<=",
        ast.Gt: ">",
        ast.GtE: ">=",
        ast.Eq: "==",
        ast.NotEq: "!=",
        ast.In: "in",
        ast.NotIn: "not in",
        ast.Is: "is",
        ast.IsNot: "is not",
    }
    left = node.left
    for op, right in zip(node.ops, node.comparators, strict=True):
        for new in _COMPARED[type(op)]:
            yield from _replaced(text, node, left, right, signs[type(op)], new)
        left = right


def _replaced(
    text: _Text, node: ast.expr, left: ast.expr, right: ast.expr, old: str, new: str
) -> Iterator[_Edit]:
    found = text.between(left, right, old, new)
    if found is not None:
        begin, end, instead = found
        yield _Edit(f"{old} became {new}", node.lineno, begin, end, instead)


def _constant(node: ast.Constant, text: _Text) -> Iterator[_Edit]:
    begin, end = text.span(node)
    if isinstance(node.value, bool):
        yield _Edit("True for False", node.lineno, begin, end, str(not node.value))
    elif isinstance(node.value, int):
        yield _Edit("a number one larger", node.lineno, begin, end, str(node.value + 1))


def _docstrings(tree: ast.Module) -> Iterator[ast.AST]:
    """Yields the statements that are docstrings: nothing that is run is spoilt by their absence."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first


def _starts(text: str) -> list[int]:
    """Gives where each line begins, and at last the end of the text."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts
