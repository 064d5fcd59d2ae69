"""What a run can report, how many units would tell, and the p-value of the guarded limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, ttest_1samp

from equipoise.errors import InputError
from equipoise.stats.guarded import (
    independent_interval,
    independent_tails,
    outward_step,
    paired_interval,
    paired_tails,
    powers_from_sums,
    powers_of,
)
from equipoise.stats.guarded_planning import (
    multiple_to_equate,
    multiple_to_show,
    reportable_change,
)
from equipoise.stats.guarded_test import largest_critical, touching_p
from equipoise.stats.inputs import normal_quantile

Z95, Z90 = normal_quantile(0.95), normal_quantile(0.90)

noisy = np.tile([-0.6, -0.2, 0.1, 0.3, 0.4], 40)


def test_p_values_are_those_of_t_where_differences_are_plentiful_and_symmetric() -> None:
    values = np.concatenate([0.05 + 0.3 * norm.ppf(np.linspace(0.01, 0.99, 60))])
    expected = ttest_1samp(values, 0.0).pvalue
    p = touching_p(paired_tails(powers_of(values)), values.mean(), margin=0.0)
    assert float(p) == pytest.approx(expected, rel=1e-6)


@given(st.lists(st.sampled_from([-1.0, -0.3, 0.0, 0.2, 1.0]), min_size=3, max_size=60))
def test_p_value_and_interval_say_the_same(values: list[float]) -> None:
    sample = powers_of(values)
    p = float(touching_p(paired_tails(sample), sample.mean, margin=0.0))
    found = paired_interval(sample, z=Z95)
    excludes = float(found.lo) > 0.0 or float(found.hi) < 0.0
    assert excludes == (p < 0.05) or p == pytest.approx(0.05, abs=1e-6)


def test_a_difference_inside_the_margin_has_p_1_and_no_number_of_units() -> None:
    tails = paired_tails(powers_of(noisy))
    assert float(touching_p(tails, 0.04, margin=0.05)) == 1.0
    assert np.isinf(multiple_to_show(tails, 0.04, margin=0.05, z=Z95))
    assert np.isinf(multiple_to_equate(tails, band=0.0, z=Z90))


def test_the_reportable_change_is_called_eight_times_in_ten() -> None:
    rng = np.random.default_rng(5)
    noise = rng.choice(noisy - noisy.mean(), (4000, 150))
    change = float(
        reportable_change(paired_tails(powers_of(np.tile(noisy, 1)[:150])), margin=0.05, z=Z95)
    )
    found = paired_interval(powers_of(noise + change), z=Z95)
    assert float(np.mean(found.lo > 0.05)) == pytest.approx(0.8, abs=0.03)


def test_the_units_said_to_be_needed_show_the_difference() -> None:
    rng = np.random.default_rng(6)
    pilot = noisy - noisy.mean() + 0.04
    multiple = float(multiple_to_show(paired_tails(powers_of(pilot)), 0.04, margin=0.0, z=Z95))
    n = round(multiple * pilot.size)
    found = paired_interval(powers_of(rng.choice(pilot, (2000, n))), z=Z95)
    assert float(np.mean(found.lo > 0)) == pytest.approx(0.8, abs=0.04)


def test_the_units_said_to_be_needed_show_equivalence() -> None:
    rng = np.random.default_rng(7)
    pilot = noisy - noisy.mean()
    tails = paired_tails(powers_of(pilot))
    step = outward_step(pilot.size)
    multiple = float(multiple_to_equate(tails, band=0.06, z=Z90, outward_step=step))
    n = round(multiple * pilot.size)
    found = paired_interval(powers_of(rng.choice(pilot, (2000, n))), z=Z90)
    out = float(outward_step(n))
    inside = (found.lo - out > -0.06) & (found.hi + out < 0.06)
    assert float(np.mean(inside)) == pytest.approx(0.8, abs=0.04)


def test_nothing_seen_still_tells_how_many_units_would() -> None:
    zeros = powers_of(np.zeros(20))
    multiple = float(multiple_to_equate(paired_tails(zeros), band=0.05, z=Z90))
    assert np.isfinite(multiple)
    wide = paired_interval(powers_of(np.zeros(math.ceil(20 * multiple))), z=Z90)
    assert float(wide.hi) <= 0.05


def test_more_units_are_needed_for_less() -> None:
    tails = paired_tails(powers_of(noisy))
    deltas = np.array([0.02, 0.05, 0.1])
    multiples = [float(multiple_to_show(tails, d, margin=0.0, z=Z95)) for d in deltas]
    assert multiples == sorted(multiples, reverse=True)


def test_independent_arms_are_planned_from_both() -> None:
    base = powers_from_sums(100, (15, 15, 15, 15))
    new = powers_from_sums(100, (30, 30, 30, 30))
    tails = independent_tails(new, base)
    p = float(touching_p(tails, 0.15, margin=0.0))
    found = independent_interval(new, base, z=normal_quantile(1 - p))
    assert float(found.lo) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("power", [0.0, 1.0, 80.0])
def test_a_power_outside_its_range_is_refused(power: float) -> None:
    with pytest.raises(InputError, match="power"):
        reportable_change(paired_tails(powers_of(noisy)), margin=0.0, z=Z95, power=power)


def test_the_largest_of_independent_cells_is_sidaks() -> None:
    rng = np.random.default_rng(3)
    found = largest_critical(np.eye(10), level=0.95, rng=rng, draws=200_000)
    assert found == pytest.approx(normal_quantile(0.95 ** (1 / 10)), abs=0.02)
    tied = largest_critical(np.ones((10, 10)), level=0.95, rng=rng, draws=200_000)
    assert tied == pytest.approx(Z95, abs=0.02)
