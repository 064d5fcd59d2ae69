"""Panels of judges: both orders, the median, effective judges, the family guard."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.family_guard import guard_families
from equipoise.stats.panel import (
    Order,
    effective_judges,
    error_correlation,
    panel_verdict,
    repeated_verdict,
)
from every import for_every

_OPPOSITE = {"A": "B", "B": "A", "tie": "tie"}
_TURNED: dict[Order, Order] = {"AB": "BA", "BA": "AB"}
_REPEATS = st.lists(
    st.tuples(
        st.sampled_from(get_args(Order)), st.sampled_from(["A", "B", "tie", "garbage", None])
    ),
    min_size=1,
    max_size=20,
)


@given(_REPEATS)
def test_swapping_the_systems_flips_the_verdict(repeats: list[tuple[Order, str | None]]) -> None:
    orders = [order for order, _ in repeats]
    winners = [winner for _, winner in repeats]
    turned_orders = [_TURNED[order] for order in orders]
    turned = [_OPPOSITE.get(winner or "", winner) for winner in winners]
    try:
        found = repeated_verdict(orders, winners)
    except NotEstimable:
        with pytest.raises(NotEstimable):
            repeated_verdict(turned_orders, turned)
        return
    other = repeated_verdict(turned_orders, turned)
    assert other.p_a == pytest.approx(1 - found.p_a)
    assert other.verdict == _OPPOSITE[found.verdict]
    assert other.position_effect == pytest.approx(found.position_effect)
    assert other.invalid == found.invalid == sum(w not in _OPPOSITE for w in winners)


@given(st.integers(1, 12), st.integers(1, 12))
@pytest.mark.requirement("PIL-35")
def test_a_judge_who_sees_only_places_is_a_tie_whatever_the_counts(ab: int, ba: int) -> None:
    orders = [_TURNED["BA"]] * ab + [_TURNED["AB"]] * ba
    found = repeated_verdict(orders, ["A"] * ab + ["B"] * ba)
    assert (found.verdict, found.p_a, found.position_effect) == ("tie", 0.5, 0.5)
    assert found.is_balanced == (ab == ba)


def test_one_order_or_only_unreadable_answers_give_no_verdict() -> None:
    for winners in (["A", "A"], [None, "broken"]):
        with pytest.raises(NotEstimable, match="both orders") as caught:
            repeated_verdict(["AB", "AB"], winners)
        assert caught.value.code == "one_order_missing"
    with pytest.raises(NotEstimable):
        repeated_verdict(["AB", "BA"], ["A", None])


def test_orders_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        repeated_verdict(["AB"], [])
    assert caught.value.code == "length_differs"
    with pytest.raises(InputError, match="XY"):
        repeated_verdict(["XY"], ["A"])  # type: ignore[list-item]  # the fault under test


@pytest.mark.requirement("PIL-36")
def test_one_judge_far_off_does_not_turn_the_median() -> None:
    found = panel_verdict({"g": 0.6, "x": 0.55, "o": 0.0, "lost": None})
    assert (found.p_a, found.verdict, found.n_judges) == (0.55, "A", 3)
    assert found.mean < 0.5
    assert found.without_answer == ("lost",)
    assert panel_verdict({"g": 0.9, "o": 0.1}).verdict == "tie"
    with pytest.raises(NotEstimable, match="no judge"):
        panel_verdict({"g": None})
    with pytest.raises(InputError, match="'g'"):
        panel_verdict({"g": 1.2})


def test_effective_judges_at_the_edges() -> None:
    assert effective_judges(9, 0.4375) == 2.0
    assert effective_judges(5, 0.0) == 5.0
    assert effective_judges(5, 1.0) == 1.0
    with pytest.raises(NotEstimable, match="cannot share"):
        effective_judges(3, -0.5)
    with pytest.raises(InputError, match="0 judges"):
        effective_judges(0, 0.1)


def test_error_correlation_needs_judges_who_are_sometimes_wrong() -> None:
    assert error_correlation([[1, 0, 1, 0], [0, 1, 0, 1]]) == -1.0
    for errors, code in (
        ([[1, 0]], "no_pairs"),
        ([[0, 0, 0], [1, 0, 1]], "no_spread"),
        ([[1], [0]], "no_spread"),
    ):
        with pytest.raises(NotEstimable) as caught:
            error_correlation(errors)
        assert caught.value.code == code
    with pytest.raises(InputError, match="judges by units"):
        error_correlation([1, 0])


@pytest.mark.requirement("PIL-37")
def test_no_judge_of_a_family_that_touched_any_stage() -> None:
    found = guard_families(
        {"j1": "google", "j2": "xAI", "j3": ["openai", "google"]},
        {"C0": "deepseek", "C1": ["deepseek", "XAI "], "C2": ["Google"]},
    )
    assert found.allowed == ()
    assert not found.is_evaluable
    assert found.excluded == {
        "j1": "same_family:google",
        "j2": "same_family:xAI",
        "j3": "same_family:google",
    }


@for_every("unknown", [None, "", "unknown", " Unknown ", [], [None], ["google", "?"]])
@pytest.mark.requirement("PIL-37")
def test_unknown_families_are_refused(unknown: str | list[str | None] | None) -> None:
    found = guard_families({"j1": unknown, "j2": "xai"}, {"C0": "deepseek"})
    assert found.allowed == ("j2",)
    assert found.excluded == {"j1": "unknown_family"}
    blind = guard_families({"j1": "google", "j2": "xai"}, {"C0": "xai", "C1": unknown})
    assert blind.allowed == ()
    assert blind.excluded["j2"] == "same_family:xai"
    assert blind.excluded["j1"] in {"unknown_family_of_output:C1", "same_family:google"}


def test_a_family_outside_the_registered_table_is_unknown() -> None:
    known = ["Google", "xai", "deepseek"]
    found = guard_families({"j1": "gogle", "j2": "google"}, {"C0": "deepseek"}, known=known)
    assert found.allowed == ("j2",)
    assert found.excluded == {"j1": "unknown_family"}
