"""Models of ratings: best-worst and pair choices, prediction-powered means, thresholds."""

from contextlib import suppress

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.all_pairs import all_differences
from equipoise.stats.bws import BwsAnswers, read_answers
from equipoise.stats.bws_logit import fit_best_worst
from equipoise.stats.choice import fit_votes
from equipoise.stats.choice_counts import Votes
from equipoise.stats.conditional_logit import Options, fit_logit
from equipoise.stats.prediction_powered import powered_mean
from equipoise.stats.threshold_choice import choose_threshold, rate_above


def _best_worst(rng: np.random.Generator, n: int, worth: np.ndarray) -> BwsAnswers:
    """Sets of four; the best by exp(u), the worst of the rest by exp(-u)."""
    sets = rng.permuted(np.tile(np.arange(len(worth)), (n, 1)), axis=1)[:, :4]
    felt = worth[sets] + rng.gumbel(size=(n, 4))
    best = felt.argmax(axis=1)
    against = -worth[sets] + rng.gumbel(size=(n, 4))
    against[np.arange(n), best] = -np.inf
    rows = np.arange(n)
    return BwsAnswers(
        items=tuple("ABCDEF"[: len(worth)]),
        sets=sets,
        best=sets[rows, best],
        worst=sets[rows, against.argmax(axis=1)],
    )


def test_best_worst_utilities_are_the_maximum_of_the_sequential_likelihood() -> None:
    answers = _best_worst(np.random.default_rng(1), 150, np.array([0.0, 0.5, 1.0, 1.5, 0.2]))

    def minus(u: np.ndarray) -> float:
        worth = np.concatenate([[0.0], u])
        felt = worth[answers.sets]
        rest = np.where(answers.sets == answers.best[:, None], -np.inf, -felt)
        best = worth[answers.best] - logsumexp(felt, axis=1)
        worst = -worth[answers.worst] - logsumexp(rest, axis=1)
        return -float((best + worst).sum())

    found = fit_best_worst(answers, np.arange(150))
    wanted = minimize(minus, np.zeros(4), method="BFGS", options={"gtol": 1e-8}).x
    assert found.estimates.values[1:] == pytest.approx(wanted, abs=1e-5)
    assert found.loglik == pytest.approx(-minus(found.estimates.values[1:]))


@pytest.mark.slow
def test_limits_of_best_worst_utilities_cover_over_texts_that_three_people_share() -> None:
    rng = np.random.default_rng(2)
    worth, rounds, covered = np.array([0.0, 0.3, 0.6, 1.0]), 400, 0
    wide = _best_worst(rng, 200_000, worth)
    truth = fit_best_worst(wide, np.arange(200_000)).estimates.values
    for _ in range(rounds):
        answers = _best_worst(rng, 120, worth)
        fit = fit_best_worst(answers, np.arange(120) // 3)
        gaps = all_differences(fit.estimates, rng=rng, draws=2000)
        true = truth[gaps.left] - truth[gaps.right]
        covered += bool(((gaps.low <= true) & (true <= gaps.high)).all())
    assert 0.92 <= covered / rounds <= 0.98


def test_who_always_wins_has_no_finite_utility() -> None:
    answers = read_answers([("ABCD", "A", "D"), ("ABCD", "A", "C"), ("ABCD", "A", "B")] * 4)
    with pytest.raises(NotEstimable, match="A never loses") as caught:
        fit_best_worst(answers, range(12))
    assert caught.value.code == "separation"
    with pytest.raises(InputError, match="one cluster"):
        fit_best_worst(answers, [1])


def test_pairs_with_an_order_effect_are_fitted_as_by_bradley_terry() -> None:
    rng = np.random.default_rng(3)
    n = 300
    first, second = np.zeros(n, dtype=np.intp), np.ones(n, dtype=np.intp)
    flip = rng.random(n) < 0.5
    first[flip], second[flip] = 1, 0
    chance = 1.0 / (1.0 + np.exp(-(0.7 * (first - second) + 0.4)))
    outcome = np.where(rng.random(n) < chance, 1, -1).astype(np.int8)
    votes = Votes(
        systems=("A", "B"), first=first, second=second, outcome=outcome, prompt=np.arange(n) // 4
    )
    wanted = fit_votes(votes, order=True)
    features = np.zeros((n, 2, 2))
    features[np.arange(n), 0, 0], features[np.arange(n), 1, 0] = first, second
    features[:, 0, 1] = 1.0
    credit = np.stack([outcome == 1, outcome == -1], axis=1).astype(np.float64)
    found = fit_logit(
        Options(
            features=features,
            present=np.ones((n, 2), dtype=np.bool_),
            credit=credit,
            cluster=np.arange(n) // 4,
        )
    )
    assert found.value[0] == pytest.approx(wanted.ability[1], abs=1e-8)
    assert found.value[1] == pytest.approx(wanted.order_effect, abs=1e-8)
    assert np.sqrt(found.covariance[0, 0]) == pytest.approx(wanted.se[1], rel=0.02)


def test_choices_that_say_nothing_are_refused() -> None:
    def options(features: object, credit: object) -> Options:
        return Options(
            features=np.asarray(features, dtype=np.float64),
            present=np.ones((4, 2), dtype=np.bool_),
            credit=np.asarray(credit, dtype=np.float64),
            cluster=np.arange(4),
        )

    same = [[[1.0], [1.0]]] * 4
    one_side = [[[1.0], [0.0]]] * 4
    for features, credit, code in (
        (same, [[1, 0]] * 4, "singular"),
        (one_side, [[1, 0]] * 4, "separation"),
    ):
        with pytest.raises(NotEstimable) as caught:
            fit_logit(options(features, credit))
        assert caught.value.code == code


@pytest.mark.parametrize("skill", [0.0, 0.9])
def test_prediction_powered_limits_cover_whatever_the_judge_is_worth(skill: float) -> None:
    rng = np.random.default_rng([4, int(10 * skill)])
    rounds, covered, widths, alone = 600, 0, 0.0, 0.0
    for _ in range(rounds):
        truth = rng.random(560) < 0.6
        judge = np.where(rng.random(560) < skill, truth, rng.random(560) < 0.8)
        found = powered_mean(truth[:60], judge[:60], judge[60:])
        covered += found.low <= 0.6 <= found.high
        widths += found.high - found.low
        alone += 2 * 2.0 * float(truth[:60].std(ddof=1)) / np.sqrt(60)
    assert 0.92 <= covered / rounds <= 0.975
    assert widths / alone < (0.65 if skill else 1.05)


def test_a_promised_rate_is_kept_and_a_useless_judge_finds_no_threshold() -> None:
    rng = np.random.default_rng(6)
    grid = [round(0.5 + 0.05 * k, 2) for k in range(10)]
    broken, rounds, curse, honest = 0, 300, 0.0, 0
    for _ in range(rounds):
        score, win = rng.random(120), (rng.random(120) < 0.6).astype(np.float64)
        with suppress(NotEstimable):
            choose_threshold(score, win, range(120), grid, target=0.6)
            broken += 1
        best = choose_threshold(score, win, range(120), grid)
        curse += best.rate - 0.6
        later = (rng.random(120) < 0.6).astype(np.float64)
        told = rate_above(rng.random(120), later, range(120), best.s)
        honest += told.low <= 0.6 <= told.high
    assert broken / rounds <= 0.05
    assert curse / rounds > 0.04
    assert honest / rounds >= 0.92


def test_thresholds_that_cannot_be_tried_are_refused() -> None:
    with pytest.raises(NotEstimable) as caught:
        choose_threshold([0.1] * 30, [1.0] * 30, range(30), [0.5])
    assert caught.value.code == "too_few"
    for arguments, code in (
        (([0.1], [1.0, 0.0], [1], [0.5]), "length_differs"),
        (([0.1], [1.0], [1], []), "no_grid"),
    ):
        with pytest.raises(InputError) as refused:
            choose_threshold(*arguments)
        assert refused.value.code == code
