"""Topics on best-worst choices: ``bws.*`` and ``bws_*``."""

from typing import Any

import msgspec

from equipoise.cli.topics import Topic
from equipoise.errors import NotEstimable
from equipoise.stats.bws import (
    BwsAnswers,
    BwsScores,
    check_answers,
    closed_form_logit,
    count_scores,
    read_answers,
)
from equipoise.stats.bws_design import balance
from equipoise.stats.bws_pairs import implied_pairs, implied_votes
from equipoise.stats.bws_plan import pass_probability, sets_needed
from equipoise.stats.choice_counts import tabulate

Name = str | int


class Answer(msgspec.Struct):
    """One set with its answer; null stands for no choice."""

    items: list[Name]
    best: Name | None = None
    worst: Name | None = None


class Answers(msgspec.Struct):
    """Sets with their answers, and all items of the study if some were never shown."""

    sets: list[Answer]
    items: list[Name] | None = None


class OneAnswer(msgspec.Struct):
    """One set with both choices."""

    items: list[Name]
    best: Name
    worst: Name


class Counts(msgspec.Struct):
    """How often an item was best, worst and shown."""

    best: float
    worst: float
    shown: float


class Sets(msgspec.Struct):
    """Sets of items in the order shown, and all items if some never occur."""

    sets: list[list[Name]]
    items: list[Name] | None = None


class Plan(msgspec.Struct):
    """What is to be found, with which error and power."""

    mde_score_difference: float
    k: int
    alpha: float = 0.05
    power: float = 0.8
    comparisons: int = 1
    design_effect: float = 1.0


class IndependentPlan(msgspec.Struct):
    """What is to be found by independent sets, alpha as given and not corrected."""

    set_size: int
    difference_in_bw_score: float
    alpha_two_sided: float = 0.05
    power: float = 0.8


class Checks(msgspec.Struct):
    """Attention checks and the chance to be right in one."""

    n_checks: int
    need_at_least: int
    guess_probability: float


def _read(given: Answers) -> BwsAnswers:
    rows = [([str(i) for i in one.items], _name(one.best), _name(one.worst)) for one in given.sets]
    return read_answers(rows, items=None if given.items is None else [str(i) for i in given.items])


def _name(name: Name | None) -> str | None:
    return None if name is None else str(name)


def _scores(given: Answers) -> dict[str, Any]:
    scores = count_scores(_read(given))
    ranks = zip(scores.items, scores.rank, strict=True)
    return {
        "scores": _rows(scores, "shown"),
        "rank": {name: rank for name, rank in ranks if rank is not None},
    }


def _rows(scores: BwsScores, shown: str) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "best": scores.best[place],
            "worst": scores.worst[place],
            shown: scores.shown[place],
            "score": scores.score[place],
        }
        for place, name in enumerate(scores.items)
    }


def _pair_wins(given: Answers) -> dict[str, Any]:
    answers = _read(given)
    votes = implied_votes(answers, range(len(answers)))
    table = tabulate(votes)
    wins: dict[str, int] = {}
    for first, second, ahead, behind in zip(
        table.first, table.second, table.first_wins, table.second_wins, strict=True
    ):
        for winner, loser, count in ((first, second, ahead), (second, first, behind)):
            if count:
                pair = f"{answers.items[winner]}>{answers.items[loser]}"
                wins[pair] = wins.get(pair, 0) + int(count)
    a_set = sorted({2 * len(one.items) - 3 for one in given.sets})
    return {
        "pair_wins": dict(sorted(wins.items())),
        "pairs_per_set": a_set[0] if len(a_set) == 1 else a_set,
    }


def _one_set_pairs(given: OneAnswer) -> dict[str, Any]:
    found = implied_pairs([str(i) for i in given.items], str(given.best), str(given.worst))
    return {
        "pairs_winner_loser": found.pairs,
        "n": len(found.pairs),
        "of_possible": found.of_possible,
    }


def _validity(given: Answers) -> dict[str, Any]:
    answers = _read(given)
    check_answers(answers)
    return {"valid": True, "n_answers": len(answers)}


def _logit(given: Counts) -> dict[str, Any]:
    try:
        return {"b": closed_form_logit(given.best, given.worst, given.shown)}
    except NotEstimable as missing:
        return {"b": None, "why": missing.why}


def _design(given: Sets) -> dict[str, Any]:
    found = balance(
        [[str(i) for i in one] for one in given.sets],
        items=None if given.items is None else [str(i) for i in given.items],
    )
    return {
        "shown_min_max": found.shown,
        "pair_min_max": found.pair,
        "position_min_max": found.position,
        "follows_min_max": found.follows,
        "balanced": found.label,
    }


def _sets(given: Plan) -> dict[str, Any]:
    size = sets_needed(
        given.mde_score_difference,
        given.k,
        alpha=given.alpha,
        power=given.power,
        comparisons=given.comparisons,
        design_effect=given.design_effect,
    )
    return {"sets": size.n, "n_exact": size.n_exact}


def _independent_sets(given: IndependentPlan) -> dict[str, Any]:
    size = sets_needed(
        given.difference_in_bw_score,
        given.set_size,
        alpha=given.alpha_two_sided,
        power=given.power,
    )
    return {
        "variance_of_difference": size.variance_of_difference,
        "n_exact": size.n_exact,
        "n": size.n,
    }


def _checks(given: Checks) -> dict[str, Any]:
    passes = pass_probability(given.n_checks, given.need_at_least, given.guess_probability)
    return {"prob_guesser_passes": passes}


TOPICS = {
    "bws.score": Topic(
        says="Counts and the score (best - worst)/appearances of each item.",
        takes=Answers,
        gives={"(item)": "appearances, best, worst, score; score null if never shown"},
        compute=lambda given: _rows(count_scores(_read(given)), "appearances"),
    ),
    "bws_counts": Topic(
        says="Counts, scores and ranks of items; equal scores share their mean rank.",
        takes=Answers,
        gives={"scores": "item -> best, worst, shown, score", "rank": "item -> rank, 1 the best"},
        compute=_scores,
    ),
    "bws.implied_pairs": Topic(
        says="The 2k - 3 pairs that one answer decides, winner first.",
        takes=OneAnswer,
        gives={"pairs_winner_loser": "pairs", "n": "how many", "of_possible": "of k(k-1)/2"},
        compute=_one_set_pairs,
    ),
    "bws_pairs": Topic(
        says="Wins in the implied pairs over all answers.",
        takes=Answers,
        gives={"pair_wins": "'A>B' -> wins of A", "pairs_per_set": "2k - 3; a list if k varies"},
        compute=_pair_wins,
    ),
    "bws_invalid": Topic(
        says="Refuses answers that cannot be scored, with the fault as the error code.",
        takes=Answers,
        gives={"valid": "true", "n_answers": "answers checked"},
        compute=_validity,
    ),
    "bws_closed_form_logit": Topic(
        says="Closed-form log odds ln(p/(1-p)), p = (best - worst + shown)/(2 shown).",
        takes=Counts,
        gives={"b": "log odds; null with `why` when infinite or never shown"},
        compute=_logit,
    ),
    "bws_design": Topic(
        says="Smallest and largest counts of items, pairs, places and neighbours in a design.",
        takes=Sets,
        gives={
            "shown_min_max": "times an item is shown",
            "pair_min_max": "times two items share a set",
            "position_min_max": "times an item stands at a place",
            "follows_min_max": "times an item comes directly after another",
            "balanced": "what is balanced, or the block design it is",
        },
        compute=_design,
    ),
    "bws_sample_size": Topic(
        says="Sets needed for a difference of scores, corrected for comparisons and clustering.",
        takes=Plan,
        gives={"sets": "answers needed", "n_exact": "before rounding up"},
        compute=_sets,
    ),
    "bws.sample_size": Topic(
        says="Independent sets needed for a difference of two scores.",
        takes=IndependentPlan,
        gives={
            "variance_of_difference": "4/(k-1) in one set",
            "n_exact": "before rounding up",
            "n": "sets needed",
        },
        compute=_independent_sets,
    ),
    "bws.attention_checks": Topic(
        says="The chance that a guesser passes the attention checks.",
        takes=Checks,
        gives={"prob_guesser_passes": "binomial upper tail"},
        compute=_checks,
    ),
}
