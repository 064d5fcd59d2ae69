"""Errors of a choice model that hold when votes on one prompt hang together."""

from dataclasses import dataclass, replace

import numpy as np

from equipoise.errors import NotEstimable
from equipoise.stats.choice_counts import FloatArray, IntArray, PairTable, Votes
from equipoise.stats.choice_newton import CellMoments, ChoiceModel, cell_moments

_VALUES_A_BLOCK = 8_000_000
_LARGEST_LOOKUP = 20_000_000
# Below this share of the information in every prompt the factors differ from each other by less
# than 0.04 %, and one factor for all spares a second pass over the votes.
_LIGHT_PROMPT = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptErrors:
    """Covariance of the parameters over prompts.

    Attributes:
        covariance: ``(n_systems + n_extra,) * 2``, row and column of the first system 0.
        df: degrees of freedom for t; prompts - 1 where all prompts weigh the same, fewer where a
            few prompts hold most of the votes.
        n_prompts: prompts.
    """

    covariance: FloatArray
    df: float
    n_prompts: int


def prompt_errors(
    votes: Votes, table: PairTable, model: ChoiceModel, parameters: FloatArray, inverse: FloatArray
) -> PromptErrors:
    """The sandwich ``Q (sum of adjusted score products) Q`` with Satterthwaite degrees of freedom.

    The score of a vote is its surprise, ``w - E w`` (``w`` is 1/2, -1/2 or 0 for a tie), for the
    first system and the order effect, its negative for the second, and ``tie - P(tie)`` for log
    nu. Scores are summed within prompts; the sum of prompt c is multiplied by the bias-reducing
    factor of Bell and McCaffrey's CR2 in its scalar form, with the share of prompt c in the
    information as its leverage. Working model for the spread of a prompt's score: independent
    votes plus a random effect of prompt by system, whose size is estimated by moments. With equal
    prompts the factor is P/(P-1) and the degrees of freedom are P-1.

    Args:
        votes: single votes.
        table: the same, counted.
        model: which parameters there are.
        parameters: their best values.
        inverse: inverse information, row and column of the first system 0.

    Raises:
        NotEstimable: a single prompt (``one_cluster``).

    Source: Liang & Zeger (1986), Biometrika 73, 13-22, for the sandwich; Bell & McCaffrey (2002),
    Survey Methodology 28, 169-181, for factor and degrees of freedom. The scalar form and its
    working model are this project's own; their warrant is the coverage measured in the tests.

    The example has two systems, three prompts and one vote each: the variance of the log odds is
    (2/3)(1/3)/2 over (2/9)^2.

    >>> from equipoise.stats.choice_counts import tabulate
    >>> votes = Votes(systems=("A", "B"), first=np.zeros(3, int), second=np.ones(3, int),
    ...     outcome=np.array([1, -1, 1], dtype=np.int8), prompt=np.arange(3))
    >>> model = ChoiceModel(order=False, davidson=False)
    >>> found = prompt_errors(votes, tabulate(votes), model, np.array([0.0, -np.log(2.0)]),
    ...     np.array([[0.0, 0.0], [0.0, 1.5]]))
    >>> round(found.df, 6), float(found.covariance[1, 1].round(6))
    (2.0, 2.25)
    """
    prompt, n_prompts = packed(votes.prompt)
    if n_prompts < 2:
        raise NotEstimable(
            "all votes are on one prompt: the spread over prompts cannot be known",
            code="one_cluster",
        )
    moments = cell_moments(table, model, parameters)
    scores = _scores_of_votes(votes, prompt, table, moments, model)
    n_free = len(parameters) - 1
    leverage = _leverage(table, model, moments, inverse)
    weight = np.bincount(prompt, _per_vote(votes, table, leverage), n_prompts) / n_free
    plain = scores.products(np.ones(n_prompts))
    factor, df = _factors(weight, float((inverse * plain).sum()) / n_free)
    if weight.max() < _LIGHT_PROMPT:
        middle = plain * float(factor @ weight)
    else:
        middle = scores.products(factor)
    covariance = inverse @ middle @ inverse
    return PromptErrors(covariance=covariance, df=df, n_prompts=n_prompts)


def packed(prompt: IntArray) -> tuple[IntArray, int]:
    """The prompts numbered from 0 without gaps, and how many there are.

    >>> packed(np.array([7, -2, 7]))
    (array([1, 0, 1]), 2)
    """
    low, high = int(prompt.min()), int(prompt.max())
    if high - low <= 4 * len(prompt):
        seen = np.bincount(prompt - low) > 0
        n_prompts = int(seen.sum())
        if n_prompts == high - low + 1:
            return prompt - low, n_prompts
        return np.asarray((np.cumsum(seen) - 1)[prompt - low], dtype=np.intp), n_prompts
    names, numbers = np.unique(prompt, return_inverse=True)
    return np.asarray(numbers, dtype=np.intp), len(names)


def _factors(weight: FloatArray, size: float) -> tuple[FloatArray, float]:
    """Squared factor of each prompt and the degrees of freedom.

    The scalar problem: scores with variance ``phi = weight + tau weight^2``, from each of which
    its weight times the sum of all is taken; ``size`` is the sum of squares that was seen.
    """
    squares = weight**2
    alone = weight - squares
    together = squares - 2.0 * weight * squares + squares * squares.sum()
    tau = max(0.0, (size - alone.sum()) / together.sum())
    phi = weight + tau * squares
    factor = phi / (alone + tau * together)
    root = np.sqrt(factor)
    # The products of the factored scores have covariance diag(own) + (x y)' middle (x y).
    own, x, y = phi * factor, weight * root, phi * root
    middle = np.array([[phi.sum(), -1.0], [-1.0, 0.0]])
    columns = np.stack([x, y])
    corner = ((middle @ columns) * columns).sum(axis=0)
    low_rank = middle @ (columns @ columns.T)
    trace = float((own + corner).sum())
    trace_of_square = float((own**2 + 2.0 * own * corner).sum() + np.trace(low_rank @ low_rank))
    return factor, max(1.0, trace * trace / trace_of_square)


def _leverage(
    table: PairTable, model: ChoiceModel, moments: CellMoments, inverse: FloatArray
) -> FloatArray:
    """Per cell, how much one vote adds to the information: the shares add up to the parameters."""
    i, j, q = table.first, table.second, inverse
    squared = q[i, i] + q[j, j] - 2.0 * q[i, j]
    n = len(table.systems)
    if model.order:
        squared = squared + 2.0 * (q[i, n] - q[j, n]) + q[n, n]
    total = moments.variance * squared
    if model.davidson:
        crossed = q[i, -1] - q[j, -1] + (q[n, -1] if model.order else 0.0)
        total = total + 2.0 * moments.cross * crossed + moments.tie_variance * q[-1, -1]
    return np.asarray(total, dtype=np.float64)


def _scores_of_votes(
    votes: Votes, prompt: IntArray, table: PairTable, moments: CellMoments, model: ChoiceModel
) -> "_Scores":
    surprise = votes.outcome / 2.0 - _per_vote(votes, table, moments.mean)
    ties = (
        (votes.outcome == 0) - _per_vote(votes, table, moments.tie_mean) if model.davidson else None
    )
    scores = _Scores(
        n_systems=len(votes.systems),
        order=model.order,
        n_prompts=int(prompt.max()) + 1,
        prompt=prompt,
        first=votes.first,
        second=votes.second,
        surprise=surprise,
        ties=ties,
    )
    return scores if scores.n_prompts <= scores.block_size else scores.sorted_by_prompt()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scores:
    """Scores of the votes, to be summed by prompt in blocks of prompts that fit in memory."""

    n_systems: int
    order: bool
    n_prompts: int
    prompt: IntArray
    first: IntArray
    second: IntArray
    surprise: FloatArray
    ties: FloatArray | None

    @property
    def block_size(self) -> int:
        """Prompts a block."""
        return max(1, _VALUES_A_BLOCK // (self.n_systems + 2))

    def sorted_by_prompt(self) -> "_Scores":
        """The same with votes of a prompt side by side, as `products` needs for several blocks."""
        order = np.argsort(self.prompt, kind="stable")
        return replace(
            self,
            prompt=self.prompt[order],
            first=self.first[order],
            second=self.second[order],
            surprise=self.surprise[order],
            ties=None if self.ties is None else self.ties[order],
        )

    def products(self, factor: FloatArray) -> FloatArray:
        """The sum over prompts of ``factor`` times the outer product of the prompt's score."""
        total = np.zeros((1, 1))
        for start in range(0, self.n_prompts, self.block_size):
            stop = min(start + self.block_size, self.n_prompts)
            whole = stop - start == self.n_prompts
            low, high = (
                (0, len(self.prompt)) if whole else np.searchsorted(self.prompt, (start, stop))
            )
            block = self._block(slice(low, high), start, stop - start)
            total = total + block.T @ (block * factor[start:stop, None])
        return total

    def _block(self, votes: slice, start: int, size: int) -> FloatArray:
        n = self.n_systems + self.order + (self.ties is not None)
        prompt, surprise = self.prompt[votes] - start, self.surprise[votes]
        base = prompt * n
        flat = np.bincount(base + self.first[votes], surprise, size * n)
        flat -= np.bincount(base + self.second[votes], surprise, size * n)
        block = np.asarray(flat, dtype=np.float64).reshape(size, n)
        if self.order:
            block[:, self.n_systems] = np.bincount(prompt, surprise, size)
        if self.ties is not None:
            block[:, -1] = np.bincount(prompt, self.ties[votes], size)
        return block


def _per_vote(votes: Votes, table: PairTable, per_cell: FloatArray) -> FloatArray:
    n = len(votes.systems)
    keys = table.first * n + table.second
    voted = votes.first * n + votes.second
    if n * n <= _LARGEST_LOOKUP:
        by_key = np.zeros(n * n)
        by_key[keys] = per_cell
        return np.asarray(by_key[voted], dtype=np.float64)
    return np.asarray(per_cell[np.searchsorted(keys, voted)], dtype=np.float64)
