"""Power and sample size of the classic tests: Student t and two proportions."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import nct

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.inputs import open_unit, positive, units
from equipoise.stats.power import UnitsNeeded, round_up

Design = Literal["two.sample", "one.sample", "paired"]

_MOST_UNITS = 1e9

_FAR = 1e6
"""A noncentrality at which the power is 1 with any number of units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TTestDesign:
    """A planned t test.

    Attributes:
        delta: true difference of the means.
        sd: standard deviation within an arm; for ``paired`` that of the differences.
        alpha: level of the test.
        design: ``two.sample`` (n per arm), ``one.sample`` or ``paired`` (n pairs).
        sides: 2 for a two-sided test, 1 for a one-sided one.
    """

    delta: float
    sd: float
    alpha: float = 0.05
    design: Design = "two.sample"
    sides: Literal[1, 2] = 2


def t_test_power(design: TTestDesign, *, n: float) -> float:
    """The chance that the t test rejects, counting only rejections in the right direction.

    From the noncentral t distribution; ``n`` may be fractional.

    Raises:
        InputError: sd not above 0, alpha not in (0, 1).
        NotEstimable: ``n`` below 2.

    Source: as R's ``power.t.test(strict = FALSE)``.

    >>> round(t_test_power(TTestDesign(delta=0.5, sd=1), n=64), 4)
    0.8015
    """
    if not 0 <= n <= 1e15:
        raise InputError(f"n = {n}", wanted="a number of units", where="field 'n'")
    if n < 2:
        raise NotEstimable(f"n = {n:g}, at least 2 needed", code="too_few")
    arms = 2 if design.design == "two.sample" else 1
    df = (n - 1.0) * arms
    tail = open_unit(design.alpha, "alpha") / design.sides
    shift = math.sqrt(n / arms) * abs(design.delta) / positive(design.sd, "sd")
    return float(nct.sf(-float(stdtrit(df, tail)), df, min(shift, _FAR)))


def t_test_units(design: TTestDesign, *, power: float) -> UnitsNeeded:
    """Units per arm (or pairs) so that the t test rejects with probability ``power``.

    Raises:
        InputError: a value outside its range.
        NotEstimable: a true difference of 0, or more than 1e9 units (code ``impossible``).

    >>> t_test_units(TTestDesign(delta=0.05, sd=0.3), power=0.8).n
    567
    """
    positive(design.sd, "sd")
    wanted = _reachable(power, design.alpha / design.sides, "delta", is_zero=design.delta == 0.0)
    exact = _solve(lambda n: t_test_power(design, n=n) - wanted)
    return UnitsNeeded(n=round_up(exact), exact=exact, method="noncentral t")


def two_proportion_power(
    p1: float, p2: float, *, n: float, alpha: float = 0.05, sides: Literal[1, 2] = 2
) -> float:
    """The chance that the pooled z test of two proportions rejects in the right direction.

    Raises:
        InputError: a proportion outside [0, 1], alpha not in (0, 1).
        NotEstimable: ``n`` below 2, or both proportions 0 or 1 (code ``degenerate``).

    Source: as R's ``power.prop.test(strict = FALSE)``.

    >>> round(two_proportion_power(0.1, 0.2, n=200), 4)
    0.802
    """
    pooled, apart = _spreads(p1, p2)
    z = -float(ndtri(open_unit(alpha, "alpha") / sides))
    return float(ndtr((math.sqrt(units(n)) * abs(p1 - p2) - z * pooled) / apart))


def two_proportion_units(
    p1: float, p2: float, *, power: float, alpha: float = 0.05, sides: Literal[1, 2] = 2
) -> UnitsNeeded:
    """Units per arm so that the pooled z test of two proportions rejects with ``power``.

    Raises:
        InputError: as :func:`two_proportion_power`.
        NotEstimable: equal proportions (code ``impossible``).

    >>> two_proportion_units(0.1, 0.2, power=0.8).n
    199
    """
    pooled, apart = _spreads(p1, p2)
    wanted = _reachable(power, open_unit(alpha, "alpha") / sides, "p1 - p2", is_zero=p1 == p2)
    z = -float(ndtri(alpha / sides))
    exact = ((z * pooled + float(ndtri(wanted)) * apart) / abs(p1 - p2)) ** 2
    return UnitsNeeded(n=round_up(exact), exact=exact, method="normal approximation")


def _spreads(p1: float, p2: float) -> tuple[float, float]:
    for name, p in (("p1", p1), ("p2", p2)):
        if not 0.0 <= p <= 1.0:
            raise InputError(
                f"{name} = {p}", wanted="a proportion on [0, 1]", where=f"field '{name}'"
            )
    apart = math.sqrt(p1 * (1.0 - p1) + p2 * (1.0 - p2))
    if apart == 0.0:
        raise NotEstimable(
            "both proportions are 0 or 1: nothing varies, so the approximation does not hold",
            code="degenerate",
        )
    return math.sqrt((p1 + p2) * (1.0 - (p1 + p2) / 2.0)), apart


def _reachable(power: float, tail: float, name: str, *, is_zero: bool) -> float:
    wanted = open_unit(power, "power")
    if is_zero:
        raise NotEstimable(
            f"a true difference of 0 ({name}) is found by no number of units", code="impossible"
        )
    if wanted <= tail:
        raise InputError(
            f"power = {power} is not above the level of the test", wanted="a larger power"
        )
    return wanted


def _solve(excess: Callable[[float], float]) -> float:
    if excess(2.0) >= 0:
        return 2.0
    top = 4.0
    while excess(top) < 0:
        top *= 4.0
        if top > _MOST_UNITS:
            raise NotEstimable("it would take more than 1e9 units", code="impossible")
    return float(brentq(excess, max(2.0, top / 4.0), top, xtol=1e-9, rtol=1e-12))
