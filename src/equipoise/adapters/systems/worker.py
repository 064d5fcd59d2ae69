"""A worker program that is asked line by line, and whose death is an answer too."""

import os
from typing import Any

import anyio
import anyio.lowlevel
import msgspec

from equipoise.adapters.systems.processes import Launch, Processes, end_group
from equipoise.adapters.systems.setting import Setting

_READ = 1 << 16
_KEPT = 1 << 16


class Crashed(Exception):
    """The worker ended instead of answering; `said` is the end of what it wrote to stderr."""

    def __init__(self, exit_code: int, said: bytes) -> None:
        """Keeps the exit code and what was said."""
        super().__init__(said.decode("utf-8", "replace").strip() or f"exit code {exit_code}")
        self.exit_code = exit_code
        self.said = said


class Flooded(Exception):
    """The worker's answer is longer than allowed."""


class Worker:
    """One worker: asked one thing at a time, never two at once."""

    def __init__(
        self, processes: Processes, argv: list[str], setting: Setting, *, most: int
    ) -> None:
        """Starts the program; an answer may have at most `most` bytes.

        Raises:
            OSError: it cannot be started.
        """
        launch = Launch(
            argv=argv,
            environment=setting.environment,
            folder=str(setting.folder),
            has_input=True,
        )
        self._child = processes.start(launch)
        self._most = most
        self._buffer = bytearray()
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        assert self._child.stderr is not None
        self._in = self._child.stdin.fileno()
        self._out = self._child.stdout.fileno()
        self._err = self._child.stderr.fileno()
        for handle in (self._in, self._out, self._err):
            os.set_blocking(handle, False)

    @property
    def is_alive(self) -> bool:
        """Says whether the program has not ended."""
        return self._child.poll() is None

    async def ask(self, line: bytes) -> dict[str, Any]:
        """Sends one line and gives the answer.

        Raises:
            Crashed: the program ended instead.
            Flooded: the answer is too long.
        """
        self._said()
        rest = memoryview(line + b"\n")
        try:
            while rest:
                try:
                    rest = rest[os.write(self._in, rest) :]
                except BlockingIOError:
                    await anyio.wait_writable(self._in)
        except BrokenPipeError:
            raise self._crashed() from None
        return await self.answer()

    async def answer(self) -> dict[str, Any]:
        """Gives the next answer.

        Raises:
            Crashed: the program ended instead, or gave no JSON.
            Flooded: the answer is too long.
        """
        while b"\n" not in self._buffer:
            if len(self._buffer) > self._most:
                raise Flooded
            await self._more()
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        try:
            return msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, msgspec.ValidationError):
            self.end()
            raise Crashed(1, b"what it answered is no JSON") from None

    def end(self) -> None:
        """Ends the program and closes its streams."""
        end_group(self._child)
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            if stream is not None and not stream.closed:
                stream.close()

    async def _more(self) -> None:
        try:
            chunk = os.read(self._out, _READ)
        except BlockingIOError:
            await anyio.wait_readable(self._out)
            return
        if not chunk:
            raise self._crashed()
        self._buffer += chunk
        await anyio.lowlevel.checkpoint()

    def _crashed(self) -> Crashed:
        code = self._child.wait()
        said = self._said()
        self.end()
        return Crashed(code, said)

    def _said(self) -> bytes:
        """Gives what waits on stderr, at most its first 64 KiB, and drops the rest."""
        said = bytearray()
        while True:
            try:
                chunk = os.read(self._err, _READ)
            except (BlockingIOError, ValueError):
                break
            if not chunk:
                break
            said += chunk[: _KEPT - len(said)]
        return bytes(said)
