"""The middle of the sandwich: products of scores summed within prompts."""

import numpy as np
from scipy.sparse import csr_array

from equipoise.stats.choice_counts import FloatArray, IntArray, PairTable, Votes
from equipoise.stats.choice_newton import ChoiceModel, cell_moments

_LARGEST_DENSE_SCORES = 20_000_000


def prompt_meat(
    votes: Votes, table: PairTable, model: ChoiceModel, parameters: FloatArray
) -> tuple[int, FloatArray]:
    """The number of prompts and the sum over prompts of outer products of their scores.

    The score of a vote is its surprise, ``w - E w`` (``w`` is 1/2, -1/2 or 0 for a tie), for the
    first system and the order effect, its negative for the second, and ``tie - P(tie)`` for log nu.
    """
    n = len(votes.systems)
    prompt, n_prompts = _packed(votes.prompt)
    moments = cell_moments(table, model, parameters)
    surprise = votes.outcome / 2.0 - _per_vote(votes, table, moments.mean)
    scores = _system_scores(votes, prompt, n_prompts, surprise)
    extra = []
    if model.order:
        extra.append(np.bincount(prompt, surprise, n_prompts))
    if model.davidson:
        tie_surprise = (votes.outcome == 0) - _per_vote(votes, table, moments.tie_mean)
        extra.append(np.bincount(prompt, tie_surprise, n_prompts))
    meat = np.zeros((n + len(extra), n + len(extra)))
    meat[:n, :n] = _squared(scores)
    if extra:
        columns = np.stack(extra, axis=1)
        meat[:n, n:] = scores.T @ columns
        meat[n:, :n] = meat[:n, n:].T
        meat[n:, n:] = columns.T @ columns
    return n_prompts, meat


def _system_scores(
    votes: Votes, prompt: IntArray, n_prompts: int, surprise: FloatArray
) -> FloatArray | csr_array:
    n = len(votes.systems)
    if n * n_prompts <= _LARGEST_DENSE_SCORES:
        base, size = prompt * n, n * n_prompts
        scores = np.bincount(base + votes.first, surprise, size)
        scores -= np.bincount(base + votes.second, surprise, size)
        return np.asarray(scores.reshape(n_prompts, n), dtype=np.float64)
    rows = np.concatenate([prompt, prompt])
    columns = np.concatenate([votes.first, votes.second])
    values = np.concatenate([surprise, -surprise])
    return csr_array((values, (rows, columns)), shape=(n_prompts, n))


def _squared(scores: FloatArray | csr_array) -> FloatArray:
    if isinstance(scores, csr_array):
        return np.asarray((scores.T @ scores).toarray(), dtype=np.float64)
    return scores.T @ scores


def _per_vote(votes: Votes, table: PairTable, per_cell: FloatArray) -> FloatArray:
    n = len(votes.systems)
    keys = table.first * n + table.second
    voted = votes.first * n + votes.second
    if n * n <= _LARGEST_DENSE_SCORES:
        by_key = np.zeros(n * n)
        by_key[keys] = per_cell
        return np.asarray(by_key[voted], dtype=np.float64)
    return np.asarray(per_cell[np.searchsorted(keys, voted)], dtype=np.float64)


def _packed(prompt: IntArray) -> tuple[IntArray, int]:
    """The prompts numbered from 0 without gaps, and how many there are."""
    low, high = int(prompt.min()), int(prompt.max())
    if high - low <= 4 * len(prompt):
        seen = np.bincount(prompt - low) > 0
        n_prompts = int(seen.sum())
        if n_prompts == high - low + 1:
            return prompt - low, n_prompts
        return np.asarray((np.cumsum(seen) - 1)[prompt - low], dtype=np.intp), n_prompts
    names, packed = np.unique(prompt, return_inverse=True)
    return np.asarray(packed, dtype=np.intp), len(names)
