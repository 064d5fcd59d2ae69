"""The mean of units that come in clusters: CR0, CR1, CR2 and Satterthwaite degrees of freedom.

Closed forms of the intercept-only model, linear in the number of clusters. With cluster sizes n_g,
N units in all and cluster sums of residuals e_g:

* CR0: sum e_g^2 / N^2 (Liang and Zeger 1986; Miller 2024, arXiv 2411.00640, equation 4);
* CR1: CR0 times G / (G - 1);
* CR2: sum e_g^2 / (1 - n_g / N) / N^2 (Bell and McCaffrey 2002);
* df: (1 / N^2) / (sum n_g^2 / N^4 + ((sum b_g)^2 - sum b_g^2) / N^2) with b_g = n_g^2 / (N^2 (1 -
  n_g / N)) (Satterthwaite's df under an identity working model, Pustejovsky and Tipton 2018).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.estimates import Estimate, Interval
from equipoise.stats.inputs import same_length, sample
from equipoise.stats.intervals import t_quantile

_FEW = 5
_SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSums:
    """Units summed within their clusters.

    Attributes:
        sizes: number of units of each cluster, shape ``(G,)``.
        sums: sum of the values of each cluster, shape ``(G,)``.
        scale: size of the largest value; below 1e-12 of it a spread is rounding.
    """

    sizes: NDArray[np.float64]
    sums: NDArray[np.float64]
    scale: float = 0.0

    @classmethod
    def of(
        cls, values: ArrayLike, clusters: Sequence[object] | NDArray[np.generic]
    ) -> "ClusterSums":
        """The sums of ``values`` by the label at the same place in ``clusters``.

        Raises:
            InputError: lists of different lengths, a value that is NaN, a missing label.
            NotEstimable: fewer than 2 units.

        >>> ClusterSums.of([1, 0, 1], ["a", "a", "b"]).sums.tolist()
        [1.0, 1.0]
        """
        y = sample(values, "y")
        same_length([("y", y.size), ("cluster", len(clusters))])
        codes = _codes(clusters)
        sizes = np.bincount(codes).astype(np.float64)
        sums = np.zeros(sizes.size)
        np.add.at(sums, codes, y)
        return cls(sizes=sizes, sums=sums, scale=float(np.abs(y).max()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredMean(Estimate):
    """A mean with its clustered standard errors; ``se`` is CR2, ``n`` counts clusters.

    Attributes:
        se_cr0: without any correction.
        se_cr1: with G / (G - 1).
        n_units: number of units.
        design_effect: CR2 variance over that of a mean of independent units; None where the
            spread between units was not given.
    """

    se_cr0: float
    se_cr1: float
    n_units: int
    design_effect: float | None = None


def clustered_mean(
    values: ArrayLike, clusters: Sequence[object] | NDArray[np.generic], *, level: float = 0.95
) -> ClusteredMean:
    """The mean of clustered units with the CR2 interval on Satterthwaite's t.

    Holds 94-96 % for 3 to 50 clusters of equal or unequal size; below 5 clusters the flag
    ``few_clusters`` is set. For a paired comparison give the differences.

    Args:
        values: one number per unit.
        clusters: the cluster of each unit.
        level: confidence level.

    Raises:
        InputError: different lengths, NaN, or a level not in (0, 1).
        NotEstimable: fewer than 2 units, one cluster alone (code ``one_cluster``), or cluster means
            that do not vary (code ``degenerate``).

    >>> m = clustered_mean([0.1, -0.2, 0.3, 0.3, 0.4, 0], [1, 1, 2, 2, 3, 3])
    >>> round(m.se, 4), m.n
    (0.1041, 3)
    """
    y = sample(values, "y")
    sums = ClusterSums.of(y, clusters)
    found = mean_of_clusters(sums, level=level)
    naive = float(y.var(ddof=1)) / y.size
    assert found.se is not None
    return ClusteredMean(
        value=found.value,
        interval=found.interval,
        n=found.n,
        method=found.method,
        se=found.se,
        df=found.df,
        flags=found.flags,
        se_cr0=found.se_cr0,
        se_cr1=found.se_cr1,
        n_units=found.n_units,
        design_effect=found.se**2 / naive if naive > 0 else None,
    )


def mean_of_clusters(clusters: ClusterSums, *, level: float = 0.95) -> ClusteredMean:
    """As :func:`clustered_mean`, from the sums of the clusters.

    Raises:
        InputError: the level is not in (0, 1).
        NotEstimable: one cluster alone, or cluster means that do not vary.

    >>> s = ClusterSums.of([0, 1, 1, 1, 0, 0], ["a", "a", "b", "b", "c", "c"])
    >>> round(mean_of_clusters(s).df, 6)
    2.0
    """
    sizes, sums = clusters.sizes, clusters.sums
    groups, total = sizes.size, float(sizes.sum())
    if groups < 2:
        raise NotEstimable(
            f"{groups} cluster alone: nothing shows how much clusters differ", code="one_cluster"
        )
    mean = float(sums.sum()) / total
    residuals = sums - sizes * mean
    scale = max(clusters.scale, float(np.abs(sums).max()))
    if float(np.abs(residuals).max()) <= _SAME * scale:
        raise NotEstimable(
            f"the means of all {groups} clusters are equal: a spread of 0 is not certainty",
            code="degenerate",
        )
    cr0 = float(np.square(residuals).sum()) / total**2
    cr2 = float((np.square(residuals) / (1.0 - sizes / total)).sum()) / total**2
    df = _satterthwaite(sizes / total)
    half = t_quantile(level, df) * math.sqrt(cr2)
    return ClusteredMean(
        value=mean,
        interval=Interval(lo=mean - half, hi=mean + half, level=level),
        n=groups,
        method="cluster-robust CR2 with Satterthwaite t",
        se=math.sqrt(cr2),
        df=df,
        flags=("few_clusters",) if groups < _FEW else (),
        se_cr0=math.sqrt(cr0),
        se_cr1=math.sqrt(cr0 * groups / (groups - 1)),
        n_units=int(total),
    )


def _satterthwaite(shares: NDArray[np.float64]) -> float:
    """The degrees of freedom, from each cluster's share of the units."""
    b = np.square(shares) / (1.0 - shares)
    cross = float(b.sum()) ** 2 - float(np.square(b).sum())
    return 1.0 / (float(np.square(shares).sum()) + max(cross, 0.0))


def _codes(clusters: Sequence[object] | NDArray[np.generic]) -> NDArray[np.intp]:
    if isinstance(clusters, np.ndarray) and clusters.dtype != object:
        codes: NDArray[np.intp] = np.unique(clusters, return_inverse=True)[1].astype(np.intp)
        return codes
    known: dict[object, int] = {}
    numbers = np.empty(len(clusters), dtype=np.intp)
    for index, label in enumerate(clusters):
        if label is None:
            raise InputError(
                f"unit {index} has no cluster",
                wanted="a cluster for every unit",
                where="field 'cluster'",
            )
        numbers[index] = known.setdefault(label, len(known))
    return numbers
