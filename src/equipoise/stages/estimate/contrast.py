"""Comparisons: each arm against the baseline, in the whole and in every partition cell."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from equipoise.errors import NotEstimable
from equipoise.records.codec import identity_of
from equipoise.records.estimate import ArmEstimate, CellKey, Comparison, Interval, PValue
from equipoise.records.terms import Direction, Terms
from equipoise.stages.estimate.adjusting import with_adjusted
from equipoise.stages.estimate.family import Family
from equipoise.stages.estimate.limits import Limits, equivalence_limits_of, limits_of
from equipoise.stages.estimate.planning import planning
from equipoise.stages.estimate.samples import Met
from equipoise.stages.estimate.seed_rule import seed_bounds, with_least_units
from equipoise.stats.mcnemar import mcnemar


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What a comparison is told about one arm: its name, its estimate per cell, any refusal."""

    name: str
    estimates: Mapping[CellKey, ArmEstimate]
    refusal: str = ""


def comparisons(
    terms: Terms,
    sides: tuple[Side, Side],
    met: Mapping[CellKey, Met],
    families: tuple[Family, Family],
) -> tuple[Comparison, ...]:
    """Gives the comparison of every cell: the whole first, then the cells in order.

    Args:
        terms: direction, margins, level.
        sides: baseline and arm.
        met: how they meet in each cell.
        families: of the whole-set comparisons, and of the cells.
    """
    keys = sorted(met, key=lambda k: (k.label, k.value))
    found = [_start(terms, sides, key, met[key]) for key in keys]
    open_at = [i for i, one in enumerate(found) if not one.not_estimable]
    chosen = [met[keys[i]] for i in open_at]
    of = [families[1] if keys[i].label else families[0] for i in open_at]
    filled = _with_limits(terms, [found[i] for i in open_at], chosen, of)
    filled = with_adjusted(terms, filled, chosen)
    for i, one in zip(open_at, filled, strict=True):
        found[i] = one
    return tuple(
        msgspec.structs.replace(
            one,
            family="cells" if key.label else "headline",
            family_size=families[1].size if key.label else families[0].size,
        )
        for key, one in zip(keys, found, strict=True)
    )


def _start(terms: Terms, sides: tuple[Side, Side], key: CellKey, met: Met) -> Comparison:
    """Gives the comparison with counts and point values, or the reason why there is none."""
    base, new = (side.estimates.get(key) for side in sides)
    n_base, n_new = (e.n_units - e.missing.units_without if e else 0 for e in (base, new))
    n_pairs = met.pair.n if met.pair else 0
    is_apart = not met.is_paired
    mean_new = met.pair.mean_new if met.pair else (new.mean if new else None)
    mean_base = met.pair.mean_base if met.pair else (base.mean if base else None)
    delta = None
    if mean_new is not None and mean_base is not None:
        delta = met.pair.difference.mean if met.pair else mean_new - mean_base
        delta = round(delta, 15)  # steps of 2^-52 leave dust where the true sum is 0
    n_clusters = _n_clusters(met)
    of_pairs = None if is_apart else n_pairs
    reason = _reason(terms, sides, (base, new), (n_base, n_new), of_pairs, n_clusters)
    one = Comparison(
        id=identity_of("comparison", sides[0].name, sides[1].name, key.label, key.value),
        baseline=sides[0].name,
        arm=sides[1].name,
        cell=key,
        pairing="unpaired" if is_apart else ("clustered" if met.clusters else "paired"),
        n_units_new=n_new,
        n_units_base=n_base,
        n_pairs=n_pairs,
        n_clusters=n_clusters,
        mean_new=mean_new,
        mean_base=mean_base,
        delta=None if reason.is_void else delta,
        gain=None if delta is None or reason.is_void else _gain(delta, terms),
        not_estimable=reason.text,
        n_better=None,
    )
    one = with_least_units(terms, one, base, new)
    return _with_counts(_with_worst(one, base, new, met), terms, met)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reason:
    text: str = ""
    is_void: bool = False


def _reason(
    terms: Terms,
    sides: tuple[Side, Side],
    estimates: tuple[ArmEstimate | None, ArmEstimate | None],
    counts: tuple[int, int],
    n_pairs: int | None,
    n_clusters: int | None,
) -> _Reason:
    for side, estimate, n in zip(sides, estimates, counts, strict=True):
        lacking = _lacking(terms, side, estimate, n)
        if lacking:
            return _Reason(text=lacking, is_void=True)
    if n_pairs == 0:
        return _Reason(text="the arms share no unit with an outcome in both", is_void=True)
    if n_clusters == 1:
        return _Reason(text="one cluster: nothing shows how much clusters differ, so no interval")
    if (min(counts) if n_pairs is None else n_pairs) < 2:
        return _Reason(text="one unit: a difference, but no interval")
    return _Reason()


def _lacking(terms: Terms, side: Side, estimate: ArmEstimate | None, n: int) -> str:
    """Says why an arm may not be compared in a cell; "" where it may."""
    if side.refusal:
        return side.refusal
    if estimate is None:
        return f"arm {side.name!r} has no unit here"
    share = 1 - estimate.missing.evaluable / max(estimate.missing.planned, 1)
    if share > terms.max_missing:
        return (
            f"{share:.1%} of the planned repetitions of arm {side.name!r} have no outcome "
            f"({_reasons(estimate)}); more than {terms.max_missing:.0%} may not be compared"
        )
    return "" if n else f"no unit of arm {side.name!r} has an outcome"


def _reasons(estimate: ArmEstimate) -> str:
    return ", ".join(f"{n} {why}" for why, n in estimate.missing.reasons.items())


def _gain(delta: float, terms: Terms) -> float:
    return delta if terms.direction is Direction.HIGHER else -delta


def _n_clusters(met: Met) -> int | None:
    """Gives how many clusters the interval rests on: of the pairs, or of the arm with fewer."""
    if met.clusters:
        return len(met.clusters.sizes)
    return min(len(arm.sizes) for arm in met.arm_clusters) if met.arm_clusters else None


def _with_worst(
    one: Comparison, base: ArmEstimate | None, new: ArmEstimate | None, met: Met
) -> Comparison:
    """Adds the bounds of delta whatever the missing outcomes were (Manski 1989)."""
    if base is None or new is None or one.delta is None:
        return one
    if all(e.missing.planned == e.missing.evaluable for e in (base, new)):
        return one
    if met.worst is not None:
        return msgspec.structs.replace(one, worst_lo=met.worst[0], worst_hi=met.worst[1])
    limits = (
        base.missing.worst_lo,
        base.missing.worst_hi,
        new.missing.worst_lo,
        new.missing.worst_hi,
    )
    assert None not in limits
    low_base, high_base, low_new, high_new = (float(x or 0.0) for x in limits)
    return msgspec.structs.replace(one, worst_lo=low_new - high_base, worst_hi=high_new - low_base)


def _with_counts(one: Comparison, terms: Terms, met: Met) -> Comparison:
    """Adds how many units rose, fell and stayed, and McNemar's test where outcomes are 0 and 1."""
    if met.pair is None or one.delta is None:
        return one
    up, down = met.pair.n_up, met.pair.n_down
    better, worse = (up, down) if terms.direction is Direction.HIGHER else (down, up)
    return msgspec.structs.replace(
        one,
        p_values=_tests(met, up, down),
        n_better=better,
        n_worse=worse,
        n_same=met.pair.n - up - down,
        fixed_interval=_fixed(one, terms, met),
    )


def _tests(met: Met, up: int, down: int) -> tuple[PValue, ...]:
    """Gives McNemar's exact test where every unit has one outcome of 0 or 1 in both arms."""
    pair = met.pair
    if pair is None or not pair.is_binary or pair.n_runs != 2 * pair.n or met.clusters:
        return ()
    try:
        exact = mcnemar(0, up, down, 0).exact
    except NotEstimable:
        return ()
    return (PValue(test="McNemar, exact", p=exact, n=up + down, note="units that changed"),)


def _fixed(one: Comparison, terms: Terms, met: Met) -> Interval | None:
    """Gives the interval of delta for this very set of units: only repetition noise counts.

    A pair with a single outcome in an arm takes the pooled spread of the others (as `arms._fixed`).
    """
    pair = met.pair
    if pair is None or one.delta is None or 2 * pair.n_repeated < pair.n or pair.sum_noise <= 0.0:
        return None
    pooled = sum((arm.ms_within or 0.0) for arm in (met.base, met.new) if arm is not None)
    noise = pair.sum_noise + (pair.n - pair.n_repeated) * pooled
    t = float(stdtrit(pair.freedom, 0.5 + terms.level / 2))
    half = t * math.sqrt(noise) / pair.n
    return Interval(
        lo=max(-1.0, one.delta - half),
        hi=min(1.0, one.delta + half),
        level=terms.level,
        method="t, repetition noise only",
    )


def _with_limits(
    terms: Terms, ones: Sequence[Comparison], met: Sequence[Met], families: Sequence[Family]
) -> list[Comparison]:
    if not ones:
        return []
    single_z = float(ndtri(0.5 + terms.level / 2))
    z = np.array([f.critical_z if f.critical_z is not None else single_z for f in families])
    equal_z = np.array([_one_sided(f, terms) for f in families])
    deciding = limits_of(met, z)
    single = limits_of(met, np.full(len(ones), single_z))
    equal = equivalence_limits_of(met, equal_z)
    plan = planning(terms, ones, met, (z, equal_z))
    return [
        msgspec.structs.replace(
            one,
            se=deciding.se[i],
            is_degenerate=bool(deciding.degenerate[i]),
            interval=_interval(deciding, i, families[i].level),
            interval_single=_interval(single, i, terms.level),
            interval_equivalence=_interval(equal, i, 2 * float(ndtr(equal_z[i])) - 1)
            if families[i].level is not None
            else None,
            adjusted_level=families[i].level,
            critical_z=families[i].critical_z,
            reportable=plan.reportable[i],
            units_to_show=plan.to_show[i],
            units_to_equate=plan.to_equate[i],
            excludable=max(abs(float(deciding.lo[i])), abs(float(deciding.hi[i]))),
            **seed_bounds(
                terms,
                one.delta or 0.0,
                deciding.se[i],
                (float(deciding.lo[i]), float(deciding.hi[i])),
                float(z[i]),
            ),
        )
        for i, one in enumerate(ones)
    ]


def _one_sided(family: Family, terms: Terms) -> float:
    """Gives the z of the equivalence interval: both one-sided tests at the family's level."""
    level = family.level if family.level is not None else terms.level
    return float(ndtri(level))


def _interval(limits: Limits, i: int, level: float | None) -> Interval | None:
    if level is None:
        return None
    return Interval(
        lo=float(limits.lo[i]), hi=float(limits.hi[i]), level=level, method=limits.method[i]
    )
