"""Tells what becomes of each test, as it happens."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_MESSAGE = 2000


class Reporter:
    """A plugin of pytest that tells events: what is collected, and what becomes of it."""

    def __init__(
        self, tell: Callable[[dict[str, Any]], None], canary: str, folder: str, order: int = 0
    ) -> None:
        """Tells by `tell`; tests in files with `canary` in their names come first and last.

        `order`: 0 as they are written, 1 the other way round, a larger number shuffled by it.
        """
        self._tell = tell
        self._order = order
        self._canary = canary
        self._place = re.compile(rf"(?:\S*/)?{re.escape(Path(folder).name)}/")
        self._phases: dict[str, list[pytest.TestReport]] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Puts half of the canaries first and half last, and tells what is to be run."""
        canaries = [item for item in items if self._canary in item.nodeid]
        others = self._ordered([item for item in items if self._canary not in item.nodeid])
        half = len(canaries) // 2
        items[:] = [*canaries[:half], *others, *canaries[half:]]
        self._tell({"event": "collected", "ids": [item.nodeid for item in items]})

    def _ordered(self, items: list[pytest.Item]) -> list[pytest.Item]:
        if self._order <= 1:
            return items[::-1] if self._order else items

        def place(item: pytest.Item) -> bytes:
            return hashlib.sha256(f"{self._order} {item.nodeid}".encode()).digest()

        return sorted(items, key=place)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Tells which file could not be read."""
        if report.failed:
            message = self._placeless(report.longreprtext)
            self._tell({"event": "unread", "file": report.nodeid, "message": message})

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Tells that a test begins."""
        self._phases[nodeid] = []
        self._tell({"event": "began", "id": nodeid})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps what became of a phase: setting up, the test, tearing down."""
        self._phases.setdefault(report.nodeid, []).append(report)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Tells the outcome of a test: passed only where all its phases passed."""
        phases = self._phases.pop(nodeid, [])
        worst = next((one for one in phases if one.outcome != "passed"), None)
        outcome = "passed" if len(phases) == 3 else "error"
        if worst is not None:
            is_failed = worst.outcome == "failed"
            outcome = "skipped" if not is_failed else "failed" if worst.when == "call" else "error"
        self._tell(
            {
                "event": "ended",
                "id": nodeid,
                "outcome": outcome,
                "seconds": sum(one.duration for one in phases),
                "message": "" if worst is None else self._placeless(worst.longreprtext),
            }
        )

    def _placeless(self, text: str) -> str:
        """Gives the end of a text, without the place of the tests, which is another each time."""
        return self._place.sub("", text)[-_MESSAGE:]
