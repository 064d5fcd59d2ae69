"""The service as a process: started, waited for, stopped; nothing is left behind."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_START_S = 20.0
_STOP_S = 8.0
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")
_PACKAGE_ROOT = Path(__file__).resolve().parents[4]


class ServiceFailed(Exception):
    """The service did not start or did not live until it was stopped; says what it printed."""


class Service:
    """A running service; ``port`` is where it listens on the loopback address."""

    def __init__(self, process: subprocess.Popen[bytes], errors: Path) -> None:
        """Takes a process just started; :func:`running` is the way to get one."""
        self._process = process
        self._errors = errors
        self.port = 0

    def check_alive(self) -> None:
        """Raises ServiceFailed when the process has ended."""
        if self._process.poll() is not None:
            raise ServiceFailed(self._says(f"the service ended ({self._process.returncode})"))

    def wait_until_healthy(self, release: int) -> None:
        """Reads the port, then asks for health until the answer names the release."""
        doom = threading.Timer(_START_S, self._process.kill)
        doom.daemon = True
        doom.start()
        try:
            line = self._process.stdout.readline() if self._process.stdout else b""
        finally:
            doom.cancel()
        if not line:
            raise ServiceFailed(self._says("the service did not start"))
        self.port = int(json.loads(line)["port"])
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            self.check_alive()
            if _health(self.port) == {"status": "ok", "release": release}:
                return
            time.sleep(0.02)
        raise ServiceFailed(self._says("the service did not become healthy"))

    def stop(self) -> None:
        """Closes its input, which ends it; kills its whole group if it lingers; safe to repeat."""
        if self._process.stdin:
            with suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def _says(self, what: str) -> str:
        tail = self._errors.read_text(encoding="utf-8", errors="replace").strip()[-2000:]
        return f"{what}; it printed: {tail or 'nothing'} ({self._errors})"


@contextmanager
def running(arguments: Sequence[str], *, release: int, errors: Path) -> Iterator[Service]:
    """Runs ``helpdesk serve`` with these arguments, healthy, for the length of the block.

    The service holds the other end of a pipe from this process: when this process ends, in
    whatever way, the pipe closes and the service ends by itself. It gets a session of its own and
    no environment but a few listed variables.

    Raises:
        ServiceFailed: it did not become healthy.
    """
    command = [sys.executable, "-m", "equipoise.examples.helpdesk", "serve", *arguments]
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment["PYTHONPATH"] = str(_PACKAGE_ROOT)
    with errors.open("wb") as sink:
        process = subprocess.Popen(  # noqa: S603 - our own program, started without a shell
            [*command, "--until-stdin-closes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sink,
            env=environment,
            start_new_session=True,
        )
    service = Service(process, errors)
    try:
        service.wait_until_healthy(release)
        yield service
    finally:
        service.stop()


def _health(port: int) -> object:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        link.request("GET", "/health")
        return json.loads(link.getresponse().read())
    except (OSError, http.client.HTTPException):
        return None
    finally:
        link.close()
