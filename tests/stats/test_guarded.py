"""Guarded intervals of one mean, of independent arms and of paired differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, ttest_1samp

from equipoise.stats.guarded import (
    independent_interval,
    mean_interval,
    paired_interval,
    powers_from_sums,
    powers_of,
)
from equipoise.stats.inputs import normal_quantile

Z95 = normal_quantile(0.95)

differences = st.lists(
    st.one_of(st.sampled_from([-1.0, 0.0, 1.0]), st.floats(-1.0, 1.0)), min_size=2, max_size=40
)


def limits(values: list[float], z: float = Z95, runs: float = 1.0) -> tuple[float, float]:
    found = paired_interval(powers_of(values), z=z, runs=runs)
    return float(found.lo), float(found.hi)


def test_identical_arms_and_a_clean_sweep_keep_a_width() -> None:
    lo, hi = limits([0.0] * 10)
    assert (lo, hi) == pytest.approx((-0.278, 0.278), abs=5e-4)
    lo, hi = limits([1.0] * 5)
    assert lo == pytest.approx(0.13, abs=5e-3)
    assert hi == 1.0


def test_nothing_seen_gives_wilsons_limit() -> None:
    found = mean_interval(powers_of([0.0] * 20), z=Z95)
    assert float(found.lo) == 0.0
    assert float(found.hi) == pytest.approx(0.161, abs=5e-4)
    assert bool(found.degenerate)


def test_fewer_than_two_units_are_not_estimable() -> None:
    sums = np.array([0.0, 0.5, 1.0])
    found = paired_interval(powers_from_sums([0, 1, 2], (sums, sums, sums, sums)), z=Z95)
    assert found.estimable.tolist() == [False, False, True]
    assert np.isnan(found.lo).tolist() == [True, True, False]
    lonely = powers_of([[0.5]])
    assert not independent_interval(lonely, lonely, z=Z95).estimable.any()


@given(differences)
def test_swapping_the_arms_mirrors_the_interval(values: list[float]) -> None:
    lo, hi = limits(values)
    mirrored = limits([-v for v in values])
    assert (-hi, -lo) == pytest.approx(mirrored, abs=1e-9)


@given(differences)
def test_the_order_of_units_is_irrelevant(values: list[float]) -> None:
    order = np.random.default_rng(len(values)).permutation(len(values))
    assert limits(values) == pytest.approx(limits([values[i] for i in order]), abs=1e-9)


@given(differences)
def test_never_zero_width_and_always_around_the_mean(values: list[float]) -> None:
    lo, hi = limits(values)
    assert -1.0 <= lo <= np.mean(values) + 1e-12
    assert np.mean(values) - 1e-12 <= hi <= 1.0
    assert hi - lo > 1e-6


@given(differences, st.floats(0.5, 5.0), st.floats(0.01, 2.0))
def test_a_higher_level_never_narrows(values: list[float], z: float, more: float) -> None:
    lo, hi = limits(values, z)
    wider_lo, wider_hi = limits(values, z + more)
    assert wider_lo <= lo + 1e-12
    assert hi <= wider_hi + 1e-12


@given(differences)
def test_raw_sums_and_values_agree(values: list[float]) -> None:
    d = np.array(values)
    sums = ((d).sum(), (d**2).sum(), (d**3).sum(), (d**4).sum())
    from_sums = paired_interval(powers_from_sums(len(d), sums), z=Z95)
    lo, hi = limits(values)
    assert (float(from_sums.lo), float(from_sums.hi)) == pytest.approx((lo, hi), abs=1e-6)


def test_cells_do_not_touch_each_other() -> None:
    rng = np.random.default_rng(4)
    table = rng.choice([-1.0, -0.25, 0.0, 0.5, 1.0], size=(50, 13))
    together = paired_interval(powers_of(table), z=np.linspace(1.0, 4.0, 50))
    for row, z, lo in zip(table, np.linspace(1.0, 4.0, 50), together.lo, strict=True):
        assert float(paired_interval(powers_of(row), z=z).lo) == pytest.approx(float(lo), abs=1e-12)


def test_plentiful_symmetric_differences_give_students_interval() -> None:
    values = 0.1 + 0.3 * norm.ppf(np.linspace(0.02, 0.98, 30))
    expected = ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert limits(list(values)) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(
    ("values", "shares", "n"),
    [
        ([0, 1, -1], [0.953, 0.027, 0.02], 20),
        ([0.02, -0.98], [0.98, 0.02], 100),
        ([0, -0.4, -0.1, 0.2, 0.5], [0.85, 0.04, 0.04, 0.04, 0.03], 10),
        ([0, 1, -1], [0.75, 0.125, 0.125], 20),
    ],
)
def test_covers_where_t_does_not(values: list[float], shares: list[float], n: int) -> None:
    rng = np.random.default_rng(12)
    drawn = rng.choice(values, (6000, n), p=shares)
    found = paired_interval(powers_of(drawn), z=Z95)
    truth = float(np.dot(values, shares))
    assert float(np.mean((found.lo <= truth) & (truth <= found.hi))) >= 0.935
