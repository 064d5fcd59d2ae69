"""The study's own programs: asked about a trial in JSON, answering in JSON, in a limited time."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

MOST_BYTES = 16 * 2**20
"""Longest answer, in bytes."""

_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "SYSTEMROOT")
_HOST = Path(__file__).with_name("callable_host.py")


class ProgramFailed(Exception):
    """A program gave no answer; says why in one clause."""


class Programs:
    """The programs of one study; those that stay up between trials end with `close`."""

    def __init__(self, root: Path) -> None:
        """Starts programs in the study's folder `root`, each when it is first needed."""
        self._root = root.absolute()
        self._hosts: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends every program that is still up."""
        while self._hosts:
            _end(self._hosts.popitem()[1])

    def call(self, function: str, question: dict[str, Any], timeout_s: float) -> Any:
        """Gives what a function of the study says, asked in a process that stays up.

        Raises:
            ProgramFailed: it raised, ended, answered no JSON, or took too long.
        """
        host = self._hosts.pop(function, None)
        if host is None or host.poll() is not None:
            host = self._started([sys.executable, str(_HOST), str(self._root), function])
        try:
            answer = _asked(host, _line(question), timeout_s)
        except BaseException:
            _end(host)
            raise
        self._hosts[function] = host
        if "failed" in answer:
            raise ProgramFailed(f"{function}: {answer['failed']}")
        return answer.get("said")

    def run(self, argv: tuple[str, ...], question: dict[str, Any], timeout_s: float) -> Any:
        """Gives what a program says: started for this question alone, and ended with it.

        Raises:
            ProgramFailed: it cannot be started, ended with an error, answered no JSON, or took too
                long.
        """
        program = self._started(list(argv))
        try:
            out, _ = program.communicate(_line(question), timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise ProgramFailed(f"{argv[0]} took more than {timeout_s:g} s") from None
        finally:
            _end(program)
        if program.returncode:
            raise ProgramFailed(f"{argv[0]} ended with exit code {program.returncode}")
        return _parsed(out, argv[0])

    def script(
        self, script: str, content: bytes, more: dict[str, str], timeout_s: float
    ) -> tuple[int, bytes]:
        """Gives the exit code of a line for the shell, 0 or 1, and what it printed.

        Args:
            script: the line, the study's own.
            content: what it reads from standard input.
            more: variables beside those that every program gets.
            timeout_s: longest time.

        Raises:
            ProgramFailed: it ended with another code, or took too long.
        """
        program = self._started(["sh", "-c", script], more)
        try:
            out, _ = program.communicate(content, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise ProgramFailed(f"the script took more than {timeout_s:g} s") from None
        finally:
            _end(program)
        if program.returncode not in {0, 1}:
            raise ProgramFailed(f"the script ended with exit code {program.returncode}")
        return program.returncode, out[:MOST_BYTES]

    def _started(
        self, argv: list[str], more: dict[str, str] | None = None
    ) -> "subprocess.Popen[bytes]":
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ} | (more or {})
        if "PYTHONPATH" in kept:
            places = kept["PYTHONPATH"].split(os.pathsep)
            kept["PYTHONPATH"] = os.pathsep.join(str(Path(one).absolute()) for one in places)
        try:
            return subprocess.Popen(  # noqa: S603  the study's own program, without a shell
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._root,
                env=kept,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise ProgramFailed(f"{argv[0]} cannot be started: {why}") from error


def _line(question: dict[str, Any]) -> bytes:
    return json.dumps(question).encode() + b"\n"


def _asked(host: "subprocess.Popen[bytes]", question: bytes, timeout_s: float) -> dict[str, Any]:
    assert host.stdin is not None
    assert host.stdout is not None
    end = time.monotonic() + timeout_s
    try:
        _send(host.stdin.fileno(), question, end)
    except OSError as error:
        raise ProgramFailed("the function's process ended") from error
    answer = b""
    while not answer.endswith(b"\n"):
        left = end - time.monotonic()
        if left <= 0 or not select.select([host.stdout], [], [], left)[0]:
            raise ProgramFailed(f"the function took more than {timeout_s:g} s")
        piece = os.read(host.stdout.fileno(), 1 << 16)
        if not piece:
            raise ProgramFailed("the function's process ended")
        answer += piece
        if len(answer) > MOST_BYTES:
            raise ProgramFailed(f"the function answered more than {MOST_BYTES} bytes")
    found = _parsed(answer, "the function")
    assert isinstance(found, dict), "the host answers with an object"
    return found


def _send(handle: int, data: bytes, end: float) -> None:
    """Writes without waiting for ever for a process that does not read."""
    os.set_blocking(handle, False)
    view = memoryview(data)
    while view:
        left = end - time.monotonic()
        if left <= 0 or not select.select([], [handle], [], left)[1]:
            raise ProgramFailed("the function does not read its question in time")
        view = view[os.write(handle, view[: 1 << 16]) :]


def _parsed(answer: bytes, whose: str) -> Any:
    if len(answer) > MOST_BYTES:
        raise ProgramFailed(f"{whose} answered more than {MOST_BYTES} bytes")
    try:
        return json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise ProgramFailed(f"{whose} answered no JSON") from error


def _end(program: "subprocess.Popen[bytes]") -> None:
    """Ends the program and everything it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, signal.SIGKILL)
    for pipe in (program.stdin, program.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    program.wait()
