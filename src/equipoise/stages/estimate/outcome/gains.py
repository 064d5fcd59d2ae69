"""Gains of one arm over another, a scenario each, held against a bound by interval and exact test.

Both have to agree: the interval lies wholly beyond the bound, and the exact sign-flip test says the
same.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from equipoise.errors import NotEstimable
from equipoise.records.hypothesis import RESOURCES, Aim
from equipoise.stats.differences import paired_t
from equipoise.stats.estimates import Interval
from equipoise.stats.mover import paired_difference
from equipoise.stats.signflip import sign_flip

_SEED = 20_240_501
_LEAST_ALPHA = 1e-9
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Gains:
    """The gain of each scenario, their mean, and the interval of the mean at a level.

    Of a resource the gains are log ratios, base over new, turned back into the share saved for the
    mean and the interval: a scenario that costs ten times as much does not outweigh the others.
    """

    values: NDArray[np.float64]
    mean: float
    interval_at: Callable[[float], Interval]
    is_resource: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Gains against a bound: `side` is 1 where they lie on the claimed side of it, -1 on the other.

    `decides` is the larger of the exact p and the smallest alpha at which the interval still lies
    wholly on that side.
    """

    side: int
    p: float
    decides: float


def gains_of(metric: str, new: NDArray[np.float64], base: NDArray[np.float64]) -> Gains:
    """Gives the gains of a metric.

    Args:
        metric: a criterion, or a resource.
        new: its value in each scenario, of the new arm.
        base: the same of the base arm, in the same order.

    Raises:
        NotEstimable: of a resource some scenario took nothing, so that no ratio exists.
    """
    if metric not in RESOURCES:
        return Gains(
            values=new - base,
            mean=float((new - base).mean()),
            interval_at=lambda level: paired_difference(new, base, level=level).interval,
            is_resource=False,
        )
    if (new <= 0).any() or (base <= 0).any():
        raise NotEstimable(f"{metric} of 0 in some scenario: no ratio exists", code="zero")
    logs = np.log(base) - np.log(new)

    def interval_at(level: float) -> Interval:
        raw = paired_t(np.log(base), np.log(new), level=level).interval
        return Interval(lo=_saved(raw.lo), hi=_saved(raw.hi), level=level)

    return Gains(
        values=logs, mean=_saved(float(logs.mean())), interval_at=interval_at, is_resource=True
    )


def _saved(log_ratio: float) -> float:
    """Gives the share saved of a log ratio, base over new."""
    return 1.0 - math.exp(-log_ratio)


def against(gains: Gains, aim: Aim, bound: float) -> Held:
    """Holds the gains against what is claimed.

    Args:
        gains: of the scenarios.
        aim: the direction of the claim.
        bound: its threshold or margin, 0 or larger.

    Raises:
        NotEstimable: there is no interval.
    """
    if aim is Aim.EQUIVALENT:
        bounds: tuple[float, ...] = (-bound, bound)
    else:
        bounds = (bound if aim is Aim.BETTER else -bound,)
    scaled = tuple(-math.log(1.0 - one) for one in bounds) if gains.is_resource else bounds
    side, p = _exact(aim, gains.values, scaled)
    alpha = _alpha(aim, gains.interval_at, bounds, side)
    return Held(side=side, p=p, decides=max(p, alpha))


def _exact(aim: Aim, gains: NDArray[np.float64], bounds: tuple[float, ...]) -> tuple[int, float]:
    """Gives on which side of the bound the gains lie, and the exact p against it."""
    tests = [_flipped(gains - bound) for bound in bounds]
    if aim is Aim.EQUIVALENT:
        (above, p_above), (below, p_below) = tests
        if above > 0 > below:
            return 1, max(p_above, p_below) / 2.0
        return -1, p_below if below > 0 else p_above
    ((sign, p),) = tests
    return (-sign if aim is Aim.WORSE else sign), p


def _flipped(distances: NDArray[np.float64]) -> tuple[int, float]:
    distances = np.where(np.abs(distances) < _EQUAL, 0.0, distances)
    test = sign_flip(distances, rng=np.random.default_rng(_SEED))
    return int(np.sign(test.statistic)), test.p


def _alpha(
    aim: Aim, interval_at: Callable[[float], Interval], bounds: tuple[float, ...], side: int
) -> float:
    """Gives the smallest alpha at which the interval still lies wholly on the side; 1 = never."""

    def inside(alpha: float) -> float:
        is_two_tests = aim is Aim.EQUIVALENT and side > 0
        interval = interval_at(1.0 - (2.0 * alpha if is_two_tests else alpha))
        return _room(aim, interval, bounds, side)

    most = 0.4999 if aim is Aim.EQUIVALENT and side > 0 else 0.9999
    if side == 0 or inside(most) <= 0.0:
        return 1.0
    if inside(_LEAST_ALPHA) >= 0.0:
        return _LEAST_ALPHA
    return float(brentq(inside, _LEAST_ALPHA, most, xtol=1e-9))


def _room(aim: Aim, interval: Interval, bounds: tuple[float, ...], side: int) -> float:
    """Gives how far the interval lies beyond the bound on its side; negative = it reaches over."""
    if aim is Aim.EQUIVALENT:
        low, high = bounds
        if side > 0:
            return min(interval.lo - low, high - interval.hi)
        return max(low - interval.hi, interval.lo - high)
    (bound,) = bounds
    wants_above = (side > 0) is not (aim is Aim.WORSE)
    return interval.lo - bound if wants_above else bound - interval.hi
