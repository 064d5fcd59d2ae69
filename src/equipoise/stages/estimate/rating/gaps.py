"""One difference of two arms' scores with limits, power and reach; places and groups from all."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from equipoise.records.ranking import PairShown
from equipoise.stages.estimate.rating.choices import FloatArray
from equipoise.stats.intervals import quasi_wilson

_INNER = 0.90
_RANGE = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the plan fixed for all estimates of a study."""

    arms: tuple[str, ...]
    baseline: str
    mde: float
    alpha: float
    power: float
    seed: int

    @property
    def level(self) -> float:
        """Gives the joint confidence of all differences."""
        return 1.0 - self.alpha


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How far limits reach: the multiple of the error, its degrees of freedom, and the method."""

    critical: float
    df: float | None
    method: str


def quantile(tail: float, df: float | None) -> float:
    """Gives the upper quantile of t, or of the normal where there are no degrees of freedom."""
    return float(-ndtri(tail)) if df is None else float(-stdtrit(df, tail))


def limits(
    names: tuple[str, str], delta: float, se: float, scale: Scale, asked: Asked
) -> PairShown:
    """Gives a difference with joint limits, 90 % limits, power at the margin, and its reach."""
    df = scale.df
    outer, inner = scale.critical * se, quantile((1 - _INNER) / 2, df) * se
    reach, bulk = asked.mde / se, 1e9 if df is None else df
    power = float(stdtr(bulk, reach - scale.critical) + stdtr(bulk, -reach - scale.critical))
    return PairShown(
        arm=names[0],
        against=names[1],
        delta=delta,
        se=se,
        lo=max(-2.0, delta - outer),
        hi=min(2.0, delta + outer),
        level=asked.level,
        inner_lo=max(-2.0, delta - inner),
        inner_hi=min(2.0, delta + inner),
        method=scale.method,
        n_sets=0,
        n_clusters=int(df or 0) + 1,
        mde=asked.mde,
        power=power,
        detectable=(scale.critical + float(ndtri(asked.power))) * se,
    )


def missing_pair(arm: str, against: str, asked: Asked, why: str = "") -> PairShown:
    """Gives a pair of which nothing is known, and why."""
    return PairShown(
        arm=arm,
        against=against,
        delta=None,
        se=None,
        lo=None,
        hi=None,
        level=asked.level,
        inner_lo=None,
        inner_hi=None,
        method="",
        n_sets=0,
        n_clusters=0,
        mde=asked.mde,
        power=None,
        detectable=None,
        why=why or "never shown",
    )


def guarded_pair(names: tuple[str, str], gaps: FloatArray, n_pairs: int, asked: Asked) -> PairShown:
    """Gives a difference from the differences of clusters, by quasi-Wilson on its range -2..2."""
    shares = np.clip((gaps + _RANGE / 2) / _RANGE, 0.0, 1.0)
    outer = quasi_wilson(shares, level=1.0 - asked.alpha / n_pairs).interval
    inner = quasi_wilson(shares, level=_INNER).interval
    ends = [_RANGE * x - _RANGE / 2 for x in (outer.lo, outer.hi, inner.lo, inner.hi)]
    return PairShown(
        arm=names[0],
        against=names[1],
        delta=float(gaps.mean()),
        se=None,
        lo=ends[0],
        hi=ends[1],
        level=asked.level,
        inner_lo=ends[2],
        inner_hi=ends[3],
        method="quasi-Wilson over clusters, Bonferroni: every cluster says the same",
        n_sets=0,
        n_clusters=len(gaps),
        mde=asked.mde,
        power=None,
        detectable=None,
    )


def ranks(
    arm: str, arms: Sequence[str], pairs: Sequence[PairShown]
) -> tuple[int | None, int | None]:
    """Gives the best and the worst place that the simultaneous limits leave to an arm."""
    if not pairs:
        return None, None
    above = below = 0
    for pair in pairs:
        if arm not in (pair.arm, pair.against) or pair.lo is None or pair.hi is None:
            continue
        sign = 1 if arm == pair.arm else -1
        below += (pair.lo > 0) if sign > 0 else (pair.hi < 0)
        above += (pair.hi < 0) if sign > 0 else (pair.lo > 0)
    return 1 + above, len(arms) - below


def runs(order: Sequence[str], pairs: Sequence[PairShown]) -> tuple[tuple[str, ...], ...]:
    """Gives the largest groups of arms of which no two are told apart by the limits.

    An arm may be in several groups: that two arms are not told apart from a third says nothing of
    each other. All groups together say of every pair whether it is told apart: two arms that share
    a group are not, two that share none are (Piepho 2004, J. Comput. Graph. Stat. 13, insert and
    absorb).
    """
    if not pairs:
        return ()
    apart = [
        (pair.arm, pair.against)
        for pair in pairs
        if pair.lo is not None and pair.hi is not None and (pair.lo > 0 or pair.hi < 0)
    ]
    found = [frozenset(order)]
    for one, other in apart:
        split = [
            part
            for group in found
            for part in ((group - {one}, group - {other}) if {one, other} <= group else (group,))
        ]
        kept = list(dict.fromkeys(split))
        found = [part for part in kept if not any(part < another for another in kept)]
    place = {arm: n for n, arm in enumerate(order)}
    told = [tuple(sorted(group, key=place.__getitem__)) for group in found]
    return tuple(sorted(told, key=lambda group: [place[arm] for arm in group]))
