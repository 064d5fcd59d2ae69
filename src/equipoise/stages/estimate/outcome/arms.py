"""What each arm of an outcome study reached, what it cost, and what it did amiss."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import NotEstimable
from equipoise.records.outcome import GroupResult, OutcomeResult, TokenSource
from equipoise.records.outcome_report import ArmOutcome, CostOf, RateOf
from equipoise.records.verdict import Tag
from equipoise.stages.estimate.outcome.scenarios import (
    MAIN,
    by_scenario,
    criteria_of,
    value_of,
)
from equipoise.stats.intervals import quasi_wilson

LEAST_SCENARIOS, LEAST_REPETITIONS = 6, 3
"""Below either, every figure is [underpowered]."""


def arm_of(results: Sequence[OutcomeResult], skill: str) -> ArmOutcome:
    """Gives what one run of an arm came to.

    Args:
        results: every planned cell of the run.
        skill: that the arm was given; empty = none.
    """
    first = results[0]
    tiers = sorted({one.tier for one in results if one.tier}, key=_tier)
    criteria = criteria_of(results)
    rates = [_rate(results, name) for name in criteria]
    for tier in tiers if len(tiers) > 1 else ():
        kept = [one for one in results if one.tier == tier]
        rates += [_rate(kept, name, tier=tier) for name in criteria if name in _BY_TIER]
        rates.append(_rate(kept, MAIN, tier=tier))
    return ArmOutcome(
        arm=first.arm,
        run_id=first.run_id,
        model=next((one.model for one in results if one.model), ""),
        skill=skill,
        is_simulated=any(one.is_simulated for one in results),
        rates=tuple(rates),
        tests=_tests(results),
        cost=_cost(results),
        found=dict(Counter(kind for one in results for kind in sorted(_kinds(one)))),
        truncated=(
            sum(one.truncated is True for one in results),
            sum(one.truncated is None and one.is_executed for one in results),
        ),
        endings=dict(Counter(one.ending for one in results)),
        main=_rate(results, MAIN),
    )


_BY_TIER = ("hidden_explicit", "hidden_implicit", "regression")


def _tier(name: str) -> int:
    order = ("easy", "medium", "hard", "none")
    return order.index(name) if name in order else len(order)


def tags_of(results: Iterable[OutcomeResult], metric: str) -> tuple[str, ...]:
    """Gives the tags that a figure of a metric over these cells has to carry."""
    cells = [one for one in results if value_of(one, metric) is not None]
    is_soft = any(_is_soft(one, metric) for one in cells)
    repetitions = Counter(one.scenario for one in cells)
    is_few = (
        len(repetitions) < LEAST_SCENARIOS
        or min(repetitions.values(), default=0) < LEAST_REPETITIONS
    )
    found = [Tag.SOFT if is_soft else Tag.MEASURED]
    return tuple(tag.value for tag in [*found, *([Tag.UNDERPOWERED] if is_few else [])])


def _is_soft(result: OutcomeResult, metric: str) -> bool:
    if metric == MAIN:
        return result.kind == "decompose" and bool(result.soft)
    if metric == "tokens":
        return result.tokens_source is TokenSource.ESTIMATED
    return metric in result.soft


def _rate(results: Sequence[OutcomeResult], metric: str, *, tier: str = "") -> RateOf:
    means = by_scenario(results, metric)
    values = np.array(list(means.values()))
    lo, hi = _limits(values)
    whys = Counter(
        why
        for one in results
        if value_of(one, metric) is None and (why := one.missing.get(metric) or one.why)
    )
    return RateOf(
        criterion=metric,
        value=float(values.mean()) if values.size else None,
        lo=lo,
        hi=hi,
        n_scenarios=int(values.size),
        n_cells=sum(value_of(one, metric) is not None for one in results),
        n_planned=len(results),
        tags=tags_of(results, metric) if values.size else (),
        tier=tier,
        why="; ".join(f"{n} x {why}" for why, n in whys.most_common(2)),
    )


def _limits(values: NDArray[np.float64]) -> tuple[float | None, float | None]:
    try:
        interval = quasi_wilson(values).interval
    except NotEstimable:
        return None, None
    return interval.lo, interval.hi


def _kinds(result: OutcomeResult) -> set[str]:
    return {finding.kind.value for finding in result.found}


def _tests(results: Iterable[OutcomeResult]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for one in results:
        groups: dict[str, GroupResult | None] = {
            "hidden_explicit": one.hidden_explicit,
            "hidden_implicit": one.hidden_implicit,
            "regression": one.own_suite,
        }
        for name, group in groups.items():
            if group is not None and name in one.rates:
                passed, total = found.get(name, (0, 0))
                found[name] = (passed + group.passed, total + group.total)
    return found


def _cost(results: Sequence[OutcomeResult]) -> CostOf:
    def mean(name: str) -> float | None:
        known = [float(value) for one in results if (value := getattr(one, name)) is not None]
        return float(np.mean(known)) if known else None

    return CostOf(
        tokens_in=mean("tokens_in"),
        tokens_out=mean("tokens_out"),
        turns=mean("turns"),
        wall_ms=mean("wall_ms"),
        usd=mean("usd"),
        n_cells=sum(one.is_executed for one in results),
        n_with_tokens=sum(one.tokens_source is not None for one in results),
        n_with_usd=sum(one.usd is not None for one in results),
        is_estimated=any(one.tokens_source is TokenSource.ESTIMATED for one in results),
    )
