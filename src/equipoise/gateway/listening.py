"""Listens on a loopback port and on a unix socket for each trial, all on one loop."""

import asyncio
import hashlib
import logging
import os
import socket
import stat
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from aiohttp import web

from equipoise.errors import Blocked
from equipoise.gateway.channel import Channel

Serve = Callable[[Channel], Awaitable[None]]
"""Answers one request."""

_BACKLOG = 512
_LONGEST_PATH = 100
"""Bytes that the path of a unix socket may have: 107 on Linux, 103 on macOS."""
_GRACE_S = 0.5
"""How long what is under way may take to end once it has been told to; 0 would be for ever."""
_SHORT = "/tmp"  # noqa: S108  the one folder there is with a short path; ours alone inside
_QUIET = logging.getLogger("equipoise.gateway.connections")
_QUIET.addHandler(logging.NullHandler())
_QUIET.propagate = False


class Listener:
    """Serves on sockets that come and go; `close` ends all of them.

    Who answers a request is cancelled as soon as its client has left.
    """

    def __init__(self) -> None:
        """Begins without a socket."""
        self._servers: dict[str, _Serving] = {}
        self._ended: list[_Serving] = []

    def loopback(self, name: str, serve: Serve, port: int = 0) -> int:
        """Listens on 127.0.0.1 and gives the port; connections wait until the loop runs."""
        held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind(("127.0.0.1", port))
        except OSError:
            held.close()
            raise
        self._servers[name] = _Serving(serve, held)
        return int(held.getsockname()[1])

    def unix(self, name: str, serve: Serve, path: Path) -> None:
        """Listens on a unix socket that nobody but this user can reach."""
        held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            held.bind(str(path))
            path.chmod(0o600)
        except OSError:
            held.close()
            raise
        self._servers[name] = _Serving(serve, held)

    def stop(self, name: str) -> None:
        """Takes no more connections under this name; those that stand are served to their end."""
        serving = self._servers.pop(name)
        serving.stop()
        self._ended = [*(s for s in self._ended if not s.is_idle), serving]

    async def close(self) -> None:
        """Ends everything, connections under way included."""
        for name in list(self._servers):
            self.stop(name)
        await asyncio.gather(*(serving.end() for serving in self._ended))
        self._ended = []


class _Serving:
    """One socket that is listened on."""

    def __init__(self, serve: Serve, held: socket.socket) -> None:
        held.listen(_BACKLOG)
        held.setblocking(False)  # noqa: FBT003  the standard library's own parameter

        async def handle(request: web.BaseRequest) -> web.StreamResponse:
            channel = Channel(request)
            await serve(channel)
            return channel.response or web.Response(status=500)

        self._held = held
        self._connections = web.Server(
            handle,
            handler_cancellation=True,
            auto_decompress=False,
            access_log=None,
            logger=_QUIET,
            max_line_size=2**16,
            max_field_size=2**16,
        )
        self._task = asyncio.get_running_loop().create_task(self._begun())

    @property
    def is_idle(self) -> bool:
        """Says whether nothing is under way any more."""
        return self._task.done() and not self._connections.connections

    def stop(self) -> None:
        if self._held.family == socket.AF_UNIX:
            with suppress(OSError):
                Path(self._held.getsockname()).unlink(missing_ok=True)
        self._task.add_done_callback(self._closed)

    async def end(self) -> None:
        await asyncio.wait([self._task])
        await self._connections.shutdown(timeout=_GRACE_S)

    async def _begun(self) -> asyncio.Server:
        loop = asyncio.get_running_loop()
        if self._held.family == socket.AF_UNIX:
            return await loop.create_unix_server(
                self._connections, sock=self._held, backlog=_BACKLOG
            )
        return await loop.create_server(self._connections, sock=self._held, backlog=_BACKLOG)

    def _closed(self, task: "asyncio.Task[asyncio.Server]") -> None:
        if not task.cancelled() and task.exception() is None:
            task.result().close()
        self._held.close()


def socket_folder(wanted: Path) -> Path:
    """Gives a folder whose sockets have paths short enough: the wanted one, or one of our own.

    Ours follows from the wanted one, so that the gateway that comes after a killed one finds it.

    Raises:
        Blocked: somebody else has a folder of that name, or every path is too long.
    """
    wanted.mkdir(parents=True, exist_ok=True, mode=0o700)
    own = place_of_sockets(wanted)
    if own is None:
        raise Blocked(f"{_SHORT} is needed for sockets; mend: TMPDIR with a path of under 60 bytes")
    if own == wanted.resolve():
        return own
    own.mkdir(mode=0o700, exist_ok=True)
    held = own.lstat()
    if not stat.S_ISDIR(held.st_mode) or held.st_uid != os.geteuid() or held.st_mode & 0o077:
        raise Blocked(f"{own} is not ours alone; mend: remove it, or run elsewhere (TMPDIR)")
    return own


def place_of_sockets(wanted: Path) -> Path | None:
    """Gives the folder that `socket_folder` would give; null where every path is too long."""
    folder = wanted.resolve()
    if _is_short(folder):
        return folder
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    places = (Path(base, f"eq-{os.geteuid()}-{name}") for base in (tempfile.gettempdir(), _SHORT))
    return next((path for path in places if _is_short(path)), None)


def _is_short(folder: Path) -> bool:
    return len(os.fsencode(folder)) + len("/0123456789abcdef.sock") <= _LONGEST_PATH


def sweep(folder: Path) -> None:
    """Removes sockets that a killed gateway left; one where somebody listens stays."""
    for path in folder.glob("*.sock"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as tried:
            try:
                tried.connect(str(path))
            except ConnectionRefusedError:
                path.unlink(missing_ok=True)
            except OSError:
                continue
