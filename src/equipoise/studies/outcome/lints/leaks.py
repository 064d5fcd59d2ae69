"""Searches all that a seed's repository holds for the mending of its bug and for hidden tests.

A hunk of the mending is given away where its added lines stand together in an object or a file of
`.git`, reachable or not, that is no file of the last commit. Indents, and the signs that a patch
puts before lines, count for nothing. What is too short to mean anything, or stands elsewhere in the
seed as well, is searched with the line before and the line after it.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping

from equipoise.ports.agents import Seed
from equipoise.ports.probes import Probes
from equipoise.records.notice import Notice, Severity
from equipoise.studies.outcome.lints.patches import Hunk
from equipoise.studies.outcome.lints.sources import parsed
from equipoise.studies.outcome.lints.trees import Tree, differences, tree_of

_LEAST = 16
"""So many signs a hunk has to have, to be searched for without what stands around it."""
_MOST_PLACES = 3


def leaks(seed: Seed, rights: Iterable[Tree], probes: Probes) -> Iterator[Notice]:
    """Yields a fault for each hunk of a right solution that the seed's repository gives away.

    Args:
        seed: as agents get it, with its bug.
        rights: trees that are right: with the reference, or without the bug.
        probes: gives what the repository holds.
    """
    now = tree_of(seed)
    known = {_stripped(text) for text in now.values()}
    sought = {_block(hunk, known): hunk for tree in rights for hunk in differences(now, tree)}
    sought.pop("", None)
    if not sought:
        return
    places: dict[str, list[str]] = {}
    for held in probes.held(seed):
        text = _stripped(held.content.decode("utf-8", "replace"))
        if text in known:
            continue
        for block in sought:
            if block in text:
                places.setdefault(block, []).append(held.where)
    for block, wheres in places.items():
        hunk = sought[block]
        named = ", ".join(sorted(wheres)[:_MOST_PLACES])
        yield Notice(
            code="fix_in_git",
            severity=Severity.REFUSED,
            where=f"{hunk.file}:{hunk.line}",
            message=f"the repository that agents get holds the mending ({named}): "
            f"{' / '.join(hunk.added)[:200]!r}; mend: weave the bug into the commit that brings "
            "the code in, or take a snapshot without what came after it",
            count=len(wheres),
        )


def given_away(seed: Seed, hidden: Mapping[str, str], probes: Probes) -> Iterator[Notice]:
    """Yields a fault for each hidden test whose text stands in the seed or in its repository.

    Args:
        seed: as agents get it.
        hidden: the text of each hidden file, by its path in the scenario.
        probes: gives what the repository holds.
    """
    sought = {block: (name, line) for name, text in hidden.items() for block, line in _tests(text)}
    places: dict[str, list[str]] = {}
    for held in probes.held(seed) if sought else ():
        text = _stripped(held.content.decode("utf-8", "replace"))
        for block in sought:
            if block in text:
                places.setdefault(block, []).append(held.where)
    for block, wheres in places.items():
        name, line = sought[block]
        yield Notice(
            code="test_in_git",
            severity=Severity.REFUSED,
            where=f"{name}:{line}",
            count=len(wheres),
            message="the repository that agents get holds this hidden test "
            f"({', '.join(sorted(wheres)[:_MOST_PLACES])}); mend: take it out of the seed",
        )


def _tests(text: str) -> Iterator[tuple[str, int]]:
    """Yields the text of each test of a file, as it is searched for, and its line."""
    tree = parsed(text)
    lines = text.splitlines()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield _stripped("\n".join(lines[node.lineno - 1 : node.end_lineno])), node.lineno


def _block(hunk: Hunk, known: set[str]) -> str:
    """Gives the added lines as they are searched for; "" where nothing can be told from them."""
    if not "".join(hunk.added).strip():
        return ""
    own = _stripped("\n".join(hunk.added))
    around = _stripped("\n".join([*hunk.before, *hunk.added, *hunk.after]))
    tried = [own, around] if len(own.strip()) >= _LEAST else [around]
    return next((one for one in tried if not any(one in text for text in known)), "")


def _stripped(text: str) -> str:
    return "\n" + "\n".join(line.strip(" \t+") for line in text.splitlines()) + "\n"
