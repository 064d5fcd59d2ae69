"""Variance components, raters, suites, passes: exact cases, simulation, enumeration."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.passk import (
    outcome_stability,
    pass_k,
    pass_k_of_units,
    stability_of_design,
    suite_pass_k,
)
from equipoise.stats.power import least_units
from equipoise.stats.spread import (
    augmented_sd,
    best_repetitions,
    effective_votes,
    rater_variance,
    variance_components,
)
from equipoise.stats.suite import Stratum, missing_bounds, suite_score, unit_loss


def test_components_of_an_exact_case() -> None:
    found = variance_components([[0, 1, 0], [1, 1, 1], [0, 0, 0], [1, 1, 0], [0, 0, 1]])
    assert found.mean == pytest.approx(7 / 15)
    assert found.sd_within == pytest.approx(0.2**0.5)
    assert found.variance_between == pytest.approx(7 / 90)
    assert found.icc == pytest.approx(0.28)
    assert found.se_of_mean == pytest.approx(found.sd_of_unit_means / 5**0.5)


def test_components_are_found_again_in_unbalanced_data() -> None:
    rng = np.random.default_rng(1)
    units = rng.normal(0.5, 0.3, 4000)
    rows = [u + rng.normal(0, 0.2, int(rng.integers(1, 6))) for u in units]
    found = variance_components(rows)
    assert found.sd_within == pytest.approx(0.2, rel=0.03)
    assert found.variance_between == pytest.approx(0.09, rel=0.06)


def test_components_that_do_not_exist() -> None:
    with pytest.raises(NotEstimable) as caught:
        variance_components([[0.1], [0.4]])
    assert caught.value.code == "no_repetitions"
    with pytest.raises(NotEstimable):
        variance_components([[0.1, 0.2]])
    with pytest.raises(InputError, match="unit 1"):
        variance_components([[0.1, 0.2], []])
    assert variance_components([[1, 1], [1, 1]]).icc is None
    below = variance_components([[0, 1], [1, 0], [0, 1]])
    assert below.variance_between < 0
    with pytest.raises(NotEstimable):
        best_repetitions(below, unit_cost=1, repetition_cost=1)


def test_rater_variance_covers_and_knows_when_it_cannot_say() -> None:
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(1500):
        a, b = rng.normal(0, 0.1, (2, 12))
        interval = rater_variance(a, b).interval
        assert interval is not None
        inside += interval.lo <= 0.01 <= interval.hi
    assert inside / 1500 == pytest.approx(0.95, abs=0.02)
    assert rater_variance([0.5, 0.2], [0.5, 0.2]).interval is None
    with pytest.raises(NotEstimable):
        rater_variance([], [])


def test_effective_votes() -> None:
    assert effective_votes(9, 0.4375) == 2.0
    assert effective_votes(5, 0.0) == 5.0
    assert effective_votes(5, 1.0) == 1.0
    with pytest.raises(NotEstimable):
        effective_votes(3, -0.5)
    with pytest.raises(NotEstimable):
        effective_votes(0, 0.5)
    with pytest.raises(InputError):
        effective_votes(3, 1.5)


def test_a_pilot_of_zeros_has_a_spread() -> None:
    assert augmented_sd([0.0] * 20) == pytest.approx((1 / 22) ** 0.5)
    assert least_units(augmented_sd([0.0] * 20), "0.05") == 291
    with pytest.raises(NotEstimable):
        augmented_sd([])


@pytest.mark.requirement("E2E-25")
def test_suite_score_does_not_shift_with_oversampling() -> None:
    thin = [
        Stratum(weight=0.02, loss=0.5, sd=0.4, n=20),
        Stratum(weight=0.98, loss=0.1, sd=0.2, n=900),
    ]
    thick = [Stratum(weight=0.02, loss=0.5, sd=0.4, n=600), thin[1]]
    assert suite_score(thin).score == suite_score(thick).score == pytest.approx(0.108)
    assert suite_score(thick).se < suite_score(thin).se


def test_suite_weights_are_renormalised_over_what_is_scored() -> None:
    strata = [
        Stratum(weight=1, loss=0.2, sd=0.3, n=100),
        Stratum(weight=3, loss=0.9, sd=0.0, n=4, is_scored=False),
    ]
    found = suite_score(strata)
    assert (found.score, found.covered, found.n) == (0.2, 0.25, 100)
    assert suite_score([Stratum(weight=1, loss=0.2, sd=0.0, n=9)]).flags == ("zero_spread",)
    with pytest.raises(NotEstimable):
        suite_score([])
    with pytest.raises(NotEstimable):
        suite_score([Stratum(weight=1, loss=0.2, sd=0.3, n=1)])
    with pytest.raises(InputError):
        suite_score([Stratum(weight=-1, loss=0.2, sd=0.3, n=10)])


@pytest.mark.requirement("E2E-36")
@given(st.dictionaries(st.text(min_size=1, max_size=3), st.floats(0.01, 1), min_size=1, max_size=6))
def test_unit_loss_is_1_where_all_is_lost(weights: dict[str, float]) -> None:
    assert unit_loss(weights, dict.fromkeys(weights, 1.0)).loss == pytest.approx(1.0)
    assert unit_loss(weights, dict.fromkeys(weights, 0.0)).loss == 0.0


@pytest.mark.requirement("E2E-05")
def test_what_cannot_be_evaluated_is_left_out_and_not_0() -> None:
    weights = {"arg": 0.3, "tone": 0.1}
    found = unit_loss(weights, {"arg": 1.0, "tone": None})
    assert found.loss == 1.0
    assert found.covered == pytest.approx(0.75)
    assert unit_loss(weights, {"arg": 3.0, "tone": 0.0}).clipped == ("arg",)
    with pytest.raises(InputError, match="did you mean 'tone'"):
        unit_loss(weights, {"tonne": 1.0})
    with pytest.raises(NotEstimable):
        unit_loss(weights, {"arg": None})


def test_missing_runs_widen_the_mean() -> None:
    found = missing_bounds(0.18, 0.94)
    assert (found.lowest, found.highest) == pytest.approx((0.1692, 0.2292))
    assert missing_bounds(0.18, 1.0).lowest == missing_bounds(0.18, 1.0).highest == 0.18
    with pytest.raises(NotEstimable):
        missing_bounds(0.0, 0.0)


@given(st.integers(1, 7), st.data())
def test_pass_k_counts_all_choices(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    outcomes = [1] * c + [0] * (n - c)
    choices = list(combinations(outcomes, k))
    found = pass_k(n, c, k)
    assert found.any_of_k == pytest.approx(sum(map(any, choices)) / len(choices))
    assert found.all_of_k == pytest.approx(sum(map(all, choices)) / len(choices))


def test_many_tasks_at_once_equal_one_by_one() -> None:
    ns, cs = zip(*((n, c) for n in range(3, 9) for c in range(n + 1)), strict=True)
    any_of_k, all_of_k = pass_k_of_units(ns, cs, 3)
    for index, (n, c) in enumerate(zip(ns, cs, strict=True)):
        wanted = pass_k(n, c, 3)
        assert any_of_k[index] == pytest.approx(wanted.any_of_k, abs=1e-12)
        assert all_of_k[index] == pytest.approx(wanted.all_of_k, abs=1e-12)


def test_there_is_no_pass_5_with_3_repetitions() -> None:
    with pytest.raises(NotEstimable, match="no pass@5"):
        pass_k(3, 3, 5)
    with pytest.raises(NotEstimable, match="1 of 2 tasks"):
        suite_pass_k([5, 3], [1, 1], 5)
    with pytest.raises(NotEstimable):
        pass_k_of_units([5, 3], [1, 1], 5)
    with pytest.raises(InputError, match="c = 4"):
        pass_k(3, 4, 1)
    with pytest.raises(InputError, match="k = 0"):
        pass_k(3, 1, 0)


def test_suite_pass_k_has_an_interval_over_tasks() -> None:
    found = suite_pass_k([3] * 10, [3] * 10, 2)
    assert found.any_interval is not None
    assert found.any_interval.interval.lo < 0.8
    assert suite_pass_k([3], [3], 2).any_interval is None


def test_the_criterion_of_three_runs_is_vacuous_for_pass_and_fail() -> None:
    for outcomes in product("pf", repeat=3):
        assert outcome_stability(outcomes).modal_share >= 2 / 3
    assert stability_of_design(3).is_vacuous
    assert not stability_of_design(4).is_vacuous
    assert not stability_of_design(3, kinds=3).is_vacuous
    assert stability_of_design(1).is_vacuous
    with pytest.raises(NotEstimable):
        stability_of_design(0)


def test_flip_rate_is_the_share_of_differing_pairs() -> None:
    found = outcome_stability(["p", "p", "f"])
    assert found.flip_rate == pytest.approx(2 / 3)
    assert not found.is_unanimous
    with pytest.raises(NotEstimable):
        outcome_stability(["p"])
