"""Which units are drawn: a chance sample of each partition, up to what it is allotted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.records.codec import digest, encode
from equipoise.stages.plan.units import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """What was drawn of one partition, sorted by id; each unit had the same chance."""

    units: tuple[Unit, ...]
    n_available: int

    @property
    def probability(self) -> float | None:
        """The chance each available unit had; null where nothing was drawn."""
        return len(self.units) / self.n_available if self.units else None


def drawn(units: Sequence[Unit], most: int, *, seed: int, stratum: str) -> Draw:
    """Draws up to `most` units without putting back, each with the same chance.

    The draw depends on the seed, the stratum's name and the ids alone, not on their order. A thin
    stratum is drawn as deep as a thick one: that is its overweight.

    Args:
        units: what there is.
        most: how many are wanted.
        seed: the study's.
        stratum: name of the partition.
    """
    ordered = sorted(units, key=lambda unit: unit.brief.unit)
    if len(ordered) <= most:
        return Draw(units=tuple(ordered), n_available=len(ordered))
    rng = np.random.default_rng([seed, int(digest(encode(["draw", stratum]))[:16], 16)])
    chosen = np.sort(rng.choice(len(ordered), size=most, replace=False))
    return Draw(units=tuple(ordered[place] for place in chosen), n_available=len(ordered))


def most_adversarial(n_regular: int, cap: float) -> int:
    """Gives how many adversarial units may be added so that they are at most `cap` of all."""
    if cap >= 1.0:
        return 10**9
    return math.floor(cap * n_regular / (1.0 - cap) + 1e-9)
