"""The critical value of the plan's rule: one z at which limits decide whether a cell is listed.

Each rule comes down to one z for all registered cells, so that the printed intervals are those that
decide: `seed` and `bonferroni` from k alone, `maxt` from how the cells go together, `holm` and `bh`
from the cells' own p-values. A p-value here is that of the rule itself: the level at which the
worse of the literal and the guarded limit just meets the margin.
"""

from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from equipoise.records.plan import Plan
from equipoise.records.terms import Rule
from equipoise.stages.estimate.loss.sides import Side
from equipoise.stats.critical import critical_value
from equipoise.stats.intervals import Moments
from equipoise.stats.mover import difference_limits

FloatArray = NDArray[np.float64]

_HALVINGS = 50
_LARGEST = 40.0
_DRAWS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Critical:
    """The critical value, and what is to be said of it."""

    z: float
    note: str = ""


def limits_at(
    new: Moments, base: Moments, z: float | FloatArray, r: FloatArray
) -> tuple[FloatArray, tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Gives the standard error, the literal and the guarded limits of the differences at z."""
    one, two = (m.squares / ((m.n - 1.0) * m.n) for m in (new, base))
    se = np.sqrt(np.maximum(one + two - 2.0 * r * np.sqrt(one * two), 0.0))
    delta = new.mean - base.mean
    guarded = difference_limits(new, base, z, correlation=r)
    return se, (delta - z * se, delta + z * se), guarded


def critical(
    con: duckdb.DuckDBPyConnection,
    plan: Plan,
    sides: tuple[Side, Side],
    r: FloatArray,
    cells: list[tuple[int, int]],
) -> Critical:
    """Gives the critical value of the plan's rule for its k cells.

    Args:
        con: holds the tables of both sides.
        plan: names rule, k, margin and level.
        sides: the new and the base side.
        r: correlations of the means, shape (partitions, columns).
        cells: (partition, column) of the registered cells that both sides have two units in; cells
            that could not be evaluated count in k all the same.
    """
    k, half = plan.k, plan.alpha / 2.0
    if plan.rule == Rule.SEED:
        return Critical(z=critical_value(k).z)
    if plan.rule == Rule.BONFERRONI or not cells:
        return Critical(z=_normal(half / k))
    if plan.rule == Rule.MAX_T:
        return _max_t(con, plan, sides, cells)
    at = (np.array([part for part, _ in cells]), np.array([column for _, column in cells]))
    chosen = np.zeros(sides[0].n.shape, dtype=np.bool_)
    chosen[at] = True
    p = np.sort(_p_values(sides[0].moments(chosen), sides[1].moments(chosen), plan.mde, r[chosen]))
    if plan.rule == Rule.HOLM:
        fails = np.flatnonzero(p > half / (k - np.arange(p.size)))
        rejected = int(fails[0]) if fails.size else p.size
        return Critical(
            z=_normal(half / max(1, k - rejected)),
            note="rule holm: the intervals are at the last step's level; not simultaneous",
        )
    holds = np.flatnonzero(p <= half * np.arange(1, p.size + 1) / k)
    count = int(holds[-1]) + 1 if holds.size else 1
    return Critical(
        z=_normal(half * count / k),
        note=f"rule bh: a triage list, the expected share of false lines is at most {half:g} on "
        "each side",
    )


def _normal(tail: float) -> float:
    return float(-ndtri(tail))


def _p_values(new: Moments, base: Moments, mde: float, r: FloatArray) -> FloatArray:
    """One-sided p-values of a change beyond the margin, towards the side of each difference."""
    low, high = np.zeros_like(new.mean), np.full_like(new.mean, _LARGEST)
    is_gain = new.mean < base.mean
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        _, literal, guarded = limits_at(new, base, middle, r)
        up = np.minimum(literal[0], guarded[0])
        down = np.minimum(-literal[1], -guarded[1])
        is_beyond = np.where(is_gain, down, up) > mde
        low, high = np.where(is_beyond, middle, low), np.where(is_beyond, high, middle)
    return np.asarray(ndtr(-low), dtype=np.float64)


def _max_t(
    con: duckdb.DuckDBPyConnection,
    plan: Plan,
    sides: tuple[Side, Side],
    cells: list[tuple[int, int]],
) -> Critical:
    """The quantile of the largest of k normal statistics that go together as the cells do.

    Partitions are independent; inside one, categories go together as their unit losses do in both
    sides. Cells that could not be evaluated count as independent ones. Source: Hothorn, Bretz and
    Westfall (2008), Biometrical Journal 50, 346-363, section 3.
    """
    rng = np.random.default_rng([plan.seed & (2**63 - 1), plan.k])
    largest = np.zeros(_DRAWS)
    for part in sorted({part for part, _ in cells}):
        columns = [column for where, column in cells if where == part]
        matrix = _together(con, sides, part, columns)
        values, vectors = np.linalg.eigh(matrix)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        draws = rng.standard_normal((_DRAWS, len(columns))) @ root.T
        largest = np.maximum(largest, np.abs(draws).max(axis=1))
    for _ in range(plan.k - len(cells)):
        largest = np.maximum(largest, np.abs(rng.standard_normal(_DRAWS)))
    z = float(np.quantile(largest, 1.0 - plan.alpha))
    return Critical(
        z=min(max(z, _normal(plan.alpha / 2.0)), _normal(plan.alpha / 2.0 / plan.k)),
        note="rule maxt: z is the quantile of the largest statistic under the cells' correlation",
    )


def _together(
    con: duckdb.DuckDBPyConnection, sides: tuple[Side, Side], part: int, columns: list[int]
) -> FloatArray:
    """Gives the correlation of the differences of a partition's categories, to six decimals."""
    total = np.zeros((len(columns), len(columns)))
    for side in sides:
        names = [side.columns[column] for column in columns]
        pairs = [(i, j) for i in range(len(names)) for j in range(i, len(names))]
        sums = ", ".join(f"covar_samp({names[i]}, {names[j]})" for i, j in pairs)
        [row] = con.execute(
            f"SELECT {sums} FROM {side.relation} WHERE part = {part} AND NOT is_adversarial"
        ).fetchall()
        for (i, j), value in zip(pairs, row, strict=True):
            share = float(value or 0.0) / max(float(side.n[part, columns[i]]), 1.0)
            total[i, j] += share
            total[j, i] = total[i, j]
    scale = np.sqrt(np.maximum(np.diag(total), 1e-300))
    found = np.round(np.clip(total / np.outer(scale, scale), -1.0, 1.0), 6)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found, dtype=np.float64)
