"""What a run can report, and how many units would settle what it cannot tell.

All numbers follow from the limits that decide: a change is called when its limit passes the margin.
With reach R and noise s of the limit at a given number of units, a true change D is called with
probability 80 % where ``D = margin + R + z_0.80 s``; equivalence is shown where both limits lie
inside the band. The noise of a limit is not that of the mean: the reach moves too, and with the
mean where the sample is skewed. By the delta method its square is that of the mean times
``1 + z γ / √n + z² (κ − 1) / (4 n)``, γ the skewness towards the limit and κ the kurtosis.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from equipoise.errors import InputError
from equipoise.stats.guarded_reach import Side, Tails, grown, joint_reach

FloatArray = NDArray[np.float64]

_MOST = 40.0
"""Doublings of the present number of units beyond which "never" is the honest word."""

_LEAST = -8.0
_HALVINGS = 40

_TINY = 1e-12

_QUIETEST = 0.05
"""The least share of its mean's variance that a limit may have; the delta method ends there."""


def reportable_change(
    tails: Tails,
    *,
    margin: ArrayLike,
    z: ArrayLike,
    is_literal_too: ArrayLike = False,
    direction: Literal["up", "down", "either"] = "either",
    power: float = 0.8,
) -> FloatArray:
    """The smallest true change that this run calls with probability ``power``.

    Args:
        tails: from ``paired_tails``, ``independent_tails`` or ``clustered_tails``.
        margin: a change is called when its limit is beyond this, one or per cell.
        z: two-sided normal critical value, one or per cell.
        is_literal_too: whether the literal limit, mean ± z standard errors, must pass as well.
        direction: of the change; "either" gives the larger of both.
        power: probability of the call.

    >>> from equipoise.stats.guarded import paired_tails, powers_of
    >>> tails = paired_tails(powers_of(np.tile([-0.3, 0.3], 288)))
    >>> reportable_change(tails, margin=0.05, z=2.0).round(3).tolist()
    0.086
    """
    rule = _Rule(z=np.asarray(z, dtype=np.float64), is_literal_too=np.asarray(is_literal_too))
    noise = _quantile(power)
    down, up = (
        rule.reach(sides) + noise * rule.noise(sides) for sides in (tails.below, tails.above)
    )
    beyond = {"up": down, "down": up, "either": np.maximum(down, up)}[direction]
    return np.asarray(np.asarray(margin) + beyond)


def multiple_to_show(
    tails: Tails,
    delta: ArrayLike,
    *,
    margin: ArrayLike,
    z: ArrayLike,
    is_literal_too: ArrayLike = False,
    power: float = 0.8,
) -> FloatArray:
    """How many times the present units show a true difference ``delta`` with ``power``.

    The answer assumes the spread and skew seen so far; infinite where ``delta`` is not beyond the
    margin, since then no number of units is enough. Arguments as :func:`reportable_change`.

    >>> from equipoise.stats.guarded import paired_tails, powers_of
    >>> tails = paired_tails(powers_of(np.tile([-0.3, 0.3], 50)))
    >>> multiple_to_show(tails, 0.05, margin=0.0, z=1.96).round(1).tolist()
    2.9
    """
    rule = _Rule(z=np.asarray(z, dtype=np.float64), is_literal_too=np.asarray(is_literal_too))
    noise = _quantile(power)
    beyond = np.abs(np.asarray(delta, dtype=np.float64)) - np.asarray(margin)
    is_rise = np.asarray(delta) > 0.0

    def is_enough(multiple: FloatArray) -> NDArray[np.bool_]:
        down, up = (_grown(sides, multiple) for sides in (tails.below, tails.above))
        needed = [rule.reach(sides) + noise * rule.noise(sides) for sides in (down, up)]
        return np.asarray(np.where(is_rise, needed[0], needed[1]) <= beyond)

    return np.where(beyond > 0.0, _smallest(is_enough, tails), np.inf)


def multiple_to_equate(
    tails: Tails,
    *,
    band: ArrayLike,
    z: ArrayLike,
    outward_step: ArrayLike = 0.0,
    power: float = 0.8,
) -> FloatArray:
    """How many times the present units show equivalence within ±``band`` where nothing differs.

    Args:
        tails: as for :func:`reportable_change`.
        band: equivalence margin, one or per cell.
        z: critical value of the equivalence interval (1.645 for the 90 % interval).
        outward_step: how much further out the limits are taken, from ``guarded.outward_step``.
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
        free = within - np.asarray(outward_step) / multiple
        inside = [ndtr((free - joint_reach(sides, critical)) / error) for sides in (down, up)]
        return np.asarray(inside[0] + inside[1] - 1.0 >= power)

    return np.where(within > 0.0, _smallest(is_enough, tails), np.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """The rule that calls a change: how far its limit reaches, and how noisy that limit is."""

    z: FloatArray
    is_literal_too: NDArray[np.bool_]

    def reach(self, sides: tuple[Side, ...]) -> FloatArray:
        guarded = joint_reach(sides, self.z)
        literal = self.z * _error(sides)
        return np.where(self.is_literal_too, np.maximum(guarded, literal), guarded)

    def noise(self, sides: tuple[Side, ...]) -> FloatArray:
        error = np.maximum(_error(sides), _TINY)
        parts = []
        for side in sides:
            own = side.variance / side.n
            pull = self.z * np.sqrt(own) / error
            spread = np.maximum(side.squares, _TINY)
            skewness = np.sqrt(side.n) * side.cubes / spread**1.5
            excess = np.maximum(side.n * side.fourths / spread**2 - 1.0, 0.0)
            factor = 1.0 + pull * skewness / np.sqrt(side.n) + pull**2 * excess / (4.0 * side.n)
            parts.append(own * np.maximum(factor, _QUIETEST))
        return np.asarray(np.sqrt(sum(parts)))


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
