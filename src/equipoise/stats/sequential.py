"""Group-sequential boundaries: O'Brien-Fleming and Pocock by numerical integration.

The density of the running sum on the region where no look has stopped is carried from look to look
(Armitage, McPherson and Rowe 1969, JRSS A 132, 235-244) with Gauss-Legendre quadrature; the
constant is the one at which the chance of stopping at any look under no difference is alpha. The
units must run in random order and the plan must fix the looks.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from equipoise.errors import InputError
from equipoise.stats.inputs import count, open_unit

Kind = Literal["obrien_fleming", "pocock"]

_MOST_LOOKS = 200
_FEWEST_POINTS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundaries:
    """When to stop: at look k, where the absolute z statistic is at or above ``z[k]``.

    Attributes:
        kind: ``obrien_fleming`` or ``pocock``.
        constant: the constant C: z_k = C for Pocock, C / sqrt(t_k) for O'Brien-Fleming.
        z: critical value of each look.
        fractions: information fraction of each look, the last is 1.
        nominal_p: two-sided p-value that belongs to each critical value.
        spent: two-sided error spent up to and including each look.
        alpha: two-sided error of the whole plan.
    """

    kind: Kind
    constant: float
    z: tuple[float, ...]
    fractions: tuple[float, ...]
    nominal_p: tuple[float, ...]
    spent: tuple[float, ...]
    alpha: float


def boundaries(
    looks: float,
    *,
    kind: Kind = "obrien_fleming",
    alpha: float = 0.05,
    fractions: Sequence[float] | None = None,
) -> Boundaries:
    """The boundaries of a plan with a fixed number of looks.

    Args:
        looks: number of looks, the last one included.
        kind: shape of the boundaries.
        alpha: two-sided error of the whole plan.
        fractions: share of the units seen at each look, increasing to 1; equal steps if not given.

    Raises:
        InputError: no look or more than 200, an unknown kind, alpha outside (0, 1), fractions that
            do not increase to 1.

    Source: Pocock (1977), Biometrika 64, 191-199; O'Brien and Fleming (1979), Biometrics 35,
    549-556; constants as in Jennison and Turnbull (2000), tables 2.1 and 2.3.

    >>> round(boundaries(5, kind="pocock").constant, 3)
    2.413
    >>> round(boundaries(5).z[-1], 3)
    2.04
    """
    if kind not in ("obrien_fleming", "pocock"):
        raise InputError(
            f"kind = {kind!r}", wanted="'obrien_fleming' or 'pocock'", where="field 'kind'"
        )
    shares = _fractions(looks, fractions)
    error = open_unit(alpha, "alpha_two_sided")
    constant = _constant(kind, error, shares)
    z = _shape(kind, shares) * constant
    return Boundaries(
        kind=kind,
        constant=constant,
        z=tuple(float(v) for v in z),
        fractions=shares,
        nominal_p=tuple(float(2.0 * ndtr(-v)) for v in z),
        spent=tuple(float(v) for v in np.cumsum(stopping_chances(z, shares))),
        alpha=error,
    )


def stopping_chances(
    z: Sequence[float] | NDArray[np.float64], fractions: Sequence[float], *, drift: float = 0.0
) -> NDArray[np.float64]:
    """The chance of stopping at each look, on either side, shape ``(n_looks,)``.

    Args:
        z: critical value of each look.
        fractions: information fraction of each look, increasing to 1.
        drift: expected z statistic at the last look (0: no difference).

    >>> stopping_chances([2.413] * 5, [0.2, 0.4, 0.6, 0.8, 1.0]).sum().round(3)
    np.float64(0.05)
    """
    chances = []
    points, density = np.zeros(1), np.ones(1)
    before = 0.0
    edges = np.asarray(z, dtype=np.float64) * np.sqrt(np.asarray(fractions, dtype=np.float64))
    steps = np.diff(np.asarray([0.0, *fractions], dtype=np.float64))
    for edge, fraction, step in zip(edges.tolist(), fractions, steps.tolist(), strict=True):
        sd, shift = math.sqrt(step), drift * (fraction - before)
        high = ndtr((points + shift - edge) / sd)
        low = ndtr((-edge - points - shift) / sd)
        chances.append(float((density * (high + low)).sum()))
        knots, weights = _nodes(_resolution(edge, sd))
        following = edge * knots
        gaps = (following[:, None] - points[None, :] - shift) / sd
        kernel = np.exp(-0.5 * gaps**2) / (sd * math.sqrt(2.0 * math.pi))
        density = (kernel @ density) * weights * edge
        points, before = following, fraction
    return np.asarray(chances)


def stopping_power(plan: Boundaries, *, drift: float) -> tuple[float, float]:
    """The chance of stopping with a difference, and the expected share of the units used.

    Args:
        plan: the boundaries.
        drift: true difference over its standard error with all units.

    >>> chance, used = stopping_power(boundaries(5), drift=2.8)
    >>> round(chance, 2), round(used, 2)
    (0.79, 0.8)
    """
    chances = stopping_chances(plan.z, plan.fractions, drift=drift)
    reached = 1.0 - np.concatenate([[0.0], np.cumsum(chances)[:-1]])
    steps = np.diff([0.0, *plan.fractions])
    return float(chances.sum()), float((reached * steps).sum())


def _fractions(looks: float, fractions: Sequence[float] | None) -> tuple[float, ...]:
    planned = count(looks, "looks")
    if not 1 <= planned <= _MOST_LOOKS:
        raise InputError(
            f"looks = {planned}", wanted=f"1 to {_MOST_LOOKS} looks", where="field 'looks'"
        )
    if fractions is None:
        return tuple(k / planned for k in range(1, planned + 1))
    shares = tuple(float(share) for share in fractions)
    rising = all(a < b for a, b in zip((0.0, *shares), shares, strict=False))
    if len(shares) != planned or not rising or abs(shares[-1] - 1.0) > 1e-9:
        raise InputError(
            f"information fractions {list(shares)}",
            wanted=f"{planned} numbers that increase from above 0 to 1",
            where="field 'information_fractions'",
        )
    return (*shares[:-1], 1.0)


@lru_cache(maxsize=256)
def _constant(kind: Kind, alpha: float, shares: tuple[float, ...]) -> float:
    shape = _shape(kind, shares)
    lowest = -float(ndtri(alpha / 2.0))
    highest = -float(ndtri(alpha / 2.0 / len(shares)))
    if len(shares) == 1:
        return lowest

    def excess(constant: float) -> float:
        return float(stopping_chances(shape * constant, shares).sum()) - alpha

    return float(brentq(excess, lowest * 0.999, highest * 1.001 + 1e-6, xtol=1e-10))


def _shape(kind: Kind, shares: tuple[float, ...]) -> NDArray[np.float64]:
    t = np.asarray(shares, dtype=np.float64)
    return np.ones_like(t) if kind == "pocock" else 1.0 / np.sqrt(t)


def _resolution(edge: float, sd: float) -> int:
    """Enough points that neighbours lie well within one standard deviation of a step."""
    return max(_FEWEST_POINTS, 4 * math.ceil(edge / sd))


@lru_cache(maxsize=64)
def _nodes(points: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    knots, weights = np.polynomial.legendre.leggauss(points)
    return knots, weights
