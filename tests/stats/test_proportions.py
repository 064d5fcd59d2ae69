"""Intervals of proportions and of their differences, against scipy and published examples."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.proportion_differences import (
    TwoShares,
    agresti_caffo,
    bonett_price,
    miettinen_nurminen,
    newcombe,
)
from equipoise.stats.proportions import clopper_pearson, jeffreys, wilson
from every import for_every

_COUNTS = st.integers(1, 80).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(_COUNTS, st.floats(0.5, 0.999))
def test_against_scipy(share: tuple[int, int], level: float) -> None:
    x, n = share
    found = wilson(x, n, level=level).interval
    wanted = stats.binomtest(x, n).proportion_ci(level, method="wilson")
    assert (found.lo, found.hi) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    found = clopper_pearson(x, n, level=level).interval
    wanted = stats.binomtest(x, n).proportion_ci(level, method="exact")
    assert (found.lo, found.hi) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    found = jeffreys(x, n, level=level).interval
    tail = (1 - level) / 2
    if 0 < x < n:
        posterior = stats.beta(x + 0.5, n - x + 0.5)
        assert found.lo == pytest.approx(float(posterior.ppf(tail)), abs=1e-9)
        assert found.hi == pytest.approx(float(posterior.isf(tail)), abs=1e-9)
    else:
        assert found.lo == 0.0 or found.hi == 1.0


def test_edges_are_exact() -> None:
    for method in (wilson, clopper_pearson, jeffreys):
        assert method(0, 9).interval.lo == 0.0
        assert method(9, 9).interval.hi == 1.0
        assert method(0, 9).interval.hi == pytest.approx(1 - method(9, 9).interval.lo, abs=1e-12)


@for_every("x, n", [(3, 2), (-1, 5), (1.5, 5), (1, 2.5), (1, float("nan"))])
def test_counts_that_are_none_are_refused(x: float, n: float) -> None:
    with pytest.raises(InputError):
        wilson(x, n)


def test_no_trial_no_proportion() -> None:
    with pytest.raises(NotEstimable, match="n = 0"):
        clopper_pearson(0, 0)
    with pytest.raises(NotEstimable, match="n2 = 0"):
        TwoShares.of(1, 2, 0, 0)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, -0.5])
def test_levels_are_shares(level: float) -> None:
    with pytest.raises(InputError, match="level"):
        wilson(1, 2, level=level)


# Newcombe (1998), table II: (a) 56/70 - 48/80 ... (h) 10/10 - 0/10, methods 10 and 5/6
@for_every(
    "x1, n1, x2, n2, score, mn",
    [
        (56, 70, 48, 80, (0.0524, 0.3339), (0.0528, 0.3382)),
        (9, 10, 3, 10, (0.1705, 0.8090), (0.1700, 0.8406)),
        (6, 7, 2, 7, (0.0582, 0.8062), (0.0342, 0.8534)),
        (5, 56, 0, 29, (-0.0381, 0.1926), (-0.0326, 0.1933)),
        (0, 10, 0, 20, (-0.1611, 0.2775), (-0.1658, 0.2844)),
        (0, 10, 0, 10, (-0.2775, 0.2775), (-0.2879, 0.2879)),
        (10, 10, 0, 20, (0.6791, 1.0), (0.7156, 1.0)),
        (10, 10, 0, 10, (0.6075, 1.0), (0.6636, 1.0)),
    ],
)
def test_newcombes_examples(
    x1: int, n1: int, x2: int, n2: int, score: tuple[float, float], mn: tuple[float, float]
) -> None:
    shares = TwoShares.of(x1, n1, x2, n2)
    found = newcombe(shares).interval
    assert (round(found.lo, 4), round(found.hi, 4)) == score
    found = miettinen_nurminen(shares).interval
    assert (round(found.lo, 4), round(found.hi, 4)) == mn


@given(_COUNTS, _COUNTS)
def test_miettinen_nurminen_inverts_the_score_test(
    one: tuple[int, int], two: tuple[int, int]
) -> None:
    shares = TwoShares.of(*one, *two)
    interval = miettinen_nurminen(shares).interval
    assert -1 <= interval.lo <= shares.p1 - shares.p2 <= interval.hi <= 1
    for end in (interval.lo, interval.hi):
        if -0.999 < end < 0.999:
            assert _score_chi2(shares, end) == pytest.approx(3.841458820694124, rel=2e-3)


def _score_chi2(shares: TwoShares, at: float) -> float:
    """The score statistic with the restricted maximum found by a search, not in closed form."""

    def loss(p2: float) -> float:
        p1 = p2 + at
        terms = [
            (shares.x1, p1),
            (shares.n1 - shares.x1, 1 - p1),
            (shares.x2, p2),
            (shares.n2 - shares.x2, 1 - p2),
        ]
        return -sum(k * math.log(max(p, 1e-300)) for k, p in terms if k)

    bounds = (max(0.0, -at), min(1.0, 1.0 - at))
    best = optimize.minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-12})
    choices = [*bounds, float(best.x)]
    p2 = min(choices, key=loss)
    p1 = p2 + at
    total = shares.n1 + shares.n2
    variance = (p1 * (1 - p1) / shares.n1 + p2 * (1 - p2) / shares.n2) * total / (total - 1)
    return float((shares.p1 - shares.p2 - at) ** 2 / max(variance, 1e-300))


@given(_COUNTS, _COUNTS, st.floats(0.5, 0.98))
def test_swapping_the_arms_flips_the_sign(
    one: tuple[int, int], two: tuple[int, int], level: float
) -> None:
    there, back = TwoShares.of(*one, *two), TwoShares.of(*two, *one)
    for method in (newcombe, agresti_caffo, miettinen_nurminen):
        first, second = method(there, level=level), method(back, level=level)
        assert first.interval.lo == pytest.approx(-second.interval.hi, abs=1e-9)
        wider = method(there, level=level + 0.01)
        assert wider.interval.lo <= first.interval.lo + 1e-12


def test_agresti_caffo_covers() -> None:
    rng = np.random.default_rng(5)
    x1, x2 = rng.binomial(20, 0.1, 3000), rng.binomial(30, 0.3, 3000)
    inside = 0
    for a, b in zip(x1.tolist(), x2.tolist(), strict=True):
        interval = agresti_caffo(TwoShares.of(a, 20, b, 30)).interval
        inside += interval.lo <= -0.2 <= interval.hi
    assert inside / 3000 >= 0.94


def test_bonett_price_has_width_without_any_change_and_flips() -> None:
    still = bonett_price(40, 0, 0, 10)
    assert still.value == 0
    assert still.interval.lo == pytest.approx(-still.interval.hi)
    assert still.interval.hi > 0.05
    there, back = bonett_price(30, 8, 2, 10), bonett_price(30, 2, 8, 10)
    assert there.interval.lo == pytest.approx(-back.interval.hi)
    with pytest.raises(NotEstimable):
        bonett_price(0, 0, 0, 0)
