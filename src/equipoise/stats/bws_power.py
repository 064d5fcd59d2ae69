"""The power of best-worst sets as they are analysed: t limits that hold for all pairs together."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import studentized_range

from equipoise.errors import InputError

FloatArray = npt.NDArray[np.float64]

_MOST = 2.0
_MOST_SETS = 10**9
_FEW = 29.0
"""Below so many degrees of freedom formulas are up to 0.2 too high: sets of two answer in steps."""
_N_STUDIES = 2_000
_MOST_DRAWN = 8
"""The mean of more answers than that to one cluster is drawn as normal."""
_NO_SPREAD = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePower:
    """What the power of differences of counting scores depends on beside the number of answers.

    Attributes:
        n_items: all items, each pair of which is compared, 2 or more.
        set_size: items a set, 2 to ``n_items``, in a design in which pairs meet equally often.
        alpha: two-sided error over all pairs together.
        design_effect: factor on the variance for answers that hang together.
        answers_per_cluster: mean number of answers to all sets of one cluster (a text, or what
            texts share), 1 or more; limits are over clusters.
    """

    n_items: int
    set_size: int
    alpha: float = 0.05
    design_effect: float = 1.0
    answers_per_cluster: float = 1.0

    def __post_init__(self) -> None:
        """Refuses values outside their ranges."""
        inside = (
            2 <= self.set_size <= self.n_items
            and 0.0 < self.alpha < 1.0
            and self.design_effect > 0.0
            and self.answers_per_cluster >= 1.0
        )
        if not inside:
            raise InputError(
                f"{self}",
                wanted="2 <= set size <= items, alpha in (0, 1), design effect > 0, at least one "
                "answer a cluster",
                code="out_of_range",
            )


def variance_of_difference(n_items: int, set_size: int, difference: float) -> float:
    """Variance that one answer adds to the difference of two scores that truly differ so much.

    One item stands out: in a share of the sets that show it it is the best, whatever else they
    show, and else answers are by chance. With no difference and sets of all items that is
    4/(set size - 1), of a balanced design of smaller sets 4 S^2/(k^2 (S - 1)). Answers that lean to
    the item a little in every set spread less, so that the power is a little higher. A difference
    beyond S/(S - 1), which one item alone cannot have, counts as that.

    Source: by enumeration of the answers to one set; Cochran (1977), section 6.3, for the ratio.

    >>> round(variance_of_difference(4, 4, 0.0), 4), round(variance_of_difference(4, 4, 0.3), 4)
    (1.3333, 1.3933)
    """
    return _moments(n_items, set_size, difference)[0]


def power_of_answers(n: float, difference: float, terms: ScorePower) -> float:
    """Chance that ``n`` answers show a true difference with limits for all pairs together.

    0 where fewer than two clusters are answered: there are no limits then.

    Source: the mean and the variance of Student's ratio by the delta method, with the skewness and
    the kurtosis of one answer (Cramer 1946, Mathematical Methods of Statistics, section 27.7), held
    against the critical value of `critical_of`. Below 30 clusters the answers are too discrete for
    any such formula: made-up studies count instead, the same ones for the same question, to within
    0.02 (two standard errors).

    >>> round(power_of_answers(180, 0.3, ScorePower(n_items=4, set_size=4)), 2)
    0.79
    """
    df = n / terms.answers_per_cluster - 1.0
    if df < 1.0:
        return 0.0
    variance, skewness, kurtosis = _moments(terms.n_items, terms.set_size, difference)
    n_clusters = df + 1.0
    if df < _FEW:
        return _power_of_few(int(n_clusters), difference, terms)
    if variance <= 0.0:
        return 1.0
    each = difference / math.sqrt(variance * terms.design_effect * n_clusters / n)
    skewness /= math.sqrt(terms.answers_per_cluster)
    excess = 2.0 + (kurtosis - 3.0) / terms.answers_per_cluster
    root = math.sqrt(n_clusters)
    mean = root * each * (1.0 + 0.375 * excess / n_clusters) - skewness / (2.0 * root)
    spread = math.sqrt(max(0.25, 1.0 - skewness * each + each * each * excess / 4.0))
    return float(ndtr((mean - critical_of(terms, df)) / spread))


def critical_of(terms: ScorePower, df: float) -> float:
    """Multiple of the standard error that holds for all pairs of items that are equal.

    The quantile of the studentized range over the root of 2, taken to ``df`` degrees of freedom by
    the t quantile with the same tail, which is a little wider than the exact one.

    Source: Tukey (1953); for two items it is the two-sided t quantile.

    >>> round(critical_of(ScorePower(n_items=2, set_size=2), 10.0), 3)
    2.228
    """
    range_ = studentized_range.ppf(1.0 - terms.alpha, terms.n_items, math.inf)
    tail = float(ndtr(-float(range_) / math.sqrt(2.0)))
    return float(-stdtrit(df, tail))


def answers_needed(difference: float, terms: ScorePower, *, power: float = 0.8) -> int:
    """Fewest answers that show a true difference with this power.

    Raises:
        InputError: a difference outside 0 to 2 or a power outside 0 to 1 (``out_of_range``).

    >>> answers_needed(0.3, ScorePower(n_items=4, set_size=4))
    186
    """
    _check(difference, power)
    low, high = 1, 2
    while power_of_answers(high, difference, terms) < power and high < _MOST_SETS:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if power_of_answers(middle, difference, terms) < power:
            low = middle
        else:
            high = middle
    return high


def difference_found(n: float, terms: ScorePower, *, power: float = 0.8) -> float:
    """Smallest true difference that ``n`` answers show with this power.

    A value above 2 says that no difference there is can be found so; infinite with fewer than two
    clusters.

    Raises:
        InputError: a power outside 0 to 1 (``out_of_range``).

    >>> found = difference_found(186, ScorePower(n_items=4, set_size=4))
    >>> 0.29 < found <= 0.3
    True
    """
    _check(_MOST, power)
    df = n / terms.answers_per_cluster - 1.0
    if df < 1.0:
        return math.inf
    if power_of_answers(n, _MOST, terms) < power:
        base = variance_of_difference(terms.n_items, terms.set_size, 0.0)
        reach = critical_of(terms, df) + float(ndtri(power))
        return max(_MOST, reach * math.sqrt(base * terms.design_effect / n))
    low, high = 0.0, _MOST
    for _ in range(50):
        middle = (low + high) / 2.0
        if power_of_answers(n, middle, terms) < power:
            low = middle
        else:
            high = middle
    return high


def _power_of_few(n_clusters: int, difference: float, terms: ScorePower) -> float:
    """Gives how often made-up studies show the difference; one without spread shows nothing."""
    values, chances = np.array(
        list(_answers(terms.n_items, terms.set_size, _share(terms.n_items, difference)))
    ).T
    means = difference + math.sqrt(terms.design_effect) * _cluster_means(
        n_clusters, terms.answers_per_cluster, values, chances
    )
    spread = means.std(axis=1, ddof=1)
    bound = critical_of(terms, n_clusters - 1.0) * spread / math.sqrt(n_clusters)
    return float(np.mean((spread > _NO_SPREAD) & (means.mean(axis=1) > bound)))


def _cluster_means(
    n_clusters: int, per_cluster: float, values: FloatArray, chances: FloatArray
) -> FloatArray:
    """Draws what clusters add to the difference, less its mean: (studies, clusters).

    Clusters differ in size by one where their mean size is no whole number. The numbers drawn
    depend on nothing but the sizes, so that power rises with the difference without noise.
    """
    sizes = np.diff(np.floor(np.arange(n_clusters + 1) * per_cluster + 1e-9).astype(int))
    rng = np.random.default_rng(n_clusters)
    if per_cluster > _MOST_DRAWN:
        spread = math.sqrt(float(chances @ values**2))
        drawn = rng.standard_normal((_N_STUDIES, n_clusters))
        return np.asarray(spread * drawn / np.sqrt(sizes))
    ladder = np.cumsum(chances)[:-1]
    drawn = values[np.searchsorted(ladder, rng.random((_N_STUDIES, int(sizes.sum()))))]
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    means: FloatArray = np.add.reduceat(drawn, starts, axis=1) / sizes
    return means


def _moments(s: int, k: int, difference: float) -> tuple[float, float, float]:
    """Variance, skewness and kurtosis of what one answer adds to the difference of two scores."""
    values, chances = np.array(list(_answers(s, k, _share(s, difference)))).T
    variance = float(chances @ values**2)
    if variance <= 0.0:
        return 0.0, 0.0, 1.0
    third, fourth = (float(chances @ values**power) for power in (3, 4))
    return variance, third / variance**1.5, fourth / variance**2


def _share(s: int, difference: float) -> float:
    """Gives in what share of its sets an item is the best whose score is so much above another."""
    return min(1.0, difference * (s - 1) / s)


def _answers(s: int, k: int, share: float) -> Iterator[tuple[float, float]]:
    """Yields each value that one answer adds, less its mean, and the chance of that."""
    shown = k / s
    both = shown * (k - 1) / (s - 1)
    top, other = share, -share / (s - 1)
    lost = 1.0 / (k - 1)
    pair = (1.0 - share) / (k * (k - 1))
    yield (2.0 - top + other) / shown, both * (share * lost + pair)
    yield (-2.0 - top + other) / shown, both * pair
    yield (1.0 - top + other) / shown, both * (share * (1.0 - lost) + 2 * pair * (k - 2))
    yield (-1.0 - top + other) / shown, both * 2 * pair * (k - 2)
    yield (other - top) / shown, both * pair * (k - 2) * (k - 3)
    for won, chance in ((1.0, share + (1.0 - share) / k), (-1.0, (1.0 - share) / k)):
        yield (won - top) / shown, (shown - both) * chance
    yield -top / shown, (shown - both) * (1.0 - share) * (k - 2) / k
    for won, chance in ((1.0, 1.0 / k), (-1.0, 1.0 / k), (0.0, (k - 2) / k)):
        yield (other - won) / shown, (shown - both) * chance


def _check(difference: float, power: float) -> None:
    if not (0.0 < difference <= _MOST and 0.0 < power < 1.0):
        raise InputError(
            f"difference {difference}, power {power}",
            wanted="0 < difference <= 2, power in (0, 1)",
            code="out_of_range",
        )
