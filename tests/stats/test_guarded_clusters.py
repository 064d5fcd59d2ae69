"""The guarded interval of clustered units."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.stats.clusters import ClusterSums, mean_of_clusters
from equipoise.stats.guarded import mean_interval, powers_of
from equipoise.stats.guarded_clusters import Clustered, clustered_interval
from equipoise.stats.inputs import normal_quantile

Z95 = normal_quantile(0.95)

clustered_values = st.lists(
    st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=8),
    min_size=2,
    max_size=12,
)


def gathered(groups: list[list[float]]) -> Clustered:
    sizes = np.array([[len(g) for g in groups]], dtype=float)
    sums = np.array([[sum(g) for g in groups]])
    flat = np.concatenate([np.array(g) for g in groups])
    return Clustered(sizes=sizes, sums=sums, squares=np.array([((flat - flat.mean()) ** 2).sum()]))


def limits(groups: list[list[float]], z: float = Z95) -> tuple[float, float]:
    found = clustered_interval(gathered(groups), z=z)
    return float(found.lo[0]), float(found.hi[0])


def test_plentiful_noise_gives_the_cluster_robust_interval() -> None:
    rng = np.random.default_rng(8)
    cluster = np.repeat(np.arange(40), rng.integers(5, 30, 40))
    values = np.clip(rng.normal(0, 0.25, cluster.size) + rng.normal(0, 0.2, 40)[cluster], -1, 1)
    sums = ClusterSums.of(values, cluster)
    robust = mean_of_clusters(sums)
    found = clustered_interval(Clustered.of([sums], [((values - values.mean()) ** 2).sum()]), z=Z95)
    assert float(found.lo[0]) == pytest.approx(robust.interval.lo, abs=0.035)
    assert float(found.hi[0]) == pytest.approx(robust.interval.hi, abs=0.035)


def test_equal_clusters_are_no_certainty() -> None:
    lo, hi = limits([[0.0] * 20] * 8)
    assert lo == -hi
    assert hi == pytest.approx(Z95**2 / (8 + Z95**2), abs=1e-9)


def test_clusters_of_one_unit_are_units() -> None:
    values = [0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
    found = clustered_interval(gathered([[v] for v in values]), z=Z95, ends=(0.0, 1.0))
    plain = mean_interval(powers_of(values), z=Z95)
    assert float(found.lo[0]) == pytest.approx(float(plain.lo), abs=0.06)
    assert float(found.hi[0]) == pytest.approx(float(plain.hi), abs=0.06)


def test_one_cluster_is_not_estimable() -> None:
    found = clustered_interval(gathered([[0.0, 1.0, 1.0]]), z=Z95)
    assert not bool(found.estimable[0])
    assert np.isnan(found.lo[0])


def test_padding_changes_nothing() -> None:
    few = ClusterSums.of([0, 1, 1, 0.5], ["a", "a", "b", "c"])
    many = ClusterSums.of([0, 1, 0, 1, 1, 0.5], ["a", "b", "c", "d", "e", "f"])
    together = clustered_interval(Clustered.of([few, many], [0.7, 1.2]), z=Z95)
    alone = clustered_interval(Clustered.of([few], [0.7]), z=Z95)
    assert float(together.lo[0]) == pytest.approx(float(alone.lo[0]), abs=1e-12)


@given(clustered_values)
def test_mirrored_by_the_arms_and_blind_to_the_order(groups: list[list[float]]) -> None:
    lo, hi = limits(groups)
    assert limits([[-v for v in g] for g in groups]) == pytest.approx((-hi, -lo), abs=1e-9)
    assert limits(groups[::-1]) == pytest.approx((lo, hi), abs=1e-9)


@given(clustered_values, st.floats(0.5, 4.0), st.floats(0.01, 2.0))
def test_never_of_zero_width_and_never_narrower_at_a_higher_level(
    groups: list[list[float]], z: float, more: float
) -> None:
    lo, hi = limits(groups, z)
    wider_lo, wider_hi = limits(groups, z + more)
    assert hi - lo > 1e-6
    assert wider_lo <= lo + 1e-12
    assert hi <= wider_hi + 1e-12
