"""Sign flips, ranks and tables: classic data, scipy, and the routes against each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.contingency import fisher
from equipoise.stats.mcnemar import mcnemar
from equipoise.stats.signflip import sign_flip, wilcoxon_signed_rank

# Darwin's maize, Fisher (1935), The Design of Experiments, section 21: eighths of an inch
_DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def test_fishers_own_count_for_darwins_maize() -> None:
    found = sign_flip(_DARWIN)
    assert found.p == 1726 / 2**15
    assert found.smallest_p == 2 / 2**15


def test_on_a_grid_and_off_it_the_two_routes_agree() -> None:
    noise = np.array(_DARWIN) * np.pi
    assert sign_flip(noise).p == 1726 / 2**15


@given(st.lists(st.integers(-6, 6), min_size=2, max_size=9).filter(any))
def test_against_scipys_permutations(d: list[int]) -> None:
    wanted = stats.permutation_test(
        [np.array(d)], np.sum, permutation_type="samples", n_resamples=10_000
    )
    assert sign_flip(d).p == pytest.approx(min(1.0, float(wanted.pvalue)), abs=1e-12)
    assert sign_flip(d).p == sign_flip([-v for v in d]).p == sign_flip([v / 4 for v in d]).p


def test_many_units_on_a_grid_stay_exact() -> None:
    rng = np.random.default_rng(3)
    d = rng.integers(-3, 5, 500) / 3
    z = abs(d.sum()) / np.sqrt(np.square(d).sum())
    found = sign_flip(d)
    assert found.p_se is None
    assert found.p == pytest.approx(2 * stats.norm.sf(z), rel=0.05)


def test_forty_units_off_any_grid_are_exact_and_more_are_sampled() -> None:
    rng = np.random.default_rng(4)
    d = rng.normal(0.2, 1, 200)
    exact = sign_flip(d[:36])
    assert exact.p_se is None
    again = sign_flip(d[:36] + 0.0)
    assert exact == again
    with pytest.raises(InputError, match="give a seed"):
        sign_flip(d)
    sampled = sign_flip(d, rng=np.random.default_rng(5), draws=20_000)
    assert sampled.p_se is not None
    z = abs(d.sum()) / np.sqrt(np.square(d).sum())
    assert sampled.p == pytest.approx(2 * stats.norm.sf(z), abs=5 * sampled.p_se)


def test_a_sampled_p_is_never_zero() -> None:
    d = np.random.default_rng(6).normal(5, 1, 60)
    assert sign_flip(d, rng=np.random.default_rng(7), draws=1000).p == 1 / 1001


def test_nothing_differs_gives_p_1_and_nothing_at_all_gives_none() -> None:
    assert sign_flip([0, 0, 0]).p == 1.0
    assert sign_flip([0.5]).p == 1.0
    with pytest.raises(NotEstimable):
        sign_flip([])
    with pytest.raises(InputError):
        sign_flip([0.1, float("nan")])


def test_under_no_difference_p_is_at_most_alpha_as_often() -> None:
    rng = np.random.default_rng(8)
    d = rng.choice([-1, -1 / 3, 0, 1 / 3, 1], (2000, 13))
    p = np.array([sign_flip(row).p for row in d])
    assert np.mean(p <= 0.05) <= 0.05 + 3 * (0.05 * 0.95 / 2000) ** 0.5


@given(st.lists(st.integers(-40, 40).filter(bool), min_size=2, max_size=12, unique_by=abs))
def test_wilcoxon_against_scipy(d: list[int]) -> None:
    found = wilcoxon_signed_rank(d, [0] * len(d))
    wanted = stats.wilcoxon(d, method="exact")
    assert found.p == pytest.approx(float(wanted.pvalue), abs=1e-12)


def test_wilcoxon_with_ties_is_exact_given_the_ties() -> None:
    # differences 1, 1, 1: all ranks 2; V = 6 of sums 0, 2, 4, 6 with chances 1, 3, 3, 1 of 8
    assert wilcoxon_signed_rank([1, 1, 1], [0, 0, 0]).p == 0.25
    assert wilcoxon_signed_rank([1, 1, 1, 5], [0, 0, 0, 5]).n == 3
    with pytest.raises(NotEstimable):
        wilcoxon_signed_rank([1, 2], [1, 2])


# Agresti, Categorical Data Analysis: approval of the prime minister in two surveys
def test_mcnemar_on_the_approval_ratings() -> None:
    found = mcnemar(794, 86, 150, 570)
    assert found.chi2 == pytest.approx(64**2 / 236)
    assert found.chi2_corrected == pytest.approx(63**2 / 236)
    assert found.exact == pytest.approx(3.716e-05, rel=1e-3)
    assert found.n_changed == 236


@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar_against_scipys_binomial(gains: int, losses: int) -> None:
    if gains + losses == 0:
        with pytest.raises(NotEstimable):
            mcnemar(3, gains, losses, 4)
        return
    found = mcnemar(3, gains, losses, 4)
    assert found.exact == pytest.approx(stats.binomtest(gains, gains + losses).pvalue, abs=1e-12)
    assert found.exact >= found.mid > 0
    assert mcnemar(0, losses, gains, 0).exact == found.exact


def test_fisher_and_the_lady_tasting_tea() -> None:
    assert fisher(3, 1, 1, 3).p == pytest.approx(34 / 70)
    assert fisher(4, 0, 0, 4).p == pytest.approx(2 / 70)
    assert fisher(0, 10, 0, 12).p == 1.0
    with pytest.raises(NotEstimable):
        fisher(0, 0, 3, 4)
    with pytest.raises(InputError):
        fisher(1, 2, 3, -4)


def test_very_large_counts_keep_their_digits_or_are_refused() -> None:
    found = mcnemar(0, 5e14, 5e14, 0)
    assert found.exact == 1.0
    assert 0 < found.mid <= 1
    with pytest.raises(InputError, match="1e"):
        mcnemar(0, 1e30, 1, 0)
    with pytest.raises(InputError, match="exact test"):
        fisher(1e9, 1e9, 1e9, 1e9)
