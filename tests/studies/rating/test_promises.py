"""What rating studies promise, simulated: limits that cover, and the stated power."""

import numpy as np
import pytest

from equipoise.records.judgement import ReadState
from equipoise.records.rating_plan import JudgePlan, PanelPlan, Policy
from equipoise.stages.decide.rating import judged
from equipoise.stages.estimate.rating.choices import Choice
from equipoise.stages.estimate.rating.counting import estimate
from equipoise.stages.estimate.rating.gaps import Asked
from equipoise.stages.estimate.rating.judges import Judge, judge_of
from equipoise.stages.estimate.rating.panel import panel_estimate
from equipoise.stages.estimate.rating.verdicts import Told
from equipoise.stats.bws_power import ScorePower, answers_needed, power_of_answers

_PAIR = ("base", "new")


def _asked(*arms: str, mde: float = 0.3) -> Asked:
    return Asked(arms=arms, baseline=arms[0], mde=mde, alpha=0.05, power=0.8, seed=1)


def _judge(
    name: str, rng: np.random.Generator, worth: np.ndarray, repeats: int, place: float
) -> Judge:
    """A judge on prompts on which `new` is worth more by some logits, leaning to the first."""
    told = []
    for unit, gap in enumerate(worth):
        for repeat in range(repeats):
            order = repeat % 2
            arms = _PAIR if order == 0 else _PAIR[::-1]
            first = gap if arms[0] == "new" else -gap
            best = int(rng.random() > 1.0 / (1.0 + np.exp(-(first + place))))
            choice = Choice(
                who=name,
                set=f"s{unit}",
                unit=f"u{unit}",
                cluster=f"u{unit}",
                shown=tuple((arm,) for arm in arms),
                best=best,
                repeat=repeat + 1,
                order=order,
            )
            told.append(Told(choice=choice, state=ReadState.READ))
    plan = JudgePlan(name=name, model={}, family=name)
    panel = PanelPlan(policy=Policy.PANEL, judges=(plan,), repeats=repeats)
    return judge_of(plan, told, panel)


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [2, 4, 12])
@pytest.mark.parametrize("n_prompts", [30, 100])
def test_limits_of_judges_cover_with_effects_of_prompts(repeats: int, n_prompts: int) -> None:
    rng = np.random.default_rng([repeats, n_prompts])
    grid = rng.normal(0.5, 1.0, 400_000)
    marginal = float(np.mean((_rate(grid + 0.4) + _rate(grid - 0.4)) / 2))
    truth_score = 2.0 * (2.0 * marginal - 1.0)
    rounds, score, logit, joint, n_logit, n_joint = 400, 0, 0, 0, 0, 0
    truth_logit = _strength(grid)
    for _ in range(rounds):
        worth = rng.normal(0.5, 1.0, n_prompts)
        judges = [_judge(name, rng, worth, repeats, 0.4) for name in ("g", "h")]
        one = judges[0]
        choices = [c for v in one.verdicts.values() for c in v.choices]
        weights = [w for v in one.verdicts.values() for w in v.weights]
        found = estimate("g", choices, _asked(*_PAIR), weights=weights, has_order=True).pairs[0]
        assert found.lo is not None
        assert found.hi is not None
        score += found.lo <= truth_score <= found.hi
        if found.logit_lo is not None and found.logit_hi is not None:
            n_logit += 1
            logit += found.logit_lo <= truth_logit <= found.logit_hi
        both = panel_estimate(judges, _asked(*_PAIR))
        assert both is not None
        pair = both.pairs[0]
        if pair.logit_lo is not None and pair.logit_hi is not None:
            n_joint += 1
            joint += pair.logit_lo <= truth_logit <= pair.logit_hi
    assert min(n_logit, n_joint) > 0.98 * rounds
    assert 0.92 <= score / rounds <= 0.975
    assert 0.92 <= logit / n_logit <= 0.975
    assert 0.92 <= joint / n_joint <= 0.975


def _rate(logit: np.ndarray) -> np.ndarray:
    return np.asarray(1.0 / (1.0 + np.exp(-logit)))


def _strength(grid: np.ndarray) -> float:
    """What the model with an order term tends to: half the sum of the two marginal log odds."""
    first, second = (float(np.mean(_rate(grid + x))) for x in (0.4, -0.4))
    return float((np.log(first / (1 - first)) + np.log(second / (1 - second))) / 2)


@pytest.mark.slow
@pytest.mark.requirement("PIL-29")
def test_simulated_annotators_recover_a_planted_order_with_the_stated_power() -> None:
    # One arm stands out: in a share of the sets it is best, else the choice is random.
    rng = np.random.default_rng(5)
    mde, arms = 0.3, ("C0", "C1", "C2", "C3")
    terms = ScorePower(n_items=4, set_size=4)
    n = answers_needed(mde, terms)
    stated = power_of_answers(n, mde, terms)
    forced = mde / (1.0 + 1.0 / 3.0)
    rounds, found_it, right_top = 600, 0, 0
    for _ in range(rounds):
        choices = []
        for unit in range(n):
            order = rng.permutation(4)
            shown = tuple((arms[k],) for k in order)
            best, worst = (int(x) for x in rng.permutation(4)[:2])
            if rng.random() < forced:
                best = int(np.flatnonzero(order == 3)[0])
                worst = int(rng.choice([p for p in range(4) if p != best]))
            choices.append(
                Choice(
                    who="ann",
                    set=f"s{unit}",
                    unit=f"u{unit}",
                    cluster=f"u{unit}",
                    shown=shown,
                    best=best,
                    worst=worst,
                )
            )
        told = judged(estimate("people", choices, _asked(*arms, mde=mde)), mde, None)
        pair = {(p.arm, p.against): p for p in told.pairs}["C3", "C0"]
        found_it += pair.word == "better"
        top = max(told.arms, key=lambda arm: arm.score or 0.0)
        right_top += top.arm == "C3"
    assert found_it / rounds == pytest.approx(stated, abs=0.04)  # 2.5 standard errors
    assert right_top / rounds > 0.95
