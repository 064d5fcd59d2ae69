"""One writer at a time: an exclusive lock that the system drops when its holder dies."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from equipoise.archive.manifest import LOCK
from equipoise.errors import ArchiveLocked


class Lock:
    """The exclusive lock of an archive folder, held until `release` or the end of the process."""

    def __init__(self, folder: Path) -> None:
        """Takes the lock.

        Raises:
            ArchiveLocked: another process holds it; the message has its number.
        """
        self._handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(self._handle, 20, 0).decode("ascii", "replace").strip()
            os.close(self._handle)
            raise ArchiveLocked(
                f"{folder} is being written by process {holder or 'unknown'}; "
                "mend: wait for it, or end it, then again"
            ) from error
        with suppress(OSError):  # the number is a courtesy; a full disk must not prevent the lock
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Gives the lock back."""
        os.close(self._handle)
