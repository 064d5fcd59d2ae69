"""The paired comparisons that a best-worst answer implies."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.stats.bws import BwsAnswers, check_answers, read_answers, segments_of
from equipoise.stats.choice_counts import Votes

IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpliedPairs:
    """Winner and loser of each implied pair of one set, and how many pairs the set has at all."""

    pairs: tuple[tuple[str, str], ...]
    of_possible: int


def implied_pairs(items: Sequence[str], best: str, worst: str) -> ImpliedPairs:
    """The 2k - 3 pairs that one answer on k items decides.

    The best beats all others, all others but the best beat the worst; best over worst counts once.

    Raises:
        InputError: a faulty answer, see `equipoise.stats.bws.FAULTS`.

    >>> implied_pairs(["A", "B", "C"], "A", "C").pairs
    (('A', 'B'), ('A', 'C'), ('B', 'C'))
    """
    check_answers(read_answers([(items, best, worst)]))
    over_others = [(best, other) for other in items if other != best]
    under_others = [(other, worst) for other in items if other not in {best, worst}]
    k = len(items)
    return ImpliedPairs(pairs=(*over_others, *under_others), of_possible=k * (k - 1) // 2)


def implied_votes(answers: BwsAnswers, segment: npt.ArrayLike) -> Votes:
    """All implied pairs as votes, the item shown earlier in its set as the first.

    Pairs of one set hang together, and so do sets on one segment: the segment becomes the prompt,
    so that `equipoise.stats.choice.fit_votes` gives honest errors. Bradley-Terry on implied pairs
    is an approximation of the best-worst choice model.

    Args:
        answers: sound answers.
        segment: ``(n,)`` integers, the text that each set shows.

    Raises:
        InputError: a faulty answer, or not one segment an answer (``length_differs``).

    Source: Kiritchenko & Mohammad (2017), ACL, section 3, for the pairs.

    >>> answers = read_answers([(["A", "B", "C"], "B", "A")])
    >>> implied_votes(answers, [7]).outcome.tolist()  # B > A, B > C, C > A
    [-1, 1, -1]
    """
    check_answers(answers)
    text = segments_of(answers, segment)
    sets, rows = answers.sets, np.arange(len(answers))
    is_best, is_worst = sets == answers.best[:, None], sets == answers.worst[:, None]
    best_place, worst_place = is_best.argmax(axis=1), is_worst.argmax(axis=1)
    row_a, place_a = np.nonzero((sets >= 0) & ~is_best)
    row_b, place_b = np.nonzero((sets >= 0) & ~is_best & ~is_worst)
    row = np.concatenate([row_a, row_b])
    winner = np.concatenate([best_place[row_a], place_b])
    loser = np.concatenate([place_a, worst_place[row_b]])
    order = np.argsort(row, kind="stable")
    row, winner, loser = rows[row[order]], winner[order], loser[order]
    return Votes(
        systems=answers.items,
        first=sets[row, np.minimum(winner, loser)],
        second=sets[row, np.maximum(winner, loser)],
        outcome=np.where(winner < loser, 1, -1).astype(np.int8),
        prompt=text[row],
    )
