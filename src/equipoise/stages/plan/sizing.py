"""How many units a partition needs, and what a given number of units supports."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.records.plan import SpreadSource
from equipoise.stats.power import least_units
from equipoise.stats.spread import augmented_sd

DEFAULT_S = 0.3
"""The spread between units where nobody has measured it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A spread between units and where it comes from."""

    s: float
    source: SpreadSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Supported:
    """What a number of units supports: the mde at the given s, or the s at the given mde."""

    mde: float
    s: float


def supported_by(n: int, *, s: float, mde: float) -> Supported:
    """Gives the smallest mde, or the largest s, for which `n` units are enough."""
    return Supported(mde=4.0 * s / math.sqrt(n), s=mde * math.sqrt(n) / 4.0)


def spread_with_zero_and_one(loss: float, n: int) -> float:
    """Gives the spread of `n` equal losses after one 0 and one 1 were added: never certainty.

    Twenty zeros give 0.213, as `equipoise.stats.spread.augmented_sd` has it.
    """
    return augmented_sd([loss] * n)


def weights_of(factors: Sequence[tuple[float, float]]) -> list[float]:
    """Gives frequency x severity of each partition, as shares of their sum."""
    products = [frequency * severity for frequency, severity in factors]
    total = math.fsum(products)
    return [product / total for product in products]


def allotted(sample: int | None, needed: Sequence[int]) -> list[int]:
    """Gives how many units each partition gets: what it needs, and its share of any reserve.

    Args:
        sample: units that may be drawn; null, or no more than are needed: there is no reserve.
        needed: `n_min` of each partition.
    """
    total = sum(needed)
    if sample is None or sample <= total:
        return list(needed)
    shares = [divmod(n * sample, total) for n in needed]
    left = sample - sum(whole for whole, _ in shares)
    first = sorted(range(len(shares)), key=lambda place: (-shares[place][1], place))[:left]
    return [whole + (place in first) for place, (whole, _) in enumerate(shares)]


def mde_within(budget: int, spreads: Sequence[float]) -> float | None:
    """Gives the smallest mde, in thousandths, at which the partitions need no more than `budget`.

    Null: no mde below 1 does.
    """
    low, high = 1, 999
    if sum(least_units(s, "0.999") for s in spreads) > budget:
        return None
    while low < high:
        middle = (low + high) // 2
        enough = sum(least_units(s, f"{middle / 1000:.3f}") for s in spreads) <= budget
        low, high = (low, middle) if enough else (middle + 1, high)
    return low / 1000
