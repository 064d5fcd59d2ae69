"""The forest plot: one scale for all, nothing drawn outside it, words for what is drawn."""

import msgspec
import pytest

from equipoise.records.estimate import CellKey
from equipoise.records.result import Result
from equipoise.records.verdict import Word
from equipoise.stages.report.forest import axis_of, bar_of, describe
from equipoise.stages.report.reading import read
from stages.report.extremes import bare
from stages.report.samples import comparison, helpdesk, verdict


def _with(made: Result, *, margin: float) -> Result:
    terms = msgspec.structs.replace(made.file.terms, margin=margin)
    file = msgspec.structs.replace(made.file, terms=terms)
    return Result(file=file, estimates=made.estimates, verdicts=made.verdicts)


def test_all_that_was_decided_lies_on_the_scale_and_places_keep_the_order() -> None:
    reading = read(helpdesk(), {})
    axis = axis_of(reading, reading.rows)
    for row in reading.rows:
        bar = bar_of(reading, row, axis)
        if row.comparison.delta is None:
            assert bar is None
            continue
        assert bar is not None
        assert 0 <= float(bar.lo) <= float(bar.point) <= float(bar.hi) <= 100
        if row.is_finding:
            assert (bar.is_cut_left, bar.is_cut_right, bar.is_point_cut) == (False, False, False)


def test_ticks_stand_where_their_numbers_are() -> None:
    reading = read(helpdesk(), {})
    axis = axis_of(reading, reading.rows)
    assert 3 <= len(axis.ticks) <= 9
    assert "0" in [tick.text for tick in axis.ticks]
    for tick in axis.ticks:
        assert tick.at == axis.at(float(tick.text.replace("−", "-")))


def test_margin_lines_stand_at_the_margin_and_only_where_there_is_one() -> None:
    reading = read(_with(helpdesk(), margin=0.02), {})
    axis = axis_of(reading, reading.rows)
    assert axis.margins == (axis.at(-0.02), axis.at(0.02))
    assert "margin ±0.02" in describe(reading, axis)
    whole = read(helpdesk(), {})
    assert axis_of(whole, whole.rows).margins == ()


def test_lower_is_better_puts_better_on_the_left() -> None:
    reading = read(helpdesk(), {})
    axis = axis_of(reading, reading.rows)
    assert (axis.left, axis.right) == ("better", "worse")


def test_a_very_wide_interval_is_cut_with_an_arrow_and_does_not_squeeze_the_rest() -> None:
    made = helpdesk()
    wide = comparison("wide", CellKey(label="intent", value="rare"), 0.1, 0.9, 2)
    estimates = msgspec.structs.replace(
        made.estimates, comparisons=(*made.estimates.comparisons, wide)
    )
    verdicts = (*made.verdicts, verdict(wide, Word.CANNOT_TELL))
    reading = read(Result(file=made.file, estimates=estimates, verdicts=verdicts), {})
    axis = axis_of(reading, reading.rows)
    assert axis.hi - axis.lo < 1
    bar = bar_of(reading, next(r for r in reading.rows if r.comparison.id == "wide"), axis)
    assert bar is not None
    assert bar.is_cut_left
    assert bar.is_cut_right


@pytest.mark.parametrize(
    ("cell", "side"),
    [
        ("overall", "wholly below zero"),
        ("intent=refund", "wholly above zero"),
        ("intent=invoice", "inside the equivalence band"),
        ("intent=address", "holds zero"),
    ],
)
def test_the_drawing_is_told_in_words(cell: str, side: str) -> None:
    reading = read(helpdesk(), {})
    row = next(r for r in reading.rows if r.comparison.cell.text == cell)
    bar = bar_of(reading, row, axis_of(reading, reading.rows))
    assert bar is not None
    assert side in bar.text


def test_the_equivalence_interval_is_drawn_only_where_it_decided() -> None:
    reading = read(helpdesk(), {})
    axis = axis_of(reading, reading.rows)
    drawn = {row.verdict.word: bar_of(reading, row, axis) for row in reading.rows}
    equivalent, worse = drawn[Word.EQUIVALENT], drawn[Word.WORSE]
    assert equivalent is not None
    assert worse is not None
    assert equivalent.inner is not None
    assert worse.inner is None


def test_nothing_to_draw_still_gives_a_scale() -> None:
    reading = read(bare(), {})
    assert axis_of(reading, reading.rows).lo < 0 < axis_of(reading, reading.rows).hi
