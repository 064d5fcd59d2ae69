"""Two suites set against each other: one row per registered cell, and the score's difference."""

import math
from dataclasses import dataclass

import duckdb
import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from equipoise.records.plan import CellPlan, Plan
from equipoise.records.suite import LossRow, ScoreDifference, SuiteLook
from equipoise.stages.estimate.loss.crosscheck import bootstrap_limits
from equipoise.stages.estimate.loss.looking import repeated
from equipoise.stages.estimate.loss.rules import critical, limits_at
from equipoise.stages.estimate.loss.scoring import FEW, NOT_EVALUABLE, SCORED, Scored
from equipoise.stages.estimate.loss.shared import correlations
from equipoise.stages.estimate.loss.sides import Side, both_sides, one_sided
from equipoise.stats.critical import critical_value
from equipoise.stats.inputs import normal_quantile
from equipoise.stats.loss_reach import reportable_loss
from equipoise.stats.weighted_difference import weighted_difference

FloatArray = NDArray[np.float64]

_SAME = 0.90
"""Level of the interval that shows equivalence: two one-sided tests at 5 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Rows without a decision, in the plan's order, and what the whole shows."""

    rows: tuple[LossRow, ...]
    score: ScoreDifference | None
    z: float
    notes: tuple[str, ...]


def contrast(
    con: duckdb.DuckDBPyConnection,
    plan: Plan,
    new: Scored,
    base: Scored,
    *,
    seed: int,
    seen: SuiteLook | None = None,
    fractions: tuple[float, ...] = (),
) -> Contrast:
    """Compares two scored runs in every cell that the plan registered.

    `k` is the plan's, whatever became of the cells. Arms are independent unless the plan says
    paired; then the means of shared units go together as far as they were seen to. Where the plan
    may stop early, all limits hold at each of its looks together: `seen` is the look that the
    runs stand at, `fractions` the shares of the units at all of them.
    """
    if not plan.cells:
        return Contrast(rows=(), score=None, z=0.0, notes=("the plan registers no cell",))
    parts = tuple(part.text for part in plan.partitions)
    columns = {"": 0} | {c.id: 1 + c.place for c in new.table.categories}
    one, two, notes = both_sides(con, parts, (new, base), critical_value(plan.k).z)
    r = correlations(con, one, two) if plan.paired else np.zeros(one.n.shape)
    rule = critical(con, plan, (one, two), r, _evaluable(plan, parts, columns, (one, two)))
    number = seen.number if seen else plan.looks
    z, same = (repeated(plan, one, number, fractions) for one in (rule.z, normal_quantile(_SAME)))
    notes = [*notes, *([rule.note] if rule.note else [])]
    if z > rule.z:
        notes.append(
            f"the plan may stop early: the limits hold at all {plan.looks} looks together, so that "
            f"z is {z:.3f} in place of {rule.z:.3f}"
        )
    table = _Table(
        plan=plan,
        n_min=_least(plan, new, base),
        sides=(one, two),
        limits=_limits(plan, (one, two), r, z),
        bootstrap=bootstrap_limits(con, one, two, seed, z, is_paired=plan.paired),
        columns=columns,
    )
    return Contrast(
        rows=tuple(table.row(cell) for cell in plan.cells),
        score=_score(plan, new, base, (one, two), (r, same)),
        z=z,
        notes=tuple(notes),
    )


def _least(plan: Plan, new: Scored, base: Scored) -> dict[str, int]:
    """Gives the minimum of units by partition: the larger of the two sides' plans."""
    found = {part.text: part.n_min for part in plan.partitions}
    for one in (new, base):
        for part, row in zip(one.table.parts, one.suite.partitions, strict=False):
            found[part] = max(found.get(part, 0), row.n_min)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limits:
    """Numbers by cell, NaN where a side has fewer than two units; shape (partitions, columns)."""

    se: FloatArray
    literal: tuple[FloatArray, FloatArray]
    guarded: tuple[FloatArray, FloatArray]
    reportable: FloatArray


def _evaluable(
    plan: Plan, parts: tuple[str, ...], columns: dict[str, int], sides: tuple[Side, Side]
) -> list[tuple[int, int]]:
    """Gives (partition, column) of the registered cells in which both sides have two units."""
    places = [
        (parts.index(cell.partition), columns[cell.category])
        for cell in plan.cells
        if cell.partition in parts and cell.category in columns
    ]
    return [at for at in places if min(sides[0].n[at], sides[1].n[at]) > 1]


def _limits(plan: Plan, sides: tuple[Side, Side], r: FloatArray, z: float) -> _Limits:
    new, base = sides
    chosen = np.minimum(new.n, base.n) > 1
    one, two = new.moments(chosen), base.moments(chosen)
    se, literal, guarded = limits_at(one, two, z, r[chosen])
    reach = reportable_loss(one, two, z=z, margin=plan.mde, correlation=r[chosen])

    def placed(values: FloatArray) -> FloatArray:
        whole = np.full(new.n.shape, np.nan)
        whole[chosen] = values
        return whole

    return _Limits(
        se=placed(se),
        literal=(placed(literal[0]), placed(literal[1])),
        guarded=(placed(guarded[0]), placed(guarded[1])),
        reportable=placed(reach),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Everything that a row is made of."""

    plan: Plan
    n_min: dict[str, int]
    sides: tuple[Side, Side]
    limits: _Limits
    bootstrap: dict[tuple[int, int], tuple[float, float]]
    columns: dict[str, int]

    def row(self, cell: CellPlan) -> LossRow:
        parts = [part.text for part in self.plan.partitions]
        n_min = self.n_min.get(cell.partition, 0)
        if cell.partition not in parts or cell.category not in self.columns:
            return LossRow(
                partition=cell.partition,
                category=cell.category,
                status=NOT_EVALUABLE,
                n_new=0,
                n_base=0,
                n_min=n_min,
            )
        at = (parts.index(cell.partition), self.columns[cell.category])
        new, base = self.sides
        n_new, n_base = int(new.n[at]), int(base.n[at])
        few = min(n_new, n_base) < n_min
        row = LossRow(
            partition=cell.partition,
            category=cell.category,
            status=NOT_EVALUABLE if min(n_new, n_base) == 0 else FEW if few else SCORED,
            n_new=n_new,
            n_base=n_base,
            n_min=n_min,
            loss_new=float(new.mean[at]) if n_new else None,
            loss_base=float(base.mean[at]) if n_base else None,
        )
        return self._with_limits(row, at) if min(n_new, n_base) else row

    def _with_limits(self, row: LossRow, at: tuple[int, int]) -> LossRow:
        delta = float(self.sides[0].mean[at] - self.sides[1].mean[at])
        row = msgspec.structs.replace(row, delta=delta)
        found = self.limits
        if math.isnan(found.se[at]):
            return row
        ends = self.bootstrap[at]
        literal, guarded = (
            [float(end[at]) for end in pair] for pair in (found.literal, found.guarded)
        )
        mde = self.plan.mde
        rule = (min(literal[0], guarded[0]) > mde, max(literal[1], guarded[1]) < -mde)
        return msgspec.structs.replace(
            row,
            se_delta=float(found.se[at]),
            literal_lo=literal[0],
            literal_hi=literal[1],
            guarded_lo=guarded[0],
            guarded_hi=guarded[1],
            reportable=_known(float(found.reportable[at])),
            excludable=min(1.0, max(literal[1], guarded[1])),
            bootstrap_lo=max(-1.0, ends[0]),
            bootstrap_hi=min(1.0, ends[1]),
            is_disputed=rule != (ends[0] > mde, ends[1] < -mde),
        )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _score(
    plan: Plan,
    new: Scored,
    base: Scored,
    sides: tuple[Side, Side],
    at: tuple[FloatArray, float],
) -> ScoreDifference | None:
    """Gives the difference of the scores; None where no partition is scored on both sides.

    `at` holds the correlations of the means, and the critical value of the score's interval.
    """
    r, z = at
    level = _SAME if z == normal_quantile(_SAME) else float(1.0 - 2.0 * ndtr(-z))
    least = _least(plan, new, base)
    chosen = np.zeros(sides[0].n.shape, dtype=np.bool_)
    chosen[:, 0] = [
        min(sides[0].n[place, 0], sides[1].n[place, 0]) >= max(2, least[part.text])
        for place, part in enumerate(plan.partitions)
    ]
    weights = np.array([part.weight for part in plan.partitions])
    kept = weights[chosen[:, 0]]
    if not kept.sum() > 0:
        return None
    one, two = sides[0].moments(chosen), sides[1].moments(chosen)
    found = weighted_difference(one, two, kept, level=level, correlation=r[chosen], critical=z)
    unseen = one_sided(tuple(part.text for part in plan.partitions), new, base)[chosen[:, 0]]
    reach = max(found.interval.hi - found.value, found.value - found.interval.lo)
    return ScoreDifference(
        delta=found.value,
        lo=found.interval.lo,
        hi=found.interval.hi,
        covered=float(kept.sum() / weights.sum()),
        n=int(min(one.n.sum(), two.n.sum())),
        factor=(reach / plan.mde * _SURE) ** 2,
        unseen=float((kept * unseen).sum() / kept.sum()),
    )


_SURE = (1.6448536 + 1.2815516) / 1.6448536
"""How much farther than the interval the margin must lie for 80 % power at no difference."""
