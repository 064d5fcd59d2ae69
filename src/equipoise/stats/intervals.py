"""Intervals for the mean of one sample: Student t, quasi-Wilson, Hoeffding, empirical Bernstein."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.estimates import Estimate, Interval
from equipoise.stats.inputs import (
    confidence,
    normal_quantile,
    positive,
    refuse_constant,
    sample,
    shares,
    units,
)

_LEAST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """What a sample on [0, 1] is reduced to, for one sample or an array of them.

    Attributes:
        n: number of units, shape S.
        mean: mean, shape S.
        squares: sum of squared deviations from the mean, shape S.
    """

    n: NDArray[np.float64]
    mean: NDArray[np.float64]
    squares: NDArray[np.float64]

    @classmethod
    def of(
        cls, n: ArrayLike, mean: ArrayLike, squares: ArrayLike, *, least: int = _LEAST
    ) -> "Moments":
        """The moments, checked: n at least 2, mean on [0, 1], squares not negative.

        Args:
            n: number of units, shape S.
            mean: mean, shape S.
            squares: sum of squared deviations from the mean, shape S.
            least: with fewer units no honest number exists; 0 for the shared part of two arms.

        Raises:
            NotEstimable: some sample has fewer than ``least`` units (code ``too_few``).
            InputError: a mean outside [0, 1], a negative or non-finite value.

        >>> float(Moments.of(4, 0.5, 1.0).mean)
        0.5
        """
        size, middle, spread = (np.asarray(v, dtype=np.float64) for v in (n, mean, squares))
        few = int(np.count_nonzero(size < least))
        if few:
            raise NotEstimable(
                f"{few} of {size.size} samples have fewer than {least} units", code="too_few"
            )
        ok = (middle >= 0) & (middle <= 1) & (spread >= 0) & np.isfinite(size + spread)
        if not bool(np.all(ok)):
            raise InputError(
                f"{int(np.count_nonzero(~ok))} of {ok.size} samples have a mean outside [0, 1] "
                "or a sum of squares that is negative or not finite",
                wanted="losses or scores on [0, 1]",
                code="outside_range",
            )
        return cls(n=size, mean=middle, squares=spread)

    @classmethod
    def from_sample(cls, values: ArrayLike, name: str = "x") -> "Moments":
        """The moments of one sample on [0, 1].

        Raises:
            InputError, NotEstimable: as :func:`equipoise.stats.inputs.shares`.

        >>> float(Moments.from_sample([0, 1]).squares)
        0.5
        """
        array = shares(values, name)
        mean = _mean_of_shares(array)
        return cls.of(array.size, mean, float(np.square(array - mean).sum()))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuasiWilson(Estimate):
    """A quasi-Wilson interval, with ``phi``: the variance as a share of that of 0/1 data."""

    phi: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GuaranteedWidths:
    """Half-widths of two intervals that hold for every distribution on the range.

    Attributes:
        hoeffding: half-width of Hoeffding's interval.
        empirical_bernstein: half-width of Maurer and Pontil's interval.
        n: number of units.
        level: confidence level.
    """

    hoeffding: float
    empirical_bernstein: float
    n: int
    level: float


def student_t(values: ArrayLike, *, level: float = 0.95) -> Estimate:
    """The mean with Student's interval (standard deviation with n - 1).

    It covers poorly where values are rare or skewed (18 % instead of 95 % at n = 10 with 2 %
    events); use :func:`quasi_wilson` for values on [0, 1].

    Raises:
        InputError: a value is NaN or infinite, or the level is not in (0, 1).
        NotEstimable: fewer than 2 values, or all equal (code ``degenerate``).

    >>> round(student_t([0, 0.5, 1]).interval.hi, 3)
    1.742
    """
    array = sample(values, "x")
    refuse_constant(array, "x")
    mean, n = float(array.mean()), array.size
    se = float(array.std(ddof=1)) / math.sqrt(n)
    half = t_quantile(level, n - 1) * se
    return Estimate(
        value=mean,
        interval=Interval(lo=mean - half, hi=mean + half, level=level),
        n=n,
        method="Student t interval",
        se=se,
        df=float(n - 1),
    )


def quasi_wilson(values: ArrayLike, *, level: float = 0.95) -> QuasiWilson:
    """The mean of values on [0, 1] with a Wilson interval at the effective sample size n / phi.

    ``phi = min(1, (SS + 1/2) / (n m (1 - m) + 1/2))`` with SS the sum of squared deviations: the
    variance relative to 0/1 data of the same mean, shrunk by half an observation. Equal to the
    Wilson interval on 0/1 data; never of zero width. Its warrant is a coverage table (at least
    91 % at n = 10 and 93.5 % from n = 30 over twelve loss laws), not a theorem.

    Raises:
        InputError: a value outside [0, 1], NaN, or a level not in (0, 1).
        NotEstimable: fewer than 2 values.

    >>> round(quasi_wilson([0.0] * 20).interval.hi, 4)
    0.1611
    """
    moments = Moments.from_sample(values)
    lo, hi = quasi_wilson_limits(moments, normal_quantile(level))
    return QuasiWilson(
        value=float(moments.mean),
        interval=Interval(lo=float(lo), hi=float(hi), level=level),
        n=int(moments.n),
        method="quasi-Wilson interval",
        phi=float(dispersion(moments)),
    )


def quasi_wilson_limits(
    moments: Moments, z: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper quasi-Wilson limits of many samples at once, on [0, 1].

    Args:
        moments: the samples, shape S.
        z: critical value(s), broadcast against S.

    >>> lo, hi = quasi_wilson_limits(Moments.of([20, 20], [0.0, 0.15], [0.0, 2.55]), 1.96)
    >>> hi.round(3).tolist()
    [0.161, 0.36]
    """
    return wilson_limits(moments.mean, moments.n / dispersion(moments), z)


def dispersion(moments: Moments) -> NDArray[np.float64]:
    """``phi``: variance as a share of that of 0/1 data with the same mean, in (0, 1].

    >>> float(dispersion(Moments.of(20, 0.0, 0.0)))
    1.0
    """
    binary = moments.n * moments.mean * (1.0 - moments.mean)
    return np.minimum(1.0, (moments.squares + 0.5) / (binary + 0.5))


def wilson_limits(
    share: ArrayLike, n: ArrayLike, z: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper Wilson score limits; ``n`` may be fractional (an effective size).

    >>> [round(float(end), 4) for end in wilson_limits(0.15, 20, 1.959964)]
    [0.0524, 0.3604]
    """
    p, size, zz = (np.asarray(v, dtype=np.float64) for v in (share, n, z))
    scale = size + zz**2
    middle = (size * p + zz**2 / 2.0) / scale
    half = zz * np.sqrt(size * p * (1.0 - p) + zz**2 / 4.0) / scale
    lo = np.where(p <= 0.0, 0.0, np.maximum(middle - half, 0.0))
    hi = np.where(p >= 1.0, 1.0, np.minimum(middle + half, 1.0))
    return np.minimum(lo, p), np.maximum(hi, p)


def guaranteed_widths(
    n: float, variance: float, *, level: float = 0.95, width: float = 1.0
) -> GuaranteedWidths:
    """Half-widths that hold for every distribution on a range of the given width.

    Args:
        n: number of independent units.
        variance: sample variance (n - 1).
        level: confidence level.
        width: largest minus smallest possible value.

    Raises:
        InputError: a negative variance, one above what the range allows, or a width not above 0.
        NotEstimable: ``n`` below 2.

    Source: Hoeffding (1963), JASA 58, theorem 1; Maurer and Pontil (2009), COLT, theorem 4, with
    half the error on each side.

    >>> round(guaranteed_widths(100, 0.09).hoeffding, 4)
    0.1358
    """
    size = units(n)
    scale = positive(width, "range")
    largest = scale**2 * size / (4.0 * (size - 1))
    if positive(variance, "sample_variance", zero=True) > largest * (1 + 1e-9):
        raise InputError(
            f"sample_variance = {variance:g}",
            wanted=f"at most {largest:g}, the largest that the range allows",
            where="field 'sample_variance'",
        )
    error = 1.0 - confidence(level)
    bernstein = math.sqrt(2.0 * variance * math.log(4.0 / error) / size)
    bernstein += scale * 7.0 * math.log(4.0 / error) / (3.0 * (size - 1))
    hoeffding = scale * math.sqrt(math.log(2.0 / error) / (2.0 * size))
    return GuaranteedWidths(hoeffding=hoeffding, empirical_bernstein=bernstein, n=size, level=level)


def t_quantile(level: float, df: float) -> float:
    """The two-sided critical value of Student's t at a confidence level.

    >>> round(t_quantile(0.95, 9), 4)
    2.2622
    """
    return float(-stdtrit(df, (1.0 - confidence(level)) / 2.0))


def _mean_of_shares(array: NDArray[np.float64]) -> float:
    """The mean, exact where all values are equal, and never outside their range by rounding."""
    return float(np.clip(array.mean(), array.min(), array.max()))
