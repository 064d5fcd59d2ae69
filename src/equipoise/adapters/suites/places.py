"""A folder for suites of tests: with a short path, removed at the end, or by whoever comes next."""

import shutil
import tempfile
from contextlib import ExitStack, suppress
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from pathlib import Path

_FOLDER = "equipoise-suites-"
_LONGEST = 32
"""Characters that a folder may have: sockets are put below it, and their paths are bounded."""


def made_folder(until: ExitStack) -> Path:
    """Gives a new folder that is there until the end of `until`.

    Folders of processes that were killed are removed first: nobody holds their locks any more.
    """
    sweep()
    folder = Path(tempfile.mkdtemp(prefix=_FOLDER, dir=_base()))
    until.callback(shutil.rmtree, folder, ignore_errors=True)
    held = until.enter_context((folder / "begun").open("wb"))
    flock(held, LOCK_SH)
    (folder / "begun").rename(folder / "alive")
    return folder


def sweep() -> tuple[str, ...]:
    """Removes the folders of processes that were killed, and gives their paths."""
    gone = []
    for old in _base().glob(f"{_FOLDER}*"):
        with suppress(OSError), (old / "alive").open("rb+") as alive:
            flock(alive, LOCK_EX | LOCK_NB)
            shutil.rmtree(old, ignore_errors=True)
            gone.append(str(old))
    return tuple(gone)


def _base() -> Path:
    base = Path(tempfile.gettempdir())
    if len(str(base)) > _LONGEST:
        return Path("/tmp")  # noqa: S108  mkdtemp makes the folder, for us alone
    return base
