"""Adjusted p-values and max-T: published data, scipy, brute force, family-wise error."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.critical import critical_value
from equipoise.stats.max_t import max_t
from equipoise.stats.multiplicity import adjust

# Benjamini and Hochberg (1995), section 3.2: the 15 myocardial infarction p-values
_MYOCARDIAL = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459),
    *(0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
]
_P = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@pytest.mark.requirement("E2E-44")
@pytest.mark.parametrize(
    ("k", "z", "family"),
    [(1, 2.0, 2.28), (10, 3.151, 0.81), (50, 3.956, 0.19), (200, 4.649, 0.033)],
)
def test_critical_values(k: int, z: float, family: float) -> None:
    found = critical_value(k)
    assert found.z == pytest.approx(z, abs=5e-4)
    assert 100 * found.family_error_bound == pytest.approx(family, abs=0.006)


def test_no_cell_no_critical_value() -> None:
    with pytest.raises(NotEstimable, match="k = 0"):
        critical_value(0)
    with pytest.raises(InputError):
        critical_value(-1)


def test_myocardial_data() -> None:
    found = adjust(_MYOCARDIAL)
    assert int((found.bonferroni <= 0.05).sum()) == 3
    assert int((found.hochberg <= 0.05).sum()) == 3
    assert int((found.bh <= 0.05).sum()) == 4


@given(_P)
def test_false_discovery_against_scipy(p: list[float]) -> None:
    found = adjust(p)
    assert found.bh == pytest.approx(stats.false_discovery_control(p, method="bh"), abs=1e-12)
    assert found.by == pytest.approx(stats.false_discovery_control(p, method="by"), abs=1e-12)


@given(_P)
def test_adjustments_are_ordered_and_keep_the_order_of_the_input(p: list[float]) -> None:
    found = adjust(p)
    tiny = 1e-12
    assert bool(np.all(np.asarray(p) <= found.bh + tiny))
    assert bool(np.all(found.bh <= found.hochberg + tiny))
    assert bool(np.all(found.hochberg <= found.holm + tiny))
    assert bool(np.all(found.holm <= found.bonferroni + tiny))
    back = adjust(p[::-1])
    assert back.holm[::-1] == pytest.approx(found.holm)


@pytest.mark.parametrize("p", [[0.5, 1.2], [-0.1], [float("nan")]])
def test_what_is_no_p_value_is_refused(p: list[float]) -> None:
    with pytest.raises(InputError):
        adjust(p)
    with pytest.raises(NotEstimable):
        adjust([])


@given(
    st.integers(1, 3).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(-4, 4), min_size=k, max_size=k), min_size=1, max_size=6
        )
    )
)
def test_max_t_against_brute_force(rows: list[list[int]]) -> None:
    d = np.array(rows)
    found = max_t(d, scaled=False)
    sums = np.array([np.abs(np.array(s) @ d) for s in product((-1, 1), repeat=d.shape[0])])
    observed = np.abs(d.sum(axis=0))
    assert found.raw == pytest.approx((sums >= observed).mean(axis=0))
    largest = sums.max(axis=1)[:, None]
    assert found.single_step == pytest.approx((largest >= observed).mean(axis=0))
    assert bool(np.all(found.step_down <= found.single_step + 1e-12))
    assert bool(np.all(found.raw <= found.step_down + 1e-12))


def test_one_sided_halves_the_symmetric_case() -> None:
    d = [[1.0], [2.0], [4.0], [8.0]]
    assert max_t(d).raw[0] == 2 * max_t(d, side="greater").raw[0] == 2 / 16
    assert max_t(d, side="less").raw[0] == 1.0


def test_equal_cells_cost_nothing() -> None:
    rng = np.random.default_rng(1)
    d = rng.normal(0.5, 1, 12)
    twins = max_t(np.column_stack([d] * 20))
    assert twins.single_step == pytest.approx(twins.raw)


def test_sampled_agrees_with_exact_and_is_never_zero() -> None:
    rng = np.random.default_rng(2)
    d = rng.normal(0.3, 1, (16, 5))
    exact = max_t(d)
    wide = np.vstack([d, np.zeros((1, 5))])
    sampled = max_t(wide, rng=np.random.default_rng(3), draws=20_000)
    assert exact.is_exact
    assert not sampled.is_exact
    assert sampled.single_step == pytest.approx(exact.single_step, abs=0.02)
    clear = max_t(rng.normal(9, 1, (40, 2)), rng=rng, draws=500)
    assert clear.single_step.tolist() == [1 / 501, 1 / 501]


def test_family_wise_error_with_correlated_cells() -> None:
    rng = np.random.default_rng(4)
    false = 0
    for _ in range(400):
        shared = rng.normal(size=(12, 1))
        d = 0.7 * shared + 0.7 * rng.normal(size=(12, 10))
        false += bool(max_t(d).step_down.min() <= 0.05)
    assert false / 400 <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5


def test_bad_matrices() -> None:
    with pytest.raises(InputError, match="rows differ"):
        max_t([[1.0, 2.0], [1.0]])
    with pytest.raises(InputError, match="give a seed"):
        max_t(np.ones((30, 2)))
    with pytest.raises(NotEstimable):
        max_t(np.empty((0, 2)))
    with pytest.raises(NotEstimable) as caught:
        max_t([[0.0, 1.0], [0.0, 1.0]])
    assert caught.value.code == "degenerate"
