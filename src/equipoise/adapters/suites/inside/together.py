"""Runs hidden tests and the program under test in one process, where they cannot be kept apart.

A parent, which imports nothing of the program, listens to the child that runs pytest and passes on
what it hears under a word that the child never had. The child looks for what was tampered with: the
functions of pytest and of Python are the same at the end as at the beginning, and what is compared
in an assertion is not equal to just anything. It can be deceived by a program that knows it.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from .fingerprints import changed, fingerprint
from .honesty import Honesty
from .programs import Programs
from .reporting import Reporter
from .running import run
from .tester import closed_to_others, pytest_run, quietly

_MOST = 64 * 2**20


def main(text: str) -> None:
    """Runs the suite that is asked for in JSON; the word stands in the first line of stdin."""
    order = json.loads(text)
    closed_to_others()
    events, told = os.pipe()
    go, begin = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(events)
        os.close(begin)
        quietly()
        os.read(go, 1)
        os.close(go)
        _run(order, told)
        os._exit(0)
    os.close(told)
    word = sys.stdin.readline().strip()
    os.write(begin, b"!")
    _pass_on(events, word)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _pass_on(events: int, word: str) -> None:
    """Prints each line of the child after the word."""
    left = _MOST
    with os.fdopen(events, "rb") as lines:
        for line in lines:
            left -= len(line)
            if left < 0:
                return
            sys.stdout.buffer.write(word.encode() + b" " + line.rstrip(b"\n") + b"\n")
            sys.stdout.buffer.flush()
            if b'"event": "done"' in line:
                return


def _run(order: dict[str, Any], told: int) -> None:
    tell = _teller(told)
    honesty = Honesty()
    sys.path.insert(0, order["folder"])
    sys.path += order["paths"]
    before = fingerprint()
    code = pytest_run(
        order,
        [
            Reporter(tell, order["canary"], order["folder"], order["order"]),
            honesty,
            Programs(_in(order["workspace"])),
        ],
    )
    lies = [*honesty.lies, *changed(before, fingerprint())]
    tell({"event": "done", "code": code, "lies": lies, "program_ended": False})


def _in(folder: str) -> Callable[..., tuple[int, str, str]]:
    def run_there(*words: Any) -> tuple[int, str, str]:
        here = os.getcwd()  # noqa: PTH109  as chdir takes it
        os.chdir(folder)
        try:
            return run(*words)
        finally:
            os.chdir(here)

    return run_there


def _teller(told: int) -> Callable[[dict[str, Any]], None]:
    def tell(event: dict[str, Any]) -> None:
        data = json.dumps(event).encode() + b"\n"
        while data:
            data = data[os.write(told, data) :]

    return tell
