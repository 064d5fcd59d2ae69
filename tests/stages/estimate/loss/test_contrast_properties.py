"""What must hold of every comparison: order is nothing, swapping mirrors, width is never none."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.records.suite import LossRow
from stages.estimate.loss.made_loss_columns import Arm, FloatArray, compared, promised, with_mde

LOSSES = st.sampled_from([0.0, 0.0, 0.0, 0.25, 1 / 3, 0.5, 1.0, float("nan")])


@st.composite
def two_arms(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    shape = (draw(st.integers(1, 3)), draw(st.integers(2, 12)), draw(st.sampled_from([1, 3])), 2)
    size = int(np.prod(shape))
    one, two = (
        np.array(draw(st.lists(LOSSES, min_size=size, max_size=size))).reshape(shape)
        for _ in range(2)
    )
    one[0, 0], two[0, 0] = 0.5, 0.5
    return one, two


def rows(
    new: FloatArray, base: FloatArray, order: int = 0, *, paired: bool = False, mde: float = 0.05
) -> tuple[LossRow, ...]:
    with tempfile.TemporaryDirectory() as folder:
        return compared(
            Path(folder),
            Arm(name="new", lost=new, order=order),
            Arm(name="base", lost=base, order=order + 1),
            with_mde(promised(new.shape, paired=paired), mde),
        ).rows


@settings(max_examples=8, deadline=None)
@given(arms=two_arms(), paired=st.booleans())
def test_the_order_of_rows_is_nothing(arms: tuple[FloatArray, FloatArray], *, paired: bool) -> None:
    assert rows(*arms, order=1, paired=paired) == rows(*arms, order=5, paired=paired)


@settings(max_examples=8, deadline=None)
@given(arms=two_arms(), paired=st.booleans())
def test_swapping_the_arms_mirrors_every_row(
    arms: tuple[FloatArray, FloatArray], *, paired: bool
) -> None:
    there, back = rows(*arms, paired=paired), rows(*arms[::-1], paired=paired)
    for one, other in zip(there, back, strict=True):
        assert (one.n_new, one.n_base, one.status) == (other.n_base, other.n_new, other.status)
        if one.delta is None or other.delta is None:
            assert one.delta is other.delta
            continue
        assert one.delta == pytest.approx(-other.delta, abs=1e-12)
        for lo, hi in (
            (one.literal_lo, other.literal_hi),
            (one.guarded_lo, other.guarded_hi),
        ):
            assert (lo is None) is (hi is None)
            assert lo is None or hi is None or lo == pytest.approx(-hi, abs=1e-12)
        if one.delta:
            assert set(one.failed) == set(other.failed)


@settings(max_examples=8, deadline=None)
@given(arms=two_arms())
def test_limits_hold_the_difference_and_have_width(arms: tuple[FloatArray, FloatArray]) -> None:
    for row in rows(*arms):
        if row.guarded_lo is not None and row.guarded_hi is not None:
            assert row.delta is not None
            assert row.guarded_lo < row.guarded_hi
            assert row.guarded_lo - 1e-12 <= row.delta <= row.guarded_hi + 1e-12
            assert row.guarded_lo >= -1.0
            assert row.guarded_hi <= 1.0
        assert row.reportable is None or row.reportable > 0.05


@settings(max_examples=5, deadline=None)
@given(arms=two_arms())
def test_an_arm_against_itself_lists_nothing(arms: tuple[FloatArray, FloatArray]) -> None:
    assert all(row.failed for row in rows(arms[0], arms[0]))


@settings(max_examples=5, deadline=None)
@given(arms=two_arms(), mde=st.floats(0.06, 0.9))
def test_a_wider_margin_never_lists_more(arms: tuple[FloatArray, FloatArray], mde: float) -> None:
    for one, other in zip(rows(*arms), rows(*arms, mde=mde), strict=True):
        assert other.failed or not one.failed
