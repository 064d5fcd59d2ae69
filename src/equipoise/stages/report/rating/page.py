"""The page of a rating study: each axis with words, forest, order, people and judges."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from equipoise.records.counted import counted
from equipoise.records.estimate import Interval
from equipoise.records.ranking import AxisShown, PairShown, Ranking, RatingEstimate
from equipoise.stages.report.forest import Axis, Bar, scale
from equipoise.stages.report.frame import filled
from equipoise.stages.report.numbers import Span, count, fixed, plain, span
from equipoise.stages.report.rating.judges import judges_section, threshold_section
from equipoise.stages.report.rating.parts import guesses_section, languages_section
from equipoise.stages.report.rating.people import people_section
from equipoise.stages.report.rating.ranked import (
    caveats,
    groups_said,
    order_table,
    pair_said,
    pairs_table,
    places_table,
    refused_said,
    soft_said,
)
from equipoise.stages.report.rating.words import RATING_WORDS
from equipoise.stages.report.tables import Cell, Section, named, table
from equipoise.stages.report.text import label

_MOST_DRAWN = 150
_MOST_SAID = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One difference as the forest shows it."""

    name: str
    word: str
    said: str
    span: Span
    bar: Bar | None
    n_sets: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisPage:
    """One axis of the page: its forest and its tables; `grounds`: what texts are held against."""

    anchor: str
    name: str
    ask: str
    grounds: tuple[str, ...]
    decides: str
    tags: tuple[str, ...]
    blocked: str
    said: str
    needed: tuple[str, ...]
    scale: Axis
    scale_text: str
    bars: tuple[Drawn, ...]
    n_beyond: int
    sections: tuple[Section, ...]


def to_rating_page(ranking: Ranking, told_by: str) -> bytes:
    """Gives index.html of a rating study; the bytes follow from the ranking and the version alone.

    Args:
        ranking: the ranking.
        told_by: the version that writes the page.
    """
    return filled(
        "rating.html.j2",
        tool_version=told_by,
        title=label(ranking.title, 160),
        question=label(ranking.question, 400),
        ranking=ranking,
        caveats=caveats(ranking),
        margin=plain(ranking.mde),
        axes=[_axis(ranking, axis, n) for n, axis in enumerate(ranking.axes, 1)],
        rules=_rules(ranking),
        facts=_facts(ranking),
        sources=sorted(ranking.heads.items()),
        words=RATING_WORDS,
        notes=[label(note, 400) for note in ranking.notes],
    )


def _axis(ranking: Ranking, axis: AxisShown, n: int) -> AxisPage:
    found = axis.deciding
    pairs = found.pairs if found else ()
    drawn = _scale(pairs, ranking.mde)
    return AxisPage(
        anchor=f"axis-{n}",
        name=label(axis.axis),
        ask=label(axis.ask, 400),
        grounds=tuple(label(note, 400) for note in axis.notes),
        decides=label(axis.decides),
        tags=axis.tags,
        blocked=axis.blocked or "",
        said=_said(ranking, axis) if found else f"{label(axis.decides)} said nothing here.",
        needed=tuple(_needed(pairs)),
        scale=drawn,
        scale_text=(
            f"Difference of scores from {fixed(drawn.lo, 2)} to {fixed(drawn.hi, 2)}. Left is "
            f"worse, right is better; the shaded band is ±{plain(ranking.mde)}."
        ),
        bars=tuple(_drawn(pair, drawn) for pair in pairs[:_MOST_DRAWN]),
        n_beyond=max(0, len(pairs) - _MOST_DRAWN),
        sections=_sections(axis, n),
    )


def _said(ranking: Ranking, axis: AxisShown) -> str:
    """Says which arms can be told apart, and of more than two each against the baseline."""
    found = axis.deciding
    if found is None:
        return ""
    told = groups_said(axis, found)
    against = [p for p in found.pairs if ranking.baseline in (p.arm, p.against)]
    if axis.blocked or len(found.pairs) < 2 or not 0 < len(against) <= _MOST_SAID:
        return told
    return f"{told} Against the baseline: {'; '.join(pair_said(pair) for pair in against)}."


def _needed(pairs: Sequence[PairShown]) -> Iterator[str]:
    """Says what would tell, once for all pairs that want the same."""
    wanted: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.needed:
            named = f"{label(pair.arm)} \u2212 {label(pair.against)}"
            wanted.setdefault(pair.needed, []).append(named)
    for needed, names in wanted.items():
        yield f"{', '.join(names)}: {needed}" if len(wanted) > 1 else needed


def _sections(axis: AxisShown, n: int) -> tuple[Section, ...]:
    found = [_source(axis, e, f"axis-{n}-{k}") for k, e in enumerate(_estimates(axis), 1)]
    more = (
        languages_section(axis, f"axis-{n}-languages"),
        guesses_section(axis, f"axis-{n}-guesses"),
        judges_section(axis, f"axis-{n}-judges"),
        threshold_section(axis.threshold, f"axis-{n}-threshold"),
    )
    return (*found, people_section(axis), *(one for one in more if one is not None))


def _estimates(axis: AxisShown) -> list[RatingEstimate]:
    told = (axis.people, axis.people_all, axis.panel_estimate, *axis.judge_estimates)
    return [one for one in told if one is not None]


def _source(axis: AxisShown, found: RatingEstimate, anchor: str) -> Section:
    name = label(found.source)
    tables = [order_table(axis, found)]
    if found.pairs:
        tables.append(pairs_table(found))
    if found.places:
        tables.append(places_table(found))
    return Section(
        anchor=anchor,
        title=f"{label(axis.axis)} by {name}",
        short=f"{label(axis.axis)}: {name}",
        leads=(
            *soft_said(axis, found.source),
            (
                f"{counted(found.n_answers, 'verdict')} on {counted(found.n_sets, 'set')} of "
                f"{counted(found.n_units, 'unit')} in {counted(found.n_clusters, 'cluster')}. "
                "Limits are over clusters: several raters of one text are not several texts."
            ),
        ),
        tables=tuple(tables),
        notes=(*refused_said(found), *found.notes),
    )


def _scale(pairs: Sequence[PairShown], mde: float) -> Axis:
    ends = [x for pair in pairs for x in (pair.lo, pair.hi) if x is not None]
    return scale(min([-mde, *ends]), max([mde, *ends]), band=mde, margin=0.0, is_less_better=False)


def _drawn(pair: PairShown, axis: Axis) -> Drawn:
    known = pair.lo is not None and pair.hi is not None
    interval = (
        Interval(lo=pair.lo or 0, hi=pair.hi or 0, level=pair.level, method="") if known else None
    )
    said = span(pair.delta, interval, marks=(pair.mde, -pair.mde))
    return Drawn(
        name=f"{label(pair.arm)} − {label(pair.against)}",
        word=pair.word,
        said=pair.said,
        span=said,
        bar=_bar(pair, said, axis),
        n_sets=count(pair.n_sets),
    )


def _bar(pair: PairShown, said: Span, axis: Axis) -> Bar | None:
    if pair.delta is None:
        return None
    lo = pair.delta if pair.lo is None else pair.lo
    hi = pair.delta if pair.hi is None else pair.hi
    inner = None
    if pair.inner_lo is not None and pair.inner_hi is not None:
        inner = (axis.at(pair.inner_lo), axis.at(pair.inner_hi))
    return Bar(
        lo=axis.at(lo),
        hi=axis.at(hi),
        inner=inner,
        point=axis.at(pair.delta),
        has_interval=pair.lo is not None,
        is_point_cut=not axis.lo <= pair.delta <= axis.hi,
        is_cut_left=lo < axis.lo,
        is_cut_right=hi > axis.hi,
        text=f"difference {said.value}, limits {said.brackets}" if said.lo else said.value,
    )


def _rules(ranking: Ranking) -> Section | None:
    if not ranking.rules:
        return None
    kept = {True: "shown", False: "broken", None: "not shown"}
    rows = [
        (
            named(rule.arm),
            Cell(word=rule.word if n == 0 else "", note=", ".join(rule.tags) if n == 0 else ""),
            named(one.axis),
            Cell(text=one.promise),
            Cell(text=plain(one.margin)),
            Cell(text=kept[one.is_kept]),
            Cell(word=one.word),
        )
        for rule in ranking.rules
        for n, one in enumerate(rule.promises)
    ]
    columns = ("Arm", "Word", "Axis", "Promise", "#Margin", "Kept", "Word on the axis")
    return Section(
        anchor="rules",
        title="Registered rules over axes",
        short="Rules",
        leads=(
            (
                "A rule reads the axes one by one; no score is ever taken over several of them. "
                f"Each arm is held against {label(ranking.baseline)}."
            ),
        ),
        tables=(table("Rules of arms", columns, rows),),
    )


def _facts(ranking: Ranking) -> list[tuple[str, str]]:
    return [
        ("mde", f"{plain(ranking.mde)}: the registered smallest difference of scores that counts"),
        ("level", f"{plain(1 - ranking.alpha)} for all pairs of an axis together"),
        ("plan", ranking.plan_sha256[:16]),
        ("seal", ranking.seal or "none"),
    ]
