"""Quasi-Wilson and MOVER: published values, properties, and coverage by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.intervals import Moments, quasi_wilson, quasi_wilson_limits
from equipoise.stats.mover import (
    Shared,
    augmented_correlation,
    difference_limits,
    independent_difference,
    overlapping_difference,
    paired_difference,
)
from equipoise.stats.proportions import wilson
from every import for_every

_SHARES = st.floats(0.0, 1.0, allow_nan=False)
_PAIRS = st.lists(st.tuples(_SHARES, _SHARES), min_size=2, max_size=30)


# Newcombe (1998), Statistics in Medicine 17, 873-890, table II, method 10 (printed to 4 digits)
@for_every(
    "x1, n1, x2, n2, lo, hi",
    [
        (56, 70, 48, 80, 0.0524, 0.3339),
        (9, 10, 3, 10, 0.1705, 0.8090),
        (6, 7, 2, 7, 0.0582, 0.8062),
        (5, 56, 0, 29, -0.0381, 0.1926),
        (0, 10, 0, 20, -0.1611, 0.2775),
        (0, 10, 0, 10, -0.2775, 0.2775),
        (10, 10, 0, 20, 0.6791, 1.0),
        (10, 10, 0, 10, 0.6075, 1.0),
    ],
)
def test_newcombes_worked_examples(
    x1: int, n1: int, x2: int, n2: int, lo: float, hi: float
) -> None:
    found = independent_difference([1] * x1 + [0] * (n1 - x1), [1] * x2 + [0] * (n2 - x2))
    assert round(found.interval.lo, 4) == lo
    assert round(found.interval.hi, 4) == hi


@given(st.lists(st.booleans(), min_size=2, max_size=60), st.floats(0.5, 0.999))
def test_quasi_wilson_is_wilson_on_binary_data(x: list[bool], level: float) -> None:
    found, wanted = quasi_wilson(x, level=level), wilson(sum(x), len(x), level=level)
    assert found.interval.lo == pytest.approx(wanted.interval.lo, abs=1e-12)
    assert found.interval.hi == pytest.approx(wanted.interval.hi, abs=1e-12)


@given(_PAIRS)
def test_swapping_the_arms_flips_the_sign(pairs: list[tuple[float, float]]) -> None:
    new, base = [p[0] for p in pairs], [p[1] for p in pairs]
    for method in (independent_difference, paired_difference):
        one, two = method(new, base), method(base, new)
        assert one.value == pytest.approx(-two.value, abs=1e-12)
        assert one.interval.lo == pytest.approx(-two.interval.hi, abs=1e-9)
        assert one.interval.hi == pytest.approx(-two.interval.lo, abs=1e-9)


@given(_PAIRS, st.integers(0, 1000))
def test_the_order_of_units_is_irrelevant(pairs: list[tuple[float, float]], seed: int) -> None:
    mixed = [pairs[i] for i in np.random.default_rng(seed).permutation(len(pairs))]
    one = paired_difference([p[0] for p in pairs], [p[1] for p in pairs])
    two = paired_difference([p[0] for p in mixed], [p[1] for p in mixed])
    assert one.interval.lo == pytest.approx(two.interval.lo, abs=1e-9)
    assert one.interval.hi == pytest.approx(two.interval.hi, abs=1e-9)


@given(_PAIRS, st.floats(0.5, 0.98))
def test_limits_hold_the_estimate_stay_inside_and_grow_with_the_level(
    pairs: list[tuple[float, float]], level: float
) -> None:
    new, base = [p[0] for p in pairs], [p[1] for p in pairs]
    for method in (independent_difference, paired_difference):
        narrow, wide = method(new, base, level=level), method(new, base, level=level + 0.01)
        assert -1 <= wide.interval.lo <= narrow.interval.lo <= narrow.value + 1e-12
        assert narrow.value - 1e-12 <= narrow.interval.hi <= wide.interval.hi <= 1
        assert narrow.interval.lo < narrow.interval.hi


def test_all_shared_is_paired_and_none_shared_is_independent() -> None:
    rng = np.random.default_rng(1)
    new, base = rng.random(40), rng.random(40)
    paired = paired_difference(new, base)
    found = overlapping_difference(new, base, Shared.from_pairs(new, base))
    assert found.interval == paired.interval
    nothing = Moments.of(0, 0.0, 0.0, least=0)
    none = Shared(new=nothing, base=nothing, products=np.asarray(0.0))
    independent = independent_difference(new, base)
    assert overlapping_difference(new, base, none).interval == independent.interval


def test_many_cells_at_once_equal_one_by_one() -> None:
    rng = np.random.default_rng(2)
    new, base = rng.beta(0.3, 2.0, (50, 25)), rng.beta(0.5, 2.0, (50, 25))
    m1, m0 = new.mean(axis=1), base.mean(axis=1)
    one = Moments.of(np.full(50, 25), m1, ((new - m1[:, None]) ** 2).sum(axis=1))
    two = Moments.of(np.full(50, 25), m0, ((base - m0[:, None]) ** 2).sum(axis=1))
    products = ((new - m1[:, None]) * (base - m0[:, None])).sum(axis=1)
    r = augmented_correlation(Shared(new=one, base=two, products=products))
    lo, hi = difference_limits(one, two, 1.959963984540054, correlation=r)
    for cell in range(50):
        wanted = paired_difference(new[cell], base[cell]).interval
        assert (lo[cell], hi[cell]) == pytest.approx((wanted.lo, wanted.hi), abs=1e-9)


@for_every("bad", [[0, 1.5], [-0.1, 0], [0, float("nan")], [0, "a"], [[0, 1], [1, 0]]])
def test_bad_samples_are_refused(bad: list[object]) -> None:
    with pytest.raises(InputError):
        quasi_wilson(bad)  # type: ignore[arg-type]  # a wrong type is what is tested
    with pytest.raises(InputError):
        independent_difference(bad, [0, 1])  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize("few", [[], [1.0]])
def test_fewer_than_two_units_are_not_estimable(few: list[float]) -> None:
    with pytest.raises(NotEstimable, match="at least 2"):
        quasi_wilson(few)
    with pytest.raises(NotEstimable, match="at least 2"):
        paired_difference(few, few)
    with pytest.raises(NotEstimable, match="fewer than 2"):
        Moments.of([5, 1], [0.5, 0.5], [0.0, 0.0])


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="match the units by id"):
        paired_difference([0, 1, 0], [0, 1])


_LAWS = {
    "rare": lambda rng, size: (rng.random(size) < 0.05).astype(float),
    "zero_inflated": lambda rng, size: rng.random(size) * (rng.random(size) < 0.3),
    "catalogue": lambda rng, size: rng.choice(
        [0, 0.1, 0.3, 0.75, 1], size, p=[0.5, 0.2, 0.15, 0.1, 0.05]
    ),
}
_MEANS = {"rare": 0.05, "zero_inflated": 0.15, "catalogue": 0.19}


@pytest.mark.requirement("I-12")
@pytest.mark.parametrize("law", sorted(_LAWS))
def test_quasi_wilson_covers(law: str) -> None:
    n, draws = 58, 4000
    x: NDArray[np.float64] = _LAWS[law](np.random.default_rng(3), (draws, n))
    mean = x.mean(axis=1)
    moments = Moments.of(np.full(draws, n), mean, ((x - mean[:, None]) ** 2).sum(axis=1))
    lo, hi = quasi_wilson_limits(moments, 1.959963984540054)
    truth = _MEANS[law]
    assert np.mean((lo <= truth) & (truth <= hi)) >= 0.935
