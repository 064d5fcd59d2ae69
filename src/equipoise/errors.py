"""The one tree of errors.

::

    EquipoiseError            (exit 2)
    ├── NotEstimable          no honest number exists for this input; carries the reason
    ├── InputError            a file, line, field or option is not what was wanted
    │   └── UnreadableSource  a foreign file cannot be read at all
    ├── ArchiveError          the archive is damaged, altered or in use
    │   ├── Tampered          a byte, line, quote or derived file does not follow from the record
    │   ├── ArchiveLocked     another process writes to it
    │   └── StorageFull       the disk took no more; what was acknowledged is kept
    ├── Blocked               (exit 3) a precondition is missing
    └── Void                  (exit 5) the harness is at fault; these runs show nothing

Every message says what was found, what was wanted, and the mend.
"""

import shlex
from difflib import get_close_matches
from typing import ClassVar


class EquipoiseError(Exception):
    """Base of all errors that a user can meet; ``exit_code`` is what the command line returns."""

    exit_code: ClassVar[int] = 2


class NotEstimable(EquipoiseError):
    """No honest number exists: ``why`` says so in one clause, ``code`` names it for programs."""

    def __init__(self, why: str, *, code: str = "not_estimable") -> None:
        """Keeps the reason and its code."""
        super().__init__(why)
        self.why = why
        self.code = code


class InputError(EquipoiseError):
    """Something the user wrote is not what was wanted.

    Args:
        found: what was found, with its value or id.
        wanted: what would have been right.
        mend: what to do about it.
        where: file, with line and field where they are known (``runs.jsonl:17: field 'loss'``).
        code: a short stable name of the fault for programs, e.g. ``best_equals_worst``.
    """

    def __init__(
        self, found: str, *, wanted: str = "", mend: str = "", where: str = "", code: str = "input"
    ) -> None:
        """Joins the parts to one message."""
        parts = [found]
        if wanted:
            parts.append(f"wanted: {wanted}")
        if mend:
            parts.append(f"mend: {mend}")
        between = "\n" if "\n" in found else "; "
        super().__init__((f"{where}: " if where else "") + between.join(parts))
        self.found = found
        self.wanted = wanted
        self.mend = mend
        self.where = where
        self.code = code


class UnreadableSource(InputError):
    """A foreign file cannot be read at all (broken, not of the format, a bomb)."""


class ArchiveError(EquipoiseError):
    """The archive is damaged, altered or in use."""


class Tampered(ArchiveError):
    """Something stored does not follow from the record it must follow from."""

    exit_code: ClassVar[int] = 1


class ArchiveLocked(ArchiveError):
    """Another process holds the archive."""

    exit_code: ClassVar[int] = 3


class StorageFull(ArchiveError):
    """The disk took no more; everything acknowledged before is kept."""

    exit_code: ClassVar[int] = 3


class Blocked(EquipoiseError):
    """A precondition is missing."""

    exit_code: ClassVar[int] = 3


class Void(EquipoiseError):
    """The harness is at fault; no result can be read from these runs."""

    exit_code: ClassVar[int] = 5


def nearest(name: str, valid: list[str]) -> str:
    """Names the nearest valid names in a clause, ``did you mean 'unit'?``; may be empty."""
    close = get_close_matches(name, valid, n=2, cutoff=0.6)
    return f"did you mean {' or '.join(repr(c) for c in close)}?" if close else ""


def as_word(path: object) -> str:
    """A path as one word of a shell command that a message says to type.

    >>> as_word("my study")
    "'my study'"
    """
    return shlex.quote(str(path))
