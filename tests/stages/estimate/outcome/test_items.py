"""Item analysis: what tells cells apart, what does not, and what stands against the pack."""

import numpy as np
import pytest

from equipoise.records.outcome import OutcomeResult
from equipoise.records.outcome_report import ItemFlag
from equipoise.records.proof import Proof, ProofRun, Wanted
from equipoise.records.suite_run import TestOutcome
from equipoise.stages.estimate.outcome.items import alarms_of, items_of
from stages.estimate.outcome.made_cells import BASE, NEW, cell, group

PASSED, FAILED = TestOutcome.PASSED, TestOutcome.FAILED
RATES = {"hidden_explicit": 1.0, "hidden_implicit": 0.5}


def cells(arm: str, *passed: str) -> list[OutcomeResult]:
    """Three repetitions in which these implicit tests of a, b, c, d passed."""
    return [
        cell(
            "f01",
            arm,
            repetition,
            kind="feature",
            rates=RATES,
            hidden_explicit=group(["spoken"], []),
            hidden_implicit=group(list(passed), [n for n in "abcd" if n not in passed]),
        )
        for repetition in (1, 2, 3)
    ]


def proof() -> Proof:
    """Red before, green by the reference; the literal-minded proof passes a and b too."""
    every = [f"test_it.py::{name}" for name in "abcd"]

    def run(what: str, passed: str) -> ProofRun:
        tests = {name: PASSED if name[-1] in passed else FAILED for name in every}
        return ProofRun(what=what, group="implicit", wanted=Wanted.ALL_PASS, tests=tests)

    runs = (run("red", "d"), run("reference", "abcd"), run("literal", "ab"))
    return Proof(scenario="f01", rests_on={}, runs=runs)


@pytest.mark.requirement("OUT-36")
@pytest.mark.requirement("OUT-37")
def test_each_test_has_its_flags_and_the_pack_its_alarms() -> None:
    results = [*cells(NEW, "a", "b"), *cells(BASE, "a")]
    items = {one.test[-1]: one for one in items_of(results, {"f01": proof()}, (NEW, BASE))}
    assert items["a"].flags == (ItemFlag.CEILING, ItemFlag.FREE)
    assert items["b"].flags == (ItemFlag.FREE,)
    assert items["c"].flags == (ItemFlag.FLOOR, ItemFlag.ALL_ARMS_FAIL)
    assert ItemFlag.NOT_RED in items["d"].flags
    assert items["b"].between == 1.0
    assert items["b"].passed == {NEW: (3, 3), BASE: (0, 3)}
    assert items["c"].discrimination is None
    told = {(one.group, one.tests): one.what for one in alarms_of(list(items.values()))}
    assert "pack alarm" in told["implicit", ("test_it.py::c", "test_it.py::d")]
    assert any("3 of 4 tests ended alike" in what for what in told.values())


def test_one_arm_alone_raises_no_alarm_of_all_arms() -> None:
    items = items_of(cells(NEW, "a"), {}, (NEW, BASE))
    floor = [one for one in items if ItemFlag.FLOOR in one.flags]
    assert len(floor) == 3
    assert not any(ItemFlag.ALL_ARMS_FAIL in one.flags for one in items)
    assert all(one.between is None for one in items)


def test_discrimination_is_the_correlation_with_the_rest() -> None:
    rng = np.random.default_rng(5)
    grid = rng.random((12, 4)) < 0.5
    results = [
        cell(
            "f01",
            NEW if number % 2 else BASE,
            number,
            rates={"hidden_implicit": 0.5},
            hidden_implicit=group(
                [n for n, ok in zip("abcd", row, strict=True) if ok],
                [n for n, ok in zip("abcd", row, strict=True) if not ok],
            ),
        )
        for number, row in enumerate(grid)
    ]
    items = {one.test[-1]: one for one in items_of(results, {}, (NEW, BASE))}
    for place, name in enumerate("abcd"):
        rest = np.delete(grid, place, axis=1).sum(axis=1)
        wanted = np.corrcoef(grid[:, place], rest)[0, 1]
        assert items[name].discrimination == pytest.approx(wanted)
