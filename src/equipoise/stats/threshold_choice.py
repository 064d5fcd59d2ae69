"""At which score something is accepted: chosen on one half of the units, reported on the other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy
from scipy.stats import binom

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.intervals import quasi_wilson
from equipoise.stats.multiplicity import adjust

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A threshold as it was chosen.

    Attributes:
        s: accept from this score on.
        rate: mean win of what is accepted, on the units it was chosen on: too high by the choice.
        n_accepted: clusters with something accepted there.
        passing: thresholds that keep the promised rate; all with enough units where none is
            promised.
        adjusted: ``(n_grid,)`` p values after Holm; 1 for thresholds with too few units.
    """

    s: float
    rate: float
    n_accepted: int
    passing: tuple[float, ...]
    adjusted: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """The win rate of what is accepted, with limits over clusters."""

    value: float
    low: float
    high: float
    n_accepted: int


def choose_threshold(
    scores: npt.ArrayLike,
    wins: npt.ArrayLike,
    clusters: Sequence[object],
    grid: Sequence[float],
    *,
    target: float | None = None,
    alpha: float = 0.05,
    least: int = 10,
) -> Choice:
    """The threshold on a calibration part.

    With a promised rate the smallest threshold of which the data show (Holm over the grid) that
    what is accepted wins more often: more is accepted, and the promise holds with 1 - alpha
    whatever the scores are worth. Without one the threshold with the highest rate: it is too high
    by the choice, and only the other part tells what it is.

    Args:
        scores: ``(n,)`` of the judge.
        wins: ``(n,)`` whether people prefer it: 1, 0, or 1/2 where they are divided.
        clusters: ``(n,)`` what hangs together.
        grid: thresholds to try.
        target: promised win rate; None = none.
        alpha: error over the grid.
        least: clusters with something accepted, below which a threshold is not tried.

    Raises:
        NotEstimable: no threshold has enough units (``too_few``), or none keeps the promise
            (``no_threshold``).
        InputError: lists of different lengths (``length_differs``) or an empty grid (``no_grid``).

    Source: Angelopoulos, Bates, Candes, Jordan & Lei (2021), Learn then test, arXiv:2110.01052,
    section 3; Bates et al. (2021), J. ACM 68(6), 43, for the Hoeffding-Bentkus p value; Holm (1979)
    over the grid.

    >>> found = choose_threshold([0.2] * 30 + [0.9] * 30, [0] * 30 + [1] * 30, range(60),
    ...     [0.1, 0.5], target=0.7)
    >>> found.s, found.rate
    (0.5, 1.0)
    """
    score, win, names = _checked(scores, wins, clusters)
    if not len(grid):
        raise InputError("no threshold to try", wanted="at least one", code="no_grid")
    means = [_means(win, names, score >= s) for s in grid]
    sizes = [len(one) for one in means]
    usable = [n for n, size in enumerate(sizes) if size >= least]
    if not usable:
        raise NotEstimable(
            f"no threshold accepts something in {least} clusters or more", code="too_few"
        )
    adjusted = np.ones(len(grid))
    if target is not None:
        p = [bentkus_p(float(means[n].mean()), sizes[n], target) for n in usable]
        adjusted[usable] = adjust(p).holm
        passing = [n for n in usable if adjusted[n] <= alpha]
        if not passing:
            raise NotEstimable(
                f"no threshold is shown to win more often than {target:g}", code="no_threshold"
            )
        best = min(passing, key=lambda n: grid[n])
    else:
        passing = usable
        best = max(usable, key=lambda n: (means[n].mean(), -grid[n]))
    return Choice(
        s=float(grid[best]),
        rate=float(means[best].mean()),
        n_accepted=sizes[best],
        passing=tuple(float(grid[n]) for n in passing),
        adjusted=adjusted,
    )


def rate_above(
    scores: npt.ArrayLike,
    wins: npt.ArrayLike,
    clusters: Sequence[object],
    s: float,
    *,
    level: float = 0.95,
) -> Rate:
    """How often people prefer what scores at least ``s``, on units the threshold has not seen.

    Raises:
        NotEstimable: fewer than two clusters with something accepted (``too_few``).
        InputError: lists of different lengths (``length_differs``).

    >>> rate_above([0.9, 0.8, 0.1], [1, 0, 1], [1, 2, 3], 0.5).value
    0.5
    """
    score, win, names = _checked(scores, wins, clusters)
    means = _means(win, names, score >= s)
    found = quasi_wilson(means, level=level)
    return Rate(
        value=found.value, low=found.interval.lo, high=found.interval.hi, n_accepted=len(means)
    )


def bentkus_p(mean: float, n: int, target: float) -> float:
    """P value against "the true mean is at most the target", for values on [0, 1].

    Args:
        mean: of the sample.
        n: its size.
        target: the mean under the hypothesis, in (0, 1).

    Source: Bates et al. (2021), J. ACM 68(6), 43, proposition 7, turned to means above a target.

    >>> round(bentkus_p(0.8, 50, 0.6), 4)
    0.006
    """
    if mean <= target:
        return 1.0
    risk, bound = 1.0 - mean, 1.0 - target
    gap = xlogy(risk, risk / bound) + xlogy(1 - risk, (1 - risk) / (1 - bound))
    hoeffding = float(np.exp(-n * gap))
    bentkus = float(np.e * binom.cdf(np.ceil(n * risk - 1e-12), n, bound))
    return min(1.0, hoeffding, bentkus)


def _checked(
    scores: npt.ArrayLike, wins: npt.ArrayLike, clusters: Sequence[object]
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.intp]]:
    score, win = np.asarray(scores, dtype=np.float64), np.asarray(wins, dtype=np.float64)
    if not len(score) == len(win) == len(clusters):
        raise InputError(
            f"{len(score)} scores, {len(win)} wins, {len(clusters)} clusters",
            wanted="as many of each",
            code="length_differs",
        )
    names = np.unique([str(name) for name in clusters], return_inverse=True)[1]
    return score, win, np.asarray(names, dtype=np.intp)


def _means(
    win: FloatArray, cluster: npt.NDArray[np.intp], chosen: npt.NDArray[np.bool_]
) -> FloatArray:
    """The mean win of each cluster with something accepted."""
    if not chosen.any():
        return np.zeros(0)
    counts = np.bincount(cluster[chosen])
    sums = np.bincount(cluster[chosen], weights=win[chosen])
    return np.asarray(sums[counts > 0] / counts[counts > 0])
