"""Names the unit of a session for which the tool that wrote it names none."""

import hashlib
from pathlib import Path

from equipoise.adapters.logs.table.fields import text
from equipoise.adapters.logs.table.reader import stem_of

UNITS = ("file", "prompt", "folder", "session")
"""What a unit can be named after."""


def unit_of(kind: str, prompt: str, session: str, path: Path) -> str:
    """Gives the name: of the prompt, its first line and a hash of all; else of session or place.

    What is not there to be named after leaves the name of the file.
    """
    if kind == "prompt" and prompt:
        digest = hashlib.sha256(prompt.encode("utf-8", "replace")).hexdigest()[:8]
        first = text(prompt.strip().split("\n", maxsplit=1)[0][:60]) or "prompt"
        return f"{first} #{digest}"
    if kind == "folder":
        return path.parent.name
    if kind == "session" and session:
        return session
    return stem_of(path)
