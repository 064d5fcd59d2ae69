"""The page of an outcome comparison: what it says of made-up cells, and that figures have tags."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from equipoise.records.hypothesis import Aim
from equipoise.records.outcome import Kept, OutcomeResult, TokenSource
from equipoise.records.outcome_plan import Control
from equipoise.records.outcome_report import OutcomeFile, Standing
from equipoise.stages.decide.outcome import decided, waits
from equipoise.stages.estimate.outcome.arms import arm_of
from equipoise.stages.estimate.outcome.hypotheses import verdicts_of
from equipoise.stages.report.outcome.page import to_outcome_page
from equipoise.stages.report.outcome.reading import Moved, OutcomeReading
from stages.estimate.outcome.made_cells import BASE, NEW, cell, claim, group
from stages.report.loss.readings import ordinary

TRACKS = {"root_cause": 0.0, "root_cause_judge": 1.0}


def arm(name: str, rate: float, usd: float, **more: Any) -> list[OutcomeResult]:
    return [
        cell(
            f"s{number:02}",
            name,
            repetition,
            rates={"hidden_explicit": 1.0, "hidden_implicit": rate, "regression": 1.0, **TRACKS},
            soft=("root_cause_judge",),
            tag="soft",
            regression=Kept.PASS,
            hidden_explicit=group(["said"], []),
            hidden_implicit=group(*_split(rate)),
            usd=usd,
            tokens_in=int(1e6 * usd),
            tokens_out=10,
            tokens_source=TokenSource.MEASURED,
            **more,
        )
        for number in range(8)
        for repetition in (1, 2, 3)
    ]


def _split(rate: float) -> tuple[list[str], list[str]]:
    tests = [f"t{number}" for number in range(10)]
    n_passed = round(10 * rate)
    return tests[:n_passed], tests[n_passed:]


def page(
    results: Sequence[Sequence[OutcomeResult]],
    *,
    origin: str = "built",
    control: Control | None = None,
    aim: Aim | None = None,
    waiting: Sequence[Any] = (),
    moved: tuple[Moved, ...] = (),
) -> str:
    loss = ordinary()
    arms = tuple(arm_of(list(kept), "") for kept in results)
    claims = [claim(aim, 0.4, 8)] if aim else []
    hypotheses = verdicts_of(claims, {kept[0].arm: kept for kept in results}, {})
    comparison = msgspec.structs.replace(loss.comparison, new_arm=NEW, base_arm=BASE)
    file = OutcomeFile(
        new_arm=NEW,
        base_arm=BASE,
        runs=("one", "two"),
        catalog_version="v1",
        control=control,
        arms=arms,
        items=(),
        alarms=(),
        verdict=decided(comparison, arms, hypotheses, waiting),
        hypotheses=hypotheses,
    )
    every = tuple(one for kept in results for one in kept)
    reading = OutcomeReading(
        file=file,
        plan=loss.plan,
        comparison=comparison,
        results=every,
        origin=origin,
        moved=moved,
    )
    return to_outcome_page(reading).decode()


def text(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html.replace("<wbr>", "")).split())


TWO = (arm(NEW, 0.9, 0.02), arm(BASE, 0.3, 0.30))


@pytest.mark.requirement("OUT-03")
@pytest.mark.requirement("OUT-11")
def test_a_fork_is_told_to_be_contaminated_and_a_snapshot_a_track_of_its_own() -> None:
    assert "Contamination. The seeds of this pack are forks" in text(page(TWO, origin="fork"))
    assert "Supplementary track. " in text(page(TWO, origin="snapshot"))
    assert "Contamination" not in text(page(TWO))


@pytest.mark.requirement("OUT-01")
def test_a_study_without_outcomes_is_labelled_a_proxy() -> None:
    routed = [cell("s00", name, rates={"root_cause": 1.0}) for name in (NEW, BASE)]
    assert "Proxy only. Nothing here was decided by a hidden test" in text(
        page([[routed[0]], [routed[1]]])
    )
    assert "Proxy only" not in text(page(TWO))


@pytest.mark.requirement("OUT-18")
@pytest.mark.requirement("X-O1")
def test_both_tracks_of_the_root_cause_stand_there_and_the_judged_one_is_soft() -> None:
    rows = re.findall(r"<tr role=\"row\".*?</tr>", page(TWO), re.DOTALL)
    told = [text(row) for row in rows]
    keywords = [row for row in told if row.startswith("root cause, by keywords")]
    judged = [row for row in told if row.startswith("root cause, by a judge")]
    assert len(keywords) == len(judged) == 2
    assert all("0.000" in row and "[measured]" in row for row in keywords)
    assert all("1.000" in row and "[soft]" in row for row in judged)


@pytest.mark.requirement("OUT-41")
def test_every_figure_of_every_table_has_a_tag() -> None:
    html = page(TWO, aim=Aim.BETTER)
    tables = re.findall(r"<table.*?</table>", html, re.DOTALL)
    checked = 0
    for table in tables:
        for row in re.findall(r"<tr role=\"row\"[^>]*>(?:(?!</tr>).)*</tr>", table, re.DOTALL)[1:]:
            said = text(row)
            if re.search(r"\d\.\d", said):
                checked += 1
                assert re.search(r"\[(measured|soft|underpowered)\]", said), said
    assert checked > 10


def test_what_lost_most_stands_first_and_repetitions_that_ended_alike_stand_once() -> None:
    moved = (
        Moved("s00", 0.5, 0.5),
        Moved("s01", 0.2, 0.9),
        Moved("s02", 1.0, 0.4),
        *(Moved(f"s0{n}", None, 0.4) for n in range(3, 8)),
    )
    html = page(TWO, moved=moved)
    told = text(html.split('<section id="scenarios"')[1].split("</section>")[0])
    assert told.index(" s01 ") < told.index(" s00 ") < told.index(" s02 ") < told.index(" s03 ")
    assert "gains in 1 of 8 scenarios, loses in 1 and is the same in 1, 5 cannot be told" in told
    assert "−0.70 0.90 to 0.20 [measured]" in told
    assert "3 times 1/1 + 9/10, suite green" in told
    assert "<code>equipoise triage STUDY SCENARIO --show</code>" in html


@pytest.mark.requirement("OUT-26")
def test_cheap_against_dear_shows_outcome_cost_and_whether_equivalence_is_shown() -> None:
    alike = (arm(NEW, 0.9, 0.02), arm(BASE, 0.9, 0.30))
    told = text(page(alike, control=Control.L3, aim=Aim.NOT_WORSE))
    assert f"{NEW} reaches 0" in told
    assert "for 0.0200 US dollars a cell [measured]" in told
    assert "That the outcomes are equivalent: Shown by H1." in told
    told = text(page(alike, control=Control.L3))
    assert "Claimed by no hypothesis, so not shown" in told


@pytest.mark.requirement("X-O12")
def test_infrastructure_is_missing_and_never_a_zero() -> None:
    broken = [
        cell(
            "s00",
            NEW,
            n,
            ending="infrastructure_error",
            why="gateway gone",
            rates={},
            missing={"hidden_explicit": "infrastructure_error: gateway gone"},
        )
        for n in (1, 2, 3)
    ]
    told = text(page((broken, arm(BASE, 0.3, 0.3))))
    assert "n/a n/a n/a 3 x infrastructure_error: gateway gone" in told
    assert "How cells ended, by arm" in told
    assert "with-skill 3 infrastructure_error 0 3 of 3 do not tell" in told


@pytest.mark.requirement("OUT-28")
def test_a_run_out_of_its_environment_decides_nothing() -> None:
    waiting = [waits(Standing.OUT_OF_ENVIRONMENT, "Agents worked without the onboarding", "it")]
    told = text(page(TWO, aim=Aim.BETTER, waiting=waiting))
    assert "cannot tell with-skill out of environment: cannot tell" in told
    assert "H1 " in told


def test_names_from_elsewhere_are_only_ever_text() -> None:
    nasty = "<script>alert(1)</script>"
    html = page((arm(NEW, 0.9, 0.1, tier=nasty), arm(BASE, 0.3, 0.1, kind=nasty)))
    assert nasty not in html
