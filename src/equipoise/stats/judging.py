"""How well a judge agrees with people within sets: top choice, ties, rank correlation."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau

from equipoise.errors import InputError, NotEstimable


@dataclass(frozen=True, slots=True, kw_only=True)
class TopAgreement:
    """Agreement on the best of each set.

    Attributes:
        n_sets: sets compared.
        strict: share of sets in which judge and people name exactly the same best.
        ties_split: mean share of the judge's best that is among the people's best: a judge who
            names two where people name one of them earns 1/2.
        judge_tie_rate: share of sets with more than one best by the judge.
        human_tie_rate: the same for people.
    """

    n_sets: int
    strict: float
    ties_split: float
    judge_tie_rate: float
    human_tie_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeValidation:
    """A judge's scores held against people's, set by set.

    Attributes:
        n_sets: sets compared.
        top1: as `TopAgreement.ties_split`, the best read from the scores.
        random_top1: what a judge who chooses at random would earn on the same sets.
        tie_rate: share of pairs of systems with equal scores by the judge, over all sets.
        human_tie_rate: the same for people.
        tau_b_mean: mean of tau-b over the sets where it exists; None where it exists in none.
        sets_without_tau: sets in which judge or people gave all systems one score.
    """

    n_sets: int
    top1: float
    random_top1: float
    tie_rate: float
    human_tie_rate: float
    tau_b_mean: float | None
    sets_without_tau: int


def top_within_set(
    human: Sequence[Collection[str]], judge: Sequence[Collection[str]]
) -> TopAgreement:
    """Agreement on the top choice from the best of each set, tied ones listed together.

    Args:
        human: the people's best of each set.
        judge: the judge's best of the same sets in the same order.

    Raises:
        InputError: different lengths (``length_differs``), no set (``no_sets``), or a set without
            a best (``incomplete_choice``): leave unreadable verdicts out and count them.

    Source: the share rule for ties as in Kocmi et al. style pairwise accuracy; see also Deutsch,
    Foster & Freitag (2023), Ties matter, EMNLP, for why ties must be counted.

    >>> top_within_set([["A"], ["B"]], [["A", "B"], ["B"]]).ties_split
    0.75
    """
    _same_length(human, judge)
    picked = [(set(people), set(model)) for people, model in zip(human, judge, strict=True)]
    for number, (people, model) in enumerate(picked, start=1):
        if not (people and model):
            raise InputError(
                f"set {number} has no best by {'the judge' if people else 'people'}",
                wanted="at least one best from both",
                mend="leave the set out and count it as unreadable",
                code="incomplete_choice",
            )
    n = len(picked)
    return TopAgreement(
        n_sets=n,
        strict=sum(people == model for people, model in picked) / n,
        ties_split=sum(len(people & model) / len(model) for people, model in picked) / n,
        judge_tie_rate=sum(len(model) > 1 for _, model in picked) / n,
        human_tie_rate=sum(len(people) > 1 for people, _ in picked) / n,
    )


def validate_judge(
    human: Sequence[Mapping[str, float]], judge: Sequence[Mapping[str, float]]
) -> JudgeValidation:
    """Top choice, ties and rank correlation of a judge's scores against people's.

    Args:
        human: for each set, system -> score, higher is better.
        judge: the same sets in the same order, with the same systems.

    Raises:
        InputError: different lengths (``length_differs``), no set (``no_sets``), sets of different
            systems (``systems_differ``) or of fewer than two (``set_too_small``).

    Source: top choice within the set before any overall correlation, after arXiv:2603.12520;
    Kendall (1945), Biometrika 33, 239-251, for tau-b.

    >>> validate_judge([{"a": 1, "b": 2}], [{"a": 5, "b": 5}]).top1
    0.5
    """
    _same_length(human, judge)
    for number, (people, model) in enumerate(zip(human, judge, strict=True), start=1):
        _check_set(number, people, model)
    tops = top_within_set([_best(people) for people in human], [_best(model) for model in judge])
    taus = []
    for people, model in zip(human, judge, strict=True):
        try:
            taus.append(tau_b([people[name] for name in model], list(model.values())))
        except NotEstimable:
            continue
    return JudgeValidation(
        n_sets=len(judge),
        top1=tops.ties_split,
        random_top1=sum(len(_best(people)) / len(people) for people in human) / len(human),
        tie_rate=_tie_rate(judge),
        human_tie_rate=_tie_rate(human),
        tau_b_mean=sum(taus) / len(taus) if taus else None,
        sets_without_tau=len(judge) - len(taus),
    )


def tau_b(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Kendall's rank correlation with ties, -1 to 1.

    Over the ranks of four systems even 1 proves nothing (p = 2/4!): take it within sets and
    average, or use `top_within_set`.

    Raises:
        NotEstimable: fewer than two values (``no_pairs``) or all equal on one side
            (``no_spread``).
        InputError: different lengths (``length_differs``) or values that are not finite
            (``not_a_number``).

    Source: Kendall (1945), Biometrika 33, 239-251.

    >>> round(tau_b([1, 2, 3, 4], [5, 5, 9, 9]), 6)
    0.816497
    """
    left, right = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if left.shape != right.shape:
        raise InputError(
            f"{left.size} and {right.size} values", wanted="as many", code="length_differs"
        )
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        raise InputError("a value is not finite", wanted="numbers", code="not_a_number")
    if left.size < 2:
        raise NotEstimable(f"{left.size} value: no pair to rank", code="no_pairs")
    if np.ptp(left) == 0 or np.ptp(right) == 0:
        raise NotEstimable("all values on one side are equal", code="no_spread")
    return float(kendalltau(left, right).statistic)


def _same_length(human: Sequence[object], judge: Sequence[object]) -> None:
    if len(human) != len(judge):
        raise InputError(
            f"{len(human)} sets by people, {len(judge)} by the judge",
            wanted="the same sets in the same order",
            code="length_differs",
        )
    if not human:
        raise InputError("no set", wanted="at least one", code="no_sets")


def _check_set(number: int, people: Mapping[str, float], model: Mapping[str, float]) -> None:
    if people.keys() != model.keys():
        raise InputError(
            f"set {number}: only people scored {sorted(people.keys() - model.keys())}, "
            f"only the judge {sorted(model.keys() - people.keys())}",
            wanted="the same systems from both",
            code="systems_differ",
        )
    if len(people) < 2:
        raise InputError(
            f"set {number} holds {len(people)} systems", wanted="2 or more", code="set_too_small"
        )


def _best(scores: Mapping[str, float]) -> list[str]:
    highest = max(scores.values())
    return [name for name, score in scores.items() if score == highest]


def _tie_rate(sets: Sequence[Mapping[str, float]]) -> float:
    pairs = [a == b for scores in sets for a, b in combinations(scores.values(), 2)]
    return sum(pairs) / len(pairs)
