"""Adjusting p-values for many comparisons: Bonferroni, Holm, Hochberg, BH, BY."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import InputError
from equipoise.stats.inputs import sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjusted:
    """Adjusted p-values in the order of the input, shape ``(k,)`` each.

    Attributes:
        bonferroni: family-wise, any dependence.
        holm: family-wise, any dependence, never larger than Bonferroni.
        hochberg: family-wise, under independence or positive dependence.
        bh: Benjamini-Hochberg: false discovery rate, under independence or positive dependence;
            for a triage list, not for a claim about a single line.
        by: Benjamini-Yekutieli: false discovery rate, any dependence.
    """

    bonferroni: NDArray[np.float64]
    holm: NDArray[np.float64]
    hochberg: NDArray[np.float64]
    bh: NDArray[np.float64]
    by: NDArray[np.float64]


def adjust(p_values: ArrayLike) -> Adjusted:
    """All five adjustments of a family of p-values.

    A decision at level alpha is "adjusted p at most alpha"; these adjustments give decisions, not
    matching intervals (Bonferroni alone does, at level 1 - alpha/k).

    Raises:
        InputError: a value outside [0, 1], or NaN.
        NotEstimable: no p-value at all.

    Source: Holm (1979); Hochberg (1988); Benjamini and Hochberg (1995); Benjamini and Yekutieli
    (2001). As R's ``p.adjust``.

    >>> adjust([0.01, 0.04, 0.03, 0.005]).holm.round(3).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    p = sample(p_values, "p", least=1)
    outside = np.flatnonzero((p < 0) | (p > 1))
    if outside.size:
        raise InputError(
            f"p[{outside[0]}] is {p[outside[0]]:g}", wanted="p-values on [0, 1]", where="field 'p'"
        )
    k = p.size
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, k + 1)
    ordered = p[order]
    harmonic = float((1.0 / rank).sum())
    down = (k - rank + 1) * ordered
    share = k / rank * ordered
    return Adjusted(
        bonferroni=np.minimum(1.0, k * p),
        holm=_back(np.maximum.accumulate(down), order),
        hochberg=_back(_from_the_top(down), order),
        bh=_back(_from_the_top(share), order),
        by=_back(_from_the_top(harmonic * share), order),
    )


def _from_the_top(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The running minimum from the last value to the first."""
    return np.minimum.accumulate(values[::-1])[::-1]


def _back(ordered: NDArray[np.float64], order: NDArray[np.intp]) -> NDArray[np.float64]:
    values = np.empty_like(ordered)
    values[order] = np.minimum(1.0, ordered)
    return values
