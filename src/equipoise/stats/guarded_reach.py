"""How far a guarded limit reaches from the mean on one side.

The reach x solves ``n x² = t² V(x)`` with ``V(x) = s² + slope x − curve x²`` and t Student's
critical value. With slope = curve = 0 that is the t interval. Two things tilt it:

* *skew*: a score interval takes the variance at the hypothesised mean, not at the observed one
  (Wilson 1927); to first order it moves by third over second moment, which for 0/1 data is
  Wilson's own slope. Hall (1992, J. R. Statist. Soc. B 54, 221-228) gives 2/3 + 1/(3 t²) of it, 3/4
  at 95 %; the whole is kept where few units carry it. What chance gives a symmetric sample
  (standard deviation √(6/n)) is left out, and skew that would narrow counts only where many units
  carry it.
* *an end not seen*: units at the far end of the scale, ``room`` away, may have been missed. Alone
  this gives V = x (room − x): Wilson's limit for nothing seen, x = room z²/(n + z²). Its weight
  fades as the sample itself shows deviations of the size of a run's step.

The combination and its constants are this project's: their warrant is docs/certificate.md, their
history docs/decisions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

FloatArray = NDArray[np.float64]

_LENT = 0.1
"""Degrees of freedom lent to the variance of unit means over repeated runs, whose tails are light:
what the guards take from the power of t in such worlds, this gives back (docs/decisions)."""

_CHANCE = 0.5
_CHANCE_OF_MEANS = 2.5
"""Standard deviations of a symmetric sample's skewness that count as chance: this many for single
runs, and up to so many more as units are means over ever more runs."""

_FEW = 16.0
"""With so few effective deviating units or fewer, skew never narrows a limit, and widens it by the
whole of Wilson's slope."""

_UNSEEN_WEIGHT = 0.5
"""Weight, in units, of the pseudo-unit at the far end when nothing but equal values was seen."""

UNSEEN_FADE = 0.3
"""Sum of fourth powers of deviations at which the pseudo-unit is gone, for single runs; it falls
with the cube of the runs per unit, as the steps and the noise of unit means become finer."""

_TINY = 1e-100

_LEAST_Z = 1e-6
"""Below this a critical value is taken as this: a limit at level 0 is the mean itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a sample, per cell.

    Attributes:
        n: number of independent units (or effective number of clusters).
        variance: n times the squared standard error of the mean.
        df: Student's degrees of freedom that go with it.
        squares: sum of squared deviations from the mean.
        cubes: sum of cubed deviations, positive when the long tail points to this side.
        fourths: sum of fourth powers of deviations.
        room: distance from the mean to the end of the scale on this side.
        chance: standard deviations of a symmetric sample's skewness that count as chance.
        grain: sum of fourth powers of deviations at which no unseen end is feared any more.
    """

    n: FloatArray
    variance: FloatArray
    df: FloatArray
    squares: FloatArray
    cubes: FloatArray
    fourths: FloatArray
    room: FloatArray
    chance: FloatArray
    grain: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Tails:
    """The sides that make the lower and the upper limit of an estimate: one, or one of each arm."""

    below: tuple[Side, ...]
    above: tuple[Side, ...]


def joint_reach(sides: tuple[Side, ...], z: FloatArray) -> FloatArray:
    """The reach of a sum of independent estimates, from those of its parts (MOVER).

    >>> one = np.ones(1)
    >>> part = Side(n=100 * one, variance=one, df=99 * one, squares=99 * one, cubes=0 * one,
    ...             fourths=300 * one, room=9 * one, chance=one, grain=one)
    >>> joint_reach((part, part), np.array(1.96)).round(3).tolist()
    [0.281]
    """
    reaches = [np.square(guarded_reach(side, z)) for side in sides]
    return np.asarray(np.sqrt(sum(reaches)))


def grown(side: Side, multiple: FloatArray) -> Side:
    """The side of a sample ``multiple`` times as large with the same spread and skew.

    >>> one = np.ones(1)
    >>> part = Side(n=10 * one, variance=one, df=9 * one, squares=9 * one, cubes=0 * one,
    ...             fourths=27 * one, room=one, chance=one, grain=one)
    >>> grown(part, 2 * one).df.tolist()
    [19.0]
    """
    return Side(
        n=side.n * multiple,
        variance=side.variance,
        df=np.maximum(side.df + (multiple - 1.0) * side.n, 1.0),
        squares=side.squares * multiple,
        cubes=side.cubes * multiple,
        fourths=side.fourths * multiple,
        room=side.room,
        chance=side.chance,
        grain=side.grain,
    )


def guarded_reach(side: Side, z: FloatArray) -> FloatArray:
    """The distance from mean to limit, at most ``room``; never zero while there is room.

    >>> one = np.ones(1)
    >>> none = 0 * one
    >>> bare = Side(n=10 * one, variance=none, df=9 * one, squares=none, cubes=none,
    ...             fourths=none, room=one, chance=none, grain=one)
    >>> guarded_reach(bare, np.array(1.96)).round(4).tolist()
    [0.2775]
    """
    critical = np.maximum(z, _LEAST_Z)
    t = student_critical(critical, side.df)
    slope, curve = _tilt(side, t, critical)
    linear = t * t * slope
    square = side.n + t * t * curve
    constant = t * t * side.variance
    reach = (linear + np.sqrt(linear**2 + 4.0 * square * constant)) / (2.0 * square)
    return np.asarray(np.minimum(reach, side.room))


def lent_df(runs: FloatArray) -> FloatArray:
    """The degrees of freedom that the variance of means over ``runs`` runs is lent.

    >>> lent_df(np.array([1.0, 3.0])).tolist()
    [0.0, 0.1]
    """
    return np.asarray(_LENT * np.clip(runs - 1.0, 0.0, 1.0))


def chance_of(runs: FloatArray) -> FloatArray:
    """The ``chance`` of units that are means over ``runs`` runs.

    >>> chance_of(np.array([1.0, 10.0])).tolist()
    [0.5, 2.75]
    """
    return np.asarray(_CHANCE + _CHANCE_OF_MEANS * (1.0 - 1.0 / runs))


def grain_of(runs: FloatArray) -> FloatArray:
    """The ``grain`` of units that are means over ``runs`` runs.

    >>> grain_of(np.array([1.0, 10.0])).tolist()
    [0.3, 0.0003]
    """
    return np.asarray(UNSEEN_FADE / runs**3)


def student_critical(z: FloatArray, df: FloatArray) -> FloatArray:
    """The Student critical value with the tail probability of the normal ``z``.

    >>> student_critical(np.array(1.959964), np.array(12.0)).round(3).tolist()
    2.179
    """
    return np.asarray(-stdtrit(df, ndtr(-z)))


def _tilt(side: Side, t: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray]:
    fade = np.maximum(0.0, 1.0 - side.fourths / side.grain)
    pseudo = _UNSEEN_WEIGHT * fade**2 * side.room**2
    total = np.maximum(pseudo + side.squares, _TINY)
    unseen = pseudo / total * (z / t) ** 2
    return unseen * side.room + _skew(side, t) / total, unseen


def _skew(side: Side, t: FloatArray) -> FloatArray:
    """The third moment that counts: positive where it widens, negative where it narrows."""
    chance = side.chance * np.sqrt(6.0 / side.n)
    skewness = np.sqrt(side.n) * np.abs(side.cubes) / np.maximum(side.squares, _TINY) ** 1.5
    beyond = np.clip(1.0 - chance / np.maximum(skewness, _TINY), 0.0, 1.0)
    carried = side.squares**2 / np.maximum(side.fourths, _TINY)
    few = np.clip(_FEW / np.maximum(carried, 1.0), 0.0, 1.0)
    hall = np.minimum(2.0 / 3.0 + 1.0 / (3.0 * t * t), 1.0)
    share = np.where(side.cubes > 0.0, hall + (1.0 - hall) * few, hall * (1.0 - few))
    return np.asarray(beyond * side.cubes * share)
