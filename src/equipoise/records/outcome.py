"""What came of each cell of an outcome study: the lines of `outcome-results.jsonl`."""

from enum import StrEnum

import msgspec

from equipoise.records.conduct import ConductFinding
from equipoise.records.decomposition import Coverage
from equipoise.records.suite_run import SuiteStatus, TestResult

RESULTS = "outcome-results.jsonl"
"""File of a comparison: a line for each planned cell of each run that it looks at."""


class Kept(StrEnum):
    """Whether something that is asked of every cell, or of some, was kept."""

    PASS = "pass"  # noqa: S105  no password
    FAIL = "fail"
    NOT_APPLICABLE = "n/a"
    UNBEWERTBAR = "unbewertbar"  # it should have been measured, and could not be


class TokenSource(StrEnum):
    """Who counted the tokens."""

    MEASURED = "measured"
    ESTIMATED = "estimated"


class GroupResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run of a group of tests against a cell's work: how many passed, test by test.

    `per_file` gives for each file of tests how many passed and how many there are. `why` says why
    nothing counts (the work tampered with the tests, or ended them): then `passed` is 0.
    `left_out` are paths of the cell's diff that were not taken over: edits of the tests themselves.
    `suite_sha256` is over the test files, `diff_sha256` over the work, `seed_sha256` over what it
    began with; `document` is the hash of the archived run.
    """

    passed: int
    total: int
    per_test: tuple[TestResult, ...]
    per_file: dict[str, tuple[int, int]]
    status: SuiteStatus
    suite_sha256: str
    document: str
    diff_sha256: str = ""
    seed_sha256: str = ""
    why: str = ""
    left_out: tuple[str, ...] = ()
    tampered: tuple[str, ...] = ()

    @property
    def rate(self) -> float | None:
        """Gives the share that passed; null where there is no test."""
        return self.passed / self.total if self.total else None


class OutcomeResult(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="record",
    tag="outcome_result",
):
    """One cell: a scenario, an arm, a repetition, and what came of it.

    `trial` is the last attempt; empty = the cell was not executed. `rates` has the pass rate in
    [0, 1] of each criterion that was measured, `missing` the reason of each that was not, `soft`
    those that a model judged. `regression`, `artifact` and `checkpoint` are three of them as words.
    `tokens_in` counts cached tokens too. Null = not recorded, which is not 0; `truncated` null =
    the harness does not tell. `tag` is ``measured``, or ``soft`` where a part was judged.
    `documents` are those to look at: name -> sha256. `found` is what the agent did beside its task,
    `unseen` what of that could not be looked at. `lists` is what each judge said of a list that was
    asked for. `main` is the metric that decides about the scenario, where its kind does not say it.
    `times` is what of its measured times contradicts the limits that it had.
    """

    scenario: str
    arm: str
    run_id: str
    cell: str
    repetition: int
    kind: str
    tier: str
    trial: str
    ending: str
    hidden_explicit: GroupResult | None
    hidden_implicit: GroupResult | None
    regression: Kept
    artifact: Kept
    checkpoint: Kept
    tokens_in: int | None
    tokens_out: int | None
    tokens_source: TokenSource | None
    turns: int | None
    wall_ms: float | None
    usd: float | None
    truncated: bool | None
    tag: str
    why: str = ""
    own_suite: GroupResult | None = None
    rates: dict[str, float] = {}
    missing: dict[str, str] = {}
    soft: tuple[str, ...] = ()
    main: str = ""
    model: str = ""
    is_simulated: bool = False
    documents: dict[str, str] = {}
    found: tuple[ConductFinding, ...] = ()
    unseen: tuple[str, ...] = ()
    lists: tuple[Coverage, ...] = ()
    times: tuple[str, ...] = ()

    @property
    def is_executed(self) -> bool:
        """Says whether there is a trial of the cell."""
        return bool(self.trial)

    @property
    def has_outcome(self) -> bool:
        """Says whether anything of it was measured."""
        return bool(self.rates)
