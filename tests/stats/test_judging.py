"""Judges: top choice, ranks, repeats, correction for errors, both orders on real data."""

import csv
import json
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.cohen import cohen_kappa, cross_table
from equipoise.stats.judge_correction import corrected_rate
from equipoise.stats.judge_repeats import majority_error, position_bias_chances
from equipoise.stats.judging import tau_b, top_within_set, validate_judge
from equipoise.stats.panel import effective_judges, error_correlation
from equipoise.stats.swapped_orders import swap_report
from every import for_every
from shared_data import shared

_VERDICTS = {"1": 1, "2": 2}


@pytest.mark.requirement("PIL-38")
def test_top_choice_gives_half_for_two_named_and_counts_ties_of_both() -> None:
    found = top_within_set(
        [["A"], ["A"], ["A", "B"], ["C"]], [["A"], ["A", "B"], ["B"], ["A", "B"]]
    )
    assert found.n_sets == 4
    assert found.strict == 0.25
    assert found.ties_split == pytest.approx((1 + 0.5 + 1 + 0) / 4)
    assert found.judge_tie_rate == 0.5
    assert found.human_tie_rate == 0.25


@pytest.mark.requirement("PIL-38")
def test_a_judge_with_high_overall_correlation_can_fail_within_sets() -> None:
    # Sets differ much in level, and within each set the judge is exactly reversed.
    rng = np.random.default_rng(1)
    human, judge = [], []
    for level in range(0, 200, 10):
        scores = rng.permutation(3)
        human.append({name: float(level + s) for name, s in zip("abc", scores, strict=True)})
        judge.append({name: float(level - s) for name, s in zip("abc", scores, strict=True)})
    flat_h = [score for one in human for score in one.values()]
    flat_j = [score for one in judge for score in one.values()]
    assert np.corrcoef(flat_h, flat_j)[0, 1] > 0.99
    found = validate_judge(human, judge)
    assert found.top1 == 0.0
    assert found.tau_b_mean == -1.0
    assert found.random_top1 == pytest.approx(1 / 3)


def test_a_judge_who_ties_everything_earns_what_chance_earns() -> None:
    human = [{"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}, {"a": 2.0, "b": 2.0, "c": 1.0, "d": 0.0}]
    found = validate_judge(human, [dict.fromkeys("abcd", 5.0)] * 2)
    assert found.top1 == found.random_top1 == pytest.approx((1 / 4 + 2 / 4) / 2)
    assert found.tie_rate == 1.0
    assert found.human_tie_rate == pytest.approx(1 / 12)
    assert found.tau_b_mean is None
    assert found.sets_without_tau == 2


def test_the_order_in_which_systems_are_listed_is_irrelevant() -> None:
    human = [{"a": 1.0, "b": 2.0, "c": 3.0}]
    turned = validate_judge(human, [{"c": 9.0, "a": 1.0, "b": 4.0}])
    assert (turned.top1, turned.tau_b_mean) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("human", "judge", "code"),
    [
        ([], [], "no_sets"),
        ([{"a": 1.0, "b": 2.0}], [], "length_differs"),
        ([{"a": 1.0, "b": 2.0}], [{"a": 1.0, "c": 2.0}], "systems_differ"),
        ([{"a": 1.0}], [{"a": 1.0}], "set_too_small"),
    ],
)
def test_sets_that_do_not_fit_are_refused(
    human: list[dict[str, float]], judge: list[dict[str, float]], code: str
) -> None:
    with pytest.raises(InputError) as caught:
        validate_judge(human, judge)
    assert caught.value.code == code


def test_a_set_without_a_best_is_refused() -> None:
    with pytest.raises(InputError, match="set 2 has no best by the judge") as caught:
        top_within_set([["A"], ["A"]], [["A"], []])
    assert caught.value.code == "incomplete_choice"


def test_tau_b_is_undefined_for_level_scores_and_refuses_nan() -> None:
    assert tau_b([1, 2, 3], [3, 2, 1]) == -1.0
    for values, code in (([1.0, 1.0], "no_spread"), ([1.0], "no_pairs")):
        with pytest.raises(NotEstimable) as caught:
            tau_b(values, values)
        assert caught.value.code == code
    with pytest.raises(InputError, match="not finite"):
        tau_b([1.0, float("nan")], [1.0, 2.0])
    with pytest.raises(InputError, match="2 and 1"):
        tau_b([1.0, 2.0], [1.0])


@pytest.mark.requirement("PIL-35")
def test_an_odd_number_of_repeats_decides_for_a_judge_who_only_sees_places() -> None:
    assert position_bias_chances(6, 5, 0.5).a_wins == 1.0
    assert position_bias_chances(6, 5, -0.5).b_wins == 1.0
    for n in (1, 6, 20):
        assert position_bias_chances(n, n, 0.5).tie == 1.0


@given(st.integers(0, 15), st.integers(0, 15), st.floats(-0.5, 0.5))
def test_chances_add_up_and_swapping_orders_swaps_the_winner(ab: int, ba: int, bias: float) -> None:
    if ab + ba == 0:
        with pytest.raises(InputError):
            position_bias_chances(ab, ba, bias)
        return
    one, other = position_bias_chances(ab, ba, bias), position_bias_chances(ba, ab, bias)
    assert one.a_wins + one.tie + one.b_wins == pytest.approx(1.0)
    assert one.a_wins == pytest.approx(other.b_wins)
    assert position_bias_chances(ab, ba, -bias).b_wins == pytest.approx(one.a_wins)


def test_majority_of_repeats_by_simulation_and_even_splits() -> None:
    rng = np.random.default_rng(6)
    wrong = rng.binomial(12, 0.3, 400_000)
    found = majority_error(12, 0.3)
    assert found.wrong == pytest.approx((wrong > 6).mean(), abs=0.002)
    assert found.tie == pytest.approx((wrong == 6).mean(), abs=0.002)
    assert majority_error(11, 0.3).tie == 0.0
    with pytest.raises(InputError, match="0 repeats"):
        majority_error(0, 0.1)


def test_correction_of_a_judged_rate_and_where_it_must_refuse() -> None:
    found = corrected_rate(
        640, 1000, negatives_right=90, n_negatives=100, positives_right=85, n_positives=100
    )
    assert found.value == found.uncut == pytest.approx(0.72)
    assert found.se == pytest.approx(0.0413531, abs=1e-7)
    assert found.low < 0.72 < found.high
    below = corrected_rate(
        5, 100, negatives_right=90, n_negatives=100, positives_right=90, n_positives=100
    )
    assert below.value == below.low == 0.0
    assert below.uncut == pytest.approx(-0.0625)
    perfect = corrected_rate(
        0, 50, negatives_right=20, n_negatives=20, positives_right=20, n_positives=20
    )
    assert perfect.se is None
    assert perfect.high > 0.05


@for_every(
    "counts, code",
    [
        ((5, 10, 5, 10, 5, 10), "judge_uninformative"),
        ((5, 10, 2, 10, 3, 10), "judge_uninformative"),
        ((0, 0, 9, 10, 9, 10), "no_units"),
        ((5, 10, 0, 0, 9, 10), "no_calibration"),
        ((5, 10, 9, 10, 0, 0), "no_calibration"),
    ],
)
def test_no_correction_exists_is_said(counts: tuple[int, ...], code: str) -> None:
    positives, n, right0, m0, right1, m1 = counts
    with pytest.raises(NotEstimable) as caught:
        corrected_rate(
            positives,
            n,
            negatives_right=right0,
            n_negatives=m0,
            positives_right=right1,
            n_positives=m1,
        )
    assert caught.value.code == code
    with pytest.raises(InputError):
        corrected_rate(11, 10, negatives_right=9, n_negatives=10, positives_right=9, n_positives=10)


@for_every("truth", [0.02, 0.3, 0.8])
@for_every("specificity, sensitivity", [(0.7, 0.7), (0.9, 0.85), (0.95, 0.7)])
def test_limits_of_the_corrected_rate_cover(
    truth: float, specificity: float, sensitivity: float
) -> None:
    rng = np.random.default_rng(12)
    rounds, inside, refused = 1500, 0, 0
    judged = truth * sensitivity + (1 - truth) * (1 - specificity)
    for _ in range(rounds):
        try:
            found = corrected_rate(
                int(rng.binomial(300, judged)),
                300,
                negatives_right=int(rng.binomial(50, specificity)),
                n_negatives=50,
                positives_right=int(rng.binomial(50, sensitivity)),
                n_positives=50,
            )
        except NotEstimable:
            refused += 1
            continue
        inside += found.low <= truth <= found.high
    assert refused < 5
    assert inside / (rounds - refused) >= 0.935


@pytest.mark.parametrize("sets", ["MT-Bench", "LLMEval^2", "FairEval"])
@pytest.mark.requirement("PIL-35")
def test_judges_in_both_orders_give_the_counts_of_the_source(sets: str) -> None:
    folder = shared("data", "judges_swap_mtbench")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    with (folder / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["set"] == sets]
    gold = [int(row["gold"]) for row in rows]
    for column in list(rows[0])[3:]:
        parts = [row[column].split("/") for row in rows]
        one, two = ([_VERDICTS.get(part[i]) for part in parts] for i in (0, 1))
        wanted = expected[f"{sets}|{column}"]
        found = swap_report(gold, one, two)
        assert found.n == wanted["n"]
        assert found.right_first_order == wanted["acc_order1"]
        assert found.right_second_order == wanted["acc_order2"]
        assert found.right_both == wanted["both_right"]
        # the source counts two unreadable verdicts as equal orders: a fault we do not repeat
        neither = sum(part == ["-", "-"] for part in parts)
        assert found.orders_equal + neither == wanted["orders_equal"]
        assert found.n_unreadable == wanted["unparsed"]
        assert 2 * found.n_both_readable == wanted["of_verdicts"]
        assert found.first_place == wanted["picked_first_position"]
        readable = [(a, b, g) for a, b, g in zip(one, two, gold, strict=True) if a and b]
        first, second, truth = ([row[i] for row in readable] for i in range(3))
        with_gold = cohen_kappa(cross_table(first, truth)[1]).value
        between = cohen_kappa(cross_table(first, second)[1]).value
        assert with_gold == pytest.approx(wanted["kappa_order1_gold"], abs=1e-6)
        assert between == pytest.approx(wanted["kappa_order1_order2"], abs=1e-6)


@pytest.mark.parametrize("prompt", ["Vanilla_NoRules", "Metrics_Reference"])
def test_four_real_judges_are_worth_two(prompt: str) -> None:
    folder = shared("data", "judges_swap_mtbench")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))[f"panel|{prompt}"]
    errors: dict[str, list[bool]] = defaultdict(list)
    with (folder / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for judge in expected["acc_order1"]:
                errors[judge].append(row[f"{judge}|{prompt}"].split("/")[0] != row["gold"])
    for judge, accuracy in expected["acc_order1"].items():
        assert 1 - np.mean(errors[judge]) == pytest.approx(accuracy, abs=1e-6)
    correlation = error_correlation(list(errors.values()))
    assert correlation == pytest.approx(expected["mean_error_correlation_order1"], abs=1e-6)
    assert effective_judges(4, correlation) == pytest.approx(expected["kish_n_eff"], abs=1e-5)


def test_two_unreadable_verdicts_are_no_agreement_between_orders() -> None:
    found = swap_report([1, 2, 1], [None, 2, 1], [None, 1, 1])
    assert (found.orders_equal, found.n_unreadable, found.n_both_readable) == (1, 2, 2)
    assert found.flip_share == 0.5
    assert found.first_place_share == 0.25
    with pytest.raises(NotEstimable, match="two readable"):
        _ = swap_report([1], [None], [1]).flip_share


@pytest.mark.parametrize(
    ("gold", "one", "two", "code"),
    [
        ([], [], [], "no_units"),
        ([1], [1, 2], [1], "length_differs"),
        ([1], [3], [1], "out_of_range"),
    ],
)
def test_pairs_that_do_not_fit_are_refused(
    gold: list[int], one: list[int], two: list[int], code: str
) -> None:
    with pytest.raises(InputError) as caught:
        swap_report(gold, one, two)
    assert caught.value.code == code
