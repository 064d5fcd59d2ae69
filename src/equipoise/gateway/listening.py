"""Listens on a loopback port and on a unix socket for each trial, all on one loop."""

import asyncio
import copy
import logging
import socket
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

Application = Callable[[Any, Any, Any], Awaitable[None]]
"""An ASGI application."""

_BACKLOG = 512
_LONGEST_PATH = 100
"""Bytes that the path of a unix socket may have: 107 on Linux, 103 on macOS."""


class Listener:
    """Serves ASGI applications on sockets that come and go; `close` ends all of them."""

    def __init__(self) -> None:
        """Begins without a socket."""
        self._state = ServerState()
        self._servers: dict[str, asyncio.Task[asyncio.Server]] = {}
        self._sockets: dict[str, socket.socket] = {}
        self._ended: list[asyncio.Task[asyncio.Server]] = []

    def loopback(self, name: str, app: Application, port: int = 0) -> int:
        """Listens on 127.0.0.1 and gives the port; connections wait until the loop runs."""
        held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind(("127.0.0.1", port))
        except OSError:
            held.close()
            raise
        self._serve(name, app, held)
        return int(held.getsockname()[1])

    def unix(self, name: str, app: Application, path: Path) -> None:
        """Listens on a unix socket that nobody but this user can reach."""
        held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            held.bind(str(path))
            path.chmod(0o600)
        except OSError:
            held.close()
            raise
        self._serve(name, app, held)

    def stop(self, name: str) -> None:
        """Takes no more connections under this name; those that stand are served to their end."""
        task, held = self._servers.pop(name), self._sockets.pop(name)
        if held.family == socket.AF_UNIX:
            with suppress(OSError):
                Path(held.getsockname()).unlink(missing_ok=True)
        task.add_done_callback(lambda done: _closed(done, held))
        self._ended = [*(t for t in self._ended if not t.done()), task]

    async def close(self) -> None:
        """Ends everything, connections under way included."""
        for name in list(self._servers):
            self.stop(name)
        await asyncio.gather(*self._ended, return_exceptions=True)
        for connection in list(self._state.connections):
            if (transport := getattr(connection, "transport", None)) is not None:
                transport.abort()
        tasks = list(self._state.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _serve(self, name: str, app: Application, held: socket.socket) -> None:
        held.listen(_BACKLOG)
        held.setblocking(False)  # noqa: FBT003  the standard library's own parameter
        config = _configured(app)

        def connection() -> H11Protocol:
            return H11Protocol(config=config, server_state=self._state, app_state={})

        async def serving() -> asyncio.Server:
            loop = asyncio.get_running_loop()
            if held.family == socket.AF_UNIX:
                return await loop.create_unix_server(connection, sock=held, backlog=_BACKLOG)
            return await loop.create_server(connection, sock=held, backlog=_BACKLOG)

        self._sockets[name] = held
        self._servers[name] = asyncio.get_running_loop().create_task(serving())


def socket_folder(wanted: Path) -> Path:
    """Gives a folder whose sockets have paths short enough: the wanted one, or one of our own."""
    wanted.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = wanted.resolve()
    if len(str(folder).encode()) + len("/0123456789abcdef.sock") <= _LONGEST_PATH:
        return folder
    return Path(tempfile.mkdtemp(prefix="eq-"))


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


_BASE: list[uvicorn.Config] = []


def _configured(app: Application) -> uvicorn.Config:
    """Gives uvicorn's settings for an application: loaded once, it takes milliseconds."""
    if not _BASE:
        base = uvicorn.Config(
            _nothing,
            http=H11Protocol,
            ws="none",
            lifespan="off",
            interface="asgi3",
            proxy_headers=False,
            access_log=False,
            log_config=None,
            log_level=logging.CRITICAL,
            timeout_keep_alive=60,
        )
        base.load()
        _BASE.append(base)
    config = copy.copy(_BASE[0])
    config.loaded_app = app
    return config


async def _nothing(scope: Any, receive: Any, send: Any) -> None:  # pragma: no cover
    """Stands for an application while uvicorn's settings are loaded."""


def _closed(task: "asyncio.Task[asyncio.Server]", held: socket.socket) -> None:
    if not task.cancelled() and task.exception() is None:
        task.result().close()
    held.close()
