"""Student's and Welch's differences and the equivalence tests, against scipy and classic data."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.differences import overlap_se, paired_t, welch_t
from equipoise.stats.equivalence import (
    equivalence_probability,
    equivalence_units,
    noninferiority_shares,
    tost_paired,
    tost_welch,
)

# Student (1908), Biometrika 6, 20: hours of extra sleep with two drugs, ten patients
_SLEEP_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
_SLEEP_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
_SAMPLES = st.lists(st.floats(-5, 5).map(lambda v: round(v, 3)), min_size=3, max_size=20)


def test_students_sleep_data() -> None:
    paired = paired_t(_SLEEP_1, _SLEEP_2)
    assert paired.value / (paired.se or 0) == pytest.approx(-4.0621, abs=1e-4)
    assert paired.p == pytest.approx(0.002833, abs=1e-6)
    assert (paired.interval.lo, paired.interval.hi) == pytest.approx((-2.4598858, -0.7001142))
    welch = welch_t(_SLEEP_1, _SLEEP_2)
    assert welch.df == pytest.approx(17.776, abs=1e-3)
    assert welch.p == pytest.approx(0.07939, abs=1e-5)


@given(_SAMPLES, _SAMPLES)
def test_welch_against_scipy(new: list[float], base: list[float]) -> None:
    assume(np.ptp(new) > 1e-3)
    assume(np.ptp(base) > 1e-3)
    found = welch_t(new, base)
    wanted = stats.ttest_ind(new, base, equal_var=False)
    ends = wanted.confidence_interval(0.95)
    assert found.p == pytest.approx(float(wanted.pvalue), abs=1e-9)
    assert (found.interval.lo, found.interval.hi) == pytest.approx((ends.low, ends.high), abs=1e-9)


def test_equal_differences_are_no_certainty() -> None:
    for new, base in (([1, 1, 1], [0, 0, 0]), ([0.4, 0.5, 0.6], [0.3, 0.4, 0.5])):
        with pytest.raises(NotEstimable) as caught:
            paired_t(new, base)
        assert caught.value.code == "degenerate"
        with pytest.raises(NotEstimable):
            tost_paired(new, base, margin=0.5)
    with pytest.raises(NotEstimable):
        welch_t([1, 1, 1], [0, 0])
    assert welch_t([1, 1, 1], [0, 1]).p > 0.05


@pytest.mark.parametrize("few", [[], [1.0]])
def test_too_few_units(few: list[float]) -> None:
    with pytest.raises(NotEstimable, match="at least 2"):
        paired_t(few, few)
    with pytest.raises(NotEstimable, match="at least 2"):
        welch_t(few, [0, 1])


def test_overlap_joins_the_paired_and_the_independent_case() -> None:
    rng = np.random.default_rng(4)
    base = rng.random(50)
    new = 0.5 * base + rng.random(50)
    r = float(np.corrcoef(new, base)[0, 1])
    sds = (float(new.std(ddof=1)), float(base.std(ddof=1)))
    both = overlap_se(sds, (50, 50), n_shared=50, correlation=r)
    assert both.se == pytest.approx(paired_t(new, base).se or 0, rel=1e-9)
    none = overlap_se(sds, (50, 50), n_shared=0, correlation=r)
    assert none.se == none.se_independent == pytest.approx(welch_t(new, base).se or 0, rel=1e-9)
    with pytest.raises(InputError, match="n_shared_units"):
        overlap_se(sds, (50, 40), n_shared=41, correlation=r)
    with pytest.raises(NotEstimable):
        overlap_se((0.3, 0.3), (10, 10), n_shared=10, correlation=1.0)


@given(_SAMPLES.filter(lambda x: float(np.ptp(x)) > 0.01), st.floats(0.01, 3), st.floats(0.01, 0.4))
def test_equivalent_exactly_where_the_interval_is_inside(
    d: list[float], margin: float, alpha: float
) -> None:
    found = tost_paired(d, [0.0] * len(d), margin=margin, alpha=alpha)
    inside = -margin < found.interval.lo and found.interval.hi < margin
    assume(abs(found.p - alpha) > 1e-9)
    assert found.equivalent == inside


def test_at_the_margin_equivalence_is_said_at_most_alpha() -> None:
    rng = np.random.default_rng(9)
    said = [
        tost_paired(rng.normal(0.1, 0.2, 40), [0.0] * 40, margin=0.1).equivalent
        for _ in range(3000)
    ]
    assert np.mean(said) <= 0.05 + 3 * (0.05 * 0.95 / 3000) ** 0.5
    said = [
        tost_welch(rng.normal(0.1, 0.2, 40), rng.normal(0, 0.2, 25), margin=0.1).equivalent
        for _ in range(3000)
    ]
    assert np.mean(said) <= 0.05 + 3 * (0.05 * 0.95 / 3000) ** 0.5


@given(st.floats(0.05, 1), st.floats(0.02, 0.3), st.floats(-0.9, 0.9), st.floats(0.5, 0.95))
def test_the_planned_units_show_equivalence_with_the_planned_power(
    sd: float, margin: float, share: float, power: float
) -> None:
    true = share * margin
    exact = equivalence_units(sd, margin=margin, power=power, true_delta=true).exact
    reached = equivalence_probability(sd, n=exact, margin=margin, true_delta=true)
    assert reached == pytest.approx(power, abs=1e-6)


def test_simulated_power_of_equivalence() -> None:
    rng = np.random.default_rng(10)
    n = equivalence_units(0.3, margin=0.1, true_delta=0.02).n
    shown = [
        tost_paired(rng.normal(0.02, 0.3, n), np.zeros(n), margin=0.1).equivalent
        for _ in range(3000)
    ]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("true", [0.1, -0.1, 0.5])
def test_no_number_of_units_shows_equivalence_of_what_differs(true: float) -> None:
    with pytest.raises(NotEstimable, match="no number of units") as caught:
        equivalence_units(0.3, margin=0.1, true_delta=true)
    assert caught.value.code == "impossible"


@pytest.mark.parametrize(("margin", "alpha"), [(0.0, 0.05), (-0.1, 0.05), (0.1, 0.5), (0.1, 0.0)])
def test_margins_and_levels_are_checked(margin: float, alpha: float) -> None:
    with pytest.raises(InputError):
        tost_paired(_SLEEP_1, _SLEEP_2, margin=margin, alpha=alpha)


def test_noninferiority_needs_the_whole_interval_above_the_margin() -> None:
    small = noninferiority_shares((170, 200), (172, 200), margin=0.05)
    large = noninferiority_shares((1700, 2000), (1720, 2000), margin=0.05)
    assert small.delta == large.delta == pytest.approx(-0.01)
    assert not small.non_inferior
    assert large.non_inferior
    assert small.interval.level == pytest.approx(0.9)
