"""Judges a run of a suite by what was heard of it; silence and lies are no scores."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.records.suite_run import SuiteStatus, TestOutcome, TestResult
from equipoise.records.trial import Fault

_MESSAGE = 2000


@dataclass(slots=True)
class Heard:
    """What was heard of a run, event by event.

    `lies` were found out, `twisted` is what was no proper sequence of events.
    """

    canary: str
    collected: list[str] | None = None
    unread: dict[str, str] = field(default_factory=dict)
    results: dict[str, TestResult] = field(default_factory=dict)
    lies: list[str] = field(default_factory=list)
    is_done: bool = False
    has_program_ended: bool = False
    _running: str = ""

    def take_line(self, line: bytes) -> None:
        """Takes an event in; what is none, or cannot be at this point, is a lie."""
        try:
            self._take(json.loads(line))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            self.lies.append(f"no event: {line[:200]!r}")

    def _take(self, event: Mapping[str, Any]) -> None:
        kind = event.get("event")
        if kind == "collected" and self.collected is None:
            self.collected = [str(one) for one in event["ids"]]
        elif kind == "unread":
            self.unread[str(event["file"])] = _harmless(event["message"])
        elif kind == "began" and not self._running and not self.is_done:
            self._running = str(event["id"])
        elif kind == "ended" and event["id"] == self._running and self._is_new(self._running):
            self._running = ""
            self.results[str(event["id"])] = TestResult(
                id=str(event["id"]),
                outcome=TestOutcome(event["outcome"]),
                duration_ms=round(1000 * float(event["seconds"]), 3),
                message=_harmless(event["message"]),
            )
        elif kind == "done" and not self.is_done:
            self.is_done = True
            self.lies += [str(one) for one in event.get("lies", ())]
            self.has_program_ended = bool(event.get("program_ended"))
        else:
            self.lies.append(f"an event that cannot be: {str(dict(event))[:200]}")

    def _is_new(self, name: str) -> bool:
        return name in (self.collected or ()) and name not in self.results


def _harmless(text: object) -> str:
    """Gives the end of a text, without what would move a terminal."""
    return "".join(one for one in str(text)[-_MESSAGE:] if one.isprintable() or one in "\n\t")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The status of a run, the tests that count, and why; `fault` says whose doing that was.

    `ran_ms` is how long the tests ran, where somebody looked at a clock.
    """

    status: SuiteStatus
    tests: tuple[TestResult, ...]
    n_passed: int
    n_expected: int
    why: str = ""
    fault: Fault = Fault.NONE
    tampered: tuple[str, ...] = ()
    ran_ms: float | None = None


def judged(
    heard: Heard,
    expected: Sequence[str] | None,
    n_canaries: int,
    *,
    is_timed_out: bool = False,
    is_apart: bool = True,
    is_up: bool = True,
    detail: str = "",
) -> Verdict:
    """Gives the verdict on a run.

    `expected` null = every test that was found. `n_canaries` tests must have failed. Not `is_up`:
    the sandbox could not start what it was to run.
    """
    canaries = {name: one for name, one in heard.results.items() if heard.canary in name}
    tampered = [
        f"a test that must fail ended as {one.outcome}"
        for one in canaries.values()
        if one.outcome is not TestOutcome.FAILED
    ]
    tampered += heard.lies
    tests = _tests(heard, expected)
    status, why = SuiteStatus.SCORED, ""
    if tampered:
        status, why = SuiteStatus.TAMPERED, tampered[0]
    elif is_timed_out:
        status, why = SuiteStatus.TIMED_OUT, detail or "the time for the suite was over"
    elif heard.collected is None and not heard.unread:
        status, why = SuiteStatus.NO_REPORT, detail or "nothing was heard of the tests"
    elif not heard.is_done or len(canaries) < n_canaries:
        status, why = SuiteStatus.ABORTED, detail or "the tests ended before the last one"
    elif heard.has_program_ended:
        status, why = SuiteStatus.ABORTED, detail or "the program ended during the tests"
    elif any(one.outcome is TestOutcome.NOT_RUN for one in tests):
        missing = [one.id for one in tests if one.outcome is TestOutcome.NOT_RUN]
        status = SuiteStatus.SCORED_INCOMPLETE
        why = f"{len(missing)} expected tests were not found: {', '.join(missing[:5])}"
    return Verdict(
        status=status,
        tests=tests,
        n_passed=sum(one.outcome is TestOutcome.PASSED for one in tests),
        n_expected=len(tests),
        why=why,
        fault=_fault(status, heard, is_apart=is_apart, is_up=is_up),
        tampered=tuple(dict.fromkeys(tampered)),
    )


def _fault(status: SuiteStatus, heard: Heard, *, is_apart: bool, is_up: bool) -> Fault:
    """Says whose fault it was: of the program where it lied, ended or hung.

    The tests' own process does not hear of a program before the tests were found: where that told
    nothing, no program can be the cause. Else nobody knows.
    """
    if status in (SuiteStatus.SCORED, SuiteStatus.SCORED_INCOMPLETE):
        return Fault.NONE
    if status is SuiteStatus.TAMPERED:
        return Fault.SYSTEM
    if not is_up or (is_apart and heard.collected is None and not heard.unread):
        return Fault.INFRASTRUCTURE
    if status is SuiteStatus.TIMED_OUT or heard.has_program_ended:
        return Fault.SYSTEM
    return Fault.UNKNOWN


def _tests(heard: Heard, expected: Sequence[str] | None) -> tuple[TestResult, ...]:
    """Gives a result for each expected test; those of a file that cannot be read have errors."""
    if expected is None:
        found = [name for name in heard.collected or () if heard.canary not in name]
        expected = [*found, *heard.unread]
    return tuple(heard.results.get(name) or _missing(heard, name) for name in expected)


def _missing(heard: Heard, name: str) -> TestResult:
    message = heard.unread.get(name.partition("::")[0])
    if message is None:
        return TestResult(id=name, outcome=TestOutcome.NOT_RUN)
    return TestResult(id=name, outcome=TestOutcome.ERROR, message=message)
