"""One planned look at a run that is still going on: whether its score has already decided.

The question of a look is one: does the suite score differ by more than the margin? O'Brien-Fleming
and Pocock ask at planned shares of the executions whether the difference clears the margin at the
look's own critical value, literally and guarded; the betting e-process bets on one unit after
another, in the order in which they were executed, and may be looked at whenever one likes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from equipoise.records.plan import Plan, Stopping
from equipoise.records.suite import SuiteLook
from equipoise.stages.estimate.loss.scoring import Scored
from equipoise.stages.estimate.loss.shared import correlations
from equipoise.stages.estimate.loss.sides import both_sides
from equipoise.stats.betting import adaptive_bet
from equipoise.stats.intervals import Moments
from equipoise.stats.repeated import repeated_critical
from equipoise.stats.sequential import Kind, boundaries
from equipoise.stats.weighted_difference import weighted_difference

FloatArray = NDArray[np.float64]

_KINDS: dict[Stopping, Kind] = {
    Stopping.OBRIEN_FLEMING: "obrien_fleming",
    Stopping.POCOCK: "pocock",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Strata:
    """Both sides by partition, with the plan's weights; arrays of shape (partitions,)."""

    new: Moments
    base: Moments
    weights: FloatArray
    correlation: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class At:
    """A planned look: its number, from 1, executions of the new run by then and in all.

    `fractions` are the shares of the units at each of the plan's looks.
    """

    number: int
    n_executed: int
    n_planned: int
    fractions: tuple[float, ...]


def look(
    con: duckdb.DuckDBPyConnection,
    plan: Plan,
    new: Scored,
    base: Scored,
    order: Sequence[str] = (),
    at: At | None = None,
) -> SuiteLook | None:
    """Gives what the plan's stopping rule says of a run as far as it has gone.

    Args:
        con: holds the tables of both runs.
        plan: names rule, looks and level.
        new: the run that is going on, or is done.
        base: the run it is compared with.
        order: the units of the new run in the order in which they were done; for the e-process.
        at: the look that the runs stand at; null = told from how many executions there are.

    Returns:
        Null where the plan has no rule; a look without number where it is too early for the first.
    """
    if plan.stopping is Stopping.NONE:
        return None
    facts = _stands(con, plan, new) if at is None else _planned(plan, at)
    if plan.stopping is Stopping.E_PROCESS:
        return _bet(con, plan, (new, base), order, facts)
    if not facts.number:
        return facts
    strata = _strata(con, plan, new, base)
    if strata is None:
        return facts
    return group_sequential(strata, plan, facts, at.fractions if at else None)


def repeated(plan: Plan, z: float, number: int, fractions: Sequence[float] | None = None) -> float:
    """Gives the critical value in place of z that holds however often the runs are looked at.

    Limits at it are repeated confidence intervals: all of the planned looks together have the
    error that those at z have at one. With the e-process the error is shared out evenly.

    Args:
        plan: names rule and looks.
        z: two-sided critical value of a single comparison.
        number: of the look, from 1; 0 before the first counts as the first.
        fractions: shares of the units at the looks; equal steps if not given.

    Source: Jennison and Turnbull (1989), Journal of the Royal Statistical Society B 51, 305-361,
    section 2.
    """
    if plan.stopping is Stopping.NONE:
        return z
    each = repeated_critical(
        z, plan.looks, kind=_KINDS.get(plan.stopping), fractions=fractions or None
    )
    return each[max(1, number) - 1]


def group_sequential(
    strata: Strata, plan: Plan, facts: SuiteLook, fractions: Sequence[float] | None = None
) -> SuiteLook:
    """Gives the look with its statistic, its boundary and, where it is crossed, the word.

    The boundary is Student's t at the nominal level of the look, since the spread is estimated from
    the units so far: with few of them the normal one would be crossed too often.

    Source: Pocock (1977), Biometrika 64, 191-199, on nominal levels for an unknown variance.
    """
    limits = boundaries(
        plan.looks, kind=_KINDS[plan.stopping], alpha=plan.alpha, fractions=fractions
    )
    share = strata.weights / strata.weights.sum()
    nominal = float(ndtr(-limits.z[facts.number - 1]))
    z = -float(stdtrit(_freedom(strata, share), nominal))
    if not np.isfinite(z):
        return facts
    one, two = (m.squares / ((m.n - 1.0) * m.n) for m in (strata.new, strata.base))
    variance = one + two - 2.0 * strata.correlation * np.sqrt(one * two)
    se = float(np.sqrt(np.maximum(share**2 * variance, 0.0).sum()))
    found = weighted_difference(
        strata.new,
        strata.base,
        strata.weights,
        level=1.0 - 2.0 * nominal,
        correlation=strata.correlation,
        critical=z,
    )
    beyond = abs(found.value) - plan.mde
    guarded = max(found.interval.lo, -found.interval.hi)
    is_over = beyond > z * se and guarded > plan.mde
    word = ("worse" if found.value > 0 else "better") if is_over else ""
    return msgspec.structs.replace(
        facts,
        statistic=beyond / se if se > 0 else None,
        boundary=z,
        word=word,
        delta=found.value,
        lo=max(-1.0, min(found.value - z * se, found.interval.lo)),
        hi=min(1.0, max(found.value + z * se, found.interval.hi)),
    )


def _freedom(strata: Strata, share: FloatArray) -> float:
    """Gives the degrees of freedom of the weighted difference, as if all units spread as widely.

    Welch's formula with one variance for all strata: that of few units may be 0 by chance, and
    would then claim to be known best.
    """
    parts = [(share**2 / m.n, m.n - 1.0) for m in (strata.new, strata.base)]
    total = sum(float(part.sum()) for part, _ in parts)
    return total**2 / sum(float((part**2 / df).sum()) for part, df in parts)


def wealth(
    differences: FloatArray, parts: NDArray[np.int64], plan: Plan
) -> tuple[float, float, float]:
    """Gives the largest wealth of bets on worse and on better, and the wealth that decides.

    Differences are weighted so that their mean is that of the suite scores, whatever the shares in
    which partitions were drawn, and scaled into [-1, 1]. Each side spends half of alpha.
    """
    counts = np.bincount(
        [_place(plan, unit.partition) for unit in plan.units if not unit.is_adversarial],
        minlength=len(plan.partitions),
    )
    weights = np.array([part.weight for part in plan.partitions])
    factor = weights / weights.sum() * counts.sum() / np.maximum(counts, 1)
    scale = float(factor.max())
    x = differences * factor[parts] / scale
    threshold = 2.0 / plan.alpha
    null = (plan.mde / scale + 1.0) / 2.0
    worse, better = (
        float(
            adaptive_bet(
                (side * x + 1.0) / 2.0, null_mean=null, threshold=threshold, two_sided=False
            ).path.max()
        )
        for side in (1.0, -1.0)
    )
    return worse, better, threshold


def _place(plan: Plan, partition: str) -> int:
    return next(i for i, part in enumerate(plan.partitions) if part.text == partition)


def _planned(plan: Plan, at: At) -> SuiteLook:
    return SuiteLook(
        rule=plan.stopping,
        number=at.number,
        looks=plan.looks,
        fraction=at.fractions[at.number - 1],
        n_executed=at.n_executed,
        n_planned=at.n_planned,
    )


def _stands(con: duckdb.DuckDBPyConnection, plan: Plan, new: Scored) -> SuiteLook:
    done, planned = _executions(con, new)
    fraction = done / planned if planned else 0.0
    return SuiteLook(
        rule=plan.stopping,
        number=min(plan.looks, int(fraction * plan.looks + 1e-9)),
        looks=plan.looks,
        fraction=fraction,
        n_executed=done,
        n_planned=planned,
    )


def _executions(con: duckdb.DuckDBPyConnection, one: Scored) -> tuple[int, int]:
    [row] = con.execute(
        f"SELECT sum(n_carried)::BIGINT, sum(reps)::BIGINT FROM {one.table.units}"
    ).fetchall()
    return int(row[0] or 0), int(row[1] or 0)


def _strata(con: duckdb.DuckDBPyConnection, plan: Plan, new: Scored, base: Scored) -> Strata | None:
    """Gives both sides by partition; None where a weighted one has too few units for a spread."""
    parts = tuple(part.text for part in plan.partitions)
    one, two, _ = both_sides(con, parts, (new, base), 2.0)
    weights = np.array([part.weight for part in plan.partitions])
    chosen = np.zeros(one.n.shape, dtype=np.bool_)
    chosen[:, 0] = weights > 0
    if bool((np.minimum(one.n, two.n)[chosen] < 2).any()):
        return None
    r = correlations(con, one, two) if plan.paired else np.zeros(one.n.shape)
    return Strata(
        new=one.moments(chosen),
        base=two.moments(chosen),
        weights=weights[weights > 0],
        correlation=r[chosen],
    )


def _bet(
    con: duckdb.DuckDBPyConnection,
    plan: Plan,
    both: tuple[Scored, Scored],
    order: Sequence[str],
    facts: SuiteLook,
) -> SuiteLook:
    """Bets on the units that both runs have done whole, in the order of the new run."""
    new, base = both
    rows = con.execute(
        f"SELECT n.unit, n.v - b.v, n.part FROM {new.table.units} n JOIN {base.table.units} b "
        "USING (unit) WHERE NOT n.is_adversarial AND n.n_run >= n.reps AND b.n_run >= b.reps "
        "AND n.v IS NOT NULL AND b.v IS NOT NULL"
    ).fetchall()
    found = {unit: (difference, part) for unit, difference, part in rows}
    taken = [found[unit] for unit in order if unit in found]
    if not taken:
        return facts
    worse, better, threshold = wealth(
        np.array([difference for difference, _ in taken]),
        np.array([part for _, part in taken], dtype=np.int64),
        plan,
    )
    word = "worse" if worse >= threshold else "better" if better >= threshold else ""
    return msgspec.structs.replace(
        facts,
        statistic=max(worse, better),
        boundary=threshold,
        word=word,
    )
