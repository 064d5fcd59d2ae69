"""The two sides of a comparison in one shape: the same partitions, the same categories."""

from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from equipoise.stages.estimate.loss.design import design_effects
from equipoise.stages.estimate.loss.moments import LossMoments, grouped
from equipoise.stages.estimate.loss.scoring import Scored
from equipoise.stages.estimate.loss.units import UnitTable
from equipoise.stats.intervals import Moments

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One run in the shape of the comparison; arrays of shape (partitions, 1 + categories).

    `relation` is SQL with one row per unit: ``unit``, ``part`` (place in the comparison's
    partitions), ``is_adversarial``, ``v`` (the loss over the categories that both sides could
    evaluate in that partition) and ``c0..``. `squares` hold the rater variance.
    `design` is the design effect of clusters; `observed_share` the part of the variance that
    was observed between units.
    """

    relation: str
    columns: tuple[str, ...]
    n: FloatArray
    mean: FloatArray
    squares: FloatArray
    observed_share: FloatArray
    design: FloatArray

    def moments(self, chosen: NDArray[np.bool_]) -> Moments:
        """Gives the moments of the chosen cells, clustered units counted for what they say.

        With a design effect n is divided by it, down to 2; the variance between units stays.
        """
        effective = np.maximum(self.n[chosen] / self.design[chosen], 2.0)
        variance = self.squares[chosen] / (self.n[chosen] - 1.0)
        is_plain = self.design[chosen] == 1.0
        return Moments(
            n=np.where(is_plain, self.n[chosen], effective),
            mean=self.mean[chosen],
            squares=np.where(is_plain, self.squares[chosen], variance * (effective - 1.0)),
        )


def both_sides(
    con: duckdb.DuckDBPyConnection,
    parts: tuple[str, ...],
    scored: tuple[Scored, Scored],
    z: float,
) -> tuple[Side, Side, list[str]]:
    """Gives the new and the base side, and notes where their evaluable categories differ.

    A category counts into the loss of a partition only where both sides could evaluate it there.
    """
    new, _ = scored
    held = [_placed(one, parts) for one in scored]
    both = (held[0][:, 1:] > 0) & (held[1][:, 1:] > 0)
    either = (held[0][:, 1:] > 0) | (held[1][:, 1:] > 0)
    is_weighed = np.array([c.weight > 0 for c in new.table.categories])
    either = np.where(is_weighed, either, both)  # a diagnostic has no part in a loss
    is_same = not bool((both != either).any())
    names = [c.id for c in new.table.categories]
    notes = [
        f"{part}: the loss is compared without "
        f"{', '.join(n for n, out in zip(names, gone, strict=True) if out)}, which only one side "
        "could evaluate"
        for part, gone in zip(parts, (either & ~both).tolist(), strict=True)
        if any(gone)
    ]
    sides, n_clustered = [], 0
    for one in scored:
        side, n = _side(con, one, parts, None if is_same else both, z)
        sides.append(side)
        n_clustered = max(n_clustered, n)
    if n_clustered:
        notes.append(
            f"units share clusters in {n_clustered} cells: their intervals, and se_delta, are "
            "those of clusters, wider than the suites' own se"
        )
    return sides[0], sides[1], notes


def one_sided(parts: tuple[str, ...], new: Scored, base: Scored) -> FloatArray:
    """Gives, by partition, the share of what was weighed that only one side could evaluate.

    A category counts with its weight, times the share of a side's units that have a value in it.
    """
    weights = np.array([c.weight for c in new.table.categories])
    counts = [_placed(one, parts) for one in (new, base)]
    shares = [n[:, 1:] / np.maximum(n[:, :1], 1.0) for n in counts]
    most, least = np.maximum(*shares) @ weights, np.minimum(*shares) @ weights
    lacking: FloatArray = (most - least) / np.where(most > 0, most, 1.0)
    return lacking


def _placed(one: Scored, parts: tuple[str, ...]) -> FloatArray:
    """Gives the counts of units by the comparison's partitions; 0 where the run has none."""
    found = np.zeros((len(parts), one.moments.n.shape[1]))
    for place, part in enumerate(parts):
        if part in one.table.parts:
            found[place] = one.moments.n[one.table.parts.index(part)]
    return found


def _side(
    con: duckdb.DuckDBPyConnection,
    one: Scored,
    parts: tuple[str, ...],
    both: NDArray[np.bool_] | None,
    z: float,
) -> tuple[Side, int]:
    table = one.table
    columns = ("v", *(f"c{c.place}" for c in table.categories))
    relation = _relation(table, parts, both)
    found = grouped(con, relation, list(columns), len(parts))
    added = np.asarray(one.added)[None, :] * np.maximum(found.n - 1.0, 0.0)
    total = found.squares + added
    design, n_clustered = design_effects(con, relation, list(columns), found, z)
    side = Side(
        relation=relation,
        columns=columns,
        n=found.n,
        mean=found.mean,
        squares=total,
        observed_share=_share(found, total),
        design=design,
    )
    return side, n_clustered


def _share(found: LossMoments, total: FloatArray) -> FloatArray:
    return np.where(total > 0, found.squares / np.where(total > 0, total, 1.0), 1.0)


def _relation(table: UnitTable, parts: tuple[str, ...], both: NDArray[np.bool_] | None) -> str:
    kept = ", ".join(f"c{c.place}" for c in table.categories)
    places = {place: parts.index(part) for place, part in enumerate(table.parts) if part in parts}
    moved = " ".join(f"WHEN {old} THEN {new}" for old, new in places.items())
    where = ", ".join(map(str, places)) or "-1"
    loss = "v" if both is None else _loss_over(table, places, both)
    part = f"CASE part {moved} ELSE -1 END" if moved else "-1"
    return (
        f"(SELECT unit, cluster, {part} AS part, is_adversarial, {loss} AS v, {kept} "
        f"FROM {table.units} WHERE part IN ({where}))"
    )


def _loss_over(table: UnitTable, places: dict[int, int], both: NDArray[np.bool_]) -> str:
    """Gives SQL for the loss over the categories that both sides have, by partition."""
    cases = []
    for old, new in places.items():
        kept = [c for c in table.categories if both[new, c.place]]
        if not kept:
            continue
        lost = " + ".join(f"{c.weight!r} * coalesce(c{c.place}, 0.0)" for c in kept)
        weight = " + ".join(
            f"CASE WHEN c{c.place} IS NULL THEN 0.0 ELSE {c.weight!r} END" for c in kept
        )
        cases.append(f"WHEN {old} THEN least(1.0, ({lost}) / nullif({weight}, 0.0))")
    return f"(CASE part {' '.join(cases)} END)::DOUBLE" if cases else "NULL::DOUBLE"
