"""A small web site of the tests' own: pages, an upstream that can be down, odd answers."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_DESK = """<!doctype html><title>Desk</title><h1>Help desk</h1>
<form onsubmit="send(); return false">
<input id="name"><select id="lang"><option>en</option><option>de</option></select>
<button>Send</button></form><p id="answer" hidden></p>
<script>
async function send() {
  const p = document.querySelector('#answer');
  let said = 'nobody answers';
  try {
    const got = await fetch('/model/answer');
    if (got.ok) said = await got.text();
  } catch {}
  p.textContent = `${said}, ${document.querySelector('#name').value}`
    + ` (${document.querySelector('#lang').value})`;
  p.hidden = false;
}
</script>"""


class Site(ThreadingHTTPServer):
    """Answers by path; `is_up` false takes everything under /model/ down."""

    daemon_threads = True
    is_up = True

    @property
    def address(self) -> str:
        """Gives the site's address without a slash at its end."""
        return f"http://127.0.0.1:{self.server_port}"


class _Answers(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.startswith("/model/"):
            self._say(200 if self.server.is_up else 503, "Hello")
        elif path == "/desk":
            self._say(200, _DESK, kind="text/html")
        elif path.startswith("/orders/"):
            self._say(200, f'{{"order":  "{path[8:]}"}}', kind="application/json; charset=utf-8")
        elif path == "/moved":
            self._say(302, "", to="/desk")
        elif path == "/astray":
            self._say(302, "", to="file:///etc/hostname")
        elif path == "/slow":
            time.sleep(1.5)
            self._say(200, "at last")
        elif path == "/long":
            self._say(200, "x" * (17 << 20))
        else:
            self._say(500 if path == "/broken" else 404, "no such page")

    def _say(self, status: int, text: str, *, kind: str = "text/plain", to: str = "") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        if to:
            self.send_header("location", to)
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            return

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base's name
        """Says nothing."""


@contextmanager
def opened_site() -> Iterator[Site]:
    """Gives a site that is open for as long as the block lasts."""
    with Site(("127.0.0.1", 0), _Answers) as site:
        thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()
