"""Files that are either there whole or not at all, and what a full disk means."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from equipoise.errors import ArchiveError, StorageFull

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def replace_file(path: Path, content: bytes) -> None:
    """Writes the file whole: a temporary file beside it, synced, renamed over it, folder synced.

    Raises:
        StorageFull: the disk took no more; the file is as it was.
    """
    with replacing(path) as part, part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Lends the name of a file to be written and synced; at the end it stands in the file's place.

    Raises:
        StorageFull: the disk took no more; the file is as it was.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    with storage_errors(f"writing {path.name}"):
        try:
            yield part
            part.replace(path)
        except BaseException:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def remove_parts(*folders: Path) -> None:
    """Removes temporary files of a process that was killed; nobody else may write there now."""
    for folder in folders:
        for part in folder.glob(".*.part"):
            with suppress(OSError):
                part.unlink()


def sync_file(path: Path | str) -> None:
    """Makes the content of a file durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path | str) -> None:
    """Makes the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_all(handle: int, content: bytes) -> None:
    """Writes all bytes to a file handle, however many the system takes at once."""
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]


@contextmanager
def storage_errors(doing: str, *, kept: str = "") -> Iterator[None]:
    """Turns an error of the file system into one of the house.

    Args:
        doing: what was being done, for the message.
        kept: what is safe all the same.
    """
    try:
        yield
    except OSError as error:
        what = f"{doing}: {error.strerror or error}"
        if error.errno in _FULL:
            tail = f"; kept: {kept}" if kept else ""
            raise StorageFull(f"disk full while {what}{tail}; mend: free space, then again") from (
                error
            )
        raise ArchiveError(f"cannot go on while {what}") from error
