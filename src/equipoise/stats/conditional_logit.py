"""Choices of one option out of several, explained by features of the options; errors by cluster."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import logsumexp

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.choice_existence import is_separated

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.intp]

_MOST_STEPS = 100
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Choices and what was chosen from.

    Attributes:
        features: ``(n, k, p)`` features of the k options of each choice.
        present: ``(n, k)`` which options were there.
        credit: ``(n, k)`` 1 for the chosen option; a tie gives several a share. Rows may be
            weighted: their sum is the weight of the choice.
        cluster: ``(n,)`` what choices hang together by.
    """

    features: FloatArray
    present: BoolArray
    credit: FloatArray
    cluster: IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class LogitFit:
    """Coefficients of the features, in logits.

    Attributes:
        value: ``(p,)``.
        covariance: ``(p, p)`` over clusters; a variance of 0 means that all clusters say the same
            of that effect, and is no certainty.
        df: clusters - 1, for limits by t.
        n_clusters: clusters.
        loglik: log likelihood at the maximum.
        steps: Newton steps.
    """

    value: FloatArray
    covariance: FloatArray
    df: float
    n_clusters: int
    loglik: float
    steps: int


def fit_logit(options: Options) -> LogitFit:
    """Coefficients by maximum likelihood, errors by the sandwich over clusters times G/(G-1).

    P(option i) is proportional to exp(features_i . value). With two options a row this is the
    Bradley-Terry model with covariates; a tie as half a win for each is credit 1/2 and 1/2.

    Raises:
        NotEstimable: a single cluster (``one_cluster``), a direction in which the likelihood never
            falls (``separation``), features that cannot be told apart (``singular``), or no
            convergence.
        InputError: a choice of an option that is not there (``choice_not_in_set``).

    Source: McFadden (1974), Conditional logit analysis of qualitative choice behavior; Liang &
    Zeger (1986), Biometrika 73, 13-22, for the sandwich.

    >>> two = Options(features=np.tile([[[1.0], [0.0]]], (4, 1, 1)),
    ...     present=np.ones((4, 2), dtype=np.bool_),
    ...     credit=np.array([[1, 0], [1, 0], [1, 0], [0, 1.0]]), cluster=np.arange(4))
    >>> float(fit_logit(two).value[0].round(6))  # ln 3
    1.098612
    """
    if (options.credit[~options.present] != 0).any():
        raise InputError(
            "an option was chosen that is not in its set",
            wanted="choices of options that are present",
            code="choice_not_in_set",
        )
    names, cluster = np.unique(options.cluster, return_inverse=True)
    if len(names) < 2:
        raise NotEstimable(
            "all choices are in one cluster: the spread over clusters cannot be known",
            code="one_cluster",
        )
    if is_separated(_contrasts(options)):
        raise NotEstimable(
            "separation: outcomes that never occur let an effect run to infinity",
            code="separation",
        )
    value, steps = _maximise(options)
    chance, loglik = _chances(options, value)
    inverse = _inverse(_information(options, chance))
    surprise = options.credit - chance * options.credit.sum(axis=1, keepdims=True)
    score = np.einsum("nk,nkp->np", surprise, options.features)
    sums = np.zeros((len(names), score.shape[1]))
    np.add.at(sums, cluster, score)
    groups = len(names)
    covariance = inverse @ (sums.T @ sums * (groups / (groups - 1))) @ inverse
    return LogitFit(
        value=value,
        covariance=covariance,
        df=float(groups - 1),
        n_clusters=groups,
        loglik=loglik,
        steps=steps,
    )


def _chances(options: Options, value: FloatArray) -> tuple[FloatArray, float]:
    worth = np.where(options.present, options.features @ value, -np.inf)
    log_chance = worth - logsumexp(worth, axis=1, keepdims=True)
    seen = options.credit > 0
    loglik = float((options.credit[seen] * log_chance[seen]).sum())
    return np.exp(log_chance), loglik


def _information(options: Options, chance: FloatArray) -> FloatArray:
    weight = options.credit.sum(axis=1)
    mean = np.einsum("nk,nkp->np", chance, options.features)
    second = np.einsum("n,nk,nkp,nkq->pq", weight, chance, options.features, options.features)
    return np.asarray(second - np.einsum("n,np,nq->pq", weight, mean, mean))


def _maximise(options: Options) -> tuple[FloatArray, int]:
    value = np.zeros(options.features.shape[2])
    chance, loglik = _chances(options, value)
    for step in range(1, _MOST_STEPS + 1):
        surprise = options.credit - chance * options.credit.sum(axis=1, keepdims=True)
        gradient = np.einsum("nk,nkp->p", surprise, options.features)
        move = _inverse(_information(options, chance)) @ gradient
        for _ in range(40):
            chance, found = _chances(options, value + move)
            if found >= loglik - 1e-12 * abs(loglik):
                break
            move = move / 2.0
        value, loglik = value + move, found
        if np.abs(move).max() < _TOLERANCE:
            return value, step
    raise NotEstimable(f"the fit did not settle in {_MOST_STEPS} steps", code="not_converged")


def _inverse(information: FloatArray) -> FloatArray:
    sizes = np.linalg.eigvalsh(information)
    if sizes[0] < 1e-10 * max(sizes[-1], 1e-300):
        raise NotEstimable(
            "effects cannot be told apart: no choice varies one without the other",
            code="singular",
        )
    return np.asarray(np.linalg.inv(information), dtype=np.float64)


def _contrasts(options: Options) -> csr_array:
    """Features of each option that was chosen less those of each other that was there."""
    rows, chosen = np.nonzero(options.credit > 0)
    gaps = options.features[rows, chosen][:, None, :] - options.features[rows]
    return csr_array(np.unique(gaps[options.present[rows]].round(12), axis=0))
