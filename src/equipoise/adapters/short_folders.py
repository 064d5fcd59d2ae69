"""Folders with short paths, for sockets; those of processes that were killed are removed."""

import shutil
import tempfile
from contextlib import suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path


def made(prefix: str, longest: int) -> Path:
    """Gives a new folder, after those that were left with this prefix are gone.

    Whoever makes it holds a lock on the file ``alive`` in it for as long as it is used.

    Args:
        prefix: of the folder's name.
        longest: characters that the folder above it may have: the paths of sockets are bounded.
    """
    sweep(prefix, longest)
    return Path(tempfile.mkdtemp(prefix=prefix, dir=_base(longest)))


def sweep(prefix: str, longest: int) -> tuple[str, ...]:
    """Removes the folders that nobody holds a lock on any more, and gives their paths."""
    gone = []
    for old in _base(longest).glob(f"{prefix}*"):
        with suppress(OSError), (old / "alive").open("rb+") as alive:
            flock(alive, LOCK_EX | LOCK_NB)
            shutil.rmtree(old, ignore_errors=True)
            gone.append(str(old))
    return tuple(gone)


def _base(longest: int) -> Path:
    base = Path(tempfile.gettempdir())
    if len(str(base)) > longest:
        return Path("/tmp")  # noqa: S108  mkdtemp makes the folder, for us alone
    return base
