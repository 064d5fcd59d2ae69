"""Scores one run: its suite, per partition and category, with everything that stands beside it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import duckdb
import msgspec
import numpy as np

from equipoise.errors import NotEstimable
from equipoise.records.plan import Mode, PartitionPlan, Provenance
from equipoise.records.suite import CategoryStats, PartitionScore, RaterSpread, Suite
from equipoise.stages.estimate.loss.completion import Completion, completion
from equipoise.stages.estimate.loss.moments import LossMoments, loss_moments
from equipoise.stages.estimate.loss.origin import hashed_beside, results_sha256
from equipoise.stages.estimate.loss.raters import added_variance
from equipoise.stages.estimate.loss.steadiness import steadiness
from equipoise.stages.estimate.loss.units import (
    LossTrials,
    UnitTable,
    n_strangers,
    read_units,
    weighed,
)
from equipoise.stages.estimate.units import SCALE, fixed
from equipoise.stats.suite import Stratum, suite_score

SCORED, FEW, NOT_EVALUABLE = "scored", "unterbelegt", "unbewertbar"

MOST_ABORTED = 0.10
"""An abort rate above this (strictly) leaves no score."""


class RunNotes(msgspec.Struct, frozen=True, kw_only=True):
    """What the archive of a run says beside its trials, as the suite carries it.

    `began_at` is the time of its first event; `is_stopped_early`: the plan has a
    stopping rule and the run tells of no look, so that executions not begun were not aborted;
    `n_not_executed` were left out because it stopped at a look. `derived_by` is the version that
    scores now. `clipped` counts raw values above
    their category's maximum.
    """

    run_id: str
    mode: Mode
    provenance: Provenance
    began_at: str
    plan_sha256: str
    seal: str
    catalog_sha256: str
    harness_version: str
    is_simulated: bool = False
    is_stopped_early: bool = False
    notes: tuple[str, ...] = ()
    clipped: dict[str, int] = {}
    n_not_executed: int = 0
    derived_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A suite with the tables and moments it came from."""

    suite: Suite
    table: UnitTable
    moments: LossMoments
    added: list[float]


def score(
    con: duckdb.DuckDBPyConnection,
    trials: LossTrials,
    run: RunNotes,
    raters: Mapping[str, RaterSpread],
    name: str = "run",
) -> Scored:
    """Scores one run under one catalog.

    The loss of a unit is the mean over its repetitions, the loss of a partition the mean over its
    units, the score the mean over the scored partitions by the plan's weights: whatever was drawn
    with overweight does not shift it. Adversarial units stand in rows of their own.

    Raises:
        InputError: the run was not graded under this catalog.
    """
    categories = weighed(con, trials)
    if trials.is_cut:
        scored = _scored(con, trials, run, raters, name)
        among = scored.table.planned
        sha256 = results_sha256(con, trials, categories, raters, run.clipped, among=among)
    else:
        with hashed_beside(con, trials, categories, raters, run.clipped) as hashed:
            scored = _scored(con, trials, run, raters, name)
            sha256 = hashed.result()
    suite = msgspec.structs.replace(scored.suite, results_sha256=sha256)
    return replace(scored, suite=suite)


def _scored(
    con: duckdb.DuckDBPyConnection,
    trials: LossTrials,
    run: RunNotes,
    raters: Mapping[str, RaterSpread],
    name: str,
) -> Scored:
    table = read_units(con, trials, name)
    done = completion(con, trials, table, is_stopped_early=run.is_stopped_early)
    ordinary = loss_moments(con, table)
    added = added_variance(trials.catalog, dict(raters))
    rows = _partitions(
        con, trials, table, (ordinary, loss_moments(con, table, is_adversarial=True)), added
    )
    wavering = steadiness(con, trials, table)
    score, why = _score(rows, done)
    inside = [row for row in rows if not row.is_adversarial]
    suite = Suite(
        catalog_version=trials.catalog.version,
        mode=run.mode,
        provenance=run.provenance,
        mde=trials.plan.mde,
        suite_score=None if score is None else score[0],
        se=None if score is None else score[1],
        covered_weight=0.0 if score is None else score[2],
        completion_rate=done.rate,
        coverage=math.fsum(row.weight * row.coverage for row in inside),
        partitions=tuple(rows),
        run_id=run.run_id,
        created_at=run.began_at,
        plan_sha256=run.plan_sha256,
        sample_budget=trials.plan.sample_budget,
        arm=trials.arm,
        not_scored=why,
        is_simulated=run.is_simulated or trials.plan.is_simulated,
        seal=run.seal,
        catalog_sha256=run.catalog_sha256,
        harness_version=run.harness_version,
        harness_errors=done.errors,
        incomplete_units=wavering.incomplete,
        flaky=wavering.flaky,
        anchors_differing=wavering.anchors,
        clipped=dict(sorted(run.clipped.items())),
        notes=(*run.notes, *wavering.notes, *_notes(con, trials, table, rows)),
        raters=dict(sorted(raters.items())),
        n_not_executed=run.n_not_executed,
        derived_by=run.derived_by,
    )
    return Scored(suite=suite, table=table, moments=ordinary, added=added)


def _score(
    rows: list[PartitionScore], done: Completion
) -> tuple[tuple[float, float, float] | None, str]:
    """Gives (score, se, covered weight), or none and the reason."""
    aborted = done.planned - done.completed
    if aborted * 10 > done.planned:
        return None, (
            f"{aborted} of {done.planned} executions did not complete: "
            f"{aborted / done.planned:.1%}, above {MOST_ABORTED:.0%}; mend the harness first"
        )
    strata = [
        Stratum(
            weight=row.weight,
            loss=row.loss or 0.0,
            sd=row.stddev_between or 0.0,
            n=row.n,
            is_scored=row.status == SCORED,
        )
        for row in rows
        if not row.is_adversarial
    ]
    try:
        found = suite_score(strata)
    except NotEstimable:
        return None, "no partition has its minimum of units"
    return (found.score, found.se, found.covered), ""


def _partitions(
    con: duckdb.DuckDBPyConnection,
    trials: LossTrials,
    table: UnitTable,
    moments: tuple[LossMoments, LossMoments],
    added: list[float],
) -> list[PartitionScore]:
    facts = {
        (part, is_adversarial): values
        for part, is_adversarial, *values in con.execute(
            "SELECT part, is_adversarial, count(*), sum(n_run)::BIGINT, "
            f"sum({fixed('within')})::DOUBLE / {SCALE}, "
            "sum(greatest(n_value - 1, 0))::BIGINT, "
            f"sum({fixed('covered')})::DOUBLE / {SCALE} / count(*) "
            f"FROM {table.units} GROUP BY ALL"
        ).fetchall()
    }
    rows = []
    for is_adversarial, found in ((False, moments[0]), (True, moments[1])):
        for place, part in enumerate(trials.plan.partitions):
            if is_adversarial and (place, True) not in facts:
                continue
            counts = facts.get((place, is_adversarial), [0, 0, 0.0, 0, 0.0])
            rows.append(_partition(part, table, _Cell(found, place, added), counts, is_adversarial))
    return rows


@dataclass(frozen=True, slots=True)
class _Cell:
    """One partition's row of moments, with the rater variance that is added."""

    moments: LossMoments
    place: int
    added: list[float]

    def stats(self, column: int, n_min: int) -> CategoryStats:
        n = int(self.moments.n[self.place, column])
        if n == 0:
            return CategoryStats(loss=None, stddev_between=None, se=None, n=0, status=NOT_EVALUABLE)
        sd = None
        if n > 1:
            variance = float(self.moments.variance[self.place, column]) + self.added[column]
            sd = math.sqrt(variance)
        return CategoryStats(
            loss=float(self.moments.mean[self.place, column]),
            stddev_between=sd,
            se=None if sd is None else sd / math.sqrt(n),
            n=n,
            status=SCORED if n >= n_min else FEW,
        )


def _partition(
    part: PartitionPlan,
    table: UnitTable,
    cell: _Cell,
    counts: list[float],
    is_adversarial: bool,
) -> PartitionScore:
    loss = cell.stats(0, part.n_min)
    stats = {c.id: cell.stats(1 + c.place, part.n_min) for c in table.categories}
    n_planned, n_run, within, df, coverage = counts
    return PartitionScore(
        labels=part.labels,
        weight=0.0 if is_adversarial else part.weight,
        n=loss.n,
        n_min=part.n_min,
        loss=loss.loss,
        stddev_between=loss.stddev_between,
        se=loss.se,
        stddev_within=math.sqrt(within / df) if df else None,
        coverage=min(1.0, coverage),
        status=loss.status,
        by_category={name: one.loss for name, one in stats.items() if one.loss is not None},
        by_category_stats=stats,
        n_planned=int(n_planned),
        n_executions=int(n_run),
        achieved_mde=4.0 * loss.se if loss.se else None,
        is_adversarial=is_adversarial,
        why=_why(loss, df=int(df), n_min=part.n_min),
    )


def _why(loss: CategoryStats, *, df: int, n_min: int) -> str:
    """Says why a number is missing, or less than it looks."""
    if loss.n == 0:
        return "no unit could be evaluated"
    told = []
    if loss.n < n_min:
        told.append(f"{loss.n} of {n_min} units")
    if loss.n == 1:
        told.append("a single unit has no spread")
    elif loss.stddev_between == 0.0:
        told.append("no spread was seen, which is no certainty: guarded limits decide")
    if df == 0:
        told.append("no repetitions to measure a spread within units")
    return "; ".join(told)


def _notes(
    con: duckdb.DuckDBPyConnection,
    trials: LossTrials,
    table: UnitTable,
    rows: list[PartitionScore],
) -> list[str]:
    notes = []
    if strangers := n_strangers(con, trials, table):
        notes.append(f"{strangers} trials of units that the plan does not name count for nothing")
    flat = [row.labels for row in rows if row.stddev_between == 0.0]
    if flat:
        notes.append(
            f"{len(flat)} partitions show no spread between units: that is no certainty, and "
            "se = 0 decides nothing by itself"
        )
    ungraded = [c.id for c in table.categories if c.criterion is None]
    if ungraded:
        notes.append(f"nothing was graded under {', '.join(ungraded)}: unbewertbar, not 0")
    total = math.fsum(c.weight for c in table.categories)
    judged = math.fsum(c.weight for c in table.categories if c.is_judged)
    if judged and not np.isclose(total, 0.0):
        notes.append(f"{judged / total:.0%} of the catalog's weight is judged by models")
    return notes
