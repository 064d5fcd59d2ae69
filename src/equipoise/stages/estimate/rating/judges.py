"""One judge on one axis: how steady it is, what places and lengths do to it, what it leaves out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2_contingency

from equipoise.records.rating_plan import JudgePlan, PanelPlan
from equipoise.records.validation import JudgeShown
from equipoise.stages.estimate.rating.leanings import Leanings
from equipoise.stages.estimate.rating.verdicts import SetVerdict, Told, unreadable, verdicts_of
from equipoise.stats.intervals import quasi_wilson

MOSTLY_PLACES = 0.8
"""From this part of the way from even choice to always one place, a judge sees places only."""

_BIASED = 0.1
_UNEVEN = 0.01
_FEW = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A judge with its verdicts on sets, as the panel and the validation take it."""

    plan: JudgePlan
    told: tuple[Told, ...]
    verdicts: Mapping[str, SetVerdict]
    n_below_quorum: int

    @property
    def name(self) -> str:
        """Gives the judge's name in the plan."""
        return self.plan.name

    @property
    def unreadable_share(self) -> float:
        """Gives the share of its answers that hold no verdict."""
        return sum(not one.is_read for one in self.told) / len(self.told)


def judge_of(plan: JudgePlan, told: Sequence[Told], panel: PanelPlan) -> Judge:
    """Gives a judge with its verdicts; sets without a quorum have none."""
    repeats = panel.repeats if panel.policy == "panel" else 1
    found, below = verdicts_of(told, repeats=repeats, quorum=panel.quorum)
    return Judge(plan=plan, told=tuple(told), verdicts=found, n_below_quorum=below)


def judge_shown(judge: Judge, panel: PanelPlan, leanings: Leanings) -> JudgeShown:
    """Gives all that is told of a judge but its validation."""
    told = judge.told
    n_read = sum(one.is_read for one in told)
    verdicts = list(judge.verdicts.values())
    first, lo, hi, even = first_place(verdicts)
    why = why_unused(judge, panel)
    by_arm, is_uneven = _by_arm(told)
    return JudgeShown(
        judge=judge.name,
        family=judge.plan.family,
        models=tuple(sorted({one.model for one in told if one.model})),
        n_asked=len(told),
        n_read=n_read,
        n_cached=sum(one.is_cached for one in told),
        unreadable=unreadable(told),
        unreadable_by_arm=by_arm,
        is_unreadable_uneven=is_uneven,
        n_sets=len(verdicts),
        n_below_quorum=judge.n_below_quorum,
        repeat_flips=_mean([v.flips for v in verdicts]),
        order_flips=_mean([float(v.is_flipped) for v in verdicts]),
        no_majority=_mean([float(not v.majority) for v in verdicts]),
        first_place=first,
        first_place_lo=lo,
        first_place_hi=hi,
        first_place_even=even,
        is_position_biased=_is_biased(first, lo, hi, even),
        longer=leanings.longer,
        order_effect=leanings.order_effect,
        length_effect=leanings.length_effect,
        length_effect_lo=leanings.length_lo,
        length_effect_hi=leanings.length_hi,
        is_used=not why,
        why_not=why,
        templates=_by_template(told),
        is_simulated=any(one.is_simulated for one in told),
    )


def why_unused(judge: Judge, panel: PanelPlan) -> str:
    """Says why a judge's verdicts are not used; "" where they are."""
    share = judge.unreadable_share
    if share > panel.max_unreadable:
        return (
            f"{100 * share:.1f} % of its answers hold no verdict; the plan allows "
            f"{100 * panel.max_unreadable:g} %"
        )
    return "" if judge.verdicts else "no set has enough readable repeats"


def first_place(
    verdicts: Sequence[SetVerdict],
) -> tuple[float | None, float | None, float | None, float | None]:
    """Gives the share of verdicts for the first place, its limits, and what even choice gives."""
    told = [(v.first, v.even, v.cluster) for v in verdicts if v.first is not None]
    if not told:
        return None, None, None, None
    names = np.unique([cluster for _, _, cluster in told], return_inverse=True)[1]
    counts = np.bincount(names)
    means = np.bincount(names, weights=[share for share, _, _ in told]) / counts
    share = float(np.mean([share for share, _, _ in told]))
    even = float(np.mean([even for _, even, _ in told]))
    if len(means) < 2:
        return share, None, None, even
    limits = quasi_wilson(np.clip(means, 0.0, 1.0)).interval
    return share, limits.lo, limits.hi, even


def sees_places_only(verdicts: Sequence[SetVerdict]) -> bool:
    """Says whether a judge nearly always takes what stands first, or of a pair nearly never."""
    share, _, _, even = first_place(verdicts)
    if share is None or even is None:
        return False
    reach = (share - even) / (1.0 - even) if share >= even else (even - share) / even
    is_pair = even > 0.5 - 1e-9
    return reach >= MOSTLY_PLACES and (share >= even or is_pair)


def _is_biased(share: float | None, lo: float | None, hi: float | None, even: float | None) -> bool:
    if share is None or lo is None or hi is None or even is None:
        return False
    return abs(share - even) >= _BIASED and not lo <= even <= hi


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _by_arm(told: Sequence[Told]) -> tuple[dict[str, float], bool]:
    """Gives the unreadable share of packets that show an arm, and whether arms differ in it."""
    seen, lost = Counter[str](), Counter[str]()
    for one in told:
        is_lost = not one.is_read
        for names in one.choice.shown:
            for arm in names:
                seen[arm] += 1
                lost[arm] += is_lost
    shares = {arm: lost[arm] / seen[arm] for arm in sorted(seen)}
    table = np.array([[lost[a], seen[a] - lost[a]] for a in sorted(seen)], dtype=np.float64)
    if len(shares) < 2 or min(table.sum(axis=0)) < _FEW:
        return shares, False
    return shares, bool(chi2_contingency(table).pvalue < _UNEVEN)


def _by_template(told: Sequence[Told]) -> dict[str, float]:
    """Gives for each wording the share of readable repeats; empty where there is one only."""
    seen, read = Counter[str](), Counter[str]()
    for one in told:
        seen[one.choice.template] += 1
        read[one.choice.template] += one.is_read
    return {name: read[name] / seen[name] for name in sorted(seen)} if len(seen) > 1 else {}
