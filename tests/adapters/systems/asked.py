"""Requests as the engine would make them, and a short way to ask a system."""

import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio

from equipoise.adapters.systems.setting import Setting
from equipoise.ports import Answer, System
from equipoise.records.brief import Brief, Request

PYTHON = sys.executable


def setting(folder: Path, **changes: Any) -> Setting:
    """What a system is started in: little of our environment."""
    environment = {"PATH": os.environ["PATH"]}
    return Setting(**{"folder": folder, "environment": environment, **changes})


@contextmanager
def variables(**ours: str) -> Iterator[None]:
    """Has these variables in our own environment for the length of the block."""
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def request(folder: Path, *, timeout_s: float = 20.0, **content: Any) -> Request:
    """A request for unit u1 with this brief."""
    return Request(
        trial="0123456789abcdef",
        brief=Brief(unit="u1", content=content, labels={"intent": "refund"}),
        arm="new",
        repetition=2,
        attempt=1,
        seed=17,
        timeout_s=timeout_s,
        workspace=str(folder / "work" / "0123456789abcdef"),
    )


def ask(system: System, *requests: Request) -> list[Answer]:
    """Enters the system, executes the requests one after another, and leaves it."""

    async def asked() -> list[Answer]:
        async with system:
            return [await system.execute(one) for one in requests]

    return anyio.run(asked)


def within(system: System, do: Callable[[], Awaitable[Any]]) -> Any:
    """Does something while the system is entered."""

    async def inside() -> Any:
        async with system:
            return await do()

    return anyio.run(inside)


def is_alive(pid: int) -> bool:
    """Says whether a process lives (and is more than an entry that waits to be reaped)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


def gone(pid: int, within_s: float = 5.0) -> bool:
    """Waits until a process is gone; false where it is not."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if not is_alive(pid):
            return True
        time.sleep(0.02)
    return False


def end(pid: int) -> None:
    """Ends a process of a test that may be left."""
    subprocess.run(["kill", "-9", str(pid)], capture_output=True, check=False)
