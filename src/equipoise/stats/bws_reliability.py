"""How well the scores of one half of the answers repeat those of the other half."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.bws import MISSING, BwsAnswers

IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitHalf:
    """Correlation of the scores of two halves, mean and spread over trials.

    Attributes:
        recipe: how it was made, in words: two recipes give two defensible numbers.
        pearson: mean correlation of the scores.
        pearson_sd: its standard deviation over trials.
        spearman: mean rank correlation.
        spearman_sd: its standard deviation over trials.
        trials: random halvings.
        n_answers: answers used.
        n_items: items in the correlation, at least: those shown in both halves.
    """

    recipe: str
    pearson: float
    pearson_sd: float
    spearman: float
    spearman_sd: float
    trials: int
    n_answers: int
    n_items: int


def split_half(
    answers: BwsAnswers,
    sets: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    trials: int = 100,
    leave_out: Collection[int] = (),
    drop: bool = False,
) -> SplitHalf:
    """The split-half reliability of counting scores.

    In each trial the answers to each set are halved at random; an odd one out goes to either half
    by chance. Scores are counted in each half, and correlated over the items shown in both. No
    Spearman-Brown step: the number is that of half the answers.

    Args:
        answers: answers, as they stand: faulty ones are counted as they are.
        sets: ``(n,)`` integers, which answers are to the same set.
        rng: source of randomness.
        trials: random halvings.
        leave_out: positions of items that are left out of the correlation (checks).
        drop: whether answers to sets that hold such an item are left out as well.

    Raises:
        NotEstimable: fewer than three items are shown in both halves (``too_few``), or all their
            scores are equal (``no_spread``).
        InputError: not one set an answer (``length_differs``).

    Source: Kiritchenko & Mohammad (2017), Best-worst scaling more reliable than rating scales, ACL,
    section 4, for the recipe.

    >>> from equipoise.stats.bws import read_answers
    >>> rows = [("ABCD", "A", "D"), ("ABCD", "A", "D"), ("ABCD", "B", "D"), ("ABCD", "A", "C")]
    >>> found = split_half(read_answers(rows * 5), [0, 1, 2, 3] * 5, np.random.default_rng(1))
    >>> found.trials, found.pearson > 0.9
    (100, True)
    """
    place = np.asarray(sets, dtype=np.intp)
    if place.shape != (len(answers),):
        raise InputError(
            f"sets of shape {place.shape}",
            wanted=f"one set for each of {len(answers)} answers",
            code="length_differs",
        )
    out = np.asarray(sorted(leave_out), dtype=np.intp)
    if drop:
        kept = np.asarray(~np.isin(answers.sets, out).any(axis=1), dtype=np.bool_)
        answers, place = answers.take(kept), place[kept]
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=place[order][:1] - 1))
    sizes = np.diff(np.append(starts, len(order)))
    group = np.repeat(np.arange(len(sizes)), sizes)
    found, fewest = np.empty((trials, 2)), len(answers.items)
    for trial in range(trials):
        first = _first_half(order, group, starts, sizes, rng)
        one, two = _scores(answers, first), _scores(answers, ~first)
        both = np.isfinite(one) & np.isfinite(two)
        both[out] = False
        fewest = min(fewest, int(both.sum()))
        found[trial] = _correlations(one[both], two[both])
    means, spreads = found.mean(axis=0), found.std(axis=0, ddof=1)
    left = f"; {len(out)} items left out of the correlation" if len(out) else ""
    left += " and answers to their sets dropped" if drop and len(out) else ""
    return SplitHalf(
        recipe=(
            f"answers to each set halved at random, the odd one to either half, {trials} trials, "
            f"counting scores, no Spearman-Brown{left}"
        ),
        pearson=float(means[0]),
        pearson_sd=float(spreads[0]),
        spearman=float(means[1]),
        spearman_sd=float(spreads[1]),
        trials=trials,
        n_answers=len(answers),
        n_items=fewest,
    )


def _first_half(
    order: IntArray, group: IntArray, starts: IntArray, sizes: IntArray, rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """Which answers are in the first half: in each set the half with the smallest random ranks."""
    shuffled = np.lexsort((rng.random(len(order)), group))
    rank = np.empty(len(order), dtype=np.intp)
    rank[shuffled] = np.arange(len(order)) - starts[group[shuffled]]
    extra = (sizes % 2) * rng.integers(0, 2, len(sizes))
    chosen = rank < (sizes // 2 + extra)[group]
    first = np.zeros(len(order), dtype=np.bool_)
    first[order[chosen]] = True
    return first


def _scores(answers: BwsAnswers, rows: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    n = len(answers.items)
    sets = answers.sets[rows].ravel()
    shown = np.bincount(sets[sets != MISSING], minlength=n).astype(np.float64)
    best, worst = answers.best[rows], answers.worst[rows]
    won = np.bincount(best[best >= 0], minlength=n) - np.bincount(worst[worst >= 0], minlength=n)
    score = np.divide(won, shown, out=np.full(n, np.nan), where=shown > 0)
    return np.asarray(score, dtype=np.float64)


def _correlations(
    one: npt.NDArray[np.float64], two: npt.NDArray[np.float64]
) -> tuple[float, float]:
    if len(one) < 3:
        raise NotEstimable(f"{len(one)} items are shown in both halves", code="too_few")
    if np.ptp(one) == 0 or np.ptp(two) == 0:
        raise NotEstimable("all scores of a half are equal", code="no_spread")
    pearson = np.asarray(np.corrcoef(one, two), dtype=np.float64)[0, 1]
    return float(pearson), float(spearmanr(one, two).statistic)
