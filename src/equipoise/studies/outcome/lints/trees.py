"""The text files of a seed with a patch on top, and what they differ in from another such tree."""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from equipoise.ports.agents import Seed
from equipoise.studies.outcome.lints.patches import Hunk, hunks

Tree = Mapping[str, str]
"""Path -> text."""


def tree_of(seed: Seed, diff: bytes = b"") -> Tree:
    """Gives the text files of a seed with a diff on top; what is no text is left out.

    Raises:
        InputError: the diff does not fit the seed.
    """
    with tempfile.TemporaryDirectory(prefix="equipoise-tree-") as folder:
        place = Path(folder, "tree")
        seed.rebuild(place, diff)
        found = {}
        for path in sorted(place.rglob("*")):
            inner = path.relative_to(place)
            if ".git" in inner.parts or path.is_symlink() or not path.is_file():
                continue
            try:
                found[inner.as_posix()] = path.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                continue
        return found


def differences(old: Tree, new: Tree) -> Iterator[Hunk]:
    """Yields what two trees differ in, by file; a file that is not there counts as empty."""
    for path in sorted({*old, *new}):
        if old.get(path) != new.get(path):
            before, after = old.get(path, ""), new.get(path, "")
            yield from hunks(path, before.splitlines(), after.splitlines())
