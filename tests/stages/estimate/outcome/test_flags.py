"""The rules of the triage queue: what is flagged, and what is not."""

import msgspec
import pytest

from equipoise.records.conduct import Conducted, ConductFinding
from equipoise.records.outcome import Kept, OutcomeResult
from equipoise.records.triage import FlagKind, Label, Triaged
from equipoise.stages.decide.triage import stale_by_label, waiting
from equipoise.stages.estimate.outcome.flags import flagged_of, oracle_of
from equipoise.stages.estimate.outcome.items import items_of
from stages.estimate.outcome.made_cells import BASE, NEW, cell, group

RATES = {"hidden_explicit": 1.0, "regression": 1.0}
LIMIT_MS = 600_000.0


def flags(*cells: OutcomeResult) -> dict[str, tuple[FlagKind, ...]]:
    results = list(cells)
    items = items_of(results, {}, (NEW, BASE))
    found = flagged_of(results, items, LIMIT_MS)
    return {one.id: one.flags for one in found}


def found(kind: Conducted, *, is_grave: bool) -> tuple[ConductFinding, ...]:
    return (ConductFinding(kind=kind, told="seen", is_grave=is_grave),)


@pytest.mark.requirement("OUT-31")
def test_what_is_odd_is_flagged_and_honest_work_is_not() -> None:
    told = flags(
        cell("s1", NEW, 1, found=found(Conducted.HISTORY, is_grave=False)),
        cell("s1", NEW, 2, found=found(Conducted.HISTORY, is_grave=True)),
        cell("s1", NEW, 3, found=found(Conducted.TEST_EDIT, is_grave=False)),
        cell("s2", NEW, 1, ending="infrastructure_error", why="gone"),
        cell("s3", NEW, 1, found=found(Conducted.EMPTY_CLAIM, is_grave=True)),
    )
    assert told == {
        f"{NEW}-s1-2": (FlagKind.HISTORY,),
        f"{NEW}-s1-3": (FlagKind.TEST_EDITS,),
        f"{NEW}-s2-1": (FlagKind.INFRASTRUCTURE,),
        f"{NEW}-s3-1": (FlagKind.EMPTY_CLAIM,),
    }


def test_a_broken_suite_beside_passed_hidden_tests_is_odd() -> None:
    passed = {"hidden_explicit": group(["a"], []), "rates": RATES | {"regression": 0.0}}
    told = flags(cell("s1", NEW, 1, regression=Kept.FAIL, **passed))
    assert told == {f"{NEW}-s1-1": (FlagKind.BROKEN,)}


def test_times_are_odd_against_their_own_scenario() -> None:
    slow = [cell("hard", NEW, n, wall_ms=400_000.0) for n in range(5)]
    quick = [cell("easy", NEW, n, wall_ms=20_000.0) for n in range(5)]
    assert flags(*slow, *quick) == {}
    told = flags(*slow, *quick, cell("hard", NEW, 9, wall_ms=900.0))
    assert told == {f"{NEW}-hard-9": (FlagKind.TIME,)}
    told = flags(cell("hard", NEW, 9, wall_ms=700_000.0))
    assert told == {f"{NEW}-hard-9": (FlagKind.TIME,)}


def test_the_same_work_with_two_outcomes_is_a_flaky_test() -> None:
    one = cell("s1", NEW, 1, rates=RATES, hidden_explicit=group(["a"], []))
    two = cell("s1", NEW, 2, rates=RATES, hidden_explicit=group([], ["a"]))
    other = cell("s1", NEW, 2, rates=RATES, hidden_explicit=group([], ["a"], diff="f" * 64))
    assert flags(one, two) == {"s1": (FlagKind.FLAKY,)}
    assert flags(one, other) == {}


def test_a_label_holds_for_what_it_was_given_and_no_longer() -> None:
    results = [
        cell("s1", arm, 1, rates=RATES, hidden_explicit=group([], ["a"])) for arm in (NEW, BASE)
    ]
    (flagged,) = flagged_of(results, items_of(results, {}, (NEW, BASE)), LIMIT_MS)
    assert flagged.flags == (FlagKind.ALL_ARMS_FAIL,)
    label = Triaged(
        at="2026-01-01T00:00:00Z",
        by="Ann",
        label=Label.ORACLE,
        note="it asks for a name",
        id="s1",
        scenario="s1",
        flags=flagged.flags,
        oracle=flagged.oracle,
    )
    oracles = {"s1": oracle_of(results)}
    assert waiting([flagged], [label]) == ()
    assert "it asks for a name" in stale_by_label([label], oracles)["s1"]
    mended = oracles["s1"] | {"explicit": "9" * 64}
    assert stale_by_label([label], {"s1": mended}) == {}
    again = msgspec.structs.replace(label, label=Label.MODEL)
    assert stale_by_label([label, again], oracles) == {}
