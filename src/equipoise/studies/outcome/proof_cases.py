"""Which runs prove a scenario, what each has to end with, and what is wrong where one did not."""

from collections.abc import Iterator
from dataclasses import dataclass

from equipoise.records.proof import Wanted
from equipoise.records.scenario import Scenario, ScenarioKind
from equipoise.records.suite_run import SuiteRun, SuiteStatus, TestOutcome
from equipoise.studies.outcome.expectations import hidden_groups

_ZONES = ("", "Pacific/Kiritimati", "America/Adak", "Asia/Kathmandu")
"""Time zones of repeats: a day ahead, a day behind, and no whole hours apart."""
_MENDS = {
    "senior": "; what a senior engineer's solution cannot pass goes into the prompt and the "
    "explicit tests, or is deleted",
    "third_party": "; what cannot be known from the prompt alone goes into it, or is deleted",
}
_PASSED = frozenset({TestOutcome.PASSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One run to be made: which tests, against which patch, and what has to come of it."""

    what: str
    group: str
    wanted: Wanted
    patch: str = ""
    repeat: int = 1
    is_clean: bool = False

    @property
    def order(self) -> int:
        """Gives in which order tests are run: in another one in each repeat."""
        return self.repeat - 1

    @property
    def zone(self) -> str:
        """Gives the time zone: another one in each repeat."""
        return _ZONES[(self.repeat - 1) % len(_ZONES)]

    @property
    def under(self) -> str:
        """Says what is not as usual in this repeat."""
        if self.repeat == 1:
            return ""
        order = "other way round" if self.order == 1 else f"shuffled by {self.order}"
        return f"{order}, TZ={self.zone}" if self.zone else order


def cases_of(scenario: Scenario, repeats: int) -> Iterator[Case]:
    """Yields the runs of tests that prove a scenario; what has to be the same each time, so often.

    Args:
        scenario: the scenario.
        repeats: how often the own suite and the reference are run.
    """
    groups = hidden_groups(scenario)
    yield from (
        Case(what="own suite", group="regression", wanted=Wanted.ALL_PASS, repeat=repeat)
        for repeat in range(1, repeats + 1)
    )
    yield from (Case(what="red", group=group, wanted=Wanted.ALL_FAIL) for group in groups)
    if scenario.bug_id:
        yield from (
            Case(what="clean", group=group, wanted=Wanted.ALL_PASS, is_clean=True)
            for group in groups
        )
    proofs = scenario.proofs
    if proofs is None:
        return
    yield from _right(groups, "reference", proofs.reference, repeats)
    yield from _right(groups, "senior", proofs.senior, 1)
    explicit = [group for group in groups if group == "explicit"]
    for what, patch in {"third_party": proofs.third_party, "literal": proofs.literal}.items():
        yield from (
            Case(what=what, group=group, wanted=Wanted.ALL_PASS, patch=patch)
            for group in explicit
            if patch
        )
    if proofs.literal and "implicit" in groups:
        yield Case(what="literal", group="implicit", wanted=Wanted.SOME_FAIL, patch=proofs.literal)
    for number, patch in enumerate(proofs.near_misses if groups else (), start=1):
        what = f"near-miss {number}"
        yield Case(what=what, group="hidden", wanted=Wanted.SOME_FAIL, patch=patch)


def _right(groups: tuple[str, ...], what: str, patch: str | None, repeats: int) -> Iterator[Case]:
    """Gives the runs of a solution that is right: everything passes, each time."""
    if not patch:
        return
    for repeat in range(1, repeats + 1):
        for group in groups:
            yield Case(what=what, group=group, wanted=Wanted.ALL_PASS, patch=patch, repeat=repeat)
    yield Case(what=what, group="regression", wanted=Wanted.ALL_PASS, patch=patch)


def lacking(scenario: Scenario) -> Iterator[str]:
    """Yields the proofs that a scenario of its kind needs and does not name."""
    proofs = scenario.proofs
    if proofs is None:
        yield "a reference solution (proofs.reference)"
        return
    if scenario.kind is ScenarioKind.FEATURE and hidden_groups(scenario):
        if not proofs.third_party:
            yield "the proof by somebody who read the need text alone (proofs.third_party)"
        if scenario.hidden_tests.implicit and not proofs.senior:
            yield "the proof of a senior engineer (proofs.senior)"
        if scenario.hidden_tests.implicit and not proofs.literal:
            yield "the literal-minded proof (proofs.literal)"
    if not proofs.near_misses:
        yield "a near miss that has to fail (proofs.near_misses)"


def run_faults(case: Case, run: SuiteRun) -> Iterator[str]:
    """Yields what is wrong with a run that did not end with what is wanted."""
    if run.status is not SuiteStatus.SCORED:
        yield f"the run ended as {run.status.value}: {run.why or '; '.join(run.tampered)}"
        return
    if not run.tests:
        yield "no test was found"
        return
    passed = sorted(one.id for one in run.tests if one.outcome in _PASSED)
    failed = sorted(one.id for one in run.tests if one.outcome not in _PASSED)
    if case.wanted is Wanted.ALL_PASS and failed:
        told = f"{len(failed)} of {len(run.tests)} tests do not pass: {', '.join(failed[:5])}"
        yield told + _MENDS.get(case.what, "")
    if case.wanted is Wanted.ALL_FAIL and passed:
        yield f"green before anything was done: {', '.join(passed[:5])}"
    if case.wanted is Wanted.SOME_FAIL and not failed:
        yield "every test passes: they do not tell it from a right solution"
