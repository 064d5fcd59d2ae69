"""What a run can report, and how many units would settle what it cannot tell.

All numbers follow from the guarded limits that decide: a change is called when its limit passes the
margin, and the limit moves with the noise of the mean. With reach R and standard error s at a given
number of units, a true change D is called with probability 80 % where
``D = margin + R + z_0.80 s``; equivalence is shown where both limits stay inside the band.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from equipoise.errors import InputError
from equipoise.stats.guarded_reach import Side, Tails, grown, joint_reach

FloatArray = NDArray[np.float64]

_MOST = 40.0
"""Doublings of the present number of units beyond which "never" is the honest word."""

_LEAST = -8.0
_HALVINGS = 60


def reportable_change(
    tails: Tails, *, margin: ArrayLike, z: ArrayLike, power: float = 0.8
) -> FloatArray:
    """The smallest true change, up or down, that this run calls with probability ``power``.

    Args:
        tails: from ``paired_tails``, ``independent_tails`` or ``clustered_tails``.
        margin: a change is called when its limit is beyond this, one or per cell.
        z: two-sided normal critical value, one or per cell.
        power: probability of the call.

    >>> from equipoise.stats.guarded import paired_tails, powers_of
    >>> tails = paired_tails(powers_of(np.tile([-0.3, 0.3], 288)))
    >>> reportable_change(tails, margin=0.05, z=2.0).round(3).tolist()
    0.086
    """
    critical, noise = np.asarray(z, dtype=np.float64), _quantile(power)
    down, up = (
        joint_reach(sides, critical) + noise * _error(sides) for sides in (tails.below, tails.above)
    )
    return np.asarray(np.asarray(margin) + np.maximum(down, up))


def multiple_to_show(
    tails: Tails, delta: ArrayLike, *, margin: ArrayLike, z: ArrayLike, power: float = 0.8
) -> FloatArray:
    """How many times the present units show a true difference ``delta`` with ``power``.

    The answer assumes the spread and skew seen so far; infinite where ``delta`` is not beyond the
    margin, since then no number of units is enough.

    >>> from equipoise.stats.guarded import paired_tails, powers_of
    >>> tails = paired_tails(powers_of(np.tile([-0.3, 0.3], 50)))
    >>> multiple_to_show(tails, 0.05, margin=0.0, z=1.96).round(1).tolist()
    2.9
    """
    critical, noise = np.asarray(z, dtype=np.float64), _quantile(power)
    beyond = np.abs(np.asarray(delta, dtype=np.float64)) - np.asarray(margin)
    is_rise = np.asarray(delta) > 0.0

    def is_enough(multiple: FloatArray) -> NDArray[np.bool_]:
        down, up = (_grown(sides, multiple) for sides in (tails.below, tails.above))
        reach = np.where(is_rise, joint_reach(down, critical), joint_reach(up, critical))
        return np.asarray(reach + noise * _error(down) <= beyond)

    return np.where(beyond > 0.0, _smallest(is_enough, tails), np.inf)


def multiple_to_equate(
    tails: Tails, *, band: ArrayLike, z: ArrayLike, power: float = 0.8
) -> FloatArray:
    """How many times the present units show equivalence within ±``band`` where nothing differs.

    Args:
        tails: as for :func:`reportable_change`.
        band: equivalence margin, one or per cell.
        z: critical value of the equivalence interval (1.645 for the 90 % interval).
        power: probability that both limits lie inside the band.

    >>> from equipoise.stats.guarded import paired_tails, powers_of
    >>> tails = paired_tails(powers_of(np.tile([-0.3, 0.3], 50)))
    >>> multiple_to_equate(tails, band=0.05, z=1.645).round(1).tolist()
    3.1
    """
    critical, within = np.asarray(z, dtype=np.float64), np.asarray(band, dtype=np.float64)

    def is_enough(multiple: FloatArray) -> NDArray[np.bool_]:
        down, up = (_grown(sides, multiple) for sides in (tails.below, tails.above))
        error = np.maximum(_error(down), 1e-12)
        inside = [ndtr((within - joint_reach(sides, critical)) / error) for sides in (down, up)]
        return np.asarray(inside[0] + inside[1] - 1.0 >= power)

    return np.where(within > 0.0, _smallest(is_enough, tails), np.inf)


def _smallest(is_enough: Callable[[FloatArray], NDArray[np.bool_]], tails: Tails) -> FloatArray:
    shape = np.shape(tails.below[0].n)
    low, high = np.full(shape, _LEAST), np.full(shape, _MOST)
    reached = is_enough(np.exp2(high))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        enough = is_enough(np.exp2(middle))
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(reached, np.exp2(high), np.inf)


def _grown(sides: tuple[Side, ...], multiple: FloatArray) -> tuple[Side, ...]:
    return tuple(grown(side, multiple) for side in sides)


def _error(sides: tuple[Side, ...]) -> FloatArray:
    return np.asarray(np.sqrt(sum(side.variance / side.n for side in sides)))


def _quantile(power: float) -> float:
    if not 0.0 < power < 1.0:
        raise InputError(f"power = {power}", wanted="a share strictly between 0 and 1")
    return float(ndtri(power))
