"""Topics on judges: ``judge.*``, ``panel_*``, ``family_guard``, validation and effective votes."""

from typing import Any, Literal

import msgspec

from equipoise.cli.topics import Topic
from equipoise.errors import NotEstimable
from equipoise.stats.family_guard import guard_families
from equipoise.stats.judge_correction import corrected_rate
from equipoise.stats.judge_repeats import majority_error, position_bias_chances
from equipoise.stats.judging import tau_b, top_within_set, validate_judge
from equipoise.stats.panel import effective_judges, panel_verdict, repeated_verdict

Name = str | int


class TopSets(msgspec.Struct):
    """The best of each set by people and by the judge, tied ones together."""

    human_top_sets: list[list[Name]]
    judge_top_sets: list[list[Name]]


class TwoScores(msgspec.Struct):
    """Two lists of scores of the same things."""

    x: list[float]
    y: list[float]


class Repeats(msgspec.Struct):
    """Repeats of one verdict and the chance that a single one is wrong."""

    n_repeats_odd: int
    single_flip_rate: float


class Places(msgspec.Struct, rename={"n_order_ab": "n_order_AB", "n_order_ba": "n_order_BA"}):
    """Repeats in each order and how much more often than by chance the first is picked."""

    n_order_ab: int
    n_order_ba: int
    bias: float


class Labelled(msgspec.Struct):
    """Judged positives, and the judge's right answers on labelled negatives and positives."""

    judge_positive: int
    n: int
    true_negatives_right: int
    m0: int
    true_positives_right: int
    m1: int
    level: float = 0.95


class OneVerdict(msgspec.Struct):
    """One repeat: the order shown and the winner after turning the places back."""

    order: Literal["AB", "BA"]
    winner: str | None = None


class Verdicts(msgspec.Struct):
    """All repeats of one judge on one pair."""

    verdicts: list[OneVerdict]


class Rates(msgspec.Struct, rename={"p_a_by_judge": "p_A_by_judge"}):
    """Judge -> rate of A, null for a judge without an answer."""

    p_a_by_judge: dict[str, float | None]


class Guard(msgspec.Struct):
    """Families of judges and of the models behind each output; known families if registered."""

    judges: dict[str, str | list[str | None] | None]
    outputs_of: dict[str, str | list[str | None] | None]
    known_families: list[str] | None = None


class Panel(msgspec.Struct):
    """Size of a panel and mean correlation of its errors."""

    judges: int
    mean_error_correlation: float


class ScoredSets(msgspec.Struct):
    """For each set system -> score, by people and by the judge, higher is better."""

    human: list[dict[str, float]]
    judge: list[dict[str, float]]


def _top(given: TopSets) -> dict[str, Any]:
    found = top_within_set(
        [[str(name) for name in one] for one in given.human_top_sets],
        [[str(name) for name in one] for one in given.judge_top_sets],
    )
    return {
        "n_sets": found.n_sets,
        "judge_tie_rate": found.judge_tie_rate,
        "human_tie_rate": found.human_tie_rate,
        "top1_agreement_strict": found.strict,
        "top1_agreement_ties_split": found.ties_split,
    }


def _tau(given: TwoScores) -> dict[str, Any]:
    try:
        return {"tau_b": tau_b(given.x, given.y)}
    except NotEstimable as missing:
        return {"tau_b": None, "why": missing.why}


def _majority(given: Repeats) -> dict[str, Any]:
    found = majority_error(given.n_repeats_odd, given.single_flip_rate)
    return {"prob_majority_wrong": found.wrong, "prob_tie": found.tie}


def _places(given: Places) -> dict[str, Any]:
    found = position_bias_chances(given.n_order_ab, given.n_order_ba, given.bias)
    return {"prob_A_wins": found.a_wins, "prob_tie": found.tie, "prob_B_wins": found.b_wins}


def _corrected(given: Labelled) -> dict[str, Any]:
    found = corrected_rate(
        given.judge_positive,
        given.n,
        negatives_right=given.true_negatives_right,
        n_negatives=given.m0,
        positives_right=given.true_positives_right,
        n_positives=given.m1,
        level=given.level,
    )
    return {
        "corrected_rate": found.value,
        "uncut_rate": found.uncut,
        "delta_method_se": found.se,
        "naive_rate": found.naive,
        "low": found.low,
        "high": found.high,
    }


def _repeats(given: Verdicts) -> dict[str, Any]:
    orders = [one.order for one in given.verdicts]
    winners = [one.winner for one in given.verdicts]
    try:
        found = repeated_verdict(orders, winners)
    except NotEstimable as missing:
        valid = sum(winner in {"A", "B", "tie"} for winner in winners)
        return {
            "p_A": None,
            "verdict": "not_evaluable",
            "position_effect": None,
            "valid": valid,
            "invalid": len(winners) - valid,
            "why": missing.why,
        }
    return {
        "p_A": found.p_a,
        "verdict": found.verdict,
        "position_effect": found.position_effect,
        "valid": found.n_ab + found.n_ba,
        "invalid": found.invalid,
        "balanced": found.is_balanced,
    }


def _judges(given: Rates) -> dict[str, Any]:
    try:
        found = panel_verdict(given.p_a_by_judge)
    except NotEstimable as missing:
        return {
            "p_A": None,
            "mean_would_say": None,
            "verdict": "not_evaluable",
            "why": missing.why,
        }
    return {
        "p_A": found.p_a,
        "mean_would_say": found.mean,
        "verdict": found.verdict,
        "without_answer": found.without_answer,
    }


def _guard(given: Guard) -> dict[str, Any]:
    found = guard_families(given.judges, given.outputs_of, known=given.known_families)
    answer: dict[str, Any] = {"allowed": found.allowed, "excluded": found.excluded}
    return answer if found.is_evaluable else answer | {"verdict": "not_evaluable"}


def _effective(given: Panel) -> dict[str, Any]:
    try:
        return {"n_eff": effective_judges(given.judges, given.mean_error_correlation)}
    except NotEstimable as missing:
        return {"n_eff": None, "why": missing.why}


def _validation(given: ScoredSets) -> dict[str, Any]:
    found = validate_judge(given.human, given.judge)
    return {
        "top1": found.top1,
        "random_top1": found.random_top1,
        "tie_rate": found.tie_rate,
        "human_tie_rate": found.human_tie_rate,
        "tau_b_mean": found.tau_b_mean,
        "sets_without_tau": found.sets_without_tau,
    }


TOPICS = {
    "judge.top1_within_set": Topic(
        says="Agreement of judge and people on the best of each set, ties split.",
        takes=TopSets,
        gives={
            "n_sets": "sets",
            "judge_tie_rate": "sets with more than one best by the judge",
            "human_tie_rate": "the same for people",
            "top1_agreement_strict": "exactly the same best",
            "top1_agreement_ties_split": "mean share of the judge's best that people share",
        },
        compute=_top,
    ),
    "judge.kendall_tau_b": Topic(
        says="Kendall's rank correlation with ties.",
        takes=TwoScores,
        gives={"tau_b": "-1 to 1; null with `why` where undefined"},
        compute=_tau,
    ),
    "judge.majority_error": Topic(
        says="Chance that the majority of independent repeats is wrong.",
        takes=Repeats,
        gives={"prob_majority_wrong": "more than half wrong", "prob_tie": "exactly half wrong"},
        compute=_majority,
    ),
    "judge.position_bias": Topic(
        says="What a majority decides between equal outputs under a place bias.",
        takes=Places,
        gives={"prob_A_wins": "chance", "prob_tie": "chance", "prob_B_wins": "chance"},
        compute=_places,
    ),
    "judge.bias_correction": Topic(
        says="The rate behind a judge's verdicts, corrected for its errors on labelled units.",
        takes=Labelled,
        gives={
            "corrected_rate": "Rogan-Gladen, cut to 0..1",
            "uncut_rate": "before cutting",
            "delta_method_se": "standard error",
            "naive_rate": "judged positives",
            "low": "lower limit",
            "high": "upper limit",
        },
        compute=_corrected,
    ),
    "panel_repeats": Topic(
        says="One judge's repeats on one pair: mean of the two orders' rates, a tie half.",
        takes=Verdicts,
        gives={
            "p_A": "rate of A; null with `why` where an order is missing",
            "verdict": "A, B, tie or not_evaluable",
            "position_effect": "+0.5 for a judge that always takes the first",
            "valid": "readable answers",
            "invalid": "unreadable answers",
            "balanced": "whether both orders have as many",
        },
        compute=_repeats,
    ),
    "panel_judges": Topic(
        says="The median over judges, and what the mean would have said.",
        takes=Rates,
        gives={
            "p_A": "median",
            "mean_would_say": "mean",
            "verdict": "A, B, tie or not_evaluable",
            "without_answer": "judges left out",
        },
        compute=_judges,
    ),
    "family_guard": Topic(
        says="Which judges may judge a set: none of a family behind one of its outputs.",
        takes=Guard,
        gives={
            "allowed": "judges",
            "excluded": "judge -> reason",
            "verdict": "not_evaluable where nobody is left",
        },
        compute=_guard,
    ),
    "judges_effective": Topic(
        says="How many independent judges a panel is worth, k/(1 + (k-1) r).",
        takes=Panel,
        gives={"n_eff": "effective judges; null with `why` where impossible"},
        compute=_effective,
    ),
    "judge_validation": Topic(
        says="A judge's scores held against people's within sets.",
        takes=ScoredSets,
        gives={
            "top1": "share of the judge's best among the people's best",
            "random_top1": "what choosing at random would earn",
            "tie_rate": "pairs of systems with equal judge scores",
            "human_tie_rate": "the same for people",
            "tau_b_mean": "mean over sets where it exists",
            "sets_without_tau": "sets where it does not",
        },
        compute=_validation,
    ),
}
