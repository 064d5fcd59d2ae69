"""How far a guarded limit reaches from the mean on one side.

The reach x solves ``n x² = c² V(x)`` with

    ``V(x) = s² + slope x − curve x²``

where c is Student's t. With slope = curve = 0 this is the t interval. Two things tilt it:

* *skew seen*: a score interval takes the variance at the hypothesised mean, not at the observed
  one (Wilson 1927); to first order it moves by third moment / second moment, which for 0/1 data is
  Wilson's own slope. Only skew that widens is used, and only beyond what chance gives a symmetric
  sample (sd √(6/n)).
* *an end not seen*: a share q of units at the far end of the scale, ``room`` away, may have been
  missed. Alone it gives V = x (room − x): Wilson's limit for nothing seen, x = room z²/(n + z²).
  Its weight fades as the sample itself shows deviations of the size of a run's step.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

FloatArray = NDArray[np.float64]

_CORE = 0.35
"""s² = squares / (n − 1 + CORE), which gives back the power that the skew guard takes."""

_SKEW_CHANCE = 0.75
"""Standard deviations of a symmetric sample's skewness that count as chance."""

_UNSEEN_WEIGHT = 0.2
"""Weight, in units, of the pseudo-unit at the far end when nothing but equal values was seen."""

_UNSEEN_FADE = 0.03
"""Sum of fourth powers of deviations, times runs per unit, at which the pseudo-unit is gone."""

_TINY = 1e-100


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a sample: ``cubes`` is positive when the long tail points to this side.

    ``room`` is the distance from the mean to the end of the scale on this side.
    """

    n: FloatArray
    squares: FloatArray
    cubes: FloatArray
    fourths: FloatArray
    room: FloatArray
    runs: FloatArray


def guarded_reach(side: Side, z: FloatArray) -> FloatArray:
    """The distance from mean to limit, shape of ``side.n``; never zero while there is room.

    Cells with fewer than two units get a number without meaning; the caller marks them.

    >>> one = np.ones(1)
    >>> bare = Side(n=10 * one, squares=0 * one, cubes=0 * one, fourths=0 * one, room=one, runs=one)
    >>> guarded_reach(bare, np.array(1.96)).round(4).tolist()
    [0.2775]
    """
    n = np.maximum(side.n, 2.0)
    t = student_critical(z, n - 1.0)
    slope, curve = _tilt(side, n, (z / t) ** 2)
    variance = side.squares / (n - 1.0 + _CORE)
    linear = t * t * slope
    square = n + t * t * curve
    reach = (linear + np.sqrt(linear**2 + 4.0 * square * t * t * variance)) / (2.0 * square)
    return np.asarray(reach)


def student_critical(z: FloatArray, df: FloatArray) -> FloatArray:
    """The Student critical value with the tail probability of the normal ``z``.

    >>> student_critical(np.array(1.959964), np.array(12.0)).round(3).tolist()
    2.179
    """
    return np.asarray(-stdtrit(df, ndtr(-z)))


def _tilt(side: Side, n: FloatArray, normal_share: FloatArray) -> tuple[FloatArray, FloatArray]:
    fade = np.maximum(0.0, 1.0 - side.fourths * np.maximum(side.runs, 1.0) / _UNSEEN_FADE)
    pseudo = _UNSEEN_WEIGHT * fade**2 * side.room**2
    total = np.maximum(pseudo + side.squares, _TINY)
    unseen = pseudo / total * normal_share
    chance = _SKEW_CHANCE * np.sqrt(6.0 / n)
    skewness = np.sqrt(n) * side.cubes / np.maximum(side.squares, _TINY) ** 1.5
    beyond = np.clip(1.0 - chance / np.maximum(skewness, _TINY), 0.0, 1.0)
    slope = unseen * side.room + beyond * np.maximum(side.cubes, 0.0) / total
    return slope, unseen
