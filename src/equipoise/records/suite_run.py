"""A run of a suite of tests against what an agent left, test by test, and whether it can count."""

from enum import StrEnum

import msgspec

from equipoise.records.trial import Fault


class SuiteStatus(StrEnum):
    """What a run of a suite is worth; only the first two can carry a score."""

    SCORED = "scored"
    SCORED_INCOMPLETE = "scored_incomplete"  # ended well, but expected tests have no outcome
    ABORTED = "aborted"  # ended before its last test
    TAMPERED = "tampered"  # a test that must fail did not, or something lied
    NO_REPORT = "no_report"  # nothing was told at all
    TIMED_OUT = "timed_out"


class TestOutcome(StrEnum):
    """What became of one test."""

    __test__ = False  # it is no test itself, whatever pytest makes of its name

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # it could not be set up, read or torn down
    SKIPPED = "skipped"
    NOT_RUN = "not_run"  # expected, and never heard of


class TestResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The outcome of one test; its message is cut. Null duration = not measured."""

    __test__ = False  # as above

    id: str
    outcome: TestOutcome
    duration_ms: float | None = None
    message: str = ""


class SuiteRun(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="record",
    tag="suite_run",
):
    """One suite run against a fresh seed with an agent's diff on top.

    `n_passed` counts expected tests that passed, of `n_expected`. `is_apart`: the program ran in
    another process than the tests, so that it could not touch their verdict. `isolation` is that of
    the sandbox. `left_out` are paths whose changes were not taken over. `tampered` says what was
    tampered with, a line each; `why` what stopped the run, `fault` whose fault that was.
    `suite_sha256` is over the hidden files. `limit_s` is the time that the tests had, `ran_ms` how
    long they ran, of the `duration_ms` of all; null = not recorded.
    """

    suite: str
    status: SuiteStatus
    n_passed: int
    n_expected: int
    tests: tuple[TestResult, ...]
    is_apart: bool
    isolation: str
    suite_sha256: str
    seed_sha256: str
    diff_sha256: str
    started_at: str
    duration_ms: float
    why: str = ""
    fault: Fault = Fault.NONE
    tampered: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    limit_s: float | None = None
    ran_ms: float | None = None

    @property
    def is_scored(self) -> bool:
        """Tells whether it can carry a score."""
        return self.status in (SuiteStatus.SCORED, SuiteStatus.SCORED_INCOMPLETE)
