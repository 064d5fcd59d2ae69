"""What an agent left in its workspace: the paths it changed, the documents it wrote, what it said.

All of it is data of whoever made it: too large, no text, a link, anything. What cannot be read is
told as it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import regex

from equipoise.errors import NotEstimable
from equipoise.records.codec import encode
from equipoise.records.globs import matcher
from equipoise.records.grade import Evidence
from equipoise.stages.grade.json_places import json_of
from equipoise.stages.grade.json_queries import PATTERN_SECONDS
from equipoise.stages.grade.material import OUTPUT, Material, Page, page
from equipoise.stages.grade.quoting import exactly, quoted

TREE = "tree.json"
SESSION = "session.json"
ARTIFACTS = "artifacts/"

MOST_CHARACTERS = 200_000
"""So much of one document is looked at; what is after it was not written for a reader."""

MOST_DOCUMENTS = 200

_CACHES = (
    *("**/__pycache__", "**/*.pyc", "**/.pytest_cache", "**/.mypy_cache", "**/.ruff_cache"),
    *("**/.hypothesis", "**/.coverage"),
)
"""What running tests leaves; nobody means it by a change."""

_is_cache = matcher(_CACHES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What became of the seed: `changed` are the paths that differ, `files` those still there.

    `tree` is the document that lists them. `unseen` says why it may lack some; empty = it is whole.
    """

    changed: tuple[str, ...]
    files: tuple[str, ...]
    tree: Page
    unseen: str = ""

    def named(self, path: str) -> tuple[Evidence, ...]:
        """Quotes a path in the list."""
        key = f"{encode(path).decode()}:"
        start = self.tree.text.find(key)
        return exactly(self.tree, start, start + len(key)) if start >= 0 else ()


def left_by(material: Material) -> Left:
    """Gives what the agent of a trial changed, caches aside.

    Raises:
        NotEstimable: nobody froze its workspace, or the list of it cannot be read.
    """
    tree = json_of(material, TREE)
    if not isinstance(tree, dict):
        raise NotEstimable(f"{TREE} is no list of paths", code="no_tree")
    changed = tuple(sorted(path for path in tree if not _is_cache(path)))
    return Left(
        changed=changed,
        files=tuple(path for path in changed if tree[path]),
        tree=page(material, TREE),
        unseen=_unseen(material),
    )


def _unseen(material: Material) -> str:
    """Says why not all of the workspace could be listed; empty where all of it was."""
    if SESSION not in material.documents:
        return ""
    session = json_of(material, SESSION)
    if not isinstance(session, dict) or session.get("is_listed", True):
        return ""
    escapes = session.get("escapes")
    told = "; ".join(map(str, escapes[:3])) if isinstance(escapes, list) else ""
    return told or "it could not be listed"


def matching(paths: Sequence[str], glob: str) -> list[str]:
    """Gives the paths that a glob means."""
    is_meant = matcher((glob,))
    return [path for path in paths if is_meant(path)]


def document(material: Material, path: str) -> Page | None:
    """Gives a document that the agent left; null where it is no file, or was not kept."""
    name = f"{ARTIFACTS}{path}"
    return page(material, name) if name in material.documents else None


def said(material: Material) -> Page | None:
    """Gives the agent's last message; null where it said nothing."""
    return page(material, OUTPUT) if OUTPUT in material.documents else None


def told_in(material: Material, left: Left) -> Iterator[Page]:
    """Yields where somebody can tell something: the last message, then each document left."""
    message = said(material)
    if message is not None:
        yield message
    for path in left.files[:MOST_DOCUMENTS]:
        found = document(material, path)
        if found is not None:
            yield found


def find(
    pattern: str, pages: Iterable[Page], *, is_exact: bool = False
) -> tuple[Evidence, ...] | None:
    """Gives where an expression is first found; null = nowhere.

    Args:
        pattern: the expression.
        pages: where it is looked for, in this order.
        is_exact: whether upper and lower case differ.

    Raises:
        NotEstimable: the expression takes too long.
    """
    for seen in pages:
        try:
            found = _compiled(pattern, is_exact=is_exact).search(
                seen.text, endpos=MOST_CHARACTERS, timeout=PATTERN_SECONDS
            )
        except TimeoutError as error:
            raise NotEstimable(
                f"the expression {pattern!r} took more than {PATTERN_SECONDS:g} s in {seen.name}",
                code="pattern_timeout",
            ) from error
        if found is not None:
            return quoted(seen, *found.span())
    return None


@lru_cache(maxsize=4096)
def _compiled(pattern: str, *, is_exact: bool) -> Any:
    return regex.compile(pattern, 0 if is_exact else regex.IGNORECASE)
