"""Intervals for the difference of two proportions, independent or matched."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.optimize import brentq

from equipoise.errors import NotEstimable
from equipoise.stats.estimates import Estimate, Interval
from equipoise.stats.inputs import count, normal_quantile, units
from equipoise.stats.intervals import wilson_limits


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoShares:
    """``x1`` successes of ``n1`` in the first (new) arm, ``x2`` of ``n2`` in the second (base)."""

    x1: int
    n1: int
    x2: int
    n2: int

    @classmethod
    def of(cls, x1: float, n1: float, x2: float, n2: float) -> "TwoShares":
        """The counts, checked.

        Raises:
            InputError: a count that is negative, not whole, or above its total.
            NotEstimable: an arm without trials.
        """
        first, second = units(n1, "n1", least=1), units(n2, "n2", least=1)
        return cls(
            x1=count(x1, "x1", most=first, most_name="n1"),
            n1=first,
            x2=count(x2, "x2", most=second, most_name="n2"),
            n2=second,
        )

    @property
    def p1(self) -> float:
        """Share of successes in the first arm."""
        return self.x1 / self.n1

    @property
    def p2(self) -> float:
        """Share of successes in the second arm."""
        return self.x2 / self.n2


def newcombe(shares: TwoShares, *, level: float = 0.95) -> Estimate:
    """Newcombe's hybrid score interval for p1 - p2 (his method 10, no continuity correction).

    Raises:
        InputError: the level is not in (0, 1).

    Source: Newcombe (1998), Statistics in Medicine 17, 873-890.

    >>> i = newcombe(TwoShares.of(56, 70, 48, 80)).interval
    >>> round(i.lo, 4), round(i.hi, 4)
    (0.0524, 0.3339)
    """
    z = normal_quantile(level)
    p1, p2 = shares.p1, shares.p2
    lo1, hi1 = (float(end) for end in wilson_limits(p1, shares.n1, z))
    lo2, hi2 = (float(end) for end in wilson_limits(p2, shares.n2, z))
    lo = p1 - p2 - math.hypot(p1 - lo1, hi2 - p2)
    hi = p1 - p2 + math.hypot(hi1 - p1, p2 - lo2)
    return _estimate(shares, (max(lo, -1.0), min(hi, 1.0)), level, "Newcombe hybrid score")


def agresti_caffo(shares: TwoShares, *, level: float = 0.95) -> Estimate:
    """Agresti and Caffo's interval for p1 - p2: Wald after adding one success and one failure.

    Its ends may lie outside [-1, 1], as published.

    Raises:
        InputError: the level is not in (0, 1).

    Source: Agresti and Caffo (2000), The American Statistician 54, 280-288.

    >>> round(agresti_caffo(TwoShares.of(9, 10, 3, 10)).interval.lo, 4)
    0.16
    """
    m1, m2 = shares.n1 + 2, shares.n2 + 2
    p1, p2 = (shares.x1 + 1) / m1, (shares.x2 + 1) / m2
    half = normal_quantile(level) * math.sqrt(p1 * (1 - p1) / m1 + p2 * (1 - p2) / m2)
    return _estimate(shares, (p1 - p2 - half, p1 - p2 + half), level, "Agresti-Caffo")


def miettinen_nurminen(shares: TwoShares, *, level: float = 0.95) -> Estimate:
    """Miettinen and Nurminen's score interval for p1 - p2, with the factor N / (N - 1).

    The set of differences that the score test does not reject, with the nuisance parameter at its
    restricted maximum likelihood estimate.

    Raises:
        InputError: the level is not in (0, 1).

    Source: Miettinen and Nurminen (1985), Statistics in Medicine 4, 213-226, equations 8-9 and
    appendix I.

    >>> round(miettinen_nurminen(TwoShares.of(56, 70, 48, 80)).interval.hi, 4)
    0.3382
    """
    bound = normal_quantile(level) ** 2
    delta = shares.p1 - shares.p2

    def excess(at: float) -> float:
        return _score_chi2(shares, at) - bound

    edge = 1.0 - 1e-12
    lo = -1.0 if delta <= -1.0 or excess(-edge) <= 0 else _root(excess, -edge, delta)
    hi = 1.0 if delta >= 1.0 or excess(edge) <= 0 else _root(excess, edge, delta)
    return _estimate(shares, (lo, hi), level, "Miettinen-Nurminen score")


def bonett_price(
    n11: float, n12: float, n21: float, n22: float, *, level: float = 0.95
) -> Estimate:
    """Bonett and Price's adjusted Wald interval for p12 - p21 of matched 0/1 data.

    Args:
        n11: units that succeed in both arms.
        n12: units that succeed in the first arm alone.
        n21: units that succeed in the second arm alone.
        n22: units that succeed in neither.
        level: confidence level.

    Raises:
        InputError: a count that is negative or not whole, or a level not in (0, 1).
        NotEstimable: no unit at all.

    Source: Bonett and Price (2012), Journal of Educational and Behavioral Statistics 37, 479-488.

    >>> round(bonett_price(40, 0, 0, 10).interval.hi, 4)
    0.0533
    """
    cells = [count(v, n) for v, n in ((n11, "n11"), (n12, "n12"), (n21, "n21"), (n22, "n22"))]
    n = sum(cells)
    if n == 0:
        raise NotEstimable("the table is empty", code="too_few")
    p12, p21 = (cells[1] + 1) / (n + 2), (cells[2] + 1) / (n + 2)
    half = normal_quantile(level) * math.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    lo, hi = max(p12 - p21 - half, -1.0), min(p12 - p21 + half, 1.0)
    return Estimate(
        value=(cells[1] - cells[2]) / n,
        interval=Interval(lo=lo, hi=hi, level=level),
        n=n,
        method="Bonett-Price adjusted Wald",
    )


def _score_chi2(shares: TwoShares, at: float) -> float:
    """The score statistic for the hypothesis p1 - p2 = ``at``."""
    p2 = _restricted_p2(shares, at)
    p1 = min(max(p2 + at, 0.0), 1.0)
    total = shares.n1 + shares.n2
    variance = p1 * (1 - p1) / shares.n1 + p2 * (1 - p2) / shares.n2
    variance *= total / (total - 1)
    gap = shares.p1 - shares.p2 - at
    if variance <= 0.0:
        return 0.0 if gap == 0.0 else math.inf
    return gap * gap / variance


def _restricted_p2(shares: TwoShares, at: float) -> float:
    """The likelihood's maximum in p2 under p1 = p2 + ``at``: a root of a cubic, in closed form."""
    x1, n1, x2, n2 = shares.x1, shares.n1, shares.x2, shares.n2
    cube = n1 + n2
    square = (n1 + 2 * n2) * at - cube - (x1 + x2)
    line = (n2 * at - cube - 2 * x2) * at + x1 + x2
    constant = x2 * at * (1 - at)
    third = square / (3 * cube)
    q = third**3 - square * line / (6 * cube**2) + constant / (2 * cube)
    p = math.copysign(math.sqrt(max(third**2 - line / (3 * cube), 0.0)), q)
    ratio = 0.0 if p == 0.0 else min(max(q / p**3, -1.0), 1.0)
    p2 = 2 * p * math.cos((math.pi + math.acos(ratio)) / 3) - third
    return min(max(p2, 0.0, -at), 1.0, 1.0 - at)


def _root(excess: Callable[[float], float], edge: float, delta: float) -> float:
    return float(brentq(excess, edge, delta, xtol=1e-14, rtol=1e-14, maxiter=500))


def _estimate(shares: TwoShares, ends: tuple[float, float], level: float, method: str) -> Estimate:
    return Estimate(
        value=shares.p1 - shares.p2,
        interval=Interval(lo=ends[0], hi=ends[1], level=level),
        n=min(shares.n1, shares.n2),
        method=method,
    )
