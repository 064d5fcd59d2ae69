"""The HTTP face of the service: desks answer messages; it ends when told or left alone."""

import json
import os
import socket
import sys
import threading
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from equipoise.examples.helpdesk.chance import chance
from equipoise.examples.helpdesk.service.desk import (
    Desk,
    DeskRules,
    Message,
    Reply,
    UnknownCustomer,
    WorkerCrashed,
)
from equipoise.examples.helpdesk.service.journal import Journal
from equipoise.examples.helpdesk.service.releases import release
from equipoise.examples.helpdesk.service.store import Store

_API = "/v1/messages"
_MAX_BODY = 65_536
_GRACE_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """How the service is started: its release, its files, the seed of its dice, its desks."""

    release: int
    store: Path
    logs: Path
    seed: int
    desks: int
    own_dice: bool = False
    has_clock: bool = True
    until_stdin_closes: bool = False


def serve(settings: ServiceSettings) -> None:
    """Serves on a free loopback port until interrupted.

    Prints one line ``{"port": ..., "url": ...}`` when it accepts connections. With
    ``until_stdin_closes`` it also ends when its standard input does: however its parent ends,
    nothing is left behind.
    """
    store = Store(settings.store)
    settings.logs.mkdir(parents=True, exist_ok=True)
    journals = [
        Journal(settings.logs / f"desk-{n + 1}.jsonl", has_clock=settings.has_clock)
        for n in range(settings.desks)
    ]
    rules = DeskRules(
        release=release(settings.release), seed=settings.seed, own_dice=settings.own_dice
    )
    desks = [Desk(store, journal, rules) for journal in journals]
    server = _Server(desks, settings.release)
    if settings.until_stdin_closes:
        threading.Thread(target=_end_with_stdin, args=(server,), daemon=True).start()
    where = {"port": server.server_port, "url": f"http://127.0.0.1:{server.server_port}"}
    sys.stdout.write(json.dumps(where) + "\n")
    sys.stdout.flush()
    try:
        server.serve_forever(poll_interval=0.05)
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
        store.close()
        for journal in journals:
            journal.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, desks: list[Desk], release_number: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.desks = desks
        self.release_number = release_number


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "helpdesk"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def _get(self) -> None:
        if self.path == "/health":
            self._send_json(200, {"status": "ok", "release": self.server.release_number})
        else:
            self._send_json(404, {"error": f"no such page: {self.path}"})

    def _post(self) -> None:
        is_api = self.path == _API
        desk = None if is_api else self._desk()
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _MAX_BODY:
            self.close_connection = True
            self._send_json(413, {"error": f"wanted a body of at most {_MAX_BODY} bytes"})
            return
        body = self.rfile.read(int(length))
        if desk is None and not is_api:
            self._send_json(404, {"error": f"no such desk: {self.path}"})
            return
        try:
            message = Message(**json.loads(body))
            reply = (desk or self._desk_for(message)).answer(message)
        except (ValueError, TypeError):
            self._send_json(400, {"error": "wanted a JSON object with the fields of a message"})
        except UnknownCustomer as unknown:
            self._send_json(404, {"error": f"no such customer: {unknown}"})
        except WorkerCrashed:
            self._break_connection()
        else:
            self._send_reply(reply, as_page=message.channel == "chat" and not is_api)

    # The names that the base class calls.
    do_GET = _get  # noqa: N815 - see above
    do_POST = _post  # noqa: N815 - see above

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Says nothing: the journal of the desk has it."""

    def _desk(self) -> Desk | None:
        parts = self.path.split("/")
        known = {str(n + 1): desk for n, desk in enumerate(self.server.desks)}
        is_desk = len(parts) == 4 and parts[1] == "desks" and parts[3] == "messages"
        return known.get(parts[2]) if is_desk else None

    def _desk_for(self, message: Message) -> Desk:
        """A customer always comes to the same desk."""
        desks = self.server.desks
        return desks[int(chance(0, "desk of", message.customer) * len(desks))]

    def _send_reply(self, reply: Reply, *, as_page: bool) -> None:
        if as_page:
            self._send(200, "text/html; charset=utf-8", _page(reply).encode())
        else:
            fields = {"reply": reply.text, "language": reply.language, "ticket": reply.ticket}
            self._send_json(200, fields)

    def _send_json(self, code: int, fields: dict[str, Any]) -> None:
        body = json.dumps(fields, ensure_ascii=False).encode()
        self._send(code, "application/json; charset=utf-8", body)

    def _send(self, code: int, kind: str, body: bytes) -> None:
        self.send_response(HTTPStatus(code))
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _break_connection(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


def _page(reply: Reply) -> str:
    """The chat window's page for a reply."""
    lines = "<br>".join(escape(line) for line in reply.text.split("\n"))
    return (
        f'<!doctype html><html lang="{reply.language}"><head><meta charset="utf-8">'
        f'<title>Help desk</title></head><body><p class="reply">{lines}</p>'
        f'<p class="ticket">{escape(reply.ticket or "")}</p></body></html>'
    )


def _end_with_stdin(server: _Server) -> None:
    """Ends the service once nobody holds the other end of its standard input."""
    while sys.stdin.buffer.read(4096):
        pass
    watch = threading.Timer(_GRACE_S, os._exit, args=(1,))
    watch.daemon = True
    watch.start()
    server.shutdown()
