"""Reads what a program writes, up to a limit, without blocking anybody else."""

import os
from collections.abc import AsyncIterator, Callable

import anyio
import anyio.lowlevel

_READ = 1 << 16


async def chunks(handle: int) -> AsyncIterator[bytes]:
    """Yields what a pipe's file handle (not blocking) gives, until it is closed."""
    while True:
        try:
            chunk = os.read(handle, _READ)
        except BlockingIOError:
            await anyio.wait_readable(handle)
            continue
        if not chunk:
            return
        yield chunk
        await anyio.lowlevel.checkpoint()


class Stream:
    """One output stream of a program: its first bytes are kept, the rest is read and dropped."""

    def __init__(self, handle: int, most: int) -> None:
        """Reads from the file handle of a pipe; keeps at most `most` bytes."""
        os.set_blocking(handle, False)
        self._handle = handle
        self._most = most
        self.content = bytearray()
        self.is_full = False
        self.closed = anyio.Event()

    async def read(self, on_full: Callable[[], None] | None = None) -> None:
        """Reads until the stream is closed; calls `on_full` when the limit is passed."""
        async for chunk in chunks(self._handle):
            room = self._most - len(self.content)
            self.content += chunk[:room]
            if len(chunk) > room and not self.is_full:
                self.is_full = True
                if on_full:
                    on_full()
        self.closed.set()
