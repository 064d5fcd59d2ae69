"""Columns of runs with known losses, as the archive would give them, without an archive."""

from dataclasses import dataclass
from pathlib import Path

import duckdb
import msgspec
import numpy as np
from numpy.typing import NDArray

from equipoise.records.catalog import Catalog, Category
from equipoise.records.plan import Mode, Plan, Provenance
from equipoise.stages.decide.loss import judged
from equipoise.stages.estimate.loss.contrast import Contrast, contrast
from equipoise.stages.estimate.loss.scoring import RunNotes, Scored, score
from equipoise.stages.estimate.loss.units import LossTrials
from studies.loss.made_loss_runs import partition, plan, units

FloatArray = NDArray[np.float64]

CATALOG = Catalog(
    version="v1",
    categories=(
        Category(id="wrong", weight=0.3, type="deterministic", max=1),
        Category(id="tone", weight=0.1, type="deterministic", max=1),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Arm:
    """Shares lost by category, shape (partitions, units, repetitions, categories); NaN = none.

    `order` seeds the order of the rows.
    """

    name: str
    lost: FloatArray
    order: int = 0


def promised(shape: tuple[int, ...], *, paired: bool = False) -> Plan:
    """A plan for arms of this shape, every partition x category registered."""
    parts = [partition({"intent": f"p{i}"}, weight=1 / shape[0], n_min=2) for i in range(shape[0])]
    planned = [
        one
        for i, part in enumerate(parts)
        for one in units(part, (f"p{i}u{j}" for j in range(shape[1])), repetitions=shape[2])
    ]
    return plan(parts, planned, CATALOG, paired=paired)


def scored(
    con: duckdb.DuckDBPyConnection, folder: Path, arm: Arm, promise: Plan, name: str
) -> Scored:
    """The suite of an arm, from columns in the given order of rows."""
    path = folder / f"{name}.parquet"
    part, unit, repetition = (axis.ravel() for axis in np.indices(arm.lost.shape[:3]))
    order = np.random.default_rng(arm.order).permutation(part.size)
    rows = {
        "part": part[order],
        "unit": unit[order],
        "repetition": repetition[order],
        "wrong": arm.lost[..., 0].ravel()[order],
        "tone": arm.lost[..., 1].ravel()[order],
    }
    con.register("rows_now", rows)
    con.execute(
        "COPY (SELECT 't' || part || '-' || unit || '-' || repetition AS trial, "
        "'p' || part || 'u' || unit AS unit, "
        f"'{arm.name}' AS arm, (repetition + 1)::INT AS repetition, 1 AS attempt, "
        "'completed' AS ending, '' AS detail, NULL::VARCHAR AS cluster, "
        'CASE WHEN isnan(wrong) THEN NULL ELSE wrong END AS "value:v1:wrong", '
        'CASE WHEN isnan(tone) THEN NULL ELSE tone END AS "value:v1:tone" '
        f"FROM rows_now) TO '{path}' (FORMAT parquet)"
    )
    con.unregister("rows_now")
    trials = LossTrials(results=path, evidence=path, arm=arm.name, plan=promise, catalog=CATALOG)
    run = RunNotes(
        run_id=arm.name,
        mode=Mode.A,
        provenance=Provenance.SYNTHETIC,
        began_at="2026-01-01",
        plan_sha256="",
        seal="self-declared",
        catalog_sha256="",
        harness_version="0",
    )
    return score(con, trials, run, {}, name)


def compared(folder: Path, new: Arm, base: Arm, promise: Plan) -> Contrast:
    """The two arms compared, rows with what they fail by (citations left aside)."""
    with duckdb.connect() as con:
        one = scored(con, folder, new, promise, "new")
        two = scored(con, folder, base, promise, "base")
        found = contrast(con, promise, one, two, seed=7)
    return Contrast(
        rows=judged(found.rows, promise.mde), score=found.score, z=found.z, notes=found.notes
    )


def with_mde(promise: Plan, mde: float) -> Plan:
    """The plan with another margin."""
    return msgspec.structs.replace(promise, mde=mde)
