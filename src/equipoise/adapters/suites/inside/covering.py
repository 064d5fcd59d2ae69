"""Watches which lines of a workspace its own tests run, test by test; the tests are believed.

They run twice, each time in a process of its own: once unwatched, for how long they take, and once
with each line watched.
"""

import json
import os
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from .tester import pytest_run, quietly

_READING = ""
"""The name under which lines stand that are run while the tests are read."""


def main(text: str) -> None:
    """Prints one line of JSON under the word that stands in the first line of stdin."""
    order = json.loads(text)
    word = sys.stdin.readline().strip()
    plain = _in_a_child(order, is_watched=False)
    watched = _in_a_child(order, is_watched=True)
    if plain is not None and watched is not None:
        told = {**watched, "seconds": plain["seconds"], "failed": plain["failed"]}
        sys.stdout.write(f"{word} {json.dumps(told)}\n")


def _in_a_child(order: dict[str, Any], *, is_watched: bool) -> dict[str, Any] | None:
    """Runs the tests in a child, and gives what it told; nothing where it died."""
    read, written = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        quietly()
        told = json.dumps(_ran(order, is_watched=is_watched)).encode()
        while told:
            told = told[os.write(written, told) :]
        os._exit(0)
    os.close(written)
    with os.fdopen(read, "rb") as lines:
        data = lines.read()
    os.waitpid(child, 0)
    return json.loads(data) if data else None


def _ran(order: dict[str, Any], *, is_watched: bool) -> dict[str, Any]:
    sys.path[:0] = order["paths"]
    watch = Watch(order["workspace"])
    began = time.perf_counter()
    if is_watched:
        watch.begin()
    pytest_run(order, [watch])
    watch.end()
    return {
        "lines": watch.told(),
        "failed": sorted(watch.failed),
        "n_tests": watch.n_tests,
        "seconds": time.perf_counter() - began,
    }


class Watch:
    """A plugin of pytest that knows which test runs, and so whose line it is that runs."""

    def __init__(self, workspace: str) -> None:
        """Watches the files below `workspace` and no others."""
        self._below = f"{Path(workspace).resolve()}{os.sep}"
        self._lines: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        self._running = _READING
        self.failed: set[str] = set()
        self.n_tests = 0

    def begin(self) -> None:
        """Begins to watch, in every thread."""
        threading.settrace(self._called)
        sys.settrace(self._called)

    def end(self) -> None:
        """Stops watching, in this thread; others end with the process."""
        sys.settrace(None)

    def told(self) -> dict[str, dict[str, list[int]]]:
        """Gives test -> file -> lines; those that were run while tests are read stand under ""."""
        return {
            test: {file: sorted(lines) for file, lines in by_file.items()}
            for test, by_file in self._lines.items()
        }

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Notes which test begins."""
        self._running = nodeid
        self.n_tests += 1
        _ = self._lines[nodeid]  # a test that runs none of our lines is a test

    def pytest_runtest_logfinish(self) -> None:
        """Notes that none runs."""
        self._running = _READING

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes which did not pass."""
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Notes which file could not be read."""
        if report.failed:
            self.failed.add(report.nodeid)

    def _called(self, frame: FrameType, _event: str, _value: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(self._below):
            return None
        self._lines[self._running][file[len(self._below) :]].add(frame.f_lineno)
        return self._line

    def _line(self, frame: FrameType, event: str, _value: Any) -> Any:
        if event == "line":
            file = frame.f_code.co_filename[len(self._below) :]
            self._lines[self._running][file].add(frame.f_lineno)
        return self._line
