"""Stopping early: printed boundaries, simulated error, bets that cannot be gamed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.betting import adaptive_bet, betting_interval, fixed_bet, sign_mixture
from equipoise.stats.sequential import Kind, boundaries, stopping_power


# Jennison and Turnbull (2000), tables 2.1 and 2.3, alpha = 0.05 two-sided
@pytest.mark.parametrize(
    ("kind", "constants"),
    [
        ("pocock", {1: 1.960, 2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413, 10: 2.555, 20: 2.672}),
        (
            "obrien_fleming",
            {1: 1.960, 2: 1.977, 3: 2.004, 4: 2.024, 5: 2.040, 10: 2.087, 20: 2.126},
        ),
    ],
)
def test_printed_constants(kind: Kind, constants: dict[int, float]) -> None:
    for looks, constant in constants.items():
        assert boundaries(looks, kind=kind).constant == pytest.approx(constant, abs=6e-4)


@pytest.mark.parametrize(("alpha", "pocock", "obf"), [(0.01, 2.986, 2.621), (0.10, 2.122, 1.751)])
def test_printed_constants_at_other_levels(alpha: float, pocock: float, obf: float) -> None:
    assert boundaries(5, kind="pocock", alpha=alpha).constant == pytest.approx(pocock, abs=1e-3)
    assert boundaries(5, alpha=alpha).constant == pytest.approx(obf, abs=1e-3)


def test_two_looks_are_a_bivariate_normal() -> None:
    plan = boundaries(2, kind="pocock", fractions=[0.3, 1.0])
    c = plan.constant
    r = 0.3**0.5
    both = stats.multivariate_normal([0, 0], [[1, r], [r, 1]])
    inside = both.cdf([c, c]) - both.cdf([-c, c]) - both.cdf([c, -c]) + both.cdf([-c, -c])
    assert 1 - inside == pytest.approx(0.05, abs=1e-5)
    assert plan.spent[-1] == pytest.approx(0.05, abs=1e-9)


def test_simulated_error_and_power_of_a_plan() -> None:
    rng = np.random.default_rng(1)
    plan = boundaries(5)
    steps = rng.normal(size=(40_000, 5)) * 0.2**0.5
    times = np.arange(1, 6) / 5
    for drift in (0.0, 2.8):
        z = (np.cumsum(steps, axis=1) + drift * times) / np.sqrt(times)
        stopped = np.abs(z) >= np.array(plan.z)
        chance, used = stopping_power(plan, drift=drift)
        assert stopped.any(axis=1).mean() == pytest.approx(chance, abs=0.01)
        look = np.where(stopped.any(axis=1), stopped.argmax(axis=1) + 1, 5)
        assert (look / 5).mean() == pytest.approx(used, abs=0.01)


def test_many_looks_stay_accurate() -> None:
    assert boundaries(50, kind="pocock").spent[-1] == pytest.approx(0.05, abs=1e-8)
    # in the limit of looking all the time the OBF constant is that of a Brownian path
    limit = boundaries(200).constant
    assert 2.17 < limit < 2.2415


@pytest.mark.parametrize("looks", [0, -1, 2.5, 201])
def test_numbers_of_looks(looks: float) -> None:
    with pytest.raises(InputError):
        boundaries(looks)


@pytest.mark.parametrize("fractions", [[0.5], [0.5, 0.4, 1.0], [0.2, 0.9, 0.95], [0.0, 0.5, 1.0]])
def test_fractions_rise_to_1(fractions: list[float]) -> None:
    with pytest.raises(InputError, match="increase"):
        boundaries(3, fractions=fractions)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.floats(0.05, 0.95))
def test_wealth_stays_positive_and_is_fair_in_each_step(x: list[float], m: float) -> None:
    for wealth in (
        fixed_bet(x, bet=1 / m, null_mean=m),
        fixed_bet(x, bet=-1 / (1 - m), null_mean=m),
        adaptive_bet(x, null_mean=m),
    ):
        assert bool(np.all(wealth.path >= 0))
    # a bet depends on the past alone: the next wealth averages to the present one under the null
    up = adaptive_bet([*x, 1.0], null_mean=m).path[-1]
    down = adaptive_bet([*x, 0.0], null_mean=m).path[-1]
    now = adaptive_bet(x, null_mean=m).path[-1]
    assert m * up + (1 - m) * down == pytest.approx(now, rel=1e-9)


@pytest.mark.parametrize("law", ["coin", "rare_catastrophe", "graded"])
def test_no_stream_without_difference_reaches_the_threshold_too_often(law: str) -> None:
    rng = np.random.default_rng(3)
    size = (1500, 400)
    d = {
        "coin": rng.choice([-1.0, 0.0, 1.0], size, p=[0.1, 0.8, 0.1]),
        "rare_catastrophe": np.where(rng.random(size) < 0.02, -0.98, 0.02),
        "graded": rng.uniform(-0.2, 0.2, size),
    }[law]
    crossed = [adaptive_bet((row + 1) / 2, null_mean=0.5).first_crossing is not None for row in d]
    assert np.mean(crossed) <= 0.05


def test_a_difference_is_found() -> None:
    rng = np.random.default_rng(4)
    d = rng.choice([-1.0, 0.0, 1.0], (200, 600), p=[0.05, 0.77, 0.18])
    found = [adaptive_bet((row + 1) / 2, null_mean=0.5).first_crossing is not None for row in d]
    assert np.mean(found) >= 0.8


def test_long_streams_do_not_overflow() -> None:
    assert adaptive_bet(np.ones(5000), null_mean=0.1).first_crossing is not None
    assert bool(np.isfinite(fixed_bet(np.ones(5000), bet=5, null_mean=0.1).path).all())
    assert sign_mixture(5000, 5000).log_value > 700


@pytest.mark.parametrize("bet", [2.1, -2.1, float("nan")])
def test_a_bet_that_could_ruin_is_refused(bet: float) -> None:
    with pytest.raises(InputError, match="lambda"):
        fixed_bet([0.5], bet=bet, null_mean=0.5)


@given(st.integers(0, 12), st.floats(0.2, 5), st.floats(0.2, 5), st.floats(0.1, 0.9))
def test_the_mixture_averages_to_1_without_difference(n: int, a: float, b: float, p: float) -> None:
    chances = stats.binom(n, p).pmf(np.arange(n + 1))
    values = [sign_mixture(w, n, a=a, b=b, null_p=p).value for w in range(n + 1)]
    assert float(np.dot(chances, values)) == pytest.approx(1.0, rel=1e-9)


def test_betting_interval_covers_where_wald_does_not() -> None:
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(600):
        interval = betting_interval((rng.random(58) < 0.02).astype(float)).interval
        inside += interval.lo <= 0.02 <= interval.hi
    assert inside / 600 >= 0.95


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.floats(0.6, 0.98))
def test_betting_interval_stays_inside_and_grows_with_the_level(
    x: list[float], level: float
) -> None:
    narrow, wide = betting_interval(x, level=level), betting_interval(x, level=level + 0.01)
    assert 0 <= wide.interval.lo <= narrow.interval.lo + 1e-6
    assert narrow.interval.hi - 1e-6 <= wide.interval.hi <= 1
    assert narrow.interval.lo <= narrow.value + 1e-9
    assert narrow.value - 1e-9 <= narrow.interval.hi


def test_betting_interval_of_nothing() -> None:
    with pytest.raises(NotEstimable):
        betting_interval([])
