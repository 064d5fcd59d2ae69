"""A small HTTP server of the tests: answers by path, remembers what it was asked."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Server(ThreadingHTTPServer):
    """Counts and keeps requests; `url` is where it listens."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[dict[str, Any]] = []
        self.most_at_once = 0
        self.n_now = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("content-length", 0))))

    def _answer(self, body: bytes) -> None:
        with self.server.lock:
            self.server.n_now += 1
            self.server.most_at_once = max(self.server.most_at_once, self.server.n_now)
            self.server.asked.append(
                {"path": self.path, "body": body.decode(), "headers": dict(self.headers)}
            )
        try:
            self._respond(body)
        finally:
            with self.server.lock:
                self.server.n_now -= 1

    def _respond(self, body: bytes) -> None:
        kind, _, value = self.path.partition("?")[0].strip("/").partition("/")
        status, extra, content = 200, {}, body or b"{}"
        if kind == "status":
            status, content = int(value), b"status"
            extra = {"Retry-After": "0", "Location": "/json"}
        elif kind == "slow":
            time.sleep(float(value))
        elif kind == "long":
            content = b"x" * int(value)
        elif kind == "drop":
            self.close_connection = True
            return
        elif kind == "garbage":
            self.wfile.write(b"no HTTP\r\n\r\n")
            self.close_connection = True
            return
        elif kind == "header":
            extra = {"X-Long": "x" * int(value)}
        elif kind == "json":
            content = json.dumps({"cost": 0.5, "model": "m-2", "stop": "end"}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Set-Cookie", "session=a-canary-cookie")
        for name, text in extra.items():
            self.send_header(name, text)
        self.end_headers()
        with suppress(ConnectionError):  # who asked may have gone
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the library's name
        """Stays silent."""


@contextmanager
def serving() -> Iterator[Server]:
    """Serves on a free port for the length of the block."""
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
