"""The files of a study folder by name, and how one that is needed is read."""

import json
import re
from pathlib import Path

from equipoise.archive.manifest import PLAN
from equipoise.errors import Blocked, InputError
from equipoise.records.codec import decode
from equipoise.records.event import Seal

__all__ = [
    "PLAN",
    "PLAN_PAGE",
    "SEAL",
    "SEALED",
    "STUDY",
    "first_difference",
    "kind_in",
    "read_needed",
    "seal_of",
]

STUDY = "study.yaml"
PLAN_PAGE = "E2E-PLAN.md"
"""The plan of a loss study as people read it."""

SEAL = "seal.json"
SEALED = "sealed"
"""Folder with the sealed copies, so that what was changed since can be told line by line."""


_KIND = re.compile(rb"""^kind:[ \t]*['"]?([a-z]+)""", re.MULTILINE)


def kind_in(study: bytes) -> str:
    """Gives the kind that a study file names, in YAML or as JSON; "" = none is told.

    What is wrong in the file is told by whoever reads it whole.
    """
    if study.lstrip().startswith(b"{"):
        try:
            kind = json.loads(study).get("kind")
        except (ValueError, RecursionError):
            return ""
        return kind if isinstance(kind, str) else ""
    found = _KIND.search(study)
    return found[1].decode() if found else ""


def read_needed(path: Path, what: str) -> bytes:
    """Gives the bytes of a file that the study cannot do without.

    Raises:
        Blocked: it is not there.
        InputError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise Blocked(f"{what} is missing: {path}; mend: put it there") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})", wanted=what) from error


def seal_of(study: Path) -> Seal | None:
    """Gives the seal of a study folder; null where it is not sealed.

    Raises:
        InputError: the file holds no seal.
    """
    path = study / SEAL
    return decode(read_needed(path, "the seal"), Seal, where=SEAL) if path.exists() else None


def first_difference(found: bytes, wanted: bytes) -> str:
    """Says in which line two texts differ first, with what stands there."""
    theirs, ours = found.split(b"\n"), wanted.split(b"\n")
    for number, (one, other) in enumerate(zip(theirs, ours, strict=False), start=1):
        if one != other:
            return f"line {number} is {_shown(one)}, wanted {_shown(other)}"
    return f"it has {len(theirs)} lines, wanted {len(ours)}"


def _shown(line: bytes) -> str:
    return repr(line.decode("utf-8", "replace").strip().replace("\u2060", "")[:100])
