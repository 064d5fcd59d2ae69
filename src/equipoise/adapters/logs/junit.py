"""Reads JUnit XML: one test case, one trial; the file's own totals are checked, not trusted."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from equipoise.adapters.logs.cell_names import CellNames
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.opened import chunks
from equipoise.adapters.logs.options import Options
from equipoise.adapters.logs.sources import files_of
from equipoise.adapters.logs.table.fields import text
from equipoise.adapters.logs.table.reader import stem_of
from equipoise.errors import UnreadableSource
from equipoise.ports import Reading
from equipoise.records.grade import Grade
from equipoise.records.notice import Headline
from equipoise.records.terms import Direction
from equipoise.records.trial import Ending, EndingKind, Fault, Trial

MAX_DEPTH = 64
MAX_MESSAGE = 200
_KEYS = ("arm", "errors")
_ROOTS = frozenset({"testsuites", "testsuite"})
_FAULTS = ("failure", "error", "skipped")
_FURTHER_TRIES = frozenset({"rerunFailure", "rerunError", "flakyFailure", "flakyError"})
_TOTALS = {"tests": "n_tests", "failures": "n_failed", "errors": "n_errors", "skipped": "n_skipped"}


@dataclass(slots=True)
class Case:
    """One test case as it stands in the file."""

    classname: str
    name: str
    suite: str
    line: int
    seconds: float | None
    faults: dict[str, str] = field(default_factory=dict)
    n_reruns: int = 0


class JUnitReader:
    """The reader of JUnit XML.

    Options: ``arm`` (else the file's name), ``errors``: ``missing`` (an error is no outcome, the
    default) or ``failed`` (an error counts like a failure).
    """

    name = "junit"

    def directions(self, options: dict[str, Any]) -> dict[str, Direction]:
        """Gives the direction of the outcome: passing is better."""
        return Options(options, _KEYS).directions()

    def read(self, source: Path, options: dict[str, Any]) -> Iterator[Reading]:
        """Yields the readings of one file, or of all ``.xml`` files of a folder.

        Raises:
            InputError: an option is wrong.
            UnreadableSource: no file is JUnit XML.
        """
        chosen = Options(options, _KEYS)
        arm, errors = chosen.text("arm"), chosen.choice("errors", ("missing", "failed"))
        noticer = Noticer()
        cells = CellNames(noticer)
        faults: list[UnreadableSource] = []
        n_files = 0
        for path in files_of(source, (".xml",), noticer):
            name = arm or stem_of(path)
            try:
                yield from _read_file(path, name, cells, noticer, errors_fail=errors == "failed")
                n_files += 1
            except UnreadableSource as error:
                faults.append(error)
                noticer.lost("unreadable_file", str(error), path.name)
        if not n_files:
            raise faults[0]
        yield from noticer.flush()


def _read_file(
    path: Path, arm: str, cells: CellNames, noticer: Noticer, *, errors_fail: bool
) -> Iterator[Reading]:
    counted = dict.fromkeys(_TOTALS, 0)
    parser = _Parser(path)
    for case in parser.cases(chunks(path, noticer), noticer):
        counted["tests"] += 1
        for what in case.faults:
            counted["failures" if what == "failure" else what.replace("error", "errors")] += 1
        yield from _readings(case, path, arm, cells, errors_fail=errors_fail)
    yield from _check(parser.declared, counted, path, arm, noticer)


def _readings(
    case: Case, path: Path, arm: str, cells: CellNames, *, errors_fail: bool
) -> Iterator[Trial | Grade]:
    unit = f"{case.classname}::{case.name}" if case.classname else case.name
    where = f"{path.name}:{case.line}"
    name, repetition = cells.number(
        (unit, arm, None),
        where,
        why="a test case of the same class and name again: numbered as a further repetition",
    )
    yield Trial(
        id=name,
        unit=unit,
        arm=arm,
        repetition=repetition,
        ending=_ending(case, errors_fail=errors_fail),
        labels={"suite": case.suite} if case.suite else {},
        duration_ms=None if case.seconds is None else 1000.0 * case.seconds,
        counts={"reruns": case.n_reruns} if case.n_reruns else {},
        source=where,
    )
    if "skipped" in case.faults or ("error" in case.faults and not errors_fail):
        return
    yield Grade(trial=name, value=0.0 if case.faults else 1.0)


def _ending(case: Case, *, errors_fail: bool) -> Ending:
    if "skipped" in case.faults:
        detail = f"skipped: {case.faults['skipped']}".rstrip(": ")
        return Ending(kind=EndingKind.CANCELLED, fault=Fault.OPERATOR, detail=detail)
    if "error" in case.faults and not errors_fail:
        return Ending(
            kind=EndingKind.HARNESS_ERROR,
            fault=Fault.UNKNOWN,
            is_retriable=True,
            detail=case.faults["error"],
        )
    return Ending()


def _check(
    declared: list[tuple[str, int]], counted: dict[str, int], path: Path, arm: str, noticer: Noticer
) -> Iterator[Headline]:
    totals: dict[str, int] = {}
    for key, number in declared:
        totals[key] = totals.get(key, 0) + number
    for key, total in totals.items():
        yield Headline(metric=_TOTALS[key], value=float(total), arm=arm, where=path.name)
        if total != counted[key]:
            noticer.warn(
                "headline_does_not_follow",
                f"the file declares {key}={total}, its cases give {counted[key]}",
                path.name,
            )


class _Parser:
    """Feeds expat piece by piece; refuses every document type, and so every entity."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._done: list[Case] = []
        self._case: Case | None = None
        self._suites: list[str] = []
        self._depth = 0
        self._is_root_counted = False
        self.declared: list[tuple[str, int]] = []
        self._expat = expat.ParserCreate()
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.StartDoctypeDeclHandler = self._refuse
        self._expat.EntityDeclHandler = self._refuse
        self._expat.ExternalEntityRefHandler = self._refuse_reference

    def cases(self, pieces: Iterator[bytes], noticer: Noticer) -> Iterator[Case]:
        """Yields the cases as they are read.

        Raises:
            UnreadableSource: it is no JUnit XML, or has a document type.
        """
        is_first = True
        try:
            for piece in pieces:
                self._expat.Parse(piece, False)  # noqa: FBT003  # expat takes no keyword
                is_first = is_first and not self._done
                yield from self._taken()
            self._expat.Parse(b"", True)  # noqa: FBT003  # expat takes no keyword
            yield from self._taken()
        except expat.ExpatError as error:
            yield from self._taken()
            if is_first and not self._suites:
                raise UnreadableSource(
                    f"{self._path.name} is no XML: {error}", wanted="JUnit XML", code="bad_xml"
                ) from error
            noticer.lost("bad_xml", f"the file breaks off: {error}", self._path.name)

    def _taken(self) -> list[Case]:
        taken, self._done = self._done, []
        return taken

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 1 and tag not in _ROOTS:
            raise self._fault(f"begins with <{tag[:40]}>, not with <testsuites> or <testsuite>")
        if self._depth > MAX_DEPTH:
            raise self._fault("is nested too deeply")
        if tag in _ROOTS:
            self._suite(tag, attributes)
        elif tag == "testcase":
            self._case = Case(
                classname=text(attributes.get("classname")) or "",
                name=text(attributes.get("name")) or "unnamed",
                suite=self._suites[-1] if self._suites else "",
                line=self._expat.CurrentLineNumber,
                seconds=_seconds(attributes.get("time")),
            )
        elif self._case is not None and tag in _FAULTS:
            message = attributes.get("message") or attributes.get("type") or ""
            self._case.faults[tag] = message[:MAX_MESSAGE]
        elif self._case is not None and tag in _FURTHER_TRIES:
            self._case.n_reruns += 1

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if tag == "testcase" and self._case is not None:
            self._done.append(self._case)
            self._case = None
        elif tag == "testsuite" and self._suites:
            self._suites.pop()

    def _suite(self, tag: str, attributes: dict[str, str]) -> None:
        """Notes the totals of the root, or of each top suite where the root declares none."""
        is_root = self._depth == 1
        totals = [(key, int(v)) for key in _TOTALS if _is_whole(v := attributes.get(key, ""))]
        if is_root and totals:
            self._is_root_counted = True
            self.declared = totals
        elif not self._is_root_counted and len(self._suites) == 0:
            self.declared += totals
        if tag == "testsuite":
            self._suites.append(text(attributes.get("name")) or "")

    def _refuse(self, *_: object) -> None:
        raise self._fault("has a document type; entities are never expanded")

    def _refuse_reference(self, *_: object) -> int:
        raise self._fault("refers to an external entity")

    def _fault(self, what: str) -> UnreadableSource:
        return UnreadableSource(f"{self._path.name} {what}", wanted="JUnit XML", code="no_junit")


def _is_whole(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) < 10


def _seconds(value: str | None) -> float | None:
    try:
        found = float((value or "").replace(",", ""))
    except ValueError:
        return None
    return found if 0 <= found < 1e9 else None
