"""The smallest true change that the report rule lists with a stated power, guard included.

A cell is listed where the observed difference d clears the margin both literally (d - z se) and
guarded (MOVER on quasi-Wilson limits). Both limits move with the new arm's mean: losses spread more
the more is lost. So the new arm is taken at the mean that it would have, its spread the same share
``phi`` of that of 0/1 data as was measured. First the least difference d* that is listed is found,
then the true change D whose estimates fall below d* with probability 1 - power:
``D = d* + z_power se(D)``.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from equipoise.stats.inputs import open_unit
from equipoise.stats.intervals import Moments, dispersion
from equipoise.stats.mover import difference_limits

FloatArray = NDArray[np.float64]

_HALVINGS = 50


def reportable_loss(
    new: Moments,
    base: Moments,
    *,
    z: float,
    margin: float,
    correlation: ArrayLike = 0.0,
    power: float = 0.8,
) -> FloatArray:
    """The smallest true increase of the mean that is listed with probability ``power``, per cell.

    Args:
        new: moments of the new arms; only their size and relative spread count, shape S.
        base: moments of the base arms, shape S.
        z: critical value of the rule.
        margin: both lower limits must lie above it.
        correlation: of the two means, broadcast against S.
        power: wanted probability.

    Returns:
        The change, shape S; NaN where no change up to a loss of 1 would be listed so surely.

    >>> both = Moments.of([576.0], [0.2], [575 * 0.09])
    >>> reportable_loss(both, both, z=2.0, margin=0.05).round(3).tolist()
    [0.104]
    """
    quantile = float(ndtri(open_unit(power, "power")))
    rule = _Rule(new, base, z, np.asarray(correlation, dtype=np.float64))
    most = 1.0 - base.mean
    least = _least(lambda d: rule.limit(d) > margin, most)
    found = _least(lambda d: d - quantile * rule.se(d) >= least, most)
    return np.where(np.isnan(least), np.nan, found)


class _Rule:
    """Both lower limits of the difference, as functions of where the new arm's mean lies."""

    def __init__(self, new: Moments, base: Moments, z: float, correlation: FloatArray) -> None:
        self._n, self._phi = new.n, dispersion(new)
        self._base, self._z, self._r = base, z, correlation

    def moved(self, d: FloatArray) -> Moments:
        """Gives the new arm at the base mean plus d."""
        mean = np.clip(self._base.mean + d, 0.0, 1.0)
        squares = self._phi * (self._n * mean * (1.0 - mean) + 0.5) - 0.5
        return Moments(n=self._n, mean=mean, squares=np.maximum(squares, 0.0))

    def se(self, d: FloatArray) -> FloatArray:
        """Gives the standard error of the difference there."""
        one, two = (m.squares / ((m.n - 1.0) * m.n) for m in (self.moved(d), self._base))
        return np.sqrt(np.maximum(one + two - 2.0 * self._r * np.sqrt(one * two), 0.0))

    def limit(self, d: FloatArray) -> FloatArray:
        """Gives the smaller of the literal and the guarded lower limit there."""
        low, _ = difference_limits(self.moved(d), self._base, self._z, correlation=self._r)
        return np.minimum(d - self._z * self.se(d), low)


def _least(holds: Callable[[FloatArray], NDArray[np.bool_]], most: FloatArray) -> FloatArray:
    """The smallest d on [0, most] from which the test holds, by halving; NaN where never."""
    low, high = np.zeros_like(most), most.copy()
    never = ~holds(high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        is_on = holds(middle)
        low, high = np.where(is_on, low, middle), np.where(is_on, middle, high)
    return np.where(never, np.nan, high)
