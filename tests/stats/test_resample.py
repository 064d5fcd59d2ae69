"""The bootstrap of a mean: its spread is the known one by either route, and it is quick."""

import time

import numpy as np
import pytest

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.resample import bootstrap_mean, resampled_means


@pytest.mark.parametrize("decimals", [1, 12])
def test_the_spread_of_the_means_is_the_standard_error(decimals: int) -> None:
    x = np.round(np.random.default_rng(1).random(5000), decimals)
    means = resampled_means(x, rng=np.random.default_rng(2), draws=3000)
    assert means.mean() == pytest.approx(float(x.mean()), abs=3e-4)
    assert means.std(ddof=1) == pytest.approx(float(x.std()) / 5000**0.5, rel=0.05)


def test_few_distinct_values_among_many_units_are_quick() -> None:
    rng = np.random.default_rng(3)
    x = rng.choice(np.arange(19) / 18, 1_000_000)
    resampled_means(x[:1000], rng=rng)
    start = time.perf_counter()
    found = bootstrap_mean(x, rng=rng, draws=2000)
    assert time.perf_counter() - start < 2
    assert found.se == pytest.approx(float(x.std()) / 1000, rel=0.1)


def test_rare_values_in_a_large_sample_are_not_lost() -> None:
    x = np.zeros(100_000)
    x[7] = 1.0
    x[11] = 0.5
    means = resampled_means(x, rng=np.random.default_rng(4), draws=4000)
    assert means.mean() == pytest.approx(1.5e-5, rel=0.1)


def test_the_seed_decides_and_the_order_of_units_does_not() -> None:
    x = np.random.default_rng(5).integers(0, 5, 300) / 4
    one = resampled_means(x, rng=np.random.default_rng(6), draws=50)
    two = resampled_means(np.sort(x), rng=np.random.default_rng(6), draws=50)
    assert one.tolist() == two.tolist()


def test_what_cannot_be_resampled() -> None:
    rng = np.random.default_rng(7)
    with pytest.raises(NotEstimable) as caught:
        bootstrap_mean([1.0] * 30, rng=rng)
    assert caught.value.code == "degenerate"
    with pytest.raises(NotEstimable):
        bootstrap_mean([1.0], rng=rng)
    with pytest.raises(InputError, match="draws"):
        bootstrap_mean([0.0, 1.0], rng=rng, draws=1)
