"""The JUnit file of an outcome comparison: outcome words, made-up cells, the common schema."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

import msgspec

from equipoise.records.hypothesis import Aim
from equipoise.records.outcome import OutcomeResult
from equipoise.records.outcome_report import OutcomeFile, Standing
from equipoise.stages.decide.outcome import decided, waits
from equipoise.stages.estimate.outcome.arms import arm_of
from equipoise.stages.estimate.outcome.cases import cases_of
from equipoise.stages.estimate.outcome.hypotheses import verdicts_of
from equipoise.stages.report.outcome.junit import to_outcome_junit
from equipoise.stages.report.outcome.reading import OutcomeReading
from stages.estimate.outcome.made_cells import BASE, NEW, cell, claim
from stages.report.loss.readings import ordinary
from stages.report.test_junit import assert_valid

HOSTILE = "s01\x00<b>\u202e"


def cells(arm: str, rate: float, n: int = 8, **more: object) -> list[OutcomeResult]:
    """Three cells of each of ten scenarios; the first scenario has `n` and no other result."""
    found = [
        cell(HOSTILE, arm, repetition, rates={"hidden_implicit": rate, "regression": 1.0}, **more)
        for repetition in range(1, n + 1)
    ]
    found += [
        cell(f"s{number:02}", arm, repetition, rates={"hidden_implicit": rate / 2 + 0.25})
        for number in range(2, 12)
        for repetition in (1, 2, 3)
    ]
    found.append(cell("s12", arm, rates={}, missing={"end_state": "no document session.json"}))
    found.append(cell("s13", arm, rates={}, missing={"checkpoint": "not applicable: no skill"}))
    return found


def told(
    new: Sequence[OutcomeResult],
    base: Sequence[OutcomeResult],
    *,
    barred: Mapping[str, str] | None = None,
    is_blocked: bool = False,
) -> ET.Element:
    loss = ordinary()
    arms = (arm_of(new, ""), arm_of(base, ""))
    of_ten = tuple(f"s{number:02}" for number in range(2, 12))
    claims = [
        claim(Aim.NOT_WORSE, 0.2, 10, scenarios=of_ten),
        claim(Aim.BETTER, 0.1, 10, name="H2", primary=False, rule=None, scenarios=of_ten),
    ]
    hypotheses = verdicts_of(claims, {NEW: new, BASE: base}, {})
    comparison = msgspec.structs.replace(loss.comparison, new_arm=NEW, base_arm=BASE)
    waiting = [waits(Standing.BLOCKED, "one flag", "a label")] if is_blocked else []
    file = OutcomeFile(
        new_arm=NEW,
        base_arm=BASE,
        runs=("one", "two"),
        catalog_version="v1",
        control=None,
        arms=arms,
        items=(),
        alarms=(),
        verdict=decided(comparison, arms, hypotheses, waiting),
        hypotheses=hypotheses,
    )
    reading = OutcomeReading(
        file=file,
        plan=loss.plan,
        comparison=comparison,
        results=(*new, *base),
        origin="built",
        cases=cases_of(new, base, barred or {}),
    )
    root = ET.fromstring(to_outcome_junit(reading))
    assert_valid(root)
    return root


def fates(root: ET.Element) -> dict[str, tuple[str, str, str]]:
    """Case -> what became of it, its type and its message."""
    return {
        str(case.get("name")): (child.tag, child.get("type", ""), child.get("message", ""))
        for case in root.iter("testcase")
        for child in case
    }


def test_what_is_demonstrably_worse_fails_and_the_rest_says_why_it_does_not() -> None:
    root = told(cells(NEW, 0.0), cells(BASE, 1.0))
    found = fates(root)
    assert found["the whole change"][:2] == ("failure", "worse")
    (h1,) = (fate for name, fate in found.items() if name.startswith("H1: hidden tests, implicit"))
    assert h1[:2] == ("failure", "worse")
    assert "rejected" in h1[2]
    (h2,) = (fate for name, fate in found.items() if name.startswith("H2"))
    assert h2[:2] == ("skipped", "cannot tell")
    assert "secondary: it is told, and decides nothing" in h2[2]
    names = [name for name in found if name.startswith("s01")]
    assert len(names) == 2
    assert all("\x00" not in name and "\u202e" not in name for name in names)
    eight = next(fate for name, fate in found.items() if name.startswith("s01") and "impl" in name)
    assert eight[:2] == ("failure", "worse")  # 0 of 8 against 8 of 8
    assert "pass rate 0.000 against 1.000 [measured]" in eight[2]
    three = found["s02: hidden tests, implicit"]
    assert three[:2] == ("skipped", "cannot tell")
    assert "3 and 3 repetitions cannot tell it from chance" in three[2]
    assert found["s12: end state"][:2] == ("skipped", "not evaluable")
    assert "no document session.json" in found["s12: end state"][2]
    assert not any(name.startswith("s13") for name in found)  # no skill is asked for it
    assert root.get("failures") == str(len(root.findall(".//failure"))) == "3"
    text = ET.tostring(root, encoding="unicode")
    assert "loss" not in text
    assert "lost" not in text


def test_nothing_fails_where_nothing_may_be_said() -> None:
    blocked = told(cells(NEW, 0.0), cells(BASE, 1.0), is_blocked=True)
    assert blocked.get("failures") == "0"
    (standing,) = {
        str(one.get("value")) for one in blocked.iter("property") if one.get("name") == "standing"
    }
    assert standing == "blocked"
    barred = fates(told(cells(NEW, 0.0), cells(BASE, 1.0), barred={HOSTILE: "stale: changed"}))
    first = next(fate for name, fate in barred.items() if name.startswith("s01"))
    assert first[:2] == ("skipped", "cannot tell")
    assert "stale: changed" in first[2]


def test_who_is_not_lower_passes_and_no_more_is_claimed() -> None:
    root = told(cells(NEW, 1.0), cells(BASE, 1.0))
    assert root.get("failures") == "0"
    said = next(
        str(case.findtext("system-out"))
        for case in root.iter("testcase")
        if str(case.get("name")).startswith("s02")
    )
    assert said.startswith("nothing lower was seen: pass rate 0.750 against 0.750")
