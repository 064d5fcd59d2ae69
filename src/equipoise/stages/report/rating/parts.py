"""Parts of what was said on an axis: by language, and by who was believed to have written."""

from equipoise.records.ranking import AxisShown, GuessShown, LanguageShown, PairShown
from equipoise.stages.report.numbers import count, fixed
from equipoise.stages.report.tables import Cell, Section, named, table
from equipoise.stages.report.text import label

_UNMARKED = "not marked"


def languages_section(axis: AxisShown, anchor: str) -> Section | None:
    """Shows the ranking of each language beside the pooled one; None where there is one only."""
    if not axis.by_language:
        return None
    scores = [
        (_language(one), named(arm.arm), _number(arm.score), _limits(arm.lo, arm.hi))
        for one in axis.by_language
        for arm in sorted(one.estimate.arms, key=lambda arm: (-(arm.score or -2.0), arm.arm))
        if arm.score is not None
    ]
    pairs = [
        (_language(one), named(pair.arm), named(pair.against), *_difference(pair))
        for one in axis.by_language
        for pair in one.estimate.pairs
        if pair.delta is not None
    ]
    return Section(
        anchor=anchor,
        title=f"{label(axis.axis)} by language",
        short=f"{label(axis.axis)}: languages",
        leads=(
            (
                f"What {label(axis.decides)} say in each language alone. No word is said of a "
                "language: limits hold for all pairs of one language, not for all languages."
            ),
        ),
        tables=(
            table("Scores by language", ("Language", "Arm", "#Score", "#95 % limits"), scores),
            table(
                "Differences by language",
                ("Language", "Arm", "Against", "#Difference", "#Limits, all pairs"),
                pairs,
            ),
        ),
    )


_BELIEFS = {
    "people": "people wrote them",
    "machines": "machines wrote them",
    "both": "some by people, some by machines",
    "same": "all by the same author",
    "unknown": "no idea",
    "": "not asked",
}


def guesses_section(axis: AxisShown, anchor: str) -> Section | None:
    """Shows scores by who annotators believed wrote the texts; None where nobody was asked."""
    if not axis.by_guess:
        return None
    rows = [
        (_belief(one), named(arm.arm), _number(arm.score), _limits(arm.lo, arm.hi))
        for one in axis.by_guess
        for arm in sorted(one.estimate.arms, key=lambda arm: (-(arm.score or -2.0), arm.arm))
        if arm.score is not None
    ]
    return Section(
        anchor=anchor,
        title=f"{label(axis.axis)} by who was believed to have written the texts",
        short=f"{label(axis.axis)}: beliefs",
        leads=(
            (
                "Annotators were asked at the end who they think wrote the texts. Readers prefer "
                "what they believe to be written by people; where the order of the arms hangs on "
                "the belief, the texts gave themselves away. No word is said of a part."
            ),
        ),
        tables=(table("Scores by belief", ("Believes", "Arm", "#Score", "#95 % limits"), rows),),
    )


def _belief(one: GuessShown) -> Cell:
    n = len(one.annotators)
    return Cell(
        text=_BELIEFS.get(one.guess, label(one.guess)),
        note=f"{count(n)} annotator{'' if n == 1 else 's'}",
    )


def _language(one: LanguageShown) -> Cell:
    n = one.estimate.n_units
    units = f"{count(n)} unit{'' if n == 1 else 's'}"
    return Cell(text=label(one.language) or _UNMARKED, note=units)


def _number(value: float | None) -> Cell:
    return Cell(text="not estimable" if value is None else fixed(value, 3, sign=True))


def _limits(lo: float | None, hi: float | None) -> Cell:
    if lo is None or hi is None:
        return Cell(text="not estimable")
    return Cell(text=f"{fixed(lo, 3, sign=True)} to {fixed(hi, 3, sign=True)}")


def _difference(pair: PairShown) -> tuple[Cell, Cell]:
    return _number(pair.delta), _limits(pair.lo, pair.hi)
