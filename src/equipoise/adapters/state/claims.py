"""One run at a time on a state, and what a killed run left there is put right by the next."""

import fcntl
import os
import weakref
from contextlib import suppress
from pathlib import Path

import msgspec

from equipoise.errors import Blocked


class Claim:
    """A file beside the state that says where its snapshot stands, locked by the run that uses it.

    The system drops the lock when the run dies; the file stays and leads the next run to the
    snapshot of the clean state. Where no file can be written, nothing is claimed.
    """

    def __init__(self, path: Path) -> None:
        """Takes the path of the file; writes nothing yet."""
        self._path = path
        self._close: weakref.finalize[[int], Claim] | None = None

    def take(self, keep: Path, name: str) -> Path | None:
        """Claims the state for the snapshot in `keep`; gives where an earlier one stands.

        Raises:
            Blocked: another run that is alive uses this state.
        """
        if self._close and self._close.alive:
            return None
        handle, holder = self._locked(name)
        if handle is None:
            return None
        self._close = weakref.finalize(self, os.close, handle)
        with suppress(OSError):  # a full disk is told by the snapshot itself
            _Holder(keep=str(keep.resolve()), process=os.getpid()).write(handle)
        return Path(holder.keep) if holder.keep and Path(holder.keep) != keep.resolve() else None

    def _locked(self, name: str) -> tuple[int | None, "_Holder"]:
        """Gives the locked file and what it says; none where it cannot be, or is by ourselves."""
        while True:
            try:
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except OSError:
                return None, _Holder()
            holder = _Holder.read(handle)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(handle)
                if holder.process == os.getpid():
                    return None, holder
                raise Blocked(
                    f"{name} is used by the run of process {holder.process or 'unknown'}; "
                    "mend: wait for it, or end it"
                ) from None
            if os.fstat(handle).st_nlink:
                return handle, holder
            os.close(handle)  # another run gave it free just now, and removed the file

    def drop(self, keep: Path, name: str) -> None:
        """Gives the state free, also after a killed run whose snapshot was in `keep`.

        Raises:
            Blocked: another run that is alive uses this state.
        """
        if self._close and self._close.alive:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            self._close()
        elif self._path.exists():
            handle, holder = self._locked(name)
            if handle is not None:
                if holder.keep == str(keep.resolve()):
                    self._path.unlink(missing_ok=True)
                os.close(handle)
        self._close = None


class _Holder(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    keep: str = ""
    process: int = 0

    @classmethod
    def read(cls, handle: int) -> "_Holder":
        try:
            return msgspec.json.decode(os.pread(handle, 1 << 16, 0), type=cls)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return cls()

    def write(self, handle: int) -> None:
        os.ftruncate(handle, 0)
        os.pwrite(handle, msgspec.json.encode(self), 0)
        os.fsync(handle)
