"""Runs the app on a socket of its own, without a log that could hold a link."""

import logging
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address

import uvicorn
from starlette.applications import Starlette

from equipoise.annotate.brisk import Brisk
from equipoise.errors import Blocked

_BACKLOG = 256
_MOST_CONNECTIONS = 1_000
_KEEP_ALIVE_S = 30
_GRACE_S = 5


def bound(host: str, port: int) -> socket.socket:
    """Gives a socket bound to an address; port 0 takes a free one.

    Raises:
        Blocked: the address cannot be had.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
        except BaseException:
            made.close()
            raise
    except OSError as error:
        raise Blocked(
            f"cannot listen on {host} port {port}: {error.strerror or error}; mend: --port 0 takes "
            "a free port"
        ) from error
    return made


def is_loopback(at: socket.socket) -> bool:
    """Says whether only this machine can reach a socket."""
    return ip_address(at.getsockname()[0]).is_loopback


def address_of(at: socket.socket) -> str:
    """Gives the address of a socket as a link begins."""
    host, port = at.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def serve(app: Starlette, at: socket.socket, on_start: Callable[[], None]) -> None:
    """Serves until SIGINT or SIGTERM; requests under way are finished."""
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    config = uvicorn.Config(
        app,
        http=Brisk,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_GRACE_S,
    )
    # The server ends in order at a signal, and then sends it to itself once more: this hears it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    at.listen(_BACKLOG)
    with suppress(KeyboardInterrupt):
        on_start()
        uvicorn.Server(config).run(sockets=[at])
