"""The last of what a long-running program says: read on and on, kept in bounded memory."""

import os

from equipoise.adapters.systems.streams import chunks

_KEPT = 1 << 16


class Tail:
    """One output stream of a program; its last 64 KiB are kept."""

    def __init__(self, handle: int) -> None:
        """Reads from the file handle of a pipe."""
        os.set_blocking(handle, False)
        self._handle = handle
        self._content = bytearray()

    def text(self) -> str:
        """Gives what is kept so far."""
        return self._content.decode("utf-8", "replace")

    async def read(self) -> None:
        """Reads until the stream is closed."""
        async for chunk in chunks(self._handle):
            self._content += chunk
            del self._content[:-_KEPT]
