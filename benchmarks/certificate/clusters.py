"""Worlds of clustered differences and arms: equal and unequal sizes, ICC from 0 to 0.5."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from equipoise.stats.guarded_clusters import Clustered

FloatArray = NDArray[np.float64]

SIZES: dict[str, Callable[[int], NDArray[np.int64]]] = {
    "equal": lambda groups: np.full(groups, 20),
    "unequal": lambda groups: np.linspace(4, 40, groups).astype(np.int64),
    "one large": lambda groups: np.array([80] + [10] * (groups - 1)),
}

_RATES = {
    "flips 12.5 % / 12.5 %": (0.125, 0.125),
    "flips 20 % / 5 %": (0.2, 0.05),
    "flips 2.7 % / 2 %": (0.027, 0.02),
    "one-sided 30 %": (0.3, 0.0),
    "one-sided 5 %": (0.05, 0.0),
    "one-sided 2 %": (0.02, 0.0),
}
_BELL = "bell, sd 0.3"
_SPREAD = 0.3

CLUSTER_LAWS = [_BELL, *_RATES]

ARM_RATES = [(0.5, 0.5), (0.3, 0.5), (0.1, 0.05), (0.02, 0.02)]
"""Shares of ones in the base and in the new arm, units in clusters, no pairs."""


def drawn_clusters(
    rng: np.random.Generator,
    name: str,
    sizes: NDArray[np.int64],
    correlation: float,
    draws: int,
) -> tuple[Clustered, float]:
    """Samples of clustered differences, and their true mean."""
    columns = np.broadcast_to(sizes.astype(np.float64), (draws, sizes.size))
    total = sizes.sum()
    if name == _BELL:
        shared = rng.normal(0, _SPREAD * np.sqrt(correlation), columns.shape)
        own = rng.normal(0, _SPREAD * np.sqrt((1 - correlation) * sizes), columns.shape)
        spread = np.full(draws, _SPREAD**2 * (total - 1))
        return Clustered(sizes=columns, sums=sizes * shared + own, squares=spread), 0.0
    rise, fall = _RATES[name]
    up = rng.binomial(sizes, _varying(rng, rise, correlation, columns.shape))
    down = rng.binomial(sizes - up, _varying(rng, fall, correlation, columns.shape))
    sums = (up - down).astype(np.float64)
    squares = (up + down).sum(axis=1) - sums.sum(axis=1) ** 2 / total
    return Clustered(sizes=columns, sums=sums, squares=squares), rise - (1 - rise) * fall


def drawn_arm(
    rng: np.random.Generator,
    share: float,
    sizes: NDArray[np.int64],
    correlation: float,
    draws: int,
) -> Clustered:
    """Samples of one arm of 0/1 outcomes in clusters."""
    columns = np.broadcast_to(sizes.astype(np.float64), (draws, sizes.size))
    sums = rng.binomial(sizes, _varying(rng, share, correlation, columns.shape)).astype(np.float64)
    total = sums.sum(axis=1)
    return Clustered(sizes=columns, sums=sums, squares=total - total**2 / sizes.sum())


def _varying(
    rng: np.random.Generator, share: float, correlation: float, shape: tuple[int, ...]
) -> FloatArray:
    """Shares of clusters, beta distributed so that units of a cluster correlate."""
    if correlation == 0.0 or share == 0.0:
        return np.full(shape, share)
    weight = 1 / correlation - 1
    return rng.beta(share * weight, (1 - share) * weight, shape)
