"""Strengths of the arms in a choice model: best-worst for sets, Bradley-Terry for pairs."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from equipoise.errors import NotEstimable
from equipoise.stages.estimate.rating.choices import (
    PAIR,
    Choice,
    ends,
    is_plain,
    numbered,
    to_answers,
)
from equipoise.stats.all_pairs import Estimates, all_differences
from equipoise.stats.bws_logit import fit_best_worst
from equipoise.stats.choice import ChoiceFit, fit_votes
from equipoise.stats.choice_counts import Votes

_MOST_ARMS = 40


class _Asked(Protocol):
    @property
    def arms(self) -> tuple[str, ...]: ...
    @property
    def level(self) -> float: ...
    @property
    def seed(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Strengths:
    """What the model gives: arm -> logit less the mean; (arm, against) -> difference and limits."""

    arms: dict[str, float] = field(default_factory=dict)
    pairs: dict[tuple[str, str], tuple[float, float, float]] = field(default_factory=dict)
    order_effect: float | None = None
    why: str = ""
    notes: tuple[str, ...] = ()


def strengths_of(choices: Sequence[Choice], asked: _Asked, *, has_order: bool) -> Strengths:
    """Fits the model that suits the sets; sets of three or more and pairs are never mixed.

    Args:
        choices: sound verdicts.
        asked: arms, level and seed.
        has_order: whether the model of pairs has an effect of being shown first.
    """
    wide = [c for c in choices if c.size > PAIR and is_plain(c) and not c.is_tie]
    pairs = [c for c in choices if c.size == PAIR and is_plain(c)]
    used = wide or pairs
    notes = []
    if left := len(choices) - len(used):
        notes.append(
            f"{left} of {len(choices)} verdicts are in the scores and not in the choice model: "
            "sets of another size, with identical texts, or ties"
        )
    if not used or len(asked.arms) > _MOST_ARMS:
        return Strengths(why="no verdict on different texts" if not used else "too many arms")
    arms = [arm for arm in asked.arms if any(arm in names for c in used for names in c.shown)]
    clusters = numbered([c.cluster for c in used])
    try:
        if wide:
            fit = fit_best_worst(to_answers(wide, arms), clusters)
            found, order_effect = fit.estimates, None
        else:
            votes = _votes(pairs, arms)
            voted = fit_votes(votes, order=has_order)
            notes += _by_davidson(votes, voted, has_order=has_order)
            found = Estimates(
                names=voted.systems, values=voted.ability, covariance=voted.covariance, df=voted.df
            )
            order_effect = voted.order_effect
        rng = np.random.default_rng([asked.seed % 2**63, 2])
        gaps = all_differences(found, level=asked.level, rng=rng)
    except NotEstimable as error:
        return Strengths(why=str(error), notes=tuple(notes))
    middle = float(found.values.mean())
    table = {}
    for i, j, value, lo, hi in zip(
        gaps.left, gaps.right, gaps.value, gaps.low, gaps.high, strict=True
    ):
        table[arms[j], arms[i]] = (-float(value), -float(hi), -float(lo))
    return Strengths(
        arms={arm: float(v) - middle for arm, v in zip(arms, found.values, strict=True)},
        pairs=table,
        order_effect=order_effect,
        notes=tuple(notes),
    )


def _by_davidson(votes: Votes, found: ChoiceFit, *, has_order: bool) -> list[str]:
    """Says how far the strengths hang on ties being half wins; nothing without ties.

    Source: Davidson (1970), JASA 65, 317-328.
    """
    n_ties = int((votes.outcome == 0).sum())
    if not n_ties:
        return []
    told = f"{n_ties} ties count as half a win for each in the strengths"
    try:
        other = fit_votes(votes, ties="davidson", order=has_order)
    except NotEstimable as error:
        return [f"{told}; Davidson's model of ties cannot be fitted beside it ({error})"]
    moved = float(np.ptp(other.ability - found.ability))
    return [f"{told}; with a parameter for ties (Davidson) no difference moves by over {moved:.2f}"]


def _votes(choices: Sequence[Choice], arms: Sequence[str]) -> Votes:
    place = {arm: n for n, arm in enumerate(arms)}
    outcome = [0 if c.is_tie else (1 if ends(c)[0] == 0 else -1) for c in choices]
    return Votes(
        systems=tuple(arms),
        first=np.array([place[c.shown[0][0]] for c in choices], dtype=np.intp),
        second=np.array([place[c.shown[1][0]] for c in choices], dtype=np.intp),
        outcome=np.array(outcome, dtype=np.int8),
        prompt=numbered([c.cluster for c in choices]),
    )


def implied(choices: Sequence[Choice]) -> dict[tuple[str, str], float]:
    """Counts implied comparisons: (winner, loser) -> times; a tie of a pair is half of each.

    A set of k decides 2k - 3 pairs: the best beats all others, all others but the best beat the
    worst.
    """
    wins: dict[tuple[str, str], float] = defaultdict(float)
    for choice in choices:
        top, bottom = ends(choice)
        for place, names in enumerate(choice.shown):
            for other, others in enumerate(choice.shown):
                if place == other:
                    continue
                is_won = place == top or (other == bottom and place != bottom)
                credit = 0.5 if choice.is_tie else float(is_won)
                if credit:
                    for a in names:
                        for b in others:
                            wins[a, b] += credit
    return dict(wins)
