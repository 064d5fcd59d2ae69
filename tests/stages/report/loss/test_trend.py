"""The page of a history: points joined only where they may be compared."""

from dataclasses import replace

import pytest

from equipoise.stages.report.loss.trend import TrendPoint, stretches, to_trend_page
from every import for_every
from stages.report.extremes import HOSTILE
from stages.report.pages import page_of

POINT = TrendPoint(
    date="2026-01-01",
    run_id="release-1-0123abcd-1",
    arm="release-1",
    catalog="v1",
    mode="A",
    provenance="synthetisch",
    harness="1.0",
    score=0.18,
    se=0.01,
    completion=0.99,
    n_listed=0,
)


@pytest.mark.parametrize(
    "other",
    [
        replace(POINT, catalog="v2"),
        replace(POINT, mode="B"),
        replace(POINT, provenance="korpus"),
        replace(POINT, harness="2.0"),
    ],
)
def test_a_change_of_kind_breaks_the_line(other: TrendPoint) -> None:
    points = [POINT, POINT, other, other]
    assert [len(part) for part in stretches(points)] == [2, 2]
    text = to_trend_page("t", points, "0.1").decode()
    assert text.count('class="path"') == 2
    assert text.count('class="margin"') == 1
    assert "not comparable with the row before" in text


def test_a_suite_without_a_score_is_a_row_and_no_point() -> None:
    points = [POINT, replace(POINT, score=None, se=None, completion=0.8), POINT]
    text = to_trend_page("t", points, "0.1").decode()
    assert text.count("<circle") == 2
    assert text.count("no score") == 1
    assert "1 of them without a score" in text


@pytest.mark.parametrize("n", [1, 6, 7])
def test_every_point_and_row_names_its_run(n: int) -> None:
    names = [f"release-{i}-0123abcd-{i}" for i in range(n)]
    text = to_trend_page("t", [replace(POINT, run_id=name) for name in names], "0.1").decode()
    for name in names:
        assert f"<title>{name} on 2026-01-01: loss 0.180" in text
        assert name in text[text.index('id="rows"') :]
        assert (f'text-anchor="middle">{name}</text>' in text) is (n <= 6)


@for_every("hostile", sorted(HOSTILE))
def test_foreign_text_is_escaped(hostile: str) -> None:
    text = HOSTILE[hostile]
    point = replace(
        POINT,
        date=text,
        run_id=text,
        arm=text,
        catalog=text,
        mode=text,
        provenance=text,
        harness=text,
    )
    page = page_of(to_trend_page(text, [point], "0.1"))
    assert len(page.all("script")) == 1
    assert not page.all("img", "iframe", "link")


def test_an_empty_history_is_a_page_too() -> None:
    assert "0 suites" in to_trend_page("t", [], "0.1").decode()
