"""Betting against a hypothesis: wealth paths, e-values, and the guaranteed betting interval.

A bet that is fixed before each observation cannot win in the long run if the hypothesis is true:
the chance that the wealth ever reaches 1/alpha is at most alpha, whenever one stops (Ville 1939).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln

from equipoise.errors import InputError
from equipoise.stats.estimates import Estimate, Interval
from equipoise.stats.inputs import confidence, count, open_unit, positive, shares

_TRUNCATION = 0.5
_STEPS = 60
_MOST_LOG = 700.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wealth:
    """The wealth after each observation, from 1.

    Attributes:
        path: wealth after each observation, shape ``(n,)``.
        first_crossing: the first observation (from 1) at which the wealth is at or above the
            threshold; None where it never is.
        threshold: 1 / alpha.
        n: number of observations.
        method: name of the betting rule.
    """

    path: NDArray[np.float64]
    first_crossing: int | None
    threshold: float
    n: int
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EValue:
    """Evidence against a hypothesis: its expectation is at most 1 if the hypothesis is true."""

    value: float
    log_value: float
    n: int
    method: str


def fixed_bet(
    values: ArrayLike, *, bet: float, null_mean: float, threshold: float = 20.0
) -> Wealth:
    """The wealth of one fixed bet against "the mean is ``null_mean``": product of 1 + bet (x - m).

    Args:
        values: observations on [0, 1], in the order in which they came.
        bet: share bet on a mean above (positive) or below (negative) the hypothesis.
        null_mean: mean under the hypothesis, strictly between 0 and 1.
        threshold: wealth at which the hypothesis is given up, 1 / alpha.

    Raises:
        InputError: a value outside [0, 1], a bet outside [-1 / (1 - m), 1 / m] (the wealth could
            turn negative), or a threshold not above 1.
        NotEstimable: no observation.

    Source: Waudby-Smith and Ramdas (2024), JRSS B 86, 1-27, section 4.

    >>> fixed_bet([1, 0, 1], bet=0.8, null_mean=0.5).path.round(3).tolist()
    [1.4, 0.84, 1.176]
    """
    x = shares(values, "x", least=1)
    m = open_unit(null_mean, "mean_under_null")
    if not -1.0 / (1.0 - m) <= bet <= 1.0 / m:
        raise InputError(
            f"lambda = {bet:g}",
            wanted=f"a bet from {-1 / (1 - m):.4g} to {1 / m:.4g}, so that wealth stays 0 or more",
            where="field 'lambda'",
        )
    return _wealth(1.0 + bet * (x - m), threshold, "fixed bet")


def adaptive_bet(
    values: ArrayLike, *, null_mean: float, threshold: float = 20.0, two_sided: bool = True
) -> Wealth:
    """The wealth of bets that follow the past mean and variance, bounded so that none can ruin.

    Each bet is the past mean's distance from the hypothesis over the past second moment around it
    (both shrunk by one observation at 1/2 and a variance of 1/4), cut to half of what could ruin.
    Only the past enters, so the guarantee holds for any stopping rule. Two-sided: the mean of the
    wealth of bets on a larger and on a smaller mean.

    Args:
        values: observations on [0, 1], in the order in which they came; a paired difference d on
            [-1, 1] enters as (d + 1) / 2 with ``null_mean`` 1/2.
        null_mean: mean under the hypothesis, strictly between 0 and 1.
        threshold: wealth at which the hypothesis is given up, 1 / alpha.
        two_sided: bet on both directions, else on a larger mean alone.

    Raises:
        InputError: a value outside [0, 1], or a threshold not above 1.
        NotEstimable: no observation.

    Source: approximate GRAPA, Waudby-Smith and Ramdas (2024), JRSS B 86, 1-27, section B.3.

    >>> adaptive_bet([0.9] * 40, null_mean=0.5).first_crossing
    12
    """
    x = shares(values, "x", least=1)
    m = open_unit(null_mean, "mean_under_null")
    n = np.arange(1.0, x.size + 1.0)
    sums = np.concatenate([[0.0], np.cumsum(x)[:-1]])
    squares = np.concatenate([[0.0], np.cumsum((x - m) ** 2)[:-1]])
    mean = (0.5 + sums) / n
    moment = (0.25 + squares) / n
    raw = (mean - m) / np.maximum(moment, (mean - m) ** 2)
    above = np.clip(raw, 0.0, _TRUNCATION / m)
    wealth = _from_logs(np.log1p(above * (x - m)))
    if two_sided:
        below = np.clip(raw, -_TRUNCATION / (1.0 - m), 0.0)
        wealth = 0.5 * (wealth + _from_logs(np.log1p(below * (x - m))))
    return _crossing(wealth, threshold, "adaptive bets (approximate GRAPA)")


def sign_mixture(
    wins: float, n_discordant: float, *, a: float = 1.0, b: float = 1.0, null_p: float = 0.5
) -> EValue:
    """The e-value of ``wins`` in ``n_discordant`` against p = ``null_p``, mixing over Beta(a, b).

    ``B(a + w, b + n - w) / (B(a, b) p^w (1 - p)^(n - w))``; valid at every look.

    Raises:
        InputError: counts that are not whole or do not fit, a or b not above 0.

    Source: Robbins (1970), Annals of Mathematical Statistics 41, 1397-1409.

    >>> round(sign_mixture(9, 10).value, 3)
    9.309
    """
    n = count(n_discordant, "n_discordant")
    w = count(wins, "wins", most=n, most_name="n_discordant")
    p = open_unit(null_p, "null")
    positive(a, "prior")
    positive(b, "prior")
    log = float(betaln(a + w, b + n - w) - betaln(a, b))
    log -= w * math.log(p) + (n - w) * math.log1p(-p)
    value = math.exp(min(log, _MOST_LOG))
    return EValue(value=value, log_value=log, n=n, method=f"Beta({a:g},{b:g}) mixture")


def betting_interval(values: ArrayLike, *, level: float = 0.95) -> Estimate:
    """The hedged betting interval of a mean on [0, 1]: it covers for every distribution and n.

    All means against which neither a bet upwards nor one downwards reaches 2 / alpha. The order of
    the values matters a little: give them in random order, or in the order in which they came.

    Raises:
        InputError: a value outside [0, 1], or a level not in (0, 1).
        NotEstimable: no value.

    Source: Waudby-Smith and Ramdas (2024), JRSS B 86, 1-27, theorem 3, remark 3 and equation 26.

    >>> i = betting_interval([0, 1] * 50).interval
    >>> 0.3 < i.lo < 0.5 < i.hi < 0.7
    True
    """
    x = shares(values, "x", least=1)
    alpha = 1.0 - confidence(level)
    n = np.arange(1.0, x.size + 1.0)
    mean = (0.5 + np.cumsum(x)) / (n + 1.0)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (n + 1.0)
    past = np.concatenate([[0.25], variance[:-1]])
    bets = np.sqrt(2.0 * math.log(2.0 / alpha) / (x.size * past))
    limit = math.log(2.0 / alpha)
    lo = _furthest(x, bets, limit)
    hi = 1.0 - _furthest(1.0 - x, bets, limit)
    return Estimate(
        value=float(x.mean()),
        interval=Interval(lo=min(lo, hi), hi=max(lo, hi), level=level),
        n=x.size,
        method="hedged betting interval",
    )


def _furthest(x: NDArray[np.float64], bets: NDArray[np.float64], limit: float) -> float:
    """The smallest mean against which the upward bets stay below the limit, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        cut = np.minimum(bets, _TRUNCATION / middle)
        if float(np.log1p(cut * (x - middle)).sum()) >= limit:
            low = middle
        else:
            high = middle
    return low


def _wealth(factors: NDArray[np.float64], threshold: float, method: str) -> Wealth:
    """The running product, from its logarithms where it would grow beyond any number."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        path = np.asarray(np.cumprod(factors), dtype=np.float64)
        if not bool(np.isfinite(path).all()):
            path = _from_logs(np.log(factors))
    return _crossing(path, threshold, method)


def _from_logs(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.exp(np.minimum(np.cumsum(logs), _MOST_LOG))


def _crossing(path: NDArray[np.float64], threshold: float, method: str) -> Wealth:
    if not threshold > 1.0:
        raise InputError(
            f"threshold = {threshold:g}", wanted="1 / alpha, above 1", where="field 'threshold'"
        )
    at = np.flatnonzero(path >= threshold)
    return Wealth(
        path=path,
        first_crossing=int(at[0]) + 1 if at.size else None,
        threshold=threshold,
        n=path.size,
        method=method,
    )
