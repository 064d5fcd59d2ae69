"""The report rule: the requirement's checks, and the guard where the literal rule is wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.intervals import Moments
from equipoise.stats.reporting import Arm, Row, guarded_rows, listed, literal_row


@pytest.mark.requirement("E2E-45")
def test_the_lower_limit_decides_not_the_estimate() -> None:
    rows = [Row(id="noisy", delta=0.30, ci_low=0.049), Row(id="tight", delta=0.1, ci_low=0.051)]
    assert [row.id for row in listed(rows, margin=0.05)] == ["tight"]


@pytest.mark.requirement("E2E-46")
def test_rows_are_sorted_by_the_lower_limit() -> None:
    rows = [Row(id="a", delta=0.4, ci_low=0.06), Row(id="b", delta=0.2, ci_low=0.15)]
    assert [row.id for row in listed(rows, margin=0.05)] == ["b", "a"]
    tied = [Row(id=name, delta=0.4, ci_low=0.06) for name in "zxy"]
    assert [row.id for row in listed(tied, margin=0.05)] == ["x", "y", "z"]


@pytest.mark.requirement("E2E-39")
def test_an_underpopulated_row_is_never_listed() -> None:
    assert listed([Row(id="a", delta=0.9, ci_low=0.8, is_scored=False)], margin=0.05) == []


@pytest.mark.requirement("E2E-43")
def test_a_row_by_hand() -> None:
    row = literal_row(
        Arm(loss=0.22, sd=0.28, n=62), Arm(loss=0.18, sd=0.27, n=62), k=10, margin=0.05
    )
    assert row.se == pytest.approx((0.28**2 / 62 + 0.27**2 / 62) ** 0.5)
    assert row.ci_high - row.ci_low == pytest.approx(2 * 3.151292546497023 * row.se)
    assert not row.is_listed


@pytest.mark.requirement("E2E-44")
@given(st.integers(1, 100))
def test_more_cells_widen_the_interval(k: int) -> None:
    new, base = Arm(loss=0.4, sd=0.3, n=80), Arm(loss=0.2, sd=0.3, n=80)
    one = literal_row(new, base, k=k, margin=0.05)
    more = literal_row(new, base, k=k + 1, margin=0.05)
    assert more.ci_low < one.ci_low < one.ci_high < more.ci_high


def test_a_lower_limit_at_the_margin_is_not_above_it() -> None:
    row = literal_row(Arm(loss=0.5, sd=0, n=64), Arm(loss=0.25, sd=0, n=64), k=1, margin=0.25)
    assert not row.is_listed
    assert row.is_degenerate


@pytest.mark.parametrize("n", [0, 1])
def test_one_unit_has_no_spread(n: int) -> None:
    with pytest.raises(NotEstimable, match="n_new"):
        literal_row(Arm(loss=0.5, sd=0, n=n), Arm(loss=0.2, sd=0.1, n=50), k=1, margin=0.05)


def test_impossible_arms_are_refused() -> None:
    good = Arm(loss=0.2, sd=0.1, n=50)
    for bad in (Arm(loss=1.2, sd=0.1, n=50), Arm(loss=0.2, sd=-0.1, n=50)):
        with pytest.raises(InputError):
            literal_row(bad, good, k=1, margin=0.05)
    with pytest.raises(InputError, match="mde"):
        literal_row(good, good, k=1, margin=-0.05)


# Section 2: base n = 58 against new n = 2000, base loss 5 %, true difference at the margin
@pytest.mark.parametrize(("k", "literal"), [(1, 0.092), (10, 0.051)])
def test_the_guard_holds_where_the_literal_rule_fails(k: int, literal: float) -> None:
    rng = np.random.default_rng(1)
    draws = 200_000
    base, new = rng.binomial(58, 0.05, draws) / 58, rng.binomial(2000, 0.10, draws) / 2000
    rows = guarded_rows(
        Moments.of(np.full(draws, 2000), new, 2000 * new * (1 - new)),
        Moments.of(np.full(draws, 58), base, 58 * base * (1 - base)),
        k=k,
        margin=0.05,
    )
    assert rows.clears_literal.mean() == pytest.approx(literal, abs=0.004)
    assert rows.is_listed.mean() <= 0.001


def test_the_guard_is_nearly_free_where_the_literal_rule_is_right() -> None:
    rng = np.random.default_rng(2)
    draws = 50_000
    base, new = rng.binomial(576, 0.15, draws) / 576, rng.binomial(576, 0.30, draws) / 576
    rows = guarded_rows(
        Moments.of(np.full(draws, 576), new, 576 * new * (1 - new)),
        Moments.of(np.full(draws, 576), base, 576 * base * (1 - base)),
        k=10,
        margin=0.05,
    )
    assert rows.clears_literal.mean() == pytest.approx(0.836, abs=0.01)
    assert rows.is_listed.mean() == pytest.approx(0.828, abs=0.01)


def test_a_row_needs_its_units_and_its_place_in_the_plan() -> None:
    new, base = Moments.of([600], [0.5], [100.0]), Moments.of([600], [0.1], [40.0])
    assert guarded_rows(new, base, k=1, margin=0.05).is_listed.all()
    assert not guarded_rows(new, base, k=1, margin=0.05, least_units=601).is_listed.any()
    assert not guarded_rows(new, base, k=1, margin=0.05, is_planned=False).is_listed.any()
    swapped = guarded_rows(base, new, k=1, margin=0.05)
    assert not swapped.is_listed.any()
    assert swapped.delta[0] == pytest.approx(-0.4)


def test_a_hundred_thousand_cells_are_one_call() -> None:
    rng = np.random.default_rng(3)
    cells = 100_000
    mean = rng.random((2, cells))
    squares = 100 * mean * (1 - mean) * rng.random((2, cells))
    new, base = (Moments.of(np.full(cells, 100), mean[a], squares[a]) for a in (0, 1))
    rows = guarded_rows(new, base, k=cells, margin=0.05)
    assert rows.is_listed.shape == (cells,)
    assert bool(np.all(rows.guarded_low <= rows.delta))
