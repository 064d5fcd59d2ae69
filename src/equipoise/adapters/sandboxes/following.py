"""Follows an order to its end: reads what it writes, within bounds, and hears how it ended."""

import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import anyio

from equipoise.adapters.sandboxes.order import Order, Report, report_of
from equipoise.adapters.sandboxes.spawning import Spawner, memory_file
from equipoise.ports.agents import Job

_CHUNK = 65536
_DRAIN_S = 2.0
"""How long output is read on after everything has ended: only what stands in the pipes is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What came of an order: the keeper's report (null = the keeper was killed), and its output."""

    report: Report | None
    stdout: bytes
    stderr: bytes
    is_over_output: bool


async def ran(spawner: Spawner, order: Order, job: Job, inherited: Sequence[int]) -> Ran:
    """Starts an order and waits until its whole tree has ended.

    `inherited` are open files that the program gets beside its stdio; they are closed here. When
    cancelled, the tree is ended first.

    Raises:
        OSError: nothing could be started.
    """
    output = _Output(job.bounds.output_bytes)
    files: list[int] = [*inherited]
    try:
        files.insert(0, _opened(job.stdin))
        for stream in (output.stdout, output.stderr):
            stream.file, theirs = os.pipe()
            os.set_blocking(stream.file, False)
            files.insert(len(files) - len(inherited), theirs)
        line = spawner.start(order, files)
    except OSError:
        output.close()
        raise
    finally:
        for file in files:
            os.close(file)
    with line:
        try:
            report = await _followed(line, output)
        finally:
            output.close()
    return Ran(
        report=report,
        stdout=bytes(output.stdout.data),
        stderr=bytes(output.stderr.data),
        is_over_output=output.left < 0,
    )


async def _followed(line: socket.socket, output: "_Output") -> Report | None:
    """Reads output and waits for the report; null = the keeper went without one."""
    report: Report | None = None
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, output.stdout, output, line)
            tasks.start_soon(_read, output.stderr, output, line)
            report = await _heard(line)
            tasks.cancel_scope.deadline = anyio.current_time() + _DRAIN_S
    except BaseException:
        _end(line)
        with anyio.CancelScope(shield=True):
            await _heard(line)
        raise
    return report


async def _read(stream: "_Stream", output: "_Output", line: socket.socket) -> None:
    while True:
        try:
            data = os.read(stream.file, _CHUNK)
        except BlockingIOError:
            await anyio.wait_readable(stream.file)
            continue
        if not data:
            return
        stream.data += data[: max(output.left, 0)]
        output.left -= len(data)
        if output.left < 0:
            _end(line)
            return


async def _heard(line: socket.socket) -> Report | None:
    data = bytearray()
    while True:
        try:
            part = line.recv(_CHUNK)
        except BlockingIOError:
            await anyio.wait_readable(line)
            continue
        except ConnectionResetError:
            part = b""
        if not part:
            return report_of(bytes(data)) if data else None
        data += part


def _end(line: socket.socket) -> None:
    with suppress(OSError):
        line.send(b"k")


def _opened(data: bytes) -> int:
    """Gives an open file with what a job reads from its standard input."""
    if not data:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    return memory_file(data)


class _Stream:
    """One stream of output: the file it is read from, and what came."""

    def __init__(self) -> None:
        self.file = -1
        self.data = bytearray()


class _Output:
    """Both streams, and how many bytes they may still bring together."""

    def __init__(self, bound: int) -> None:
        self.stdout, self.stderr = _Stream(), _Stream()
        self.left = bound

    def close(self) -> None:
        for stream in (self.stdout, self.stderr):
            if stream.file >= 0:
                os.close(stream.file)
                stream.file = -1
