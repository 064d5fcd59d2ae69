"""The sequential best-worst model: the best of all by exp(u), the worst of the rest by exp(-u)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.all_pairs import Estimates
from equipoise.stats.bws import BwsAnswers, check_answers
from equipoise.stats.bws_pairs import implied_votes
from equipoise.stats.choice_counts import tabulate
from equipoise.stats.choice_existence import finite_fit_exists
from equipoise.stats.conditional_logit import Options, fit_logit

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class BestWorstFit:
    """Utilities on the logit scale, relative to the first item.

    Attributes:
        items: names, the reference first.
        estimates: utilities with their covariance over clusters; use
            `equipoise.stats.all_pairs.all_differences` and never a bar around one item.
        n_clusters: clusters behind the errors.
        loglik: of both choices together.
    """

    items: tuple[str, ...]
    estimates: Estimates
    n_clusters: int
    loglik: float


def fit_best_worst(answers: BwsAnswers, cluster: npt.ArrayLike) -> BestWorstFit:
    """Utilities of the items from best and worst choices, with errors clustered.

    The best is drawn from the set with chances proportional to exp(u); then the worst from what is
    left with chances proportional to exp(-u). A set of two has one choice only and counts once.

    Args:
        answers: sound answers to sets of three or more.
        cluster: ``(n,)`` integers, the text that each set shows, or what texts share.

    Raises:
        NotEstimable: groups of items that never met (``disconnected``), an item or group that is
            always better or never (``separation``), or as `fit_logit`.
        InputError: a faulty answer, or not one cluster an answer (``length_differs``).

    Source: Marley & Louviere (2005), Some probabilistic models of best, worst, and best-worst
    choices, J. Mathematical Psychology 49, 464-480 (sequential best-worst logit).

    >>> from itertools import permutations
    >>> from equipoise.stats.bws import read_answers
    >>> rows = [(order, order[0], order[-1]) for order in permutations("ABC")]
    >>> found = fit_best_worst(read_answers(rows), range(6))
    >>> found.estimates.values.round(6).tolist()
    [0.0, 0.0, 0.0]
    """
    check_answers(answers)
    text = np.asarray(cluster, dtype=np.intp)
    if text.shape != (len(answers),):
        raise InputError(
            f"clusters of shape {text.shape}",
            wanted=f"one cluster for each of {len(answers)} answers",
            code="length_differs",
        )
    if not (found := finite_fit_exists(tabulate(implied_votes(answers, text)))).exists:
        raise NotEstimable(found.reason, code=found.code)
    n_items = len(answers.items)
    identity = np.eye(n_items)[:, 1:]
    features = identity[np.maximum(answers.sets, 0)]
    present = answers.sets >= 0
    best = (answers.sets == answers.best[:, None]) & present
    worst = (answers.sets == answers.worst[:, None]) & present
    fit = fit_logit(
        Options(
            features=np.concatenate([features, -features]),
            present=np.concatenate([present, present & ~best]),
            credit=np.concatenate([best, worst]).astype(np.float64),
            cluster=np.concatenate([text, text]),
        )
    )
    covariance = np.zeros((n_items, n_items))
    covariance[1:, 1:] = fit.covariance
    return BestWorstFit(
        items=answers.items,
        estimates=Estimates(
            names=answers.items,
            values=np.concatenate([[0.0], fit.value]),
            covariance=covariance,
            df=fit.df,
        ),
        n_clusters=fit.n_clusters,
        loglik=fit.loglik,
    )
