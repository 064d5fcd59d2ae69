"""How much raters differ about one and the same thing: the variance that double rating shows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtri

from equipoise.errors import NotEstimable
from equipoise.stats.estimates import Interval
from equipoise.stats.inputs import confidence, sample


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterVariance:
    """The variance between raters of one thing.

    Attributes:
        value: sum of squares inside things over their degrees of freedom.
        interval: chi-squared limits; wide, since few things are rated twice.
        n: things rated more than once.
    """

    value: float
    interval: Interval
    n: int


def rater_variance(things: ArrayLike, ratings: ArrayLike, *, level: float = 0.95) -> RaterVariance:
    """The variance of a single rating around the mean of all raters of the same thing.

    With two ratings a and b of each of m things this is ``sum (a - b)^2 / (2 m)``. Things rated
    once say nothing and are left out.

    Args:
        things: what each rating is about (whole numbers), shape ``(n,)``.
        ratings: the ratings, shape ``(n,)``.
        level: of the limits, which take rating noise as normal.

    Raises:
        NotEstimable: nothing was rated twice.

    Source: Fisher (1925), Statistical Methods for Research Workers, section 38 (variance inside
    classes).

    >>> round(rater_variance([0, 0, 1, 1], [0.0, 1.0, 0.5, 0.5]).value, 3)
    0.25
    """
    y = sample(ratings, "ratings", least=0)
    _, place, sizes = np.unique(np.asarray(things), return_inverse=True, return_counts=True)
    repeated = sizes > 1
    df = int((sizes[repeated] - 1).sum())
    if df == 0:
        raise NotEstimable("nothing was rated twice", code="no_double_rating")
    means = np.bincount(place, weights=y) / sizes
    squares = np.bincount(place, weights=np.square(y - means[place]))
    total = float(squares[repeated].sum())
    tail = (1.0 - confidence(level)) / 2.0
    lo, hi = (total / float(chdtri(df, share)) for share in (tail, 1.0 - tail))
    return RaterVariance(
        value=total / df, interval=Interval(lo=lo, hi=hi, level=level), n=int(repeated.sum())
    )
