"""Each verdict in one sentence, with what would tell and what is missing beside it."""

import msgspec

from equipoise.records.estimate import Missing
from equipoise.records.result import Result
from equipoise.records.verdict import Word
from equipoise.stages.report.reading import Reading, Row, read
from equipoise.stages.report.sentences import missing_beside, needed, sentence
from every import for_every
from stages.report.samples import helpdesk


def _row(reading: Reading, cell: str) -> Row:
    return next(row for row in reading.rows if row.comparison.cell.text == cell)


@for_every(
    "cell, said",
    [
        (
            "overall",
            (
                "release-2 is better than release-1: loss is 0.031 lower, 95 % interval "
                "[−0.041, −0.021], 1,000 paired units."
            ),
        ),
        (
            "intent=refund",
            (
                "In intent=refund, release-2 is worse than release-1: loss is 0.128 higher, "
                "simultaneous 95 % interval [+0.067, +0.189], 200 paired units."
            ),
        ),
        (
            "intent=invoice",
            (
                "In intent=invoice, release-2 and release-1 are equivalent: loss differs by "
                "−0.002, 90 % interval [−0.016, +0.012] lies inside ±0.05, 200 paired units."
            ),
        ),
        (
            "intent=address",
            (
                "In intent=address, the runs cannot tell whether release-2 is better or worse "
                "than release-1: the difference in loss is +0.004, simultaneous 95 % interval "
                "[−0.067, +0.075], 200 paired units."
            ),
        ),
        (
            "intent=greeting",
            (
                "In intent=greeting, release-2 against release-1 is not evaluable: one unit has no "
                "spread; an interval needs at least two."
            ),
        ),
    ],
)
def test_one_sentence_per_word(cell: str, said: str) -> None:
    reading = read(helpdesk(), {})
    assert sentence(reading, _row(reading, cell)) == said


def test_cannot_tell_says_what_would_tell_even_where_the_verdict_does_not() -> None:
    made = helpdesk()
    silent = tuple(msgspec.structs.replace(v, needed="") for v in made.verdicts)
    reading = read(Result(file=made.file, estimates=made.estimates, verdicts=silent), {})
    assert needed(_row(reading, "intent=address")) == (
        "To tell, it would take about 1,340 more units to show a difference of this size, or "
        "410 more units to show equivalence."
    )
    assert needed(_row(reading, "overall")) == ""


def test_missing_outcomes_stand_beside_the_verdict() -> None:
    row = _row(read(helpdesk(), {}), "overall")
    assert missing_beside(row) == (
        "Outcomes missing: release-1 0 of 3,000 (0 %); release-2 9 of 3,000 (0.3 %). "
        "The verdict holds whatever the missing outcomes were."
    )


def test_a_verdict_that_missing_outcomes_could_change_says_so() -> None:
    made = helpdesk()
    frail = tuple(msgspec.structs.replace(v, survives_missing=False) for v in made.verdicts)
    reading = read(Result(file=made.file, estimates=made.estimates, verdicts=frail), {})
    assert "would change the verdict" in missing_beside(_row(reading, "overall"))


def test_nothing_missing_is_said_and_not_left_blank() -> None:
    row = _row(read(helpdesk(), {}), "intent=refund")
    assert missing_beside(row) == "Nothing is missing: both arms have all 600 outcomes."


def test_arms_without_any_planned_repetition_do_not_divide_by_zero() -> None:
    made = helpdesk()
    empty = tuple(
        msgspec.structs.replace(e, missing=Missing(planned=0, evaluable=0))
        for e in made.estimates.arms
    )
    estimates = msgspec.structs.replace(made.estimates, arms=empty)
    reading = read(Result(file=made.file, estimates=estimates, verdicts=made.verdicts), {})
    assert "all 0 outcomes" in missing_beside(_row(reading, "overall"))


def test_a_comparison_without_a_verdict_is_not_evaluable_and_says_why() -> None:
    made = helpdesk()
    reading = read(Result(file=made.file, estimates=made.estimates, verdicts=()), {})
    assert {row.verdict.word for row in reading.rows} == {Word.NOT_EVALUABLE}
    assert "no verdict was recorded" in sentence(reading, _row(reading, "overall"))
