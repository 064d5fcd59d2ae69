"""The check `suite`: hidden tests against what the agent left, run where it never was."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from equipoise.errors import NotEstimable
from equipoise.ports.suites import SuiteAsked
from equipoise.records.grade import Evidence
from equipoise.records.suite_run import SuiteRun, SuiteStatus, TestOutcome, TestResult
from equipoise.stages.grade.finding import Found
from equipoise.stages.grade.json_places import json_of, span_of
from equipoise.stages.grade.left_behind import SESSION
from equipoise.stages.grade.material import Material, Page, keep_lines, page, read_lines, values
from equipoise.stages.grade.outcome_specs import NOT_APPLICABLE
from equipoise.stages.grade.quoting import MOST_QUOTES, exactly
from equipoise.stages.grade.suite_specs import SuiteSpec
from equipoise.stages.grade.templates import as_text, filled

DIFF = "diff.patch"

_PASSED = (TestOutcome.PASSED,)
WEAK = ("none", "paths")
_SAID = {
    SuiteStatus.TAMPERED: "tampered with the tests",
    SuiteStatus.ABORTED: "ended the tests before the last one",
    SuiteStatus.TIMED_OUT: "did not end in the time for the tests",
    SuiteStatus.NO_REPORT: "kept the tests from telling anything",
}
"""What a program did to a run of tests that carries no score: it is lost in full, for this."""


def check_suite(spec: SuiteSpec, material: Material) -> Found:
    """Gives how many hidden tests the agent's work does not pass.

    The outcome of each test is kept as a line of a document of the trial, ``suite-<hash>.jsonl``;
    where that is there already for the same tests, seed and diff, nothing is run again.

    Raises:
        NotEstimable: the trial left no diff, the unit has no such tests, or the infrastructure of
            the tests failed: that is never a score.
    """
    asked = _asked(spec, material)
    if material.suites is None:
        raise NotEstimable("unbewertbar: hidden tests cannot be run here", code="no_suites")
    name = f"suite-{material.suites.identity(asked)[:16]}.jsonl"
    if name in material.documents:
        seen = page(material, name)
        head, tests = read_lines(name, seen.content, SuiteRun, TestResult)
        run = msgspec.structs.replace(head, tests=tests)
    else:
        run = material.suites.run(asked)
        head = msgspec.structs.replace(run, tests=())
        seen = keep_lines(material, name, (head, *run.tests))
    return _found(spec, run, seen)


def seed_of(material: Material) -> dict[str, Any]:
    """Gives what the study says of the seed that a session began with (`of`), and its hash.

    Raises:
        NotEstimable: the session does not say it.
    """
    session = json_of(material, SESSION)
    seed = session.get("seed") if isinstance(session, dict) else None
    if not isinstance(seed, dict) or not isinstance(seed.get("sha256"), str):
        raise NotEstimable(
            "unbewertbar: the session does not say which seed it began with", code="no_seed"
        )
    return {"of": seed.get("of"), "sha256": seed["sha256"]}


def _asked(spec: SuiteSpec, material: Material) -> SuiteAsked:
    diff = page(material, DIFF).content
    seed = seed_of(material)
    known = values(material)
    return SuiteAsked(
        tests=_tests(spec, known),
        seed_tests=spec.seed_tests,
        reference=filled(spec.reference, known, as_text),
        paths=spec.paths,
        allowed=spec.allowed,
        kept=spec.kept,
        is_apart=spec.apart,
        python=spec.python,
        command=spec.command,
        at=spec.at,
        must_fail=spec.must_fail,
        timeout_s=spec.timeout_s,
        sandboxes=spec.sandbox,
        environment=spec.environment,
        seed=seed["of"],
        seed_sha256=seed["sha256"],
        diff=diff,
        lease=f"{material.trial.id}-suite",
    )


def _tests(spec: SuiteSpec, known: Mapping[str, Any]) -> str:
    """Gives the folder of the tests; a unit that names none is not to be tested by them."""
    try:
        return filled(spec.tests, known, as_text)
    except NotEstimable as error:
        raise NotEstimable(f"{NOT_APPLICABLE}: {error.why}", code="no_expectation") from error


def _found(spec: SuiteSpec, run: SuiteRun, seen: Page) -> Found:
    if not run.is_scored:
        note = f"{run.status.value}: it {_SAID[run.status]} ({run.why or 'no reason told'})"
        field = "tampered" if run.tampered else "status"
        return Found(raw=1.0, places=_quoted(seen, field), is_total=True, note=note[:500])
    if not run.n_expected:
        raise NotEstimable("unbewertbar: the suite holds no test", code="no_tests")
    lost = [number for number, one in enumerate(run.tests) if one.outcome not in _PASSED]
    raw = {"any": float(bool(lost)), "each": float(len(lost)), "share": len(lost) / run.n_expected}
    note = f"{run.n_passed} of {run.n_expected} tests passed"
    if run.why:
        note += f": {run.why}"
    if run.isolation in WEAK:
        note += f"; in a weak sandbox ({run.isolation}): nothing kept the program from the tests"
    return Found(
        raw=raw[spec.lost], places=tuple(_places(seen, lost[:MOST_QUOTES])), note=note[:500]
    )


def _places(seen: Page, lost: list[int]) -> Iterator[Evidence]:
    for number in lost:
        yield from exactly(seen, *span_of(seen, (1 + number,)))


def _quoted(seen: Page, field: str) -> tuple[Evidence, ...]:
    return exactly(seen, *span_of(seen, (0, field)))
