"""The report rule: which cells are listed as changed, literally and guarded.

Literal: a cell is listed where ``delta - z se`` is above the margin, with z = 2 + ln(k)/2. That
is wrong where an arm shows no spread (no event among few units): its standard error of 0 is no
certainty. Guarded: the same z inside quasi-Wilson and MOVER must clear the margin too, both arms
must have their minimum of units, and the cell must have been planned. The guard is nearly free
where the literal rule is right and refuses where it is wrong.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import InputError
from equipoise.stats.critical import critical_value
from equipoise.stats.inputs import positive, units
from equipoise.stats.intervals import Moments
from equipoise.stats.mover import difference_limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One arm of a compared cell: mean loss, standard deviation between units, number of units."""

    loss: float
    sd: float
    n: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteralRow:
    """What the literal rule says about one cell.

    Attributes:
        delta: new minus base.
        se: standard error of delta.
        z: critical value.
        ci_low: ``delta - z se``.
        ci_high: ``delta + z se``.
        is_listed: ``ci_low`` is above the margin (strictly).
        is_degenerate: an arm has a spread of 0, so that ``se`` understates what is not known.
    """

    delta: float
    se: float
    z: float
    ci_low: float
    ci_high: float
    is_listed: bool
    is_degenerate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedRows:
    """What the literal and the guarded rule say about many cells, arrays of shape ``(n_cells,)``.

    Attributes:
        delta: new minus base.
        se: standard error of delta.
        z: critical value, one for all cells.
        literal_low: lower limit of the literal rule.
        literal_high: upper limit of the literal rule.
        guarded_low: lower limit of MOVER on quasi-Wilson limits at the same z.
        guarded_high: upper limit of the same.
        clears_literal: ``literal_low`` above the margin.
        clears_guarded: ``guarded_low`` above the margin.
        has_units: both arms have their minimum number of units.
        is_listed: all of it, and the cell was planned.
    """

    delta: NDArray[np.float64]
    se: NDArray[np.float64]
    z: float
    literal_low: NDArray[np.float64]
    literal_high: NDArray[np.float64]
    guarded_low: NDArray[np.float64]
    guarded_high: NDArray[np.float64]
    clears_literal: NDArray[np.bool_]
    clears_guarded: NDArray[np.bool_]
    has_units: NDArray[np.bool_]
    is_listed: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row to be listed or not: id, difference, lower limit, whether its partition is scored."""

    id: str
    delta: float
    ci_low: float
    is_scored: bool = True


def literal_row(new: Arm, base: Arm, *, k: int, margin: float) -> LiteralRow:
    """The literal report rule for one cell of two independent arms.

    Args:
        new: the changed arm.
        base: the baseline.
        k: number of planned cells.
        margin: a difference is listed only if its lower limit is above this (``mde``).

    Raises:
        InputError: a loss outside [0, 1], a negative spread or margin.
        NotEstimable: an arm with fewer than 2 units (a spread does not exist), or no cell.

    >>> literal_row(Arm(loss=0.45, sd=0.3, n=576), Arm(loss=0.22, sd=0.28, n=576), k=10,
    ...             margin=0.05).is_listed
    True
    """
    variance = 0.0
    for arm, name in ((new, "new"), (base, "base")):
        if not 0.0 <= arm.loss <= 1.0:
            raise InputError(
                f"loss_{name} = {arm.loss}", wanted="a loss on [0, 1]", where=f"field 'loss_{name}'"
            )
        size = units(arm.n, f"n_{name}")
        variance += positive(arm.sd, f"stddev_between_{name}", zero=True) ** 2 / size
    positive(margin, "mde", zero=True)
    z, se, delta = critical_value(k).z, math.sqrt(variance), new.loss - base.loss
    return LiteralRow(
        delta=delta,
        se=se,
        z=z,
        ci_low=delta - z * se,
        ci_high=delta + z * se,
        is_listed=delta - z * se > margin,
        is_degenerate=new.sd == 0 or base.sd == 0,
    )


def guarded_rows(
    new: Moments,
    base: Moments,
    *,
    k: int,
    margin: float,
    least_units: ArrayLike = 2,
    is_planned: ArrayLike = True,
    correlation: ArrayLike = 0.0,
) -> GuardedRows:
    """The literal and the guarded rule for many cells at once.

    Args:
        new: moments of the new arms, shape ``(n_cells,)``.
        base: moments of the base arms.
        k: number of planned cells.
        margin: a difference is listed only if both its lower limits are above this.
        least_units: minimum number of units of each cell.
        is_planned: whether the cell was on the list fixed before looking.
        correlation: of the two means (0 for independent arms; see :mod:`equipoise.stats.mover`).

    Raises:
        InputError: a negative margin.
        NotEstimable: no cell.

    Improvements are the same with the arms swapped.

    >>> base = Moments.of([58], [0.0], [0.0])
    >>> new = Moments.of([2000], [0.08], [2000 * 0.08 * 0.92])
    >>> rows = guarded_rows(new, base, k=1, margin=0.05)
    >>> bool(rows.clears_literal[0]), bool(rows.is_listed[0])
    (True, False)
    """
    positive(margin, "mde", zero=True)
    z = critical_value(k).z
    r = np.asarray(correlation, dtype=np.float64)
    one = new.squares / ((new.n - 1.0) * new.n)
    two = base.squares / ((base.n - 1.0) * base.n)
    se = np.sqrt(np.maximum(one + two - 2.0 * r * np.sqrt(one * two), 0.0))
    delta = new.mean - base.mean
    low, high = difference_limits(new, base, z, correlation=r)
    has_units = np.minimum(new.n, base.n) >= np.asarray(least_units)
    literal, guarded = delta - z * se > margin, low > margin
    planned = np.asarray(is_planned, dtype=np.bool_)
    return GuardedRows(
        delta=delta,
        se=se,
        z=z,
        literal_low=delta - z * se,
        literal_high=delta + z * se,
        guarded_low=low,
        guarded_high=high,
        clears_literal=literal,
        clears_guarded=guarded,
        has_units=has_units,
        is_listed=literal & guarded & has_units & planned,
    )


def listed(rows: Sequence[Row], *, margin: float) -> list[Row]:
    """The rows to print: lower limit above the margin, partition scored, surest first.

    Sorted by the lower limit, descending, then by id; never by the point estimate.

    Raises:
        InputError: a negative margin.

    >>> rows = [Row(id="a", delta=0.4, ci_low=0.06), Row(id="b", delta=0.2, ci_low=0.12)]
    >>> [row.id for row in listed(rows, margin=0.05)]
    ['b', 'a']
    """
    positive(margin, "mde", zero=True)
    kept = [row for row in rows if row.is_scored and row.ci_low > margin]
    return sorted(kept, key=lambda row: (-row.ci_low, row.id))
