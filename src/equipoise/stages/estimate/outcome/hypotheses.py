"""What the runs say to each registered hypothesis; a scenario is the unit, repetitions inside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from equipoise.errors import NotEstimable
from equipoise.records.counted import counted
from equipoise.records.hypothesis import RESOURCES, Aim, Hypothesis
from equipoise.records.outcome import OutcomeResult
from equipoise.records.outcome_report import Answer, HypothesisVerdict
from equipoise.records.terms import Rule
from equipoise.records.verdict import Tag, Word
from equipoise.stages.estimate.outcome.gains import Held, against, gains_of
from equipoise.stages.estimate.outcome.scenarios import by_scenario, value_of
from equipoise.stats.estimates import Interval
from equipoise.stats.multiplicity import adjust
from equipoise.stats.signflip_reach import smallest_p

_MOST_MISSING = 0.1
_EXTREMES = ((0.0, 1.0), (1.0, 0.0))
"""What a cell without an outcome is taken for, in the new and in the base arm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tested:
    """One hypothesis with its numbers, before the family has its say.

    `held` is against what is claimed, `moved` against no change at all. `n_missing` counts cells
    without a value in the new and the base arm, of `n_cells` each.
    """

    one: Hypothesis
    n: int
    gain: float | None = None
    interval: Interval | None = None
    held: Held | None = None
    moved: Held | None = None
    means: tuple[float, float] | None = None
    n_missing: tuple[int, int] = (0, 0)
    why: str = ""

    @property
    def decides(self) -> float | None:
        """Gives the level at which its numbers decide; null where there are none."""
        return self.held.decides if self.held else None


Results = Mapping[str, Sequence[OutcomeResult]]


def verdicts_of(
    hypotheses: Sequence[Hypothesis], results: Results, barred: Mapping[str, Mapping[str, str]]
) -> tuple[HypothesisVerdict, ...]:
    """Gives the answer to each hypothesis, in their order.

    A claim of better or worse holds where the interval of the gain lies wholly beyond the
    threshold, and the exact sign-flip test against the threshold agrees at the level that the
    family's rule leaves; equivalence is two such tests, one-sided, against the margin on each side
    (Schuirmann 1987). The primary ones are one family; the others stand alone and decide nothing.
    Where all cells of both arms are at 1.0, or all at 0, the answer is null: neither a ceiling nor
    a floor shows anything.

    Cells without an outcome are no zeros, and not forgotten: where more than a tenth of an arm's
    is missing the answer is null, and so it is where it would be another one if the missing cells
    of one arm had reached everything and those of the other nothing (bounds of Manski 1989).

    Args:
        hypotheses: as they were registered.
        results: arm -> its planned cells.
        barred: arm -> scenario -> why its scores cannot decide now (flagged cells, a stale oracle);
            "" = for every arm.
    """
    tested = [_tested(one, results, _for(one, barred)) for one in hypotheses]
    found = [
        _verdict(one, p, results, _share(one.one, hypotheses))
        for one, p in zip(tested, _adjusted(tested), strict=True)
    ]
    return tuple(
        _at_extremes(verdict, place, tested, results)
        if verdict.answer is not Answer.NULL and any(tested[place].n_missing)
        else verdict
        for place, verdict in enumerate(found)
    )


def _share(one: Hypothesis, hypotheses: Sequence[Hypothesis]) -> float:
    """Gives the part of the level that Bonferroni leaves to one of the family."""
    return (1.0 - one.level) / (sum(other.primary for other in hypotheses) if one.primary else 1)


def _at_extremes(
    verdict: HypothesisVerdict, place: int, tested: Sequence[_Tested], results: Results
) -> HypothesisVerdict:
    """Takes an answer back that cells without an outcome could have turned.

    Of a resource nothing bounds what a missing cell would have taken: there the answer stays.
    """
    one = tested[place]
    if one.one.metric in RESOURCES:
        return verdict
    for extreme in _EXTREMES:
        filled = [*tested]
        filled[place] = _tested(one.one, results, {}, filled=extreme)
        p, share = _adjusted(filled)[place], _share(one.one, [other.one for other in tested])
        other = _verdict(filled[place], p, results, share)
        if other.answer is not verdict.answer:
            n_new, n_base = one.n_missing
            why = (
                f"cannot tell: {counted(n_new + n_base, 'cell')} without an outcome ({n_new} of "
                f"{one.one.new}, {n_base} of {one.one.base}) could have made it another answer"
            )
            return msgspec.structs.replace(verdict, answer=Answer.NULL, why=why, shown=None)
        if other.shown is not verdict.shown:
            verdict = msgspec.structs.replace(verdict, shown=None)
    return verdict


def _for(one: Hypothesis, barred: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {
        name: why for arm in (one.new, one.base, "") for name, why in barred.get(arm, {}).items()
    }


def _tested(
    one: Hypothesis,
    results: Results,
    barred: Mapping[str, str],
    *,
    filled: tuple[float, float] | None = None,
) -> _Tested:
    """Holds the results against one hypothesis; `filled` stands for what was not measured."""
    arms = (one.new, one.base)
    cells = [[r for r in results.get(arm, ()) if r.scenario in one.scenarios] for arm in arms]
    fills = filled or (None, None)
    sides = [
        by_scenario(kept, one.metric, filled=fill) for kept, fill in zip(cells, fills, strict=True)
    ]
    missing = [sum(value_of(r, one.metric) is None for r in kept) for kept in cells]
    shared = [name for name in one.scenarios if all(name in side for side in sides)]
    new, base = (np.array([side[name] for name in shared]) for side in sides)
    found = _Tested(one=one, n=len(shared), n_missing=(missing[0], missing[1]))
    if not shared:
        return replace(found, why="no scenario of it was measured in both arms")
    found = replace(found, means=(float(new.mean()), float(base.mean())))
    try:
        found = _with_numbers(found, new, base)
    except NotEstimable as error:
        return replace(found, why=f"cannot tell: {error}")
    if filled is not None:
        return found
    why = _barred(one, shared, barred) or _few(one, cells, missing) or _limit(one, new, base)
    return replace(found, why=why or found.why)


def _barred(one: Hypothesis, shared: Sequence[str], barred: Mapping[str, str]) -> str:
    """Says which scenarios keep the numbers from deciding; empty where none does."""
    waits = [f"{name}: {barred[name]}" for name in one.scenarios if name in barred]
    if waits:
        more = f" and {len(waits) - 3} more" if len(waits) > 3 else ""
        return f"cannot tell: {'; '.join(waits[:3])}{more}"
    n_missing = len(one.scenarios) - len(shared)
    if n_missing > _MOST_MISSING * len(one.scenarios):
        return f"cannot tell: {n_missing} of {len(one.scenarios)} scenarios are not in both arms"
    return ""


def _few(one: Hypothesis, cells: Sequence[Sequence[OutcomeResult]], missing: Sequence[int]) -> str:
    """Says that too many cells of an arm have no outcome; empty where they have."""
    for arm, kept, n_missing in zip((one.new, one.base), cells, missing, strict=True):
        if n_missing > _MOST_MISSING * len(kept):
            return f"cannot tell: {n_missing} of {len(kept)} cells of {arm} have no {one.metric}"
    return ""


def _limit(one: Hypothesis, new: NDArray[np.float64], base: NDArray[np.float64]) -> str:
    """Says that both arms are at an end of the scale, where nothing could have differed."""
    if one.metric in RESOURCES:
        return ""
    if new.min() >= 1.0 and base.min() >= 1.0:
        return "ceiling: cannot tell. Both arms passed everything in every cell"
    if new.max() <= 0.0 and base.max() <= 0.0:
        return "floor: cannot tell. Neither arm reached anything in any cell"
    return ""


def _with_numbers(found: _Tested, new: NDArray[np.float64], base: NDArray[np.float64]) -> _Tested:
    """Adds gain, interval, and what both say of the claim and of no change at all."""
    one = found.one
    gains = gains_of(one.metric, new, base)
    found = replace(found, gain=gains.mean)
    try:
        found = replace(found, interval=gains.interval_at(_level(one)))
    except NotEstimable as error:
        return replace(found, why=f"cannot tell: {error}")
    held = against(gains, one.direction, _bound(one))
    return replace(found, held=held, moved=against(gains, Aim.BETTER, 0.0))


def _level(one: Hypothesis) -> float:
    """Gives the level of the interval that agrees with the test: 0.90 for two tests at 0.05."""
    return 2.0 * one.level - 1.0 if one.direction is Aim.EQUIVALENT else one.level


def _bound(one: Hypothesis) -> float:
    return one.threshold if one.threshold is not None else one.margin or 0.0


def _adjusted(tested: Sequence[_Tested]) -> list[float | None]:
    """Gives what the family's rule makes of each p; a primary one without p counts as 1."""
    adjusted = [one.decides for one in tested]
    family = [place for place, one in enumerate(tested) if one.one.primary]
    if not family:
        return adjusted
    all_five = adjust([1.0 if (p := tested[place].decides) is None else p for place in family])
    rule = tested[family[0]].one.rule or Rule.HOLM
    values = {Rule.BONFERRONI: all_five.bonferroni, Rule.BH: all_five.bh}.get(rule, all_five.holm)
    for place, value in zip(family, values.tolist(), strict=True):
        if adjusted[place] is not None:
            adjusted[place] = float(value)
    return adjusted


def _verdict(
    tested: _Tested, adjusted: float | None, results: Results, share: float
) -> HypothesisVerdict:
    one = tested.one
    answer, why = _answer(tested, adjusted, 1.0 - one.level)
    is_simulated = any(r.is_simulated for arm in (one.new, one.base) for r in results.get(arm, ()))
    tags = {
        Tag.SOFT if one.is_judged else Tag.MEASURED: True,
        Tag.UNDERPOWERED: one.is_underpowered,
        Tag.SIMULATED: is_simulated,
    }
    interval, held = tested.interval, tested.held
    return HypothesisVerdict(
        id=one.id,
        statement=one.statement,
        metric=one.metric,
        aim=one.direction,
        bound=_bound(one),
        primary=one.primary,
        new=one.new,
        base=one.base,
        answer=answer,
        why=why,
        gain=tested.gain,
        lo=interval.lo if interval else None,
        hi=interval.hi if interval else None,
        level=_level(one),
        p=held.p if held else None,
        adjusted_p=adjusted,
        smallest_p=_smallest(one, tested.n),
        n_scenarios=tested.n,
        n_planned=len(one.scenarios),
        new_value=tested.means[0] if tested.means else None,
        base_value=tested.means[1] if tested.means else None,
        rule=(one.rule or "").replace("maxt", "holm") if one.primary else "",
        tags=tuple(tag.value for tag, is_so in tags.items() if is_so),
        shown=_shown(tested, answer, share),
    )


def _smallest(one: Hypothesis, n: int) -> float | None:
    """Gives the smallest p that n scenarios can give: one-sided where two tests make one claim."""
    if n == 0:
        return None
    return smallest_p(n) / (2.0 if one.direction is Aim.EQUIVALENT else 1.0)


def _answer(tested: _Tested, adjusted: float | None, alpha: float) -> tuple[Answer, str]:
    if tested.why:
        return Answer.NULL, tested.why
    if adjusted is None or tested.held is None:
        return Answer.NULL, "cannot tell: nothing could be computed"
    least = _smallest(tested.one, tested.n) or 1.0
    if adjusted > alpha:
        said = f"cannot tell: p {adjusted:.3g} after the rule, wanted at most {alpha:.3g}"
        if tested.held.p <= alpha and least <= alpha:
            said += f" (the exact test alone has {tested.held.p:.3g}: the interval does not agree)"
        if least > alpha:
            said += f"; {tested.n} scenarios cannot give less than {least:.3g}, whatever comes out"
        return Answer.NULL, said
    word = Answer.CONFIRMED if tested.held.side > 0 else Answer.REJECTED
    return word, f"p {adjusted:.3g} after the rule, at most {alpha:.3g}, and the interval agrees"


def _shown(tested: _Tested, answer: Answer, alpha: float) -> Word | None:
    """Gives the word for the gain itself; null where the answer shows none.

    Some answers hold it already: a gain above 0.1 is a gain. That a claim of more than 0.3 was
    rejected, or one of no harm confirmed, says nothing of 0: that is tested by itself, at the share
    of the level that Bonferroni leaves to one of the family.
    """
    aim = tested.one.direction
    if answer is Answer.NULL or tested.moved is None:
        return None
    if aim is Aim.EQUIVALENT and answer is Answer.CONFIRMED:
        return Word.EQUIVALENT
    is_confirmed = answer is Answer.CONFIRMED
    is_held = aim is Aim.EQUIVALENT or is_confirmed is (aim in {Aim.BETTER, Aim.WORSE})
    if is_held or _bound(tested.one) == 0.0 or tested.moved.decides <= alpha:
        return Word.BETTER if (tested.gain or 0.0) > 0.0 else Word.WORSE
    return None
