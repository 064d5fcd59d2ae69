"""Runs hidden tests: a process that has imported pytest once, and forks for each run.

Nothing of a program under test is ever imported here, so one of these may serve many runs. A run is
asked for over a socket of ours, in one line of JSON; its events come back over the same connection.
"""

import ctypes
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from _pytest.config import default_plugins

from .asking import Asker
from .importing import Importer
from .programs import Programs
from .reporting import Reporter
from .wire import Channel

_MEMORY = 2**30
_DUMPABLE = 4
"""`PR_SET_DUMPABLE`: 0 = no process of the same user may look into this one."""

_NEEDLESS = (
    "cacheprovider",
    "stepwise",
    "junitxml",
    "doctest",
    "pastebin",
    "setuponly",
    "setupplan",
)
"""Plugins of pytest that only cost time here."""


def serve(control: str) -> None:
    """Forks for each run that is asked for, until it is ended from outside."""
    closed_to_others()
    sys.pycache_prefix = str(Path(control).parent / "compiled")  # where only tests are ever run
    sys.dont_write_bytecode = False
    for name in default_plugins:
        import_module(f"_pytest.{name}")  # once, and not in each run
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    Path(control).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(control)
    listener.listen(64)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            status = 1
            with suppress(BaseException):
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                run(connection)
                status = 0
            os._exit(status)
        connection.close()


def run(connection: socket.socket) -> None:
    """Runs one suite: waits for the program under test, then tells each event."""
    with connection.makefile("rb") as lines:
        order = json.loads(lines.readline())
    signal.alarm(int(order["wall_s"]) + 10)
    if order["zone"]:  # of the program, which its tests have to be in as well
        os.environ["TZ"] = order["zone"]
        time.tzset()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))  # a program sends what it likes
    tell = _teller(connection)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(order["bridge"])
    listener.listen(1)
    folder = Path(order["folder"])
    local = [path.stem for path in folder.glob("*.py")]
    local += [path.parent.name for path in folder.glob("*/__init__.py")]
    asker = Asker(Channel(_Door(listener, connection)), _test_modules(folder))
    sys.meta_path.insert(0, Importer(asker, order["modules"], local))
    sys.path.insert(0, str(folder))
    quietly()
    code = pytest_run(
        order,
        [
            Reporter(tell, order["canary"], order["folder"], order["order"]),
            Programs(lambda *words: asker.ask("run", *words)),
        ],
    )
    tell({"event": "done", "code": code, "lies": asker.lies, "program_ended": asker.has_ended})


class _Door:
    """The program's end of a socket: it is waited for when it is needed first."""

    def __init__(self, listener: socket.socket, asked_by: socket.socket) -> None:
        self._listener = listener
        self._asked_by = asked_by
        self._link: socket.socket | None = None

    def _open(self) -> socket.socket:
        if self._link is None:
            ready, _, _ = select.select([self._listener, self._asked_by], [], [])
            if self._listener not in ready:
                raise OSError("the run was called off")
            self._link, _ = self._listener.accept()
            self._listener.close()
        return self._link

    def sendall(self, data: bytes) -> None:
        self._open().sendall(data)

    def recv(self, size: int) -> bytes:
        return self._open().recv(size)


def pytest_run(order: dict[str, Any], plugins: list[object]) -> int:
    """Runs pytest with no settings but ours."""
    folder = order["folder"]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.chdir(order["own"])
    return int(
        pytest.main(
            [
                *("-q", "--tb=short", "--color=no"),
                *(word for name in _NEEDLESS for word in ("-p", f"no:{name}")),
                *("--import-mode=importlib", "--continue-on-collection-errors"),
                *("-c", os.devnull, "--rootdir", folder, "--confcutdir", folder),
                *("--basetemp", order["tmp"], "-o", "addopts="),
                *order.get("options", ()),
                *order.get("tests", (folder,)),
            ],
            plugins=plugins,
        )
    )


def closed_to_others() -> None:
    """Forbids other processes of our user to read or change our memory and files."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)


def quietly() -> None:
    """Sends what pytest prints nowhere: what matters is told as events."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)


def _teller(connection: socket.socket) -> Callable[[dict[str, Any]], None]:
    def tell(event: dict[str, Any]) -> None:
        connection.sendall(json.dumps(event).encode() + b"\n")

    return tell


def _test_modules(folder: Path) -> frozenset[str]:
    """Gives the names under which pytest imports the files of a folder of tests."""
    names = set()
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder).with_suffix("").parts
        names |= {".".join(parts), parts[-1]}
    return frozenset(names)
