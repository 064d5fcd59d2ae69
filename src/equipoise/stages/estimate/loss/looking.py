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
from scipy.special import ndtr

from equipoise.records.plan import Plan, Stopping
from equipoise.records.suite import SuiteLook
from equipoise.stages.estimate.loss.scoring import Scored
from equipoise.stages.estimate.loss.shared import correlations
from equipoise.stages.estimate.loss.sides import both_sides
from equipoise.stats.betting import adaptive_bet
from equipoise.stats.intervals import Moments
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


def look(
    con: duckdb.DuckDBPyConnection,
    plan: Plan,
    new: Scored,
    base: Scored,
    order: Sequence[str] = (),
) -> SuiteLook | None:
    """Gives what the plan's stopping rule says of a run as far as it has gone.

    Args:
        con: holds the tables of both runs.
        plan: names rule, looks and level.
        new: the run that is going on, or is done.
        base: the run it is compared with.
        order: the units of the new run in the order in which they were done; for the e-process.

    Returns:
        Null where the plan has no rule; a look without number where it is too early for the first.
    """
    if plan.stopping is Stopping.NONE:
        return None
    done, planned = _executions(con, new)
    fraction = done / planned if planned else 0.0
    facts = SuiteLook(
        rule=plan.stopping,
        number=min(plan.looks, int(fraction * plan.looks + 1e-9)),
        looks=plan.looks,
        fraction=fraction,
        n_executed=done,
        n_planned=planned,
    )
    if plan.stopping is Stopping.E_PROCESS:
        return _bet(con, plan, (new, base), order, facts)
    if not facts.number:
        return facts
    strata = _strata(con, plan, new, base)
    return facts if strata is None else group_sequential(strata, plan, facts)


def group_sequential(strata: Strata, plan: Plan, facts: SuiteLook) -> SuiteLook:
    """Gives the look with its statistic, its boundary and, where it is crossed, the word."""
    limits = boundaries(plan.looks, kind=_KINDS[plan.stopping], alpha=plan.alpha)
    z = limits.z[facts.number - 1]
    share = strata.weights / strata.weights.sum()
    one, two = (m.squares / ((m.n - 1.0) * m.n) for m in (strata.new, strata.base))
    variance = one + two - 2.0 * strata.correlation * np.sqrt(one * two)
    se = float(np.sqrt(np.maximum(share**2 * variance, 0.0).sum()))
    found = weighted_difference(
        strata.new,
        strata.base,
        strata.weights,
        level=float(1.0 - 2.0 * ndtr(-z)),
        correlation=strata.correlation,
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
    )


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
