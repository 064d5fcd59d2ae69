"""The headline of an outcome comparison: which word primary hypotheses make together, and when."""

import msgspec
import numpy as np
import pytest

from equipoise.records.hypothesis import Aim, Hypothesis
from equipoise.records.outcome_report import Answer, OutcomeVerdict, Standing
from equipoise.records.verdict import Word
from equipoise.stages.decide.outcome import decided, waits, withheld
from equipoise.stages.estimate.outcome.hypotheses import verdicts_of
from stages.estimate.outcome.made_cells import BASE, NEW, cell, claim
from stages.report.loss.readings import ordinary

COMPARISON = msgspec.structs.replace(
    ordinary().comparison, new_arm=NEW, base_arm=BASE, verdict=Word.CANNOT_TELL.value
)
RNG = np.random.default_rng(5)
RATES = RNG.uniform(0.4, 0.7, 20)
PRICES = RNG.uniform(1.0, 2.0, 20)


def headline(gain: float, saved: float, *claims: Hypothesis) -> OutcomeVerdict:
    """The word where the new arm delivers so much more, and saves such a share of the money."""
    shares = RNG.uniform(0.95, 1.05, 20)
    results = {
        arm: [
            cell(f"s{i:02}", arm, rates={"hidden_implicit": rate + gained}, usd=usd * share)
            for i, (rate, usd, share) in enumerate(zip(RATES, PRICES, shares, strict=True))
        ]
        for arm, gained, shares in ((BASE, 0.0, shares * 0 + 1), (NEW, gain, shares * (1 - saved)))
    }
    return decided(COMPARISON, (), verdicts_of(claims, results, {}), ())


CHEAPER = claim(Aim.BETTER, 0.5, 20, name="H2", metric="usd")


@pytest.mark.requirement("OUT-26")
def test_what_costs_less_is_equivalent_where_it_delivers_the_same() -> None:
    """Value for money: the word is of what is delivered, the saving stands beside it."""
    same = headline(0.0, 0.8, claim(Aim.EQUIVALENT, 0.2, 20), CHEAPER)
    assert (same.standing, same.word) == (Standing.DECIDED, Word.EQUIVALENT)
    assert "H2 confirmed (usd +0.80" in same.why
    kept = headline(0.0, 0.8, claim(Aim.NOT_WORSE, 0.2, 20), CHEAPER)
    assert kept.word is Word.BETTER  # no worse, and it costs less
    dear = headline(0.25, -0.8, claim(Aim.BETTER, 0.0, 20), CHEAPER)
    assert dear.word is Word.WORSE  # a primary claim about money, and it went wrong


@pytest.mark.requirement("OUT-26")
def test_a_saving_alone_makes_nothing_better() -> None:
    one = headline(-0.3, 0.8, CHEAPER)
    assert one.word is Word.CANNOT_TELL
    assert "H2 confirmed" in one.why
    assert one.needed == ("a primary hypothesis about what the arms deliver, beside what they take")


def test_a_claim_of_much_that_was_rejected_makes_nothing_better() -> None:
    assert headline(0.05, 0.0, claim(Aim.BETTER, 0.5, 20)).word is Word.CANNOT_TELL
    assert headline(0.25, 0.0, claim(Aim.BETTER, 0.6, 20)).word is Word.BETTER
    assert headline(-0.25, 0.0, claim(Aim.BETTER, 0.6, 20)).word is Word.WORSE


@pytest.mark.requirement("OUT-28")
def test_a_study_that_decides_nothing_confirms_nothing() -> None:
    results = {
        arm: [cell(f"s{i:02}", arm, rates={"hidden_implicit": rate}) for i in range(8)]
        for arm, rate in ((NEW, 1.0), (BASE, 0.0))
    }
    found = verdicts_of((claim(Aim.BETTER, 0.1, 8),), results, {})
    assert found[0].answer is Answer.CONFIRMED
    outside = waits(Standing.OUT_OF_ENVIRONMENT, "No onboarding", "some")
    (one,) = withheld(found, COMPARISON, [outside])
    assert (one.answer, one.shown, one.why) == (Answer.NULL, None, outside.why)
    void = msgspec.structs.replace(COMPARISON, verdict=Word.NOT_EVALUABLE.value, why="Too few.")
    (other,) = withheld(found, void, ())
    assert (other.answer, other.why) == (Answer.NULL, "not evaluable: Too few.")
    assert other.gain == 1.0  # the figures stay
