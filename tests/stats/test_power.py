"""Units needed and what can be reported: exact arithmetic, the published tables, simulation."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.classic_power import (
    TTestDesign,
    t_test_power,
    t_test_units,
    two_proportion_power,
    two_proportion_units,
)
from equipoise.stats.power import (
    ReportDesign,
    least_units,
    reach,
    report_probability,
    smallest_reportable,
    units_to_report,
)


@pytest.mark.requirement("E2E-17")
@pytest.mark.parametrize(
    ("s", "mde", "n"),
    [("0.3", "0.05", 576), ("0.28", "0.05", 502), ("0.3", "0.1", 144), ("0.05", "0.01", 400)],
)
def test_least_units_of_the_requirement(s: str, mde: str, n: int) -> None:
    assert least_units(s, mde) == n
    assert least_units(float(s), float(mde)) == n


@given(st.integers(1, 1000), st.integers(1, 400))
def test_least_units_is_the_smallest_number_that_meets_the_bound(s: int, mde: int) -> None:
    n = least_units(f"{s}e-3", f"{mde}e-3")
    assert n * Fraction(mde) ** 2 >= 16 * Fraction(s) ** 2
    assert n == 2 or (n - 1) * Fraction(mde) ** 2 < 16 * Fraction(s) ** 2


@pytest.mark.parametrize(("s", "mde"), [("x", "0.1"), ("-0.1", "0.1"), ("0.3", "0"), ("nan", "1")])
def test_least_units_refuses_what_is_no_spread_or_margin(s: str, mde: str) -> None:
    with pytest.raises(InputError, match=r"field '(s|mde)'"):
        least_units(s, mde)


# Operating characteristics at n = n_min for margins 1, 2, 3, 4 x mde (in per cent)
@pytest.mark.parametrize(
    ("k", "listed", "reportable"),
    [
        (1, [2.3, 79.6, 99.99, 100.0], 2.00),
        (10, [0.08, 37.3, 99.4, 100.0], 2.41),
        (50, [0.004, 13.0, 95.6, 100.0], 2.70),
        (200, [0.0002, 3.4, 84.3, 99.99], 2.94),
    ],
)
def test_operating_characteristics_at_the_minimum(
    k: int, listed: list[float], reportable: float
) -> None:
    design = ReportDesign(sd=0.3, margin=0.05, k=k)
    found = [100 * report_probability(design, n=576, true_delta=0.05 * m) for m in (1, 2, 3, 4)]
    assert found == pytest.approx(listed, rel=0.05, abs=0.05)
    assert smallest_reportable(design, n=576) / 0.05 == pytest.approx(reportable, abs=0.01)


@pytest.mark.parametrize(
    ("k", "units", "rho_half", "rho_08"),
    [
        (1, [2326, 582, 259, 146, 65], 291, 117),
        (10, [4592, 1148, 511, 287, 128], 574, 230),
        (50, [6629, 1658, 737, 415, 185], 829, 332),
        (200, [8683, 2171, 965, 543, 242], 1086, 435),
    ],
)
def test_table_of_units_to_report(k: int, units: list[int], rho_half: int, rho_08: int) -> None:
    design = ReportDesign(sd=0.3, margin=0.05, k=k)
    deltas = (0.075, 0.10, 0.125, 0.15, 0.20)
    assert [units_to_report(design, true_delta=d).n for d in deltas] == units
    for rho, n in ((0.5, rho_half), (0.8, rho_08)):
        paired = ReportDesign(sd=0.3, margin=0.05, k=k, correlation=rho)
        assert units_to_report(paired, true_delta=0.10).n == n


@given(st.floats(0.06, 0.5), st.integers(1, 300), st.floats(0.5, 0.95))
def test_the_printed_number_of_units_has_the_printed_power(
    delta: float, k: int, power: float
) -> None:
    design = ReportDesign(sd=0.3, margin=0.05, k=k)
    n = units_to_report(design, true_delta=delta, power=power).n
    assert report_probability(design, n=n, true_delta=delta) >= power - 1e-9
    if n > 2:
        assert report_probability(design, n=n - 1, true_delta=delta) < power


@pytest.mark.parametrize("delta", [0.05, 0.04, -1.0])
def test_a_difference_inside_the_margin_is_impossible_to_plan_for(delta: float) -> None:
    with pytest.raises(NotEstimable, match="not above the margin") as caught:
        units_to_report(ReportDesign(sd=0.3, margin=0.05), true_delta=delta)
    assert caught.value.code == "impossible"


def test_no_spread_gives_no_power() -> None:
    with pytest.raises(NotEstimable) as caught:
        report_probability(ReportDesign(sd=0.0, margin=0.05), n=100, true_delta=0.1)
    assert caught.value.code == "degenerate"
    with pytest.raises(NotEstimable):
        reach(0.0, margin=0.05)


def test_reach_of_the_slip_is_too_small_to_clear_anyone() -> None:
    se = 0.3 * (2 / 58) ** 0.5
    found = [reach(se, margin=0.05, k=k).reportable for k in (1, 10, 50, 200)]
    assert found == pytest.approx([0.208, 0.272, 0.317, 0.356], abs=5e-4)
    assert reach(se, margin=0.05).is_too_small
    assert not reach(0.3 * (2 / 576) ** 0.5, margin=0.05).is_too_small


def test_simulated_report_share_is_the_printed_one() -> None:
    rng = np.random.default_rng(7)
    design = ReportDesign(sd=0.3, margin=0.05, k=10)
    wanted = smallest_reportable(design, n=200)
    new = rng.normal(0.5 + wanted, 0.3, (20_000, 200))
    base = rng.normal(0.5, 0.3, (20_000, 200))
    se = np.sqrt(new.var(axis=1, ddof=1) / 200 + base.var(axis=1, ddof=1) / 200)
    low = new.mean(axis=1) - base.mean(axis=1) - design.z * se
    assert np.mean(low > 0.05) == pytest.approx(0.8, abs=0.01)


# R 4.2.2 power.t.test and power.prop.test
def test_t_test_power_agrees_with_r() -> None:
    assert t_test_power(TTestDesign(delta=0.5, sd=1), n=64) == pytest.approx(0.8014586, abs=1e-7)
    paired = TTestDesign(delta=0.4, sd=0.8, design="paired")
    assert t_test_power(paired, n=35) == pytest.approx(0.8195351, abs=1e-7)
    needed = t_test_units(TTestDesign(delta=0.05, sd=0.3), power=0.8)
    assert needed.exact == pytest.approx(566.08130640, abs=1e-4)
    assert needed.n == 567
    # the example of ?power.t.test: power = .90, delta = 1 gives n = 22.02110
    assert t_test_units(TTestDesign(delta=1, sd=1), power=0.9).exact == pytest.approx(
        22.02110, abs=1e-4
    )


def test_two_proportion_power_agrees_with_r() -> None:
    assert two_proportion_power(0.1, 0.2, n=200) == pytest.approx(0.802048372, abs=1e-8)
    # the examples of ?power.prop.test: n = 50, .50 against .75 gives 0.7401659; power .90: 76.7
    assert two_proportion_power(0.5, 0.75, n=50) == pytest.approx(0.7401659, abs=1e-6)
    assert two_proportion_units(0.5, 0.75, power=0.9).exact == pytest.approx(76.7, abs=0.05)


def test_simulated_t_test_power() -> None:
    rng = np.random.default_rng(8)
    new, base = rng.normal(0.5, 1, (4000, 30)), rng.normal(0, 1, (4000, 30))
    p = stats.ttest_ind(new, base, axis=1).pvalue
    wanted = t_test_power(TTestDesign(delta=0.5, sd=1), n=30)
    assert np.mean(p < 0.05) == pytest.approx(wanted, abs=0.02)


def test_what_no_number_of_units_finds() -> None:
    with pytest.raises(NotEstimable, match="no number of units"):
        t_test_units(TTestDesign(delta=0.0, sd=1), power=0.8)
    with pytest.raises(NotEstimable, match="no number of units"):
        two_proportion_units(0.3, 0.3, power=0.8)
    with pytest.raises(NotEstimable, match="1e9"):
        t_test_units(TTestDesign(delta=1e-9, sd=1), power=0.8)
    with pytest.raises(NotEstimable, match="nothing varies"):
        two_proportion_power(0.0, 1.0, n=10)


def test_two_units_suffice_for_a_very_large_difference() -> None:
    needed = t_test_units(TTestDesign(delta=5, sd=1), power=0.9)
    assert needed.n == 3
    assert t_test_power(TTestDesign(delta=5, sd=1), n=needed.exact) == pytest.approx(0.9, abs=1e-9)
    assert t_test_units(TTestDesign(delta=50, sd=1), power=0.9).n == 2
