"""The smallest true change that the report rule lists with a stated power, guard included.

A cell is listed where the observed difference clears the margin both literally (d - z se) and
guarded (MOVER on quasi-Wilson limits). Both limits move with the arms' means, since losses spread
more the more is lost: if more units lose and each loses as before, then the second moment stays the
same multiple of the mean, and the variance at mean m is ``rho m - m^2``, rho the sum of squares of
all losses over their sum. With the new arm at that mean and spread, the limit L has the noise of
both means, by the delta method; the change D is found at which ``L - z_power sd(L)`` is the margin.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from equipoise.stats.inputs import open_unit
from equipoise.stats.intervals import Moments, dispersion
from equipoise.stats.mover import difference_limits

FloatArray = NDArray[np.float64]

_HALVINGS = 40
_SHRINK = 0.1
"""Of a unit that lost all: what is added, so that arms without any loss count as 0/1 data."""

_LEAST_SPREAD = 0.5
"""Share of the measured relative spread that is kept where every unit would lose something."""


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
        new: moments of the new arms; their mean counts only for how losses spread, shape S.
        base: moments of the base arms, shape S.
        z: critical value of the rule.
        margin: both lower limits must lie above it.
        correlation: of the two means, broadcast against S.
        power: wanted probability.

    Returns:
        The change, shape S; NaN where no change up to a loss of 1 would be listed so surely.

    >>> both = Moments.of([576.0], [0.2], [575 * 0.09])
    >>> reportable_loss(both, both, z=2.0, margin=0.05).round(3).tolist()
    [0.103]
    """
    quantile = float(ndtri(open_unit(power, "power")))
    rule = _Rule(new, base, z, np.asarray(correlation, dtype=np.float64))
    low, high = np.zeros_like(base.mean), 1.0 - base.mean
    never = ~(rule.sure(high, quantile) > margin)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        is_on = rule.sure(middle, quantile) > margin
        low, high = np.where(is_on, low, middle), np.where(is_on, middle, high)
    return np.where(never, np.nan, high)


class _Rule:
    """The lower limit of the difference as a function of where both means lie."""

    def __init__(self, new: Moments, base: Moments, z: float, correlation: FloatArray) -> None:
        self._new, self._base, self._z, self._r = new, base, z, correlation
        seconds = sum(m.squares + m.n * m.mean**2 for m in (new, base))
        sums = new.n * new.mean + base.n * base.mean
        self._rho = np.minimum((seconds + _SHRINK) / (sums + _SHRINK), 1.0)
        self._phi = np.maximum(dispersion(new), dispersion(base))

    def sure(self, change: FloatArray, quantile: float) -> FloatArray:
        """Gives the limit that is reached with the power's probability at a true change."""
        one, two = self._base.mean + change, self._base.mean
        step_new = self._noise(self._new.n, one)
        step_base = self._noise(self._base.n, two)
        up = self._limit(one + step_new, two) - self._limit(one - step_new, two)
        down = self._limit(one, two + step_base) - self._limit(one, two - step_base)
        variance = (up**2 + down**2 + 2.0 * self._r * up * down) / 4.0
        return self._limit(one, two) - quantile * np.sqrt(np.maximum(variance, 0.0))

    def _noise(self, n: FloatArray, mean: FloatArray) -> FloatArray:
        return np.sqrt(self._at(n, mean).squares / n / np.maximum(n - 1.0, 1.0))

    def _at(self, n: FloatArray, mean: FloatArray) -> Moments:
        middle = np.clip(mean, 0.0, 1.0)
        binary = middle * (1.0 - middle)
        variance = np.maximum(self._rho * middle - middle**2, _LEAST_SPREAD * self._phi * binary)
        return Moments(n=n, mean=middle, squares=np.minimum(variance, binary) * n)

    def _limit(self, mean_new: FloatArray, mean_base: FloatArray) -> FloatArray:
        new, base = self._at(self._new.n, mean_new), self._at(self._base.n, mean_base)
        one, two = (m.squares / ((m.n - 1.0) * m.n) for m in (new, base))
        se = np.sqrt(np.maximum(one + two - 2.0 * self._r * np.sqrt(one * two), 0.0))
        low, _ = difference_limits(new, base, self._z, correlation=self._r)
        return np.minimum(new.mean - base.mean - self._z * se, low)
