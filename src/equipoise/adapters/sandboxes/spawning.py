"""The run's side of the spawner: starts it, hands it orders, hears how they ended."""

import os
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import equipoise
from equipoise.adapters.sandboxes.order import Order, packed

_CODE = "import sys; sys.path.insert(0, sys.argv.pop(1)); "
_CODE += "from equipoise.adapters.sandboxes.spawner import main; main(3)"
_AT = 3
_N_TRIES = 8
"""How often a spawner that is killed before it has its order is started anew."""


class Spawner:
    """A spawner that is started with the first order, and again should it have been killed.

    Every job ends with this process, in whatever way it ends: its keeper sees the line cut.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Starts nothing yet; `environment` is its own, not that of any job."""
        self._environment = {
            **{name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ},
            **environment,
        }
        self._lock = threading.Lock()
        self._orders: socket.socket | None = None
        self._pid = 0
        self._owner = 0

    def start(self, order: Order, files: Sequence[int]) -> socket.socket:
        """Has an order started; `files` are its stdin, stdout, stderr and what it inherits.

        Gives the line to its keeper, not blocking: a report comes over it; a byte written to it, or
        its end, ends the job.

        Raises:
            OSError: the spawner cannot be started.
        """
        ours, theirs = socket.socketpair()
        record = memory_file(packed(order))
        try:
            with self._lock:
                self._send([record, theirs.fileno(), *files])
        except OSError:
            ours.close()
            raise
        finally:
            os.close(record)
            theirs.close()
        ours.setblocking(False)  # noqa: FBT003  its only parameter
        return ours

    def close(self) -> None:
        """Ends the spawner."""
        with self._lock:
            self._forget()

    def __del__(self) -> None:
        with suppress(OSError):
            self._forget()

    def _send(self, files: Sequence[int]) -> None:
        for n_left in reversed(range(_N_TRIES)):
            if self._orders is None or self._owner != os.getpid():
                self._begin()
            assert self._orders is not None
            try:
                socket.send_fds(self._orders, [b"o"], files)
            except (BrokenPipeError, ConnectionResetError):
                self._forget()  # it was killed, be it as soon as it was started
                if not n_left:
                    raise
            else:
                return

    def _begin(self) -> None:
        ours, theirs = socket.socketpair()
        root = Path(equipoise.__file__).parents[1]
        with theirs:
            self._pid = os.posix_spawn(
                sys.executable,
                [sys.executable, "-I", "-S", "-c", _CODE, str(root)],
                self._environment,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, theirs.fileno(), _AT),
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                ],
            )
        self._orders = ours
        self._owner = os.getpid()

    def _forget(self) -> None:
        if self._orders is not None:
            orders, self._orders = self._orders, None
            with orders:
                if self._owner != os.getpid():
                    return
                with suppress(OSError):
                    orders.send(b"q")
            with suppress(ChildProcessError):
                os.waitpid(self._pid, 0)


def memory_file(data: bytes) -> int:
    """Gives an open file that exists only in memory, at its beginning."""
    file = os.memfd_create("job")
    with open(file, "wb", closefd=False) as writing:
        writing.write(data)
    os.lseek(file, 0, os.SEEK_SET)
    return file
