"""Bradley-Terry: published strengths, existence, ties, errors over prompts, simultaneous limits."""

# It is one file because every section fits the same model to the same published votes.

import json
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, stdtrit

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.choice import ChoiceFit, fit_counts, fit_votes
from equipoise.stats.choice_counts import PairTable, Votes, pair_table, tabulate
from equipoise.stats.choice_differences import differences
from equipoise.stats.choice_existence import finite_fit_exists
from equipoise.stats.choice_two_systems import two_systems_with_order, two_systems_with_ties
from every import for_every
from shared_data import shared

# Citations between four statistics journals, Stigler (1994), as in Agresti (2013), table 11.5.
_JOURNALS = [
    ("Biometrika", "Comm Statist", 730, 33),
    ("Biometrika", "JASA", 498, 320),
    ("Biometrika", "JRSS-B", 221, 284),
    ("Comm Statist", "JASA", 68, 813),
    ("Comm Statist", "JRSS-B", 17, 276),
    ("JASA", "JRSS-B", 142, 325),
]


def _ability(fit: ChoiceFit) -> dict[str, float]:
    return dict(zip(fit.systems, fit.ability.tolist(), strict=True))


def test_journal_citations_give_the_published_strengths() -> None:
    fit = fit_counts(pair_table(_JOURNALS))
    assert fit.ability == pytest.approx([0.0, -2.949, -0.480, 0.269], abs=5e-4)
    assert fit.se[1:] == pytest.approx([0.1025, 0.0606, 0.0708], abs=5e-5)
    assert fit.converged
    assert fit.df is None


def test_pandalm_strengths_from_the_human_majority() -> None:
    folder = shared("data", "pandalm_judges")
    checks = json.loads((folder / "expected.json").read_text("utf-8"))["checks"]
    expected = next(c["value"] for c in checks if c["id"] == "bradley_terry_humans")
    rows = []
    for item in json.loads((folder / "testset-v1.json").read_text("utf-8")):
        labels = Counter(item[f"annotator{k}"] for k in (1, 2, 3))
        winner = labels.most_common(1)[0][0]
        if winner:
            first, second = item["cmp_key"].split("_")
            rows.append((first, second, int(winner == 1), int(winner == 2)))
    fit = fit_counts(pair_table(rows))
    assert fit.ability - fit.ability.mean() == pytest.approx(
        [expected[name] for name in fit.systems], abs=1e-3
    )


def _general_purpose_maximum(table: PairTable, *, davidson: bool) -> tuple[float, list[float]]:
    """The same likelihoods by a quasi-Newton method that knows no gradient of ours."""
    n = len(table.systems)

    def loss(x: np.ndarray) -> float:
        strength = np.exp(np.concatenate([[0.0], x[: n - 1]]))
        first = strength[table.first] * np.exp(x[n - 1])
        second = strength[table.second]
        if davidson:
            tie = np.exp(x[n]) * np.sqrt(first * second)
            total = first + second + tie
            seen = table.ties @ np.log(tie / total)
        else:
            total = first + second
            seen = table.ties @ (np.log(first / total) + np.log(second / total)) / 2
        seen += table.first_wins @ np.log(first / total) + table.second_wins @ np.log(
            second / total
        )
        return float(-seen)

    found = minimize(loss, np.zeros(n + davidson), method="BFGS", options={"gtol": 1e-7})
    return float(-found.fun), list(found.x)


@pytest.mark.parametrize("davidson", [False, True])
def test_order_and_ties_agree_with_a_general_purpose_optimiser(davidson: bool) -> None:
    rows = [
        ("A", "B", 12, 8, 3),
        ("B", "A", 7, 13, 5),
        ("A", "C", 14, 6, 1),
        ("C", "A", 9, 11, 4),
        ("B", "C", 11, 9, 2),
        ("C", "B", 10, 10, 6),
        ("D", "C", 3, 2, 0),
        ("A", "D", 4, 3, 1),
    ]
    table = pair_table(rows)
    fit = fit_counts(table, ties="davidson" if davidson else "half", order=True)
    loglik, x = _general_purpose_maximum(table, davidson=davidson)
    assert fit.loglik == pytest.approx(loglik, abs=1e-8)
    assert fit.loglik >= loglik - 1e-10
    assert fit.ability[1:] == pytest.approx(x[:3], abs=1e-4)
    assert fit.order_effect == pytest.approx(x[3], abs=1e-4)
    assert (fit.log_nu is None) or fit.log_nu == pytest.approx(x[4], abs=1e-4)


@for_every(
    "rows, reason, code",
    [
        ([("A", "B", 5, 0), ("A", "C", 4, 0), ("B", "C", 3, 2)], "A never loses", "separation"),
        ([("A", "B", 0, 5), ("A", "C", 0, 4), ("B", "C", 3, 2)], "A never wins", "separation"),
        ([("A", "B", 5, 0)], "A never loses and B never wins", "separation"),
        ([("A", "B", 1, 1), ("C", "D", 1, 1)], "{A, B} and {C, D} were never", "disconnected"),
        (
            [("A", "B", 1, 1), ("B", "C", 3, 0), ("C", "D", 1, 1)],
            "the group {A, B} never loses to the others",
            "separation",
        ),
    ],
)
def test_no_finite_fit_is_said_with_names(
    rows: list[tuple[str, str, int, int]], reason: str, code: str
) -> None:
    found = finite_fit_exists(pair_table(rows))
    assert not found.exists
    assert reason in found.reason
    assert found.code == code
    with pytest.raises(NotEstimable, match=re.escape(reason)) as caught:
        fit_counts(pair_table(rows))
    assert caught.value.code == code


def test_a_tie_joins_what_wins_do_not() -> None:
    assert finite_fit_exists(pair_table([("A", "B", 5, 0, 1)])).exists
    assert fit_counts(pair_table([("A", "B", 5, 0, 1)])).ability[1] == pytest.approx(-np.log(11))


def test_many_groups_are_named_shortly() -> None:
    rows = [(f"a{i}", f"b{i}", 1, 1) for i in range(9)]
    reason = finite_fit_exists(pair_table(rows)).reason
    assert "6 more groups" in reason
    chain = [(f"a{i:02}", f"a{i + 1:02}", 1, 1) for i in range(9)] + [("a00", "z", 3, 0)]
    assert "z never wins" in finite_fit_exists(pair_table(chain)).reason
    circle = [*chain[:-1], ("a00", "z", 3, 0), ("z", "y", 1, 1)]
    assert "4 more" in finite_fit_exists(pair_table(circle)).reason


def test_infinite_order_and_tie_effects_are_not_fitted() -> None:
    with pytest.raises(NotEstimable, match="separation"):
        # the first shown always wins: strengths level, order effect infinite
        fit_counts(pair_table([("A", "B", 5, 0), ("B", "A", 4, 0)]), order=True)
    with pytest.raises(NotEstimable, match="shown in one order"):
        fit_counts(pair_table([("A", "B", 5, 2), ("A", "C", 4, 3)]), order=True)
    with pytest.raises(NotEstimable, match="no tie") as caught:
        fit_counts(pair_table([("A", "B", 5, 2)]), ties="davidson")
    assert caught.value.code == "no_ties"
    with pytest.raises(NotEstimable, match="separation"):
        fit_counts(pair_table([("A", "B", 7, 0, 3)]), ties="davidson")
    with pytest.raises(InputError, match="3 ties"):
        fit_counts(pair_table([("A", "B", 7, 1, 3)]), ties="refuse")


def test_two_systems_in_closed_form_are_the_general_fit() -> None:
    closed = two_systems_with_order(40, 60, 35, 60)
    fit = fit_counts(pair_table([("A", "B", 40, 20), ("B", "A", 25, 35)]), order=True)
    assert -fit.ability[1] == pytest.approx(closed.strength, abs=1e-9)
    assert fit.order_effect == pytest.approx(closed.position, abs=1e-9)
    tied = two_systems_with_ties(12, 5, 9)
    davidson = fit_counts(pair_table([("A", "B", 12, 5, 9)]), ties="davidson")
    assert -davidson.ability[1] == pytest.approx(tied.log_ratio, abs=1e-9)
    assert davidson.log_nu == pytest.approx(np.log(tied.nu), abs=1e-9)
    assert two_systems_with_ties(3, 1, 0).nu == 0.0


@pytest.mark.parametrize(
    ("counts", "code"),
    [((12, 12, 10, 12), "separation"), ((0, 5, 3, 6), "separation"), ((3, 6, 0, 0), "one_order")],
)
def test_closed_forms_say_why_they_do_not_exist(
    counts: tuple[int, int, int, int], code: str
) -> None:
    with pytest.raises(NotEstimable) as caught:
        two_systems_with_order(*counts)
    assert caught.value.code.startswith(code)


@for_every(
    "rows, code",
    [
        ([], "no_votes"),
        ([("A", "A", 1, 1)], "same_system"),
        ([("A", "B", 1)], "row_shape"),
        ([("A", "B", -1, 2)], "out_of_range"),
        ([("A", "B", "1", 2)], "not_a_number"),
        ([("A", "B", float("nan"), 2)], "out_of_range"),
    ],
)
def test_bad_counts_are_refused(rows: list[tuple[str | float, ...]], code: str) -> None:
    with pytest.raises(InputError) as caught:
        pair_table(rows)
    assert caught.value.code == code


def test_an_undeclared_system_is_refused() -> None:
    with pytest.raises(InputError, match="'C'"):
        pair_table([("A", "C", 1, 1)], systems=["A", "B"])
    with pytest.raises(InputError, match="one length"):
        _votes([0], [1, 1], [1])
    with pytest.raises(InputError, match="an outcome 2"):
        _votes([0, 0], [1, 1], [1, 2])


def _votes(
    first: object, second: object, outcome: object, prompt: object = None, n_systems: int = 2
) -> Votes:
    firsts = np.asarray(first, dtype=np.intp)
    return Votes(
        systems=tuple("ABCDEFGH"[:n_systems]),
        first=firsts,
        second=np.asarray(second, dtype=np.intp),
        outcome=np.asarray(outcome, dtype=np.int8),
        prompt=np.asarray(np.arange(len(firsts)) if prompt is None else prompt, dtype=np.intp),
    )


def test_errors_over_prompts_of_two_systems_are_those_of_the_prompt_means() -> None:
    # With two systems and equally many votes a prompt the strength is the log odds of the mean of
    # prompt means, so its error is sd(means)/sqrt(P)/(p(1-p)) by the delta method.
    rng = np.random.default_rng(5)
    n_prompts, repeats = 23, 6
    chance = rng.beta(2, 1, n_prompts)
    won = rng.random((n_prompts, repeats)) < chance[:, None]
    votes = _votes(
        np.zeros(won.size),
        np.ones(won.size),
        np.where(won.ravel(), 1, -1),
        np.repeat(np.arange(n_prompts) * 1000 - 7, repeats),
    )
    fit = fit_votes(votes)
    p = won.mean()
    assert fit.ability[1] == pytest.approx(-np.log(p / (1 - p)), abs=1e-9)
    expected = won.mean(axis=1).std(ddof=1) / np.sqrt(n_prompts) / (p * (1 - p))
    assert fit.se[1] == pytest.approx(expected, rel=1e-9)
    assert fit.n_prompts == n_prompts
    assert fit.df == pytest.approx(n_prompts - 1)


def test_repeating_every_vote_on_its_prompt_adds_no_certainty() -> None:
    rng = np.random.default_rng(7)
    first = rng.integers(0, 4, 400)
    second = (first + rng.integers(1, 4, 400)) % 4
    outcome = rng.choice([1, -1, 0], 400)
    prompt = rng.integers(0, 40, 400)
    once = fit_votes(_votes(first, second, outcome, prompt, 4), ties="davidson", order=True)
    columns = [np.tile(x, 3) for x in (first, second, outcome, prompt)]
    thrice = fit_votes(
        _votes(columns[0], columns[1], columns[2], columns[3], 4),
        ties="davidson",
        order=True,
    )
    assert thrice.se == pytest.approx(once.se, rel=0.01)
    assert thrice.order_se == pytest.approx(once.order_se, rel=0.01)
    assert thrice.log_nu_se == pytest.approx(once.log_nu_se, rel=0.01)
    counted = fit_counts(tabulate(_votes(first, second, outcome, prompt, 4)))
    assert counted.se[1] == pytest.approx(once.se[1], rel=0.35)


def test_one_prompt_or_prompts_without_spread_give_no_error() -> None:
    with pytest.raises(NotEstimable, match="one prompt") as caught:
        fit_votes(_votes([0, 0], [1, 1], [1, -1], [3, 3]))
    assert caught.value.code == "one_cluster"
    with pytest.raises(NotEstimable, match="same balance") as caught:
        fit_votes(_votes([0] * 6, [1] * 6, [1, -1] * 3, [1, 1, 2, 2, 3, 3]))
    assert caught.value.code == "no_spread"


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["half", "davidson"]))
def test_order_of_votes_and_names_is_irrelevant_and_swapping_places_flips(
    seed: int, ties: str
) -> None:
    rng = np.random.default_rng(seed)
    n = 300
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    outcome, prompt = rng.choice([1, -1, 0], n), rng.integers(0, 30, n)
    fit = fit_votes(
        _votes(first, second, outcome, prompt, 4),
        ties="davidson" if ties == "davidson" else "half",
        order=True,
    )
    mix, names = rng.permutation(n), rng.permutation(4)
    mixed = fit_votes(
        _votes(names[second[mix]], names[first[mix]], -outcome[mix], prompt[mix] + 5, 4),
        ties="davidson" if ties == "davidson" else "half",
        order=True,
    )
    moved = mixed.ability[names] - mixed.ability[names[0]]
    assert moved == pytest.approx(fit.ability, abs=1e-8)
    assert mixed.order_effect == pytest.approx(-(fit.order_effect or 0.0), abs=1e-8)
    c, m = fit.covariance, mixed.covariance[np.ix_(names, names)]
    assert m[1, 1] + m[2, 2] - 2 * m[1, 2] == pytest.approx(c[1, 1] + c[2, 2] - 2 * c[1, 2])


def test_many_systems_and_prompts_take_the_sparse_way_to_the_same_numbers() -> None:
    rng = np.random.default_rng(3)
    n, systems, prompts = 60_000, 2000, 50
    first = rng.integers(0, systems, n)
    second = (first + rng.integers(1, systems, n)) % systems
    votes = Votes(
        systems=tuple(str(i) for i in range(systems)),
        first=first,
        second=second,
        outcome=rng.choice(np.array([1, -1], dtype=np.int8), n),
        prompt=rng.integers(0, prompts, n) * 10**9,
    )
    table = tabulate(votes)
    assert table.n_votes == n
    again = pair_table(
        [
            (str(a), str(b), int(o == 1), int(o == -1))
            for a, b, o in zip(first, second, votes.outcome, strict=True)
        ],
        systems=votes.systems,
    )
    assert np.array_equal(table.first, again.first)
    assert np.array_equal(table.first_wins, again.first_wins)


def _prompt_world(
    rng: np.random.Generator, strengths: np.ndarray, *, prompts: int, repeats: int
) -> Votes:
    n = len(strengths)
    left, right = np.triu_indices(n, k=1)
    local = strengths + rng.normal(0.0, 1.0, (prompts, n))
    chance = expit(local[:, left] - local[:, right])[:, :, None]
    won = rng.random((prompts, len(left), repeats)) < chance
    shape = won.shape
    return _votes(
        np.broadcast_to(left[None, :, None], shape).ravel(),
        np.broadcast_to(right[None, :, None], shape).ravel(),
        np.where(won.ravel(), 1, -1),
        np.repeat(np.arange(prompts), len(left) * repeats),
        n,
    )


@pytest.mark.parametrize(("prompts", "repeats"), [(100, 12), (30, 2)])
def test_errors_over_prompts_cover_where_errors_over_votes_do_not(
    prompts: int, repeats: int
) -> None:
    # Equal systems that differ by prompt: the true difference of every pair is 0 by symmetry.
    rng = np.random.default_rng(20240611)
    rounds, one, votewise, joint = 500, 0, 0, 0
    for _ in range(rounds):
        votes = _prompt_world(rng, np.zeros(4), prompts=prompts, repeats=repeats)
        fit = fit_votes(votes)
        pair = differences(fit, rng=rng, draws=4000)
        joint += bool(((pair.low <= 0) & (pair.high >= 0)).all())
        limit = 1.984 if prompts == 100 else 2.045
        one += bool(abs(fit.ability[1]) <= limit * fit.se[1])
        votewise += bool(abs(fit.ability[1]) <= 1.96 * fit_counts(tabulate(votes)).se[1])
    assert 0.92 <= one / rounds <= 0.97
    assert 0.92 <= joint / rounds <= 0.98
    if repeats == 12:
        assert votewise / rounds < 0.75


def test_errors_of_order_effect_and_tie_parameter_are_their_spread_over_studies() -> None:
    rng = np.random.default_rng(31)
    prompts, votes_each = 50, 12
    prompt = np.repeat(np.arange(prompts), votes_each)
    found = []
    for _ in range(400):
        local = rng.normal(0.0, 1.0, (prompts, 3))
        place, tie = rng.normal(0.3, 0.8, prompts)[prompt], rng.normal(-0.5, 0.8, prompts)[prompt]
        first = rng.integers(0, 3, len(prompt))
        second = (first + rng.integers(1, 3, len(prompt))) % 3
        gap = local[prompt, first] - local[prompt, second] + place
        felt = np.stack([gap / 2, -gap / 2, tie]) + rng.gumbel(size=(3, len(prompt)))
        outcome = np.array([1, -1, 0])[felt.argmax(axis=0)]
        fit = fit_votes(_votes(first, second, outcome, prompt, 3), ties="davidson", order=True)
        found.append(
            (fit.order_effect, fit.order_se, fit.log_nu, fit.log_nu_se, fit.ability[1], fit.se[1])
        )
    table = np.array(found, dtype=float)
    for value, error in ((0, 1), (2, 3), (4, 5)):
        assert table[:, error].mean() == pytest.approx(table[:, value].std(), rel=0.1)


def test_millions_of_prompts_are_summed_in_blocks() -> None:
    rng = np.random.default_rng(13)
    n = 2_100_000
    won = rng.random(n) < 0.6
    votes = _votes(np.zeros(n), np.ones(n), np.where(won, 1, -1), rng.permutation(n))
    fit, p = fit_votes(votes), won.mean()
    assert fit.n_prompts == n
    assert fit.se[1] == pytest.approx(1 / np.sqrt(n * p * (1 - p)), rel=1e-5)


@pytest.mark.parametrize(("prompts", "heavy"), [(12, 2), (40, 4)])
def test_a_few_prompts_with_most_of_the_votes_take_degrees_of_freedom(
    prompts: int, heavy: int
) -> None:
    # Every prompt has a preference of its own; the heavy ones were judged twenty times as often.
    rng = np.random.default_rng(77)
    repeats = np.where(np.arange(prompts) < heavy, 20, 1)
    prompt = np.repeat(np.arange(prompts), 6 * repeats)
    rounds, inside, by_prompts, refused = 600, 0, 0, 0
    for _ in range(rounds):
        local = rng.normal(0.0, 1.0, (prompts, 4))
        first = rng.integers(0, 4, len(prompt))
        second = (first + rng.integers(1, 4, len(prompt))) % 4
        won = rng.random(len(prompt)) < expit(local[prompt, first] - local[prompt, second])
        try:
            fit = fit_votes(_votes(first, second, np.where(won, 1, -1), prompt, 4))
        except NotEstimable:
            refused += 1
            continue
        pair = differences(fit, level=0.95)
        inside += bool(abs(pair.value[0]) <= stdtrit(fit.df or 0.0, 0.975) * pair.se[0])
        by_prompts += fit.df is not None and fit.df < 0.6 * (prompts - 1)
    assert refused < 5
    assert inside / (rounds - refused) >= 0.935
    assert by_prompts == rounds - refused


def test_simulated_limits_are_narrower_than_bonferroni_and_wider_than_single_ones() -> None:
    rng = np.random.default_rng(2)
    fit = fit_votes(_prompt_world(rng, np.array([0.0, 0.4, 0.8, 0.2]), prompts=60, repeats=3))
    simulated, bonferroni = differences(fit, rng=rng), differences(fit)
    assert 2.0 < simulated.critical < bonferroni.critical
    assert simulated.df == pytest.approx(59)
    assert "simulation" in simulated.method
    assert np.array_equal(simulated.value, bonferroni.value)
    place = int(np.flatnonzero((simulated.left == 1) & (simulated.right == 2))[0])
    assert simulated.value[place] == pytest.approx(fit.ability[1] - fit.ability[2])
    # Tukey's studentised range: four independent, equally precise means with many df
    many = _prompt_world(np.random.default_rng(8), np.zeros(4), prompts=3000, repeats=1)
    tukey = differences(fit_votes(many), rng=np.random.default_rng(9), draws=200_000).critical
    assert tukey == pytest.approx(3.633 / np.sqrt(2), abs=0.02)


def test_two_systems_need_no_correction_and_bad_levels_are_refused() -> None:
    fit = fit_counts(pair_table([("A", "B", 60, 40)]))
    assert differences(fit, rng=np.random.default_rng(1)).critical == pytest.approx(1.959964)
    with pytest.raises(InputError, match="level"):
        differences(fit, level=1.0)
