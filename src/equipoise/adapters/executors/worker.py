"""One worker: has a folder of its own, builds the system by itself, executes what it is sent."""

import asyncio
import fcntl
import os
import platform
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

from equipoise import __version__
from equipoise.ports import Answer, System
from equipoise.ports.executors import Posting
from equipoise.records.brief import Request

ALIVE = "alive"
"""A file in a worker's folder that is locked for as long as the worker lives, and names it."""

_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "PYTHONPATH", "LD_LIBRARY_PATH")
_PACKED = msgspec.msgpack.Decoder(Request)


def unpacked(packed: bytes) -> Answer:
    """Gives the answer of `Worker.execute`."""
    return msgspec.msgpack.decode(packed, type=Answer)


def packed(request: Request) -> bytes:
    """Gives what `Worker.execute` takes; its paths count from nowhere."""
    if request.workspace:
        place = str(Path(request.workspace).resolve())
        request = msgspec.structs.replace(request, workspace=place)
    return msgspec.msgpack.encode(request)


class Worker:
    """Executes the requests of one run; may be told of each more than once.

    A trial is executed at most once by a worker: a request that comes again while it is under way
    gets the same answer, and one that comes after it is refused.
    """

    def __init__(self, posting: Posting, folder: str) -> None:
        """Starts nothing yet; `folder` is this worker's own."""
        self._posting = posting
        self._folder = Path(folder)
        self._system: System | None = None
        self._alive: BinaryIO | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()
        self._under_way: dict[str, asyncio.Task[bytes]] = {}
        self._done: set[str] = set()

    async def start(
        self, version: str, keys: Mapping[str, str] | None = None, share: float = 1.0
    ) -> tuple[str, str]:
        """Makes the worker ready; gives the host it is on, and what is wrong or an empty text.

        `keys` are variables with the keys of models, as who runs it has them; one that is not among
        them is taken from this node's own environment. `share` is that of the money to be spent.
        """
        _forget_environment(self._posting.keys)
        os.environ.update(keys or {})
        host = platform.node() or "unknown"
        if version != __version__:
            return host, (
                f"it has equipoise {__version__}, and the run is of {version}; mend: install the "
                "same version on every node"
            )
        for folder in (self._posting.study, self._folder):
            if not folder.is_dir():
                return host, (
                    f"it does not see {folder}; mend: put the study into a folder that every node "
                    "has under the same path, such as one on NFS"
                )
        self._alive = (self._folder / ALIVE).open("wb")
        fcntl.flock(self._alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._alive.write(f"{os.getpid()} on {host}\n".encode())
        self._alive.flush()
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._keeper = asyncio.create_task(self._keep(ready, share))
        return host, await ready

    async def execute(self, request: bytes) -> bytes:
        """Executes one attempt.

        Raises:
            RuntimeError: the attempt was executed here before.
        """
        asked = _PACKED.decode(request)
        if asked.trial in self._done:
            raise RuntimeError(f"attempt {asked.attempt}, trial {asked.trial}, came a second time")
        task = self._under_way.get(asked.trial)
        if task is None:
            task = self._under_way[asked.trial] = asyncio.create_task(self._executed(asked))
        return await task

    async def canary(self, request: bytes) -> bytes:
        """Executes a request outside the study."""
        assert self._system is not None
        return msgspec.msgpack.encode(await self._system.canary(_PACKED.decode(request)))

    async def stop(self) -> None:
        """Ends what the system has started."""
        self._ended.set()
        if self._keeper is not None:
            await self._keeper
        if self._alive is not None:
            self._alive.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _keep(self, ready: asyncio.Future[str], share: float) -> None:
        """Keeps the system entered; it is left by the same task."""
        try:
            async with self._posting.make(self._folder, share) as self._system:
                ready.set_result("")
                await self._ended.wait()
        except Exception as error:
            if ready.done():
                raise
            ready.set_result(f"{type(error).__name__}: {error}")

    async def _executed(self, request: Request) -> bytes:
        assert self._system is not None
        try:
            return msgspec.msgpack.encode(await self._system.execute(request))
        finally:
            self._done.add(request.trial)
            del self._under_way[request.trial]


def _forget_environment(keys: tuple[str, ...]) -> None:
    """Keeps of the node's own environment only what programs need to start, and keys of models."""
    for name in list(os.environ):
        if name not in (*_KEPT, *keys) and not name.startswith("RAY_"):
            del os.environ[name]
