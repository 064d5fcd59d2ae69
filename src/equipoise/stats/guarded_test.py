"""The p-value that belongs to the guarded limits, and the critical value of correlated cells."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from equipoise.errors import InputError
from equipoise.stats.guarded_reach import Tails, joint_reach

FloatArray = NDArray[np.float64]

_HALVINGS = 50
_LEAST = 1e-6
"""Nearer to 0 Student's t is no number any more."""
_MOST = 38.0
"""The normal tail beyond this is not a number any more."""


def touching_p(tails: Tails, delta: ArrayLike, *, margin: ArrayLike) -> FloatArray:
    """The two-sided level at which each guarded interval just touches the margin.

    At any level p-value and interval then say the same. It is 1 where ``delta`` is not beyond the
    margin.

    Args:
        tails: from ``paired_tails``, ``independent_tails`` or ``clustered_tails``.
        delta: the differences, one per cell.
        margin: a change counts when it is beyond this, up or down.

    >>> from equipoise.stats.guarded import paired_tails, powers_of
    >>> d = np.tile([-0.2, 0.4], 20)
    >>> touching_p(paired_tails(powers_of(d)), d.mean(), margin=0.0).round(3).tolist()
    0.044
    """
    value = np.asarray(delta, dtype=np.float64)
    beyond = np.abs(value) - np.asarray(margin, dtype=np.float64)
    low = np.full(beyond.shape, _LEAST)
    high = np.full(beyond.shape, _MOST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        down, up = joint_reach(tails.below, middle), joint_reach(tails.above, middle)
        is_clear = np.where(value > 0.0, down, up) < beyond
        low, high = np.where(is_clear, middle, low), np.where(is_clear, high, middle)
    return np.where(beyond > 0.0, 2.0 * ndtr(-low), 1.0)


def largest_critical(
    correlation: ArrayLike, *, level: float, rng: np.random.Generator, draws: int = 100_000
) -> float:
    """The quantile of max |Z| over correlated cells, by simulation, rounded up to 0.001.

    Args:
        correlation: of the cells' differences, shape (cells, cells).
        level: simultaneous confidence level.
        rng: the source of chance.
        draws: how many vectors are drawn.

    Source: Hothorn, Bretz and Westfall (2008), Biometrical Journal 50, section 3.

    Raises:
        InputError: the level is not inside (0, 1).

    >>> largest_critical(np.eye(2), level=0.95, rng=np.random.default_rng(1)) > 2.2
    True
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level = {level}", wanted="a level strictly between 0 and 1")
    values, vectors = np.linalg.eigh(np.asarray(correlation, dtype=np.float64))
    root = vectors * np.sqrt(np.clip(values, 0, None))
    largest = np.concatenate(
        [
            np.abs(rng.standard_normal((draws // 10, len(root))) @ root.T).max(axis=1)
            for _ in range(10)
        ]
    )
    return math.ceil(float(np.quantile(largest, level)) * 1000) / 1000
