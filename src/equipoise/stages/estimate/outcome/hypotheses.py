"""What the runs say to each registered hypothesis; a scenario is the unit, repetitions inside."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from equipoise.errors import NotEstimable
from equipoise.records.hypothesis import Aim, Hypothesis
from equipoise.records.outcome import OutcomeResult
from equipoise.records.outcome_report import Answer, HypothesisVerdict
from equipoise.records.terms import Rule
from equipoise.records.verdict import Tag
from equipoise.stages.estimate.outcome.scenarios import RESOURCES, by_scenario
from equipoise.stats.differences import paired_t
from equipoise.stats.estimates import Interval
from equipoise.stats.mover import paired_difference
from equipoise.stats.multiplicity import adjust
from equipoise.stats.signflip import sign_flip
from equipoise.stats.signflip_reach import smallest_p

_SEED = 20_240_501
_MOST_MISSING = 0.1
_LEAST_ALPHA = 1e-9
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tested:
    """One hypothesis with its numbers, before the family has its say.

    `side` is 1 where the gain lies on the claimed side of the bound, -1 on the other. `decides` is
    the larger of the exact p and the smallest alpha at which the interval still decides.
    """

    one: Hypothesis
    n: int
    gain: float | None = None
    interval: Interval | None = None
    p: float | None = None
    decides: float | None = None
    side: int = 0
    means: tuple[float, float] | None = None
    why: str = ""


def verdicts_of(
    hypotheses: Sequence[Hypothesis],
    results: Mapping[str, Sequence[OutcomeResult]],
    barred: Mapping[str, Mapping[str, str]],
) -> tuple[HypothesisVerdict, ...]:
    """Gives the answer to each hypothesis, in their order.

    A claim of better or worse holds where the interval of the gain lies wholly beyond the
    threshold, and the exact sign-flip test against the threshold agrees at the level that the
    family's rule leaves; equivalence is two such tests, one-sided, against the margin on each side
    (Schuirmann 1987). The primary ones are one family; the others stand alone and decide nothing.
    Where all cells of both arms are at 1.0 the answer is null: a ceiling shows nothing.

    Args:
        hypotheses: as they were registered.
        results: arm -> its planned cells.
        barred: arm -> scenario -> why its scores cannot decide now (flagged cells, a stale oracle);
            "" = for every arm.
    """
    tested = [_tested(one, results, _for(one, barred)) for one in hypotheses]
    adjusted = _adjusted(tested)
    return tuple(_verdict(one, p, results) for one, p in zip(tested, adjusted, strict=True))


def _for(one: Hypothesis, barred: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {
        name: why for arm in (one.new, one.base, "") for name, why in barred.get(arm, {}).items()
    }


def _tested(
    one: Hypothesis, results: Mapping[str, Sequence[OutcomeResult]], barred: Mapping[str, str]
) -> _Tested:
    sides = [
        by_scenario([r for r in results.get(arm, ()) if r.scenario in one.scenarios], one.metric)
        for arm in (one.new, one.base)
    ]
    shared = [name for name in one.scenarios if all(name in side for side in sides)]
    new, base = (np.array([side[name] for name in shared]) for side in sides)
    found = _Tested(one=one, n=len(shared))
    if not shared:
        return replace(found, why="no scenario of it was measured in both arms")
    found = replace(found, means=(float(new.mean()), float(base.mean())))
    try:
        found = _with_numbers(found, new, base)
    except NotEstimable as error:
        return replace(found, why=f"cannot tell: {error}")
    return replace(found, why=_barred(one, shared, new, base, barred) or found.why)


def _barred(
    one: Hypothesis,
    shared: Sequence[str],
    new: NDArray[np.float64],
    base: NDArray[np.float64],
    barred: Mapping[str, str],
) -> str:
    """Says why the numbers may not decide; empty where they may."""
    waits = [f"{name}: {barred[name]}" for name in one.scenarios if name in barred]
    if waits:
        more = f" and {len(waits) - 3} more" if len(waits) > 3 else ""
        return f"cannot tell: {'; '.join(waits[:3])}{more}"
    n_missing = len(one.scenarios) - len(shared)
    if n_missing > _MOST_MISSING * len(one.scenarios):
        return f"cannot tell: {n_missing} of {len(one.scenarios)} scenarios are not in both arms"
    if one.metric not in RESOURCES and new.min() >= 1.0 and base.min() >= 1.0:
        return "ceiling: cannot tell. Both arms passed everything in every cell"
    return ""


def _with_numbers(found: _Tested, new: NDArray[np.float64], base: NDArray[np.float64]) -> _Tested:
    """Adds gain, interval, the exact p and the alpha at which both decide."""
    one = found.one
    gains, interval_at, gain = _gains(one.metric, new, base)
    bounds = _bounds(one)
    found = replace(found, gain=gain)
    try:
        found = replace(found, interval=interval_at(_level(one)))
    except NotEstimable as error:
        return replace(found, why=f"cannot tell: {error}")
    scaled = tuple(-math.log(1.0 - bound) for bound in bounds)
    side, p = _exact(one.direction, gains, scaled if one.metric in RESOURCES else bounds)
    alpha = _alpha(one.direction, interval_at, bounds, side)
    return replace(found, side=side, p=p, decides=max(p, alpha))


def _level(one: Hypothesis) -> float:
    """Gives the level of the interval that agrees with the test: 0.90 for two tests at 0.05."""
    return 2.0 * one.level - 1.0 if one.direction is Aim.EQUIVALENT else one.level


IntervalAt = Callable[[float], Interval]


def _gains(
    metric: str, new: NDArray[np.float64], base: NDArray[np.float64]
) -> tuple[NDArray[np.float64], IntervalAt, float]:
    """Gives the scenarios' gains, the interval of their mean at a level, and the mean.

    Of a resource the gains are log ratios, base over new, turned back into the share saved for the
    interval: a scenario that costs ten times as much does not outweigh the others.
    """
    if metric not in RESOURCES:
        gains = new - base
        return (
            gains,
            lambda level: paired_difference(new, base, level=level).interval,
            float(gains.mean()),
        )
    if (new <= 0).any() or (base <= 0).any():
        raise NotEstimable(f"{metric} of 0 in some scenario: no ratio exists", code="zero")
    logs = np.log(base) - np.log(new)

    def interval_at(level: float) -> Interval:
        raw = paired_t(np.log(base), np.log(new), level=level).interval
        return Interval(lo=_saved(raw.lo), hi=_saved(raw.hi), level=level)

    return logs, interval_at, _saved(float(logs.mean()))


def _saved(log_ratio: float) -> float:
    """Gives the share saved of a log ratio, base over new."""
    return 1.0 - math.exp(-log_ratio)


def _bounds(one: Hypothesis) -> tuple[float, ...]:
    """Gives the bound that the gain is held against, on the gain's scale; two for equivalence."""
    bound = one.threshold if one.threshold is not None else one.margin or 0.0
    if one.direction is Aim.EQUIVALENT:
        return (-bound, bound)
    return (bound if one.direction is Aim.BETTER else -bound,)


def _exact(aim: Aim, gains: NDArray[np.float64], bounds: tuple[float, ...]) -> tuple[int, float]:
    """Gives on which side of the bound the gains lie, and the exact p against it."""
    tests = [_flipped(gains - bound) for bound in bounds]
    if aim is Aim.EQUIVALENT:
        (above, p_above), (below, p_below) = tests
        if above > 0 > below:
            return 1, max(p_above, p_below) / 2.0
        return -1, p_below if below > 0 else p_above
    ((sign, p),) = tests
    return (-sign if aim is Aim.WORSE else sign), p


def _flipped(distances: NDArray[np.float64]) -> tuple[int, float]:
    distances = np.where(np.abs(distances) < _EQUAL, 0.0, distances)
    test = sign_flip(distances, rng=np.random.default_rng(_SEED))
    return int(np.sign(test.statistic)), test.p


def _alpha(aim: Aim, interval_at: IntervalAt, bounds: tuple[float, ...], side: int) -> float:
    """Gives the smallest alpha at which the interval still lies wholly on the side; 1 = never."""

    def inside(alpha: float) -> float:
        is_two_tests = aim is Aim.EQUIVALENT and side > 0
        interval = interval_at(1.0 - (2.0 * alpha if is_two_tests else alpha))
        return _room(aim, interval, bounds, side)

    most = 0.4999 if aim is Aim.EQUIVALENT and side > 0 else 0.9999
    if side == 0 or inside(most) <= 0.0:
        return 1.0
    if inside(_LEAST_ALPHA) >= 0.0:
        return _LEAST_ALPHA
    return float(brentq(inside, _LEAST_ALPHA, most, xtol=1e-9))


def _room(aim: Aim, interval: Interval, bounds: tuple[float, ...], side: int) -> float:
    """Gives how far the interval lies beyond the bound on its side; negative = it reaches over."""
    if aim is Aim.EQUIVALENT:
        low, high = bounds
        if side > 0:
            return min(interval.lo - low, high - interval.hi)
        return max(low - interval.hi, interval.lo - high)
    (bound,) = bounds
    wants_above = (side > 0) is not (aim is Aim.WORSE)
    return interval.lo - bound if wants_above else bound - interval.hi


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
    tested: _Tested, adjusted: float | None, results: Mapping[str, Sequence[OutcomeResult]]
) -> HypothesisVerdict:
    one = tested.one
    alpha = 1.0 - one.level
    answer, why = _answer(tested, adjusted, alpha)
    is_simulated = any(r.is_simulated for arm in (one.new, one.base) for r in results.get(arm, ()))
    tags = {
        Tag.SOFT if one.is_judged else Tag.MEASURED: True,
        Tag.UNDERPOWERED: one.is_underpowered,
        Tag.SIMULATED: is_simulated,
    }
    interval = tested.interval
    return HypothesisVerdict(
        id=one.id,
        statement=one.statement,
        metric=one.metric,
        aim=one.direction,
        bound=one.threshold if one.threshold is not None else one.margin or 0.0,
        primary=one.primary,
        new=one.new,
        base=one.base,
        answer=answer,
        why=why,
        gain=tested.gain,
        lo=interval.lo if interval else None,
        hi=interval.hi if interval else None,
        level=_level(one),
        p=tested.p,
        adjusted_p=adjusted,
        smallest_p=_smallest(one, tested.n),
        n_scenarios=tested.n,
        n_planned=len(one.scenarios),
        new_value=tested.means[0] if tested.means else None,
        base_value=tested.means[1] if tested.means else None,
        rule=(one.rule or "").replace("maxt", "holm") if one.primary else "",
        tags=tuple(tag.value for tag, is_so in tags.items() if is_so),
    )


def _smallest(one: Hypothesis, n: int) -> float | None:
    """Gives the smallest p that n scenarios can give: one-sided where two tests make one claim."""
    if n == 0:
        return None
    return smallest_p(n) / (2.0 if one.direction is Aim.EQUIVALENT else 1.0)


def _answer(tested: _Tested, adjusted: float | None, alpha: float) -> tuple[Answer, str]:
    if tested.why:
        return Answer.NULL, tested.why
    if adjusted is None:
        return Answer.NULL, "cannot tell: nothing could be computed"
    least = _smallest(tested.one, tested.n) or 1.0
    if adjusted > alpha:
        said = f"cannot tell: p {adjusted:.3g} after the rule, wanted at most {alpha:.3g}"
        if least > alpha:
            said += f"; {tested.n} scenarios cannot give less than {least:.3g}, whatever comes out"
        return Answer.NULL, said
    word = Answer.CONFIRMED if tested.side > 0 else Answer.REJECTED
    return word, f"p {adjusted:.3g} after the rule, at most {alpha:.3g}, and the interval agrees"
