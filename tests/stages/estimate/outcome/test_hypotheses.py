"""Answers to hypotheses: by interval and exact test, in a family, and never out of a ceiling."""

import numpy as np
import pytest

from equipoise.records.hypothesis import Aim, Hypothesis
from equipoise.records.outcome import OutcomeResult
from equipoise.records.outcome_report import Answer, HypothesisVerdict
from equipoise.records.verdict import Word
from equipoise.stages.estimate.outcome.hypotheses import verdicts_of
from stages.estimate.outcome.made_cells import BASE, NEW, arm, cell, claim


def told(
    new: list[float], base: list[float], *claims: Hypothesis, barred: dict[str, str] | None = None
) -> tuple[HypothesisVerdict, ...]:
    return verdicts_of(claims, {NEW: arm(NEW, new), BASE: arm(BASE, base)}, {"": barred or {}})


@pytest.mark.requirement("OUT-57")
def test_a_planted_gain_is_confirmed_and_its_opposite_rejected() -> None:
    new, base = [1.0] * 8, [0.0] * 8
    up, down = told(
        new, base, claim(Aim.BETTER, 0.1, 8), claim(Aim.WORSE, 0.1, 8, name="H2", primary=False)
    )
    assert (up.answer, down.answer) == (Answer.CONFIRMED, Answer.REJECTED)
    assert up.gain == 1.0
    assert up.lo is not None
    assert 0.1 < up.lo < 1.0  # five or eight pairs (1, 0) are no certainty
    assert up.p == up.smallest_p == pytest.approx(2 / 2**8)
    assert up.tags == ("measured",)


@pytest.mark.requirement("X-O2")
@pytest.mark.requirement("OUT-52")
def test_five_scenarios_confirm_nothing_and_say_why() -> None:
    (one,) = told([1.0] * 5, [0.0] * 5, claim(Aim.BETTER, 0.0, 5, is_underpowered=True))
    assert one.answer is Answer.NULL
    assert one.smallest_p == 0.0625
    assert "5 scenarios cannot give less than 0.0625, whatever comes out" in one.why
    assert "underpowered" in one.tags


@pytest.mark.requirement("X-O14")
def test_a_ceiling_is_null_and_never_equivalent() -> None:
    (one,) = told([1.0] * 20, [1.0] * 20, claim(Aim.EQUIVALENT, 0.3, 20))
    assert one.answer is Answer.NULL
    assert one.why == "ceiling: cannot tell. Both arms passed everything in every cell"
    rates = [0.5, 0.75] * 20
    (other,) = told(rates, rates, claim(Aim.EQUIVALENT, 0.3, 40))
    assert other.answer is Answer.CONFIRMED
    assert other.level == pytest.approx(0.9)


def test_equivalence_is_rejected_where_the_arms_lie_apart() -> None:
    (one,) = told([0.9] * 10, [0.1] * 10, claim(Aim.EQUIVALENT, 0.1, 10))
    assert one.answer is Answer.REJECTED


def test_primary_claims_share_the_level_and_secondary_ones_do_not() -> None:
    new, base = [1.0] * 6, [0.0] * 6
    claims = [claim(Aim.BETTER, 0.0, 6, name=f"H{number}") for number in range(3)]
    alone = told(new, base, claims[0])[0]
    family = told(new, base, *claims, claim(Aim.BETTER, 0.0, 6, name="S", primary=False))
    assert alone.answer is Answer.CONFIRMED
    assert [one.answer for one in family] == [Answer.NULL] * 3 + [Answer.CONFIRMED]
    assert family[0].adjusted_p == pytest.approx(3 * (alone.adjusted_p or 0.0))
    assert family[3].rule == ""


def test_repetitions_lie_inside_their_scenario() -> None:
    """Thirty repetitions of two scenarios are two units: nothing can be shown."""
    results = {
        name: [
            cell(scenario, name, repetition, rates={"hidden_implicit": rate})
            for scenario in ("s00", "s01")
            for repetition in range(1, 31)
        ]
        for name, rate in ((NEW, 1.0), (BASE, 0.0))
    }
    (one,) = verdicts_of((claim(Aim.BETTER, 0.0, 2),), results, {})
    assert one.answer is Answer.NULL
    assert one.n_scenarios == 2
    assert one.smallest_p == 0.5


@pytest.mark.requirement("OUT-31")
def test_a_scenario_that_waits_takes_the_answer_away() -> None:
    waits = {"s03": "flagged cells wait for a label"}
    (one,) = told([1.0] * 8, [0.0] * 8, claim(Aim.BETTER, 0.1, 8), barred=waits)
    assert one.answer is Answer.NULL
    assert one.why == "cannot tell: s03: flagged cells wait for a label"
    assert one.gain == 1.0
    results = {NEW: arm(NEW, [1.0] * 8), BASE: arm(BASE, [0.0] * 8)}
    (other,) = verdicts_of((claim(Aim.BETTER, 0.1, 8),), results, {"third": waits})
    assert other.answer is Answer.CONFIRMED


def test_one_scenario_has_no_interval_and_says_so() -> None:
    (one,) = told([1.0], [0.0], claim(Aim.BETTER, 0.1, 1))
    assert one.answer is Answer.NULL
    assert one.lo is None
    assert one.why == "cannot tell: new holds 1 unit, at least 2 needed"


def test_what_was_not_measured_in_both_arms_is_counted_and_never_a_zero() -> None:
    results = {NEW: arm(NEW, [1.0] * 8), BASE: arm(BASE, [0.0] * 6)}
    (one,) = verdicts_of((claim(Aim.BETTER, 0.1, 8),), results, {})
    assert (one.n_scenarios, one.n_planned) == (6, 8)
    assert one.answer is Answer.NULL
    assert "2 of 8 scenarios are not in both arms" in one.why


def test_a_saving_is_told_as_a_share_of_what_the_base_spends() -> None:
    rng = np.random.default_rng(3)
    spent = rng.uniform(1000, 9000, 12)
    results = {
        BASE: [cell(f"s{i:02}", BASE, tokens_in=int(v), tokens_out=0) for i, v in enumerate(spent)],
        NEW: [
            cell(f"s{i:02}", NEW, tokens_in=int(v * share), tokens_out=0)
            for i, (v, share) in enumerate(zip(spent, rng.uniform(0.35, 0.45, 12), strict=True))
        ],
    }
    (one,) = verdicts_of((claim(Aim.BETTER, 0.5, 12, metric="tokens"),), results, {})
    assert one.answer is Answer.CONFIRMED
    assert one.gain == pytest.approx(0.6, abs=0.03)
    (two,) = verdicts_of((claim(Aim.BETTER, 0.7, 12, metric="tokens"),), results, {})
    assert two.answer is Answer.REJECTED


def test_where_nothing_differs_it_is_confirmed_in_at_most_the_level_of_studies() -> None:
    rng = np.random.default_rng(7)
    confirmed = 0
    for _ in range(200):
        new, base = (rng.binomial(3, 0.5, 10) / 3 for _ in range(2))
        (one,) = told(new.tolist(), base.tolist(), claim(Aim.BETTER, 0.0, 10))
        confirmed += one.answer is not Answer.NULL
    assert confirmed <= 17  # 200 x 0.05, and two standard errors more


@pytest.mark.requirement("X-O14")
def test_a_floor_is_null_and_never_equivalent() -> None:
    for aim in (Aim.EQUIVALENT, Aim.NOT_WORSE):
        (one,) = told([0.0] * 20, [0.0] * 20, claim(aim, 0.3, 20))
        assert one.answer is Answer.NULL
        assert one.why == "floor: cannot tell. Neither arm reached anything in any cell"


def test_cells_without_an_outcome_take_an_answer_back_that_they_could_have_turned() -> None:
    """The arm that crashes where it would have failed is not better for it."""
    new, base = [1.0] * 10, [0.4] * 10

    def answer(n_missing: int, *, is_lasting: bool = False) -> HypothesisVerdict:
        results = {
            BASE: [c for k in (1, 2, 3) for c in repeated(BASE, base, k)],
            NEW: [c for k in (1, 2, 3) for c in repeated(NEW, new, k)],
        }
        for place in range(n_missing):
            was = results[NEW][place]
            results[NEW][place] = cell(
                was.scenario, NEW, was.repetition, missing={"hidden_implicit": "crashed"}
            )
        bound = 0.0 if is_lasting else 0.2
        (one,) = verdicts_of((claim(Aim.BETTER, bound, 10),), results, {})
        return one

    assert answer(0).answer is Answer.CONFIRMED
    lost = answer(3)
    assert lost.answer is Answer.NULL
    assert lost.gain == pytest.approx(0.6)  # of the cells that were measured
    assert lost.why == (
        "cannot tell: 3 cells without an outcome (3 of with-skill, 0 of bare) could have made it "
        "another answer"
    )
    assert answer(3, is_lasting=True).answer is Answer.CONFIRMED  # whatever they had shown
    assert answer(4).why == "cannot tell: 4 of 30 cells of with-skill have no hidden_implicit"


def repeated(name: str, rates: list[float], repetition: int) -> list[OutcomeResult]:
    return [
        cell(f"s{number:02}", name, repetition, rates={"hidden_implicit": rate})
        for number, rate in enumerate(rates)
    ]


def test_a_total_that_lacks_a_part_is_no_total() -> None:
    spent = {
        NEW: [cell(f"s{i:02}", NEW, tokens_out=100 + i) for i in range(8)],
        BASE: [cell(f"s{i:02}", BASE, tokens_in=5_000, tokens_out=100 + i) for i in range(8)],
    }
    (one,) = verdicts_of((claim(Aim.BETTER, 0.5, 8, metric="tokens"),), spent, {})
    assert one.answer is Answer.NULL
    assert one.gain is None


def test_what_a_claim_beside_zero_says_of_zero_is_tested_by_itself() -> None:
    """That a gain is no 0.5, or no loss of 0.4, does not make it one."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.2, 0.5, 20)
    small, clear = base + 0.05, base + 0.3
    for new, shown in ((small, None), (clear, Word.BETTER)):
        lost, kept = told(
            new.tolist(),
            base.tolist(),
            claim(Aim.BETTER, 0.55, 20),
            claim(Aim.NOT_WORSE, 0.4, 20, name="H2"),
        )
        assert (lost.answer, kept.answer) == (Answer.REJECTED, Answer.CONFIRMED)
        assert (lost.shown, kept.shown) == (shown, shown)
    (worse,) = told(base.tolist(), clear.tolist(), claim(Aim.NOT_WORSE, 0.05, 20))
    assert (worse.answer, worse.shown) == (Answer.REJECTED, Word.WORSE)
