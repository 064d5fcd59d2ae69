"""Proofs: runs that show, before anybody is judged by a scenario, that it is fair."""

from enum import StrEnum

import msgspec

from equipoise.records.lint import Corner, Mutation, faults_of
from equipoise.records.notice import Notice
from equipoise.records.suite_run import SuiteStatus, TestOutcome


class Wanted(StrEnum):
    """What a run has to end with, for the scenario to be proved."""

    ALL_FAIL = "all fail"
    SOME_FAIL = "some fail"
    ALL_PASS = "all pass"  # noqa: S105  no password


class ProofRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run of a group of tests against the seed with a patch on top.

    `what` is ``red`` (the seed as the agent gets it), ``clean`` (the seed without its bug),
    ``reference``, ``senior``, ``literal``, ``third_party``, ``near-miss 1`` or ``own suite``;
    `group` ``explicit``, ``implicit`` or ``regression``. `repeat` counts from 1: a test that
    changes between repeats is flaky; later ones are `under` another order and time zone. `missing`
    says why nothing was run. `tests` has the outcome of each test by its id; times and messages are
    left out, so that the same proof has the same bytes. `faults` says what is wrong; none = as
    wanted.
    """

    what: str
    group: str
    wanted: Wanted
    repeat: int = 1
    under: str = ""
    status: SuiteStatus | None = None
    tests: dict[str, TestOutcome] = {}
    isolation: str = ""
    is_apart: bool = True
    missing: str = ""
    faults: tuple[str, ...] = ()


class Proof(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="record", tag="proof"
):
    """The file `proofs/<id>.json`: every proof run of a scenario, and what they rest on.

    `rests_on` has the sha256 of the scenario's file, its hidden tests, each patch, the bug and the
    seed, and by which rules it was made; a proof is stale when any of them is another. `lacking`
    names proofs that are wanted and not there, `remarks` what stops nobody. `notices` are what was
    seen by looking at the scenario: one of severity ``refused`` stands against it. `corner` is
    where the bug lies, `mutation` what hidden tests make of spoilt references; null = not wanted.
    """

    scenario: str
    rests_on: dict[str, str]
    runs: tuple[ProofRun, ...]
    lacking: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    corner: Corner | None = None
    mutation: Mutation | None = None
    tool_version: str = ""

    @property
    def faults(self) -> tuple[str, ...]:
        """Gives everything that stands against the scenario, a line each."""
        told = [
            f"{run.what}, {run.group}: {fault}"
            for run in self.runs
            for fault in (*run.faults, *([run.missing] if run.missing else []))
        ]
        lacking = (f"lacks {name}" for name in self.lacking)
        return (*lacking, *told, *faults_of(self.notices))

    @property
    def is_proved(self) -> bool:
        """Says whether the scenario may be run."""
        return not self.faults
