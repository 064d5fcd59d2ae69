"""Estimates of each arm in each cell, with what is missing beside every mean."""

import math
from collections.abc import Mapping
from math import comb

import duckdb
import numpy as np
from scipy.special import ndtri, stdtrit

from equipoise.records.estimate import ArmEstimate, CellKey, Interval, Missing, PassK
from equipoise.records.terms import Direction, Terms
from equipoise.stages.estimate.columns import ArmColumns
from equipoise.stages.estimate.moments import ArmMoments, arm_moments, cell_keys, missing_reasons
from equipoise.stages.estimate.spending import Spending, spending
from equipoise.stats.guarded import Powers, mean_interval


def arm_estimates(
    con: duckdb.DuckDBPyConnection, terms: Terms, arm: ArmColumns, index: int, *, has_clusters: bool
) -> tuple[dict[CellKey, ArmMoments], tuple[ArmEstimate, ...]]:
    """Gives the moments and the estimates of one arm, whole first, then each partition cell."""
    moments = arm_moments(con, terms, index, has_clusters=has_clusters)
    reasons = missing_reasons(con, terms, index)
    pass_k = _pass_k(con, terms, index)
    limits = _limits(moments, terms)
    spent = spending(con, terms, arm)
    return moments, tuple(
        _estimate(
            arm.name,
            key,
            one,
            terms,
            limits=limits.get(key),
            reasons=reasons.get(key, {}),
            pass_k=pass_k.get(key, ()),
            spent=spent.get(key, Spending()),
        )
        for key, one in moments.items()
    )


def _limits(moments: Mapping[CellKey, ArmMoments], terms: Terms) -> dict[CellKey, Interval]:
    """Gives the interval of every cell that has two units or more, in one vectorised call."""
    keys = [key for key, one in moments.items() if one.n >= 2]
    if not keys:
        return {}
    chosen = [moments[key] for key in keys]
    sample = Powers(
        n=np.array([m.n for m in chosen], dtype=float),
        mean=np.array([m.mean for m in chosen]),
        squares=np.array([m.ss for m in chosen]),
        cubes=np.array([m.cubes for m in chosen]),
        fourths=np.array([m.fourths for m in chosen]),
    )
    runs = np.array([m.evaluable / m.n for m in chosen])
    found = mean_interval(sample, z=float(ndtri(0.5 + terms.level / 2)), runs=runs)
    return {
        key: Interval(lo=float(lo), hi=float(hi), level=terms.level, method=found.method)
        for key, lo, hi in zip(keys, found.lo, found.hi, strict=True)
    }


def _estimate(
    name: str,
    key: CellKey,
    one: ArmMoments,
    terms: Terms,
    *,
    limits: Interval | None,
    reasons: dict[str, int],
    pass_k: tuple[PassK, ...],
    spent: Spending,
) -> ArmEstimate:
    spread = math.sqrt(one.ss / (one.n - 1)) if one.n >= 2 else None
    lacking = "" if one.n else "no unit has an outcome"
    if one.n == 1:
        lacking = "one unit has an outcome: a mean, but no interval"
    return ArmEstimate(
        arm=name,
        cell=key,
        n_units=one.n_units,
        n_trials=one.tries,
        n_attempts_beyond_first=one.tries - one.planned,
        missing=_missing(one, reasons, terms),
        n_clusters=one.n_clusters or None,
        mean=one.mean if one.n else None,
        not_estimable=lacking,
        interval=limits,
        fixed_interval=_fixed(one, terms),
        stddev_between=spread,
        se=spread / math.sqrt(one.n) if spread else None,
        stddev_within=one.mean_sd_within if one.n_within else None,
        icc=one.icc,
        is_degenerate=one.n >= 2 and one.ss == 0.0,
        is_binary=one.is_binary and one.n > 0,
        pass_k=pass_k,
        n_flaky=one.n_flaky,
        cost_usd=spent.cost_usd,
        n_cost_missing=spent.n_cost_missing,
        duration_ms=spent.duration_ms,
        n_duration_missing=spent.n_duration_missing,
        tokens=spent.tokens,
        n_tokens_missing=spent.n_tokens_missing,
    )


def _missing(one: ArmMoments, reasons: dict[str, int], terms: Terms) -> Missing:
    low = one.sum_floor / one.n_units
    share = one.sum_missing_share / one.n_units
    return Missing(
        planned=one.planned,
        evaluable=one.evaluable,
        reasons=reasons,
        units_without=one.n_units - one.n,
        worst_lo=low,
        worst_hi=min(1.0, low + share),
        mean_as_failure=low if terms.direction is Direction.HIGHER else min(1.0, low + share),
    )


def _fixed(one: ArmMoments, terms: Terms) -> Interval | None:
    """Gives the interval for this very set of units: only the noise of repetitions counts.

    SE^2 = sum over units of s_within^2 / r, over n^2. A unit with one outcome takes the pooled
    spread of the others; where more than half of the units have only one, or no unit's repetitions
    ever disagreed, it does not exist (noise unseen is not noise absent).
    """
    if one.n < 1 or 2 * one.n_within < one.n or not one.ms_within:
        return None
    noise = one.sum_within_over_r + (one.n - one.n_within) * one.ms_within
    t = float(stdtrit(one.evaluable - one.n, 0.5 + terms.level / 2))
    half = t * math.sqrt(noise) / one.n
    return Interval(
        lo=max(0.0, one.mean - half),
        hi=min(1.0, one.mean + half),
        level=terms.level,
        method="t, repetition noise only",
    )


def _pass_k(
    con: duckdb.DuckDBPyConnection, terms: Terms, index: int
) -> dict[CellKey, tuple[PassK, ...]]:
    found: dict[CellKey, tuple[PassK, ...]] = {}
    for key, column in cell_keys(terms):
        rows = con.execute(
            f"SELECT {column} AS cell, evaluable, CAST(round(v * evaluable) AS INT) AS c, "
            f"sum(m)::BIGINT, bool_and(is_binary) FROM groups_{index} WHERE evaluable > 0 "
            "GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        by_cell: dict[str, list[tuple[int, int, int, bool]]] = {}
        for value, *rest in rows:
            by_cell.setdefault(str(value), []).append((rest[0], rest[1], rest[2], rest[3]))
        for value, counts in by_cell.items():
            if all(row[3] for row in counts) and max(row[0] for row in counts) > 1:
                found[CellKey(label=key, value=value)] = _pass_k_of(counts)
    return found


def _pass_k_of(counts: list[tuple[int, int, int, bool]]) -> tuple[PassK, ...]:
    lines = []
    for k in range(1, max(row[0] for row in counts) + 1):
        able = [(n, c, m) for n, c, m, _ in counts if n >= k]
        total = sum(m for *_, m in able)
        lines.append(
            PassK(
                k=k,
                at=1 - math.fsum(m * comb(n - c, k) / comb(n, k) for n, c, m in able) / total,
                hat=math.fsum(m * comb(c, k) / comb(n, k) for n, c, m in able) / total,
                n_units=total,
            )
        )
    return tuple(lines)
