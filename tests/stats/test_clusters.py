"""Cluster-robust errors: R's clubSandwich, the general matrix definition, coverage, speed."""

import time

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.clusters import ClusterSums, clustered_mean, mean_of_clusters
from equipoise.stats.intervals import student_t

_Y = [0, 1, 0.5, 1, 0, 0, 1, 1, 0.5, 0, 0, 0.25]
_CLUSTER = ["a", "a", "a", "b", "b", "c", "c", "c", "c", "d", "d", "e"]


# R 4.2.2, clubSandwich 0.5.8, lm(y ~ 1)
def test_clubsandwich_on_unequal_clusters() -> None:
    found = clustered_mean(_Y, _CLUSTER)
    assert found.value == 0.4375
    assert found.se_cr0 == pytest.approx(0.0990952999502107, abs=1e-12)
    assert found.se_cr1 == pytest.approx(0.110791913469701, abs=1e-12)
    assert found.se == pytest.approx(0.11384923244042, abs=1e-12)
    assert found.df == pytest.approx(3.28685258964143, abs=1e-10)
    assert (found.interval.lo, found.interval.hi) == pytest.approx((0.0924287839, 0.7825712161))


@given(st.lists(st.integers(1, 6), min_size=2, max_size=7), st.integers(0, 1000))
def test_closed_forms_are_the_general_definition(sizes: list[int], seed: int) -> None:
    y = np.random.default_rng(seed).normal(size=sum(sizes))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    found = clustered_mean(y, labels)
    se, df = _bell_mccaffrey(y, labels)
    assert found.se == pytest.approx(se, rel=1e-9)
    assert found.df == pytest.approx(df, rel=1e-9)


def _bell_mccaffrey(y: NDArray[np.float64], labels: NDArray[np.int64]) -> tuple[float, float]:
    """CR2 and Satterthwaite's df as Bell and McCaffrey (2002) define them, with full matrices."""
    n = y.size
    hat = np.full((n, n), 1.0 / n)
    residual = y - hat @ y
    columns, variance = [], 0.0
    for group in np.unique(labels):
        rows = np.flatnonzero(labels == group)
        inner = np.eye(rows.size) - hat[np.ix_(rows, rows)]
        values, vectors = np.linalg.eigh(inner)
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        weights = root @ np.full(rows.size, 1.0 / n)
        variance += float(weights @ residual[rows]) ** 2
        columns.append((np.eye(n) - hat)[:, rows] @ weights)
    products = np.stack(columns).T
    eigen = np.linalg.eigvalsh(products.T @ products)
    return variance**0.5, float(eigen.sum() ** 2 / np.square(eigen).sum())


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=30))
def test_clusters_of_one_are_students_t(y: list[float]) -> None:
    assume(np.ptp(y) > 1e-3)
    found, plain = clustered_mean(y, list(range(len(y)))), student_t(y)
    assert found.se == pytest.approx(plain.se or 0, rel=1e-9)
    assert found.df == pytest.approx(len(y) - 1, rel=1e-9)
    assert found.design_effect == pytest.approx(1.0)


def test_labels_and_their_order_do_not_matter() -> None:
    order = np.random.default_rng(1).permutation(len(_Y))
    mixed = clustered_mean([_Y[i] for i in order], [_CLUSTER[i] for i in order])
    numbered = clustered_mean(_Y, np.array([ord(c) for c in _CLUSTER]))
    plain = clustered_mean(_Y, _CLUSTER)
    assert mixed.interval.lo == pytest.approx(plain.interval.lo)
    assert numbered.interval.lo == pytest.approx(plain.interval.lo)


def test_what_shows_no_spread_between_clusters_is_refused() -> None:
    with pytest.raises(NotEstimable) as caught:
        clustered_mean([0, 1, 1], ["a", "a", "a"])
    assert caught.value.code == "one_cluster"
    for y in ([0, 1, 0, 1], [0.1, 0.1, 0.1, 0.1], [0, 0, 0, 0]):
        with pytest.raises(NotEstimable) as caught:
            clustered_mean(y, ["a", "a", "b", "b"])
        assert caught.value.code == "degenerate"
    with pytest.raises(NotEstimable):
        clustered_mean([], [])
    with pytest.raises(InputError, match="one length"):
        clustered_mean([0, 1], ["a"])
    with pytest.raises(InputError, match="no cluster"):
        clustered_mean([0, 1], ["a", None])


def test_few_clusters_are_flagged() -> None:
    assert clustered_mean([0, 1, 0, 1, 1], [1, 1, 2, 3, 4]).flags == ("few_clusters",)
    assert clustered_mean([0, 1, 0, 1, 1], [1, 2, 3, 4, 5]).flags == ()


@pytest.mark.parametrize(
    ("sizes", "least"), [([20] * 5, 0.93), ([5, 5, 10, 20, 60], 0.92), ([20] * 12, 0.93)]
)
def test_coverage(sizes: list[int], least: float) -> None:
    rng = np.random.default_rng(11)
    n = np.array(sizes, dtype=np.float64)
    inside = 0
    for _ in range(2000):
        sums = n * rng.normal(0, 0.3**0.5, n.size) + rng.normal(0, (0.7 * n) ** 0.5)
        interval = mean_of_clusters(ClusterSums(sizes=n, sums=sums)).interval
        inside += interval.lo <= 0 <= interval.hi
    assert least <= inside / 2000 <= 0.975


def test_a_hundred_thousand_clusters_take_no_matrix() -> None:
    rng = np.random.default_rng(12)
    labels = rng.integers(0, 100_000, 500_000)
    y = rng.random(500_000)
    start = time.perf_counter()
    found = clustered_mean(y, labels)
    assert time.perf_counter() - start < 3
    assert found.n == np.unique(labels).size
    assert found.design_effect == pytest.approx(1.0, abs=0.05)
