"""A folder that appears under its final name whole or not at all, however the process ends."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from equipoise.archive.durable import storage_errors, sync_folder

_PREFIX = ".equipoise-import-"
_GUARD = ".alive"
_MANY = 64


@contextmanager
def staged(destination: Path) -> Iterator[Path]:
    """Gives a temporary folder beside the destination and removes it at the end.

    What is to stay is moved out with `publish`. Folders left by processes that were killed are
    swept away first; one that is still being written holds a lock and is left alone.
    """
    parent = destination.parent
    with storage_errors(f"making {parent}"):
        parent.mkdir(parents=True, exist_ok=True)
        sweep(parent)
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        guard = os.open(folder / _GUARD, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(guard, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        os.close(guard)
        shutil.rmtree(folder, ignore_errors=True)


def publish(made: Path, destination: Path) -> bool:
    """Moves a finished folder to its final name; False where another stands there by now.

    Everything is on the disk before the name is.
    """
    with storage_errors(f"moving the archive to {destination}"):
        _await_disk(made)
        try:
            made.rename(destination)
        except OSError:
            if destination.exists():
                return False
            raise
        sync_folder(destination.parent)
    return True


def _await_disk(folder: Path) -> None:
    """Waits until all files of a folder are on the disk: one by one, or many at once."""
    files = [place for place in folder.rglob("*") if place.is_file()]
    if len(files) > _MANY:
        os.sync()
        return
    for file in files:
        handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    for place in {file.parent for file in files}:
        sync_folder(place)


def sweep(parent: Path) -> None:
    """Removes what killed processes left beside `parent`'s folders; what is being written stays."""
    for left in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            guard = os.open(left / _GUARD, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(guard)
