"""Tells which paths a glob means, with `**` for any number of folders."""

import re
from collections.abc import Callable, Sequence


def matcher(globs: Sequence[str]) -> Callable[[str], bool]:
    """Gives a test for paths: true where one of the globs means the path or a folder above it.

    ``*`` and ``?`` stay inside one folder; ``**`` crosses folders; a glob without ``/`` is looked
    for at the top only.
    """
    if not globs:
        return lambda _path: False
    whole = re.compile("|".join(f"(?:{_expression(glob)})(?:/.*)?" for glob in globs), re.DOTALL)
    return lambda path: whole.fullmatch(path) is not None


def _expression(glob: str) -> str:
    parts = []
    position = 0
    glob = glob.strip("/")
    while position < len(glob):
        if glob.startswith("**/", position):
            parts.append("(?:[^/]+/)*")
            position += 3
        elif glob.startswith("**", position):
            parts.append(".*")
            position += 2
        else:
            character = glob[position]
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(character, re.escape(character)))
            position += 1
    return "".join(parts)
