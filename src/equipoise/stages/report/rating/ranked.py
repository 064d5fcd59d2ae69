"""The arms of one axis in order, all their differences, and what may not be concluded."""

from collections.abc import Sequence
from dataclasses import replace

from equipoise.records.estimate import Interval
from equipoise.records.ranking import ArmScore, AxisShown, PairShown, Ranking, RatingEstimate
from equipoise.records.validation import Validation
from equipoise.stages.report.numbers import count, fixed, p_value, percent, plain, span
from equipoise.stages.report.tables import Cell, Table, named, table
from equipoise.stages.report.text import label

UNSAID = "not estimable"

_MOST_ARMS = 200


def caveats(ranking: Ranking) -> list[str]:
    """Gives what a reader must know before anything else, most serious first."""
    told = []
    for axis in ranking.axes:
        name = label(axis.axis)
        if axis.mode == "no_kappa" and axis.people is not None:
            told.append(
                f"no-κ mode on axis {name}: {axis.mode_said}. What people say here is indicative "
                "only and decides nothing."
            )
        elif axis.blocked:
            told.append(f"No ranking on axis {name}: {axis.blocked}.")
        if soft := _unvalidated(axis):
            told.append(
                f"Judge not validated on axis {name}: {', '.join(soft)}. What these model judges "
                "say was not found to agree with people, and is [soft]."
            )
    if not ranking.seal:
        told.append("Exploratory: the plan was not sealed before the ratings.")
    if ranking.unjoined:
        n = sum(ranking.unjoined.values())
        told.append(
            f"{count(n)} records fit no key and are left out: "
            + ", ".join(f"{count(k)} {name}" for name, k in sorted(ranking.unjoined.items()))
            + "."
        )
    return told


def _unvalidated(axis: AxisShown) -> list[str]:
    return [label(one.judge) for one in axis.judges if not _is_validated(one.validation)]


def _is_validated(found: Validation | None) -> bool:
    return found is not None and found.passed and not found.unvalidated_languages


def soft_said(axis: AxisShown, source: str) -> Sequence[str]:
    """Says of a judge or the panel that it was not validated; nothing of people."""
    rows = {one.judge: one.validation for one in axis.judges}
    if axis.panel is not None:
        rows["panel"] = axis.panel.validation
    if source not in rows or _is_validated(rows[source]):
        return ()
    return ("[soft], judge not validated: nobody has shown that people would say the same.",)


def order_table(axis: AxisShown, found: RatingEstimate) -> Table:
    """Gives the arms in order of score; equal places where nobody can tell."""
    ranked = sorted(found.arms, key=lambda a: (a.score is None, -(a.score or 0.0), a.arm))
    columns = ["Arm", "#Score", "#95 % limits", "#Best", "#Worst", "#Shown", "#Strength"]
    if axis.blocked is None:
        columns.insert(1, "#Place")
    rows = [_arm(arm, is_ranked=axis.blocked is None) for arm in ranked[:_MOST_ARMS]]
    made = table(f"Scores by {label(found.source)}, (best − worst) / shown", columns, rows)
    more = max(0, len(ranked) - _MOST_ARMS)
    return replace(made, n_more=more, more_in="ranking.json")


def _arm(arm: ArmScore, *, is_ranked: bool) -> tuple[Cell, ...]:
    known = arm.lo is not None and arm.hi is not None
    interval = Interval(lo=arm.lo or 0, hi=arm.hi or 0, level=0.95, method="") if known else None
    said = span(arm.score, interval)
    place = ""
    if arm.rank_best is not None and arm.rank_worst is not None:
        same = arm.rank_best == arm.rank_worst
        place = str(arm.rank_best) if same else f"{arm.rank_best} to {arm.rank_worst}"
    cells = [
        named(arm.arm),
        Cell(text=said.value or "never shown"),
        Cell(text=f"{said.lo} to {said.hi}")
        if said.lo
        else Cell(text=UNSAID, note=label(arm.why, 120)),
        Cell(text=amount(arm.best)),
        Cell(text=amount(arm.worst)),
        Cell(text=amount(arm.shown)),
        Cell(text=fixed(arm.logit, 2, sign=True) if arm.logit is not None else UNSAID),
    ]
    if is_ranked:
        cells.insert(1, Cell(text=place or UNSAID))
    return tuple(cells)


def amount(value: float) -> str:
    """Prints a count, or a weighted one with a decimal."""
    return count(int(value)) if value == int(value) else fixed(value, 1)


def pair_rows(found: RatingEstimate) -> list[tuple[Cell, ...]]:
    """Gives one row a pair: word, difference, joint limits, and what could have been shown."""
    return [
        (
            named(pair.arm),
            named(pair.against),
            Cell(word=pair.word, note=f"indicative: {pair.indicative}" if pair.indicative else ""),
            *_numbers(pair),
            _reach(pair),
        )
        for pair in found.pairs
    ]


def pairs_table(found: RatingEstimate) -> Table:
    """Gives all differences with simultaneous limits, the registered mde beside each."""
    level = percent(found.pairs[0].level) if found.pairs else ""
    columns = (
        "Arm",
        "Against",
        "Word",
        "#Difference",
        f"#{level} limits, all pairs",
        "#Could show",
    )
    more = ("#Logit difference", "#Implied wins")
    rows = [
        (*row, _logit(pair), Cell(text=f"{amount(pair.won)} : {amount(pair.lost)}"))
        for row, pair in zip(pair_rows(found), found.pairs, strict=True)
    ]
    return table(f"Differences of all pairs by {label(found.source)}", (*columns, *more), rows)


def _numbers(pair: PairShown) -> tuple[Cell, Cell]:
    known = pair.lo is not None and pair.hi is not None
    interval = (
        Interval(lo=pair.lo or 0, hi=pair.hi or 0, level=pair.level, method="") if known else None
    )
    said = span(pair.delta, interval, marks=(pair.mde, -pair.mde))
    why = label(pair.why, 120) if pair.why else ""
    return (
        Cell(text=said.value or UNSAID, note=why),
        Cell(text=f"{said.lo} to {said.hi}" if said.lo else UNSAID),
    )


def _reach(pair: PairShown) -> Cell:
    shown = fixed(pair.detectable, 3) if pair.detectable is not None else UNSAID
    power = f", power {percent(round(pair.power, 3))}" if pair.power is not None else ""
    return Cell(text=shown, note=f"mde {plain(pair.mde)}{power}")


def _logit(pair: PairShown) -> Cell:
    if pair.logit is None or pair.logit_lo is None or pair.logit_hi is None:
        return Cell(text=UNSAID, note=label(pair.logit_why, 160) if pair.logit_why else "")
    interval = Interval(lo=pair.logit_lo, hi=pair.logit_hi, level=pair.level, method="")
    said = span(pair.logit, interval)
    return Cell(text=said.value, note=f"{said.lo} to {said.hi}")


def pair_said(pair: PairShown) -> str:
    """Says the word of a pair as a sentence of its two arms."""
    arm, against = label(pair.arm), label(pair.against)
    return {
        "better": f"{arm} is better than {against}",
        "worse": f"{arm} is worse than {against}",
        "equivalent": f"{arm} and {against} are equivalent",
        "cannot tell": f"cannot tell whether {arm} or {against} is better",
    }.get(pair.word, f"not evaluable: {arm} and {against} cannot be compared")


def groups_said(axis: AxisShown, found: RatingEstimate) -> str:
    """Says in one sentence which arms can be told apart."""
    if axis.blocked:
        return f"There is no ranking: {axis.blocked}."
    if not found.groups:
        return "No groups: differences of pairs are not given."
    if len(found.arms) == 2 and len(found.pairs) == 1:
        said = pair_said(found.pairs[0])
        return f"{said[0].upper() if said.startswith(('cannot', 'not ')) else said[0]}{said[1:]}."
    told = [", ".join(label(arm) for arm in group) for group in found.groups]
    if len(told) == 1:
        return f"From best to worst, nobody can tell these apart: {told[0]}."
    return (
        "From best to worst, arms that share a pair of brackets cannot be told apart, all others "
        "can: " + " ".join(f"[{one}]" for one in told) + "."
    )


def places_table(found: RatingEstimate) -> Table:
    """Gives how often each place was chosen, beside what even choice would give."""
    rows = [
        (
            named(place.choice),
            Cell(text=" · ".join(count(n) for n in place.chosen)),
            Cell(text=" · ".join(fixed(x, 1) for x in place.expected)),
            Cell(text=fixed(place.chi_square, 1), note=f"{place.df} df, {p_value(place.p)}"),
            Cell(text=_place_said(place.p, is_one_order=place.is_one_order)),
        )
        for place in found.places
    ]
    columns = ("Choice", "#Chosen by place", "#If even", "#Chi-square", "What it says")
    return table(f"Places chosen by {label(found.source)}", columns, rows)


def _place_said(p: float, *, is_one_order: bool) -> str:
    if is_one_order:
        return "every set was shown in one order: place and output cannot be told apart"
    if p < 0.01:
        return "places are not chosen evenly: some raters look at places"
    return "no sign that places were preferred"


def refused_said(found: RatingEstimate) -> Sequence[str]:
    """Says which answers were left out and why; nothing where none was."""
    if not found.refused:
        return ()
    told = ", ".join(f"{count(n)} {name}" for name, n in sorted(found.refused.items()))
    return (f"Answers left out: {told}.",)
