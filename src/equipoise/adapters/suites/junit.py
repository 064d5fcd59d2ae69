"""Reads the outcomes of tests from a JUnit report that a hostile program may have written."""

import os
import stat
from pathlib import Path
from xml.parsers import expat

from equipoise.records.suite_run import TestOutcome, TestResult

LARGEST = 64 * 2**20
_DEPTH = 64
_MESSAGE = 2000
_WORST = (TestOutcome.ERROR, TestOutcome.FAILED, TestOutcome.SKIPPED, TestOutcome.PASSED)
_FAULTS = {
    "failure": TestOutcome.FAILED,
    "error": TestOutcome.ERROR,
    "skipped": TestOutcome.SKIPPED,
}


class NoReport(Exception):
    """There is no report, or it is none; `is_torn` where it breaks off."""

    def __init__(self, why: str, *, is_torn: bool = False) -> None:
        """Keeps why."""
        super().__init__(why)
        self.is_torn = is_torn


def read(path: Path) -> dict[str, TestResult]:
    """Gives id -> outcome; the id is ``classname::name``, or the name alone.

    Of several cases with one id the worst counts. The file is opened without following a link.

    Raises:
        NoReport: it is missing, no plain file, too large, or no JUnit XML.
    """
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.EntityDeclHandler = reader.refuse
    try:
        parser.Parse(_bytes(path), True)  # noqa: FBT003  expat takes no keyword
    except expat.ExpatError as error:
        raise NoReport(f"no XML: {error}", is_torn=bool(reader.found)) from error
    return reader.found


def _bytes(path: Path) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise NoReport(f"{path.name}: {error.strerror}") from error
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise NoReport(f"{path.name} is no plain file of at most {LARGEST} bytes")
        return file.read(LARGEST)


class _Reader:
    def __init__(self) -> None:
        self.found: dict[str, TestResult] = {}
        self._depth = 0
        self._case: dict[str, str] | None = None
        self._outcome = TestOutcome.PASSED
        self._message = ""
        self._is_inside = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEPTH:
            raise NoReport("nested too deeply")
        if self._depth == 1 and tag not in ("testsuites", "testsuite"):
            raise NoReport(f"begins with <{tag[:40]}>")
        if tag == "testcase":
            self._case, self._outcome, self._message = attributes, TestOutcome.PASSED, ""
        elif self._case is not None and tag in _FAULTS:
            self._outcome = _FAULTS[tag]
            self._message = attributes.get("message", "")[:_MESSAGE]
            self._is_inside = True

    def text(self, text: str) -> None:
        if self._is_inside and len(self._message) < _MESSAGE:
            self._message = (self._message + "\n" + text).strip()[:_MESSAGE]

    def end(self, tag: str) -> None:
        self._depth -= 1
        if tag in _FAULTS:
            self._is_inside = False
        if tag != "testcase" or self._case is None:
            return
        name, group = self._case.get("name", "unnamed"), self._case.get("classname", "")
        result = TestResult(
            id=f"{group}::{name}" if group else name,
            outcome=self._outcome,
            duration_ms=_milliseconds(self._case.get("time", "")),
            message=self._message,
        )
        known = self.found.get(result.id)
        if known is None or _WORST.index(result.outcome) < _WORST.index(known.outcome):
            self.found[result.id] = result
        self._case = None

    def refuse(self, *_: object) -> None:
        raise NoReport("it has a document type")


def _milliseconds(text: str) -> float | None:
    try:
        found = 1000.0 * float(text)
    except ValueError:
        return None
    return round(found, 3) if 0 <= found < 1e12 else None
