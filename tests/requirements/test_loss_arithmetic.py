"""The arithmetic of the loss signal, checked from the shell by figures worked out by hand."""

import math

import pytest

from requirements.calculated import calc


@pytest.mark.requirement("X-E1")
def test_the_formula_rules_over_the_slip_in_its_example() -> None:
    assert calc("power.n_min", s="0.3", mde="0.05") == {"n_min": 576}
    assert calc("power.n_min", s="0.095", mde="0.05") == {"n_min": 58}


@pytest.mark.requirement("X-E2")
def test_the_example_suite_has_too_few_units() -> None:
    assert calc("power.n_min", s="0.28", mde="0.05") == {"n_min": 502}


@pytest.mark.requirement("X-E3")
@pytest.mark.parametrize(
    ("n", "k", "delta"), [(576, 1, 0.100), (576, 10, 0.121), (58, 1, 0.208), (58, 10, 0.272)]
)
def test_what_is_reported_with_80_percent_is_more_than_the_mde(
    n: int, k: int, delta: float
) -> None:
    found = calc("power.smallest_reportable", s_each_arm=0.3, n_each_arm=n, mde=0.05, k=k)
    assert next(iter(found.values())) == pytest.approx(delta, abs=0.0011)


@pytest.mark.requirement("X-E4")
def test_more_comparisons_need_more_units_than_n_min() -> None:
    wanted = [
        calc("power.n_to_report", s_each_arm=0.3, true_delta=0.1, mde=0.05, k=k)["n"]
        for k in (1, 10, 200)
    ]
    assert 576 <= wanted[0] < wanted[1] < wanted[2]


@pytest.mark.requirement("X-E9")
def test_the_suite_averages_scored_partitions_and_says_what_share_they_are() -> None:
    scored = {"weight": 0.4, "loss": 0.2, "sd": 0.3, "n": 600, "status": "scored"}
    thin = {"weight": 0.6, "loss": 0.9, "sd": 0.3, "n": 20, "status": "unterbelegt"}
    found = calc("suite.score", partitions=[scored, thin])
    assert found["suite_score"] == pytest.approx(0.2)
    assert found["covered_weight_share"] == pytest.approx(0.4)
    assert found["n"] == 600


@pytest.mark.requirement("X-E8")
@pytest.mark.requirement("X-E10")
def test_a_category_without_value_lowers_coverage_and_not_the_loss() -> None:
    weights = {"wrong_arg": 0.3, "tone_off": 0.1}
    found = calc(
        "suite.unit_loss",
        category_weights=weights,
        category_values_over_max={"wrong_arg": 0.5, "tone_off": "unbewertbar"},
    )
    assert found["loss_normalised"] == pytest.approx(0.5)
    assert found["covered_weight_share"] == pytest.approx(0.75)


@pytest.mark.requirement("X-E11")
def test_more_than_the_maximum_is_total_loss_and_noted() -> None:
    found = calc(
        "suite.unit_loss",
        category_weights={"wrong_arg": 0.3, "tone_off": 0.1},
        category_values_over_max={"wrong_arg": 2.5, "tone_off": 1.0},
    )
    assert found["loss_normalised"] == 1.0
    assert found["clipped"] == ["wrong_arg"]


@pytest.mark.requirement("E2E-37")
def test_the_standard_error_is_the_spread_over_the_root_of_n() -> None:
    cell = {"loss_new": 0.22, "stddev_between_new": 0.28, "n_new": 62}
    base = {"loss_base": 0.22, "stddev_between_base": 0.28, "n_base": 62}
    found = calc("report_rule.literal", **cell, **base, k=1, mde=0.05)
    assert round(found["se_delta"] / math.sqrt(2), 3) == 0.036


@pytest.mark.requirement("E2E-46")
def test_the_surest_finding_stands_first_not_the_largest() -> None:
    noisy = {"id": "noisy", "ci_low": 0.06, "delta": 0.4, "status": "scored"}
    tight = {"id": "tight", "ci_low": 0.15, "delta": 0.2, "status": "scored"}
    thin = {"id": "thin", "ci_low": 0.3, "delta": 0.5, "status": "unterbelegt"}
    found = calc("report_rule.sort", mde=0.05, rows=[noisy, tight, thin])
    assert found["listed_ids_in_order"] == ["tight", "noisy"]
