"""The word for a whole change: what a part of the weight shows is not said of the whole."""

import msgspec
import pytest

from equipoise.records.suite import LossComparison, LossRow, ScoreDifference
from equipoise.stages.decide.loss import verdict
from stages.report.loss.readings import ordinary

_READING = ordinary()
_SUITES = (_READING.base, _READING.new)
_GAIN = next(row for row in _READING.comparison.rows if row.is_improvement)
_LOSS = next(row for row in _READING.comparison.rows if row.is_listed and not row.is_improvement)
_NONE = next(row for row in _READING.comparison.rows if row.failed == ("literal", "guarded"))
_UNPROVEN = msgspec.structs.replace(
    _LOSS, is_listed=False, citation=None, failed=("citation",), category="other"
)
_GOOD = ScoreDifference(delta=-0.03, lo=-0.04, hi=-0.02, covered=1.0, n=1000, factor=1.0)


def _word(
    rows: tuple[LossRow, ...], shown: ScoreDifference, soft: tuple[tuple[str, str], ...] = ()
) -> LossComparison:
    blank = msgspec.structs.replace(_READING.comparison, rows=rows, verdict="", why="")
    return verdict(blank, shown, _SUITES, soft=soft)


def test_a_listed_regression_decides_whatever_else_is_better() -> None:
    told = _word((_LOSS, _GAIN), _GOOD)
    assert told.verdict == "worse"
    assert told.why.endswith(f"The surest regression is {_LOSS.partition} / {_LOSS.category}.")


def test_a_word_is_soft_only_where_a_judged_cell_had_a_part_in_it() -> None:
    here, elsewhere = (_LOSS.partition, _LOSS.category), (_LOSS.partition, "judged")
    assert "soft" not in _word((_LOSS, _NONE), _GOOD, (elsewhere,)).tags
    assert "soft" in _word((_LOSS, _NONE), _GOOD, (here, elsewhere)).tags
    assert "soft" in _word((_GAIN, _NONE), _GOOD, (elsewhere,)).tags


def test_only_improvements_over_the_whole_weight_are_better() -> None:
    assert _word((_GAIN, _NONE), _GOOD).verdict == "better"


@pytest.mark.parametrize(
    "shown",
    [
        msgspec.structs.replace(_GOOD, covered=0.64),
        msgspec.structs.replace(_GOOD, delta=0.04, lo=0.02, hi=0.06),
        msgspec.structs.replace(_GOOD, unseen=0.7),
    ],
    ids=[
        "a third of the weight is not scored",
        "the score may have got worse by the margin",
        "only one side could evaluate most of it",
    ],
)
def test_a_gain_in_a_part_is_not_said_of_the_whole(shown: ScoreDifference) -> None:
    told = _word((_GAIN, _NONE), shown)
    assert told.verdict == "cannot tell"
    assert "1 demonstrable improvement" in told.why


def test_a_regression_without_evidence_forbids_better() -> None:
    told = _word((_GAIN, _UNPROVEN), _GOOD)
    assert told.verdict == "cannot tell"
    assert "1 change with missing evidence" in told.why


def test_equivalent_wants_the_whole_weight_inside_the_margin() -> None:
    assert _word((_NONE,), _GOOD).verdict == "equivalent"
    assert _word((_NONE,), msgspec.structs.replace(_GOOD, covered=0.9)).verdict == "cannot tell"
    assert _word((_NONE,), msgspec.structs.replace(_GOOD, unseen=0.2)).verdict == "cannot tell"
    assert _word((_NONE,), msgspec.structs.replace(_GOOD, unseen=0.001)).verdict == "equivalent"
    wide = msgspec.structs.replace(_GOOD, lo=-0.06)
    assert _word((_NONE,), wide).verdict == "cannot tell"
