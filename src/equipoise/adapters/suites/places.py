"""A folder for suites of tests: with a short path, removed at the end, or by whoever comes next."""

import shutil
from contextlib import ExitStack
from fcntl import LOCK_SH, flock
from pathlib import Path

from equipoise.adapters import short_folders

_FOLDER = "equipoise-suites-"
_LONGEST = 32
"""Characters that a folder may have: sockets are put below it, and their paths are bounded."""


def made_folder(until: ExitStack) -> Path:
    """Gives a new folder that is there until the end of `until`.

    Folders of processes that were killed are removed first: nobody holds their locks any more.
    """
    folder = short_folders.made(_FOLDER, _LONGEST)
    until.callback(shutil.rmtree, folder, ignore_errors=True)
    held = until.enter_context((folder / "begun").open("wb"))
    flock(held, LOCK_SH)
    (folder / "begun").rename(folder / "alive")
    return folder


def sweep() -> tuple[str, ...]:
    """Removes the folders of processes that were killed, and gives their paths."""
    return short_folders.sweep(_FOLDER, _LONGEST)
