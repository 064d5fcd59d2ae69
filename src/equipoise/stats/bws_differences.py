"""Differences of counting scores between all pairs of items, with errors over segments."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from equipoise.errors import NotEstimable
from equipoise.stats.all_pairs import Estimates, PairDifferences, all_differences
from equipoise.stats.bws import BwsAnswers, IntArray, check_answers, segments_of

FloatArray = npt.NDArray[np.float64]


def score_differences(
    answers: BwsAnswers,
    segment: npt.ArrayLike,
    *,
    level: float = 0.95,
    rng: np.random.Generator | None = None,
    draws: int = 20_000,
) -> PairDifferences:
    """All differences of the scores (best - worst)/shown, -2 to 2, with simultaneous limits.

    Answers on one segment hang together, whoever gave them: the segment is the observation, the
    score a ratio of sums over segments, its error by linearisation, with t of segments - 1 degrees
    of freedom. Three annotators on one segment are not three segments.

    Args:
        answers: sound answers.
        segment: ``(n,)`` integers, the text that each set shows.
        level: joint confidence of all limits.
        rng: as in `equipoise.stats.all_pairs.all_differences`.
        draws: as there.

    Raises:
        NotEstimable: a single segment (``one_cluster``), an item never shown (``never_shown``), or
            two items whose difference is the same in every segment (``no_spread``).
        InputError: a faulty answer, or not one segment an answer (``length_differs``).

    Source: Orme (2009) for the score; Cochran (1977), Sampling Techniques, sections 6.3 and 9A.4,
    for ratios of cluster sums.

    >>> from equipoise.stats.bws import read_answers
    >>> answers = read_answers([("ABC", "A", "C"), ("ABC", "A", "B"), ("ABC", "B", "C")] * 4)
    >>> found = score_differences(answers, range(12))
    >>> found.value.round(3).tolist()  # A - B, A - C, B - C
    [0.667, 1.333, 0.667]
    """
    check_answers(answers)
    text = segments_of(answers, segment)
    names, place = np.unique(text, return_inverse=True)
    n_segments, n_items = len(names), len(answers.items)
    rows, columns = np.nonzero(answers.sets >= 0)
    shown = _counts(place[rows], answers.sets[rows, columns], n_segments, n_items)
    won = _counts(place, answers.best, n_segments, n_items)
    won -= _counts(place, answers.worst, n_segments, n_items)
    estimates = score_estimates(answers.items, won, shown)
    return all_differences(estimates, level=level, rng=rng, draws=draws)


def score_estimates(names: Sequence[str], won: FloatArray, shown: FloatArray) -> Estimates:
    """The scores won/shown with their covariance over clusters, for `all_differences`.

    Args:
        names: of the items.
        won: ``(n_clusters, n_items)`` times best less times worst in each cluster; answers may
            carry weights.
        shown: ``(n_clusters, n_items)`` times shown, weighted alike.

    Raises:
        NotEstimable: a single cluster (``one_cluster``) or an item never shown (``never_shown``).

    Source: Cochran (1977), Sampling Techniques, sections 6.3 and 9A.4.

    >>> found = score_estimates("AB", np.array([[1.0, -1.0], [0.0, 0.0]]), np.ones((2, 2)))
    >>> found.values.tolist(), found.df
    ([0.5, -0.5], 1.0)
    """
    n_clusters = len(won)
    if n_clusters < 2:
        raise NotEstimable(
            "all answers are on one segment: the spread over segments cannot be known",
            code="one_cluster",
        )
    total = shown.sum(axis=0)
    if (total == 0).any():
        raise NotEstimable(
            f"{names[int((total == 0).argmax())]!r} was never shown", code="never_shown"
        )
    score = won.sum(axis=0) / total
    surprise = (won - score * shown) / total
    covariance = surprise.T @ surprise * (n_clusters / (n_clusters - 1))
    return Estimates(
        names=tuple(names), values=score, covariance=covariance, df=float(n_clusters - 1)
    )


def _counts(segment: IntArray, item: IntArray, n_segments: int, n_items: int) -> FloatArray:
    flat = np.bincount(segment * n_items + item, minlength=n_segments * n_items)
    return flat.reshape(n_segments, n_items).astype(np.float64)
