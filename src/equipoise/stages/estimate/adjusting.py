"""P-values of the cells for the rules that give decisions without intervals: Holm and BH."""

from collections.abc import Sequence

import msgspec
import numpy as np
from scipy.special import ndtr

from equipoise.records.estimate import Comparison
from equipoise.records.terms import Direction, Rule, Terms
from equipoise.stages.estimate.limits import FloatArray, limits_of
from equipoise.stages.estimate.samples import Met
from equipoise.stats.multiplicity import adjust

_HALVINGS = 50
_MOST = 38.0


def with_adjusted(terms: Terms, ones: Sequence[Comparison], met: Sequence[Met]) -> list[Comparison]:
    """Adds the adjusted p-value of every cell where the rule is Holm or Benjamini-Hochberg.

    The p-value of a cell is the two-sided level at which its guarded interval just touches the
    margin, so that at any level the p-value and the interval say the same.
    """
    cells = [i for i, one in enumerate(ones) if one.cell.label]
    found = list(ones)
    if terms.rule not in (Rule.HOLM, Rule.BH) or not cells:
        return found
    p = touching(terms, [ones[i] for i in cells], [met[i] for i in cells])
    lacking = (terms.family_size or len(cells)) - len(cells)
    adjusted = adjust(np.concatenate([p, np.ones(max(lacking, 0))]))
    chosen = adjusted.holm if terms.rule is Rule.HOLM else adjusted.bh
    for place, i in enumerate(cells):
        found[i] = msgspec.structs.replace(found[i], adjusted_p=float(chosen[place]))
    return found


def touching(terms: Terms, ones: Sequence[Comparison], met: Sequence[Met]) -> FloatArray:
    """Gives the p-value at which each guarded interval touches the margin, by bisection on z."""
    low, high = np.zeros(len(ones)), np.full(len(ones), _MOST)
    is_beyond = np.array([abs(one.gain or 0.0) > terms.margin for one in ones])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_clear = _clears(terms, ones, met, middle)
        low, high = np.where(is_clear, middle, low), np.where(is_clear, high, middle)
    p = 2 * ndtr(-low)
    return np.where(is_beyond, p, 1.0)


def _clears(
    terms: Terms, ones: Sequence[Comparison], met: Sequence[Met], z: FloatArray
) -> np.ndarray:
    limits = limits_of(met, z)
    is_higher = terms.direction is Direction.HIGHER
    lo, hi = (limits.lo, limits.hi) if is_higher else (-limits.hi, -limits.lo)
    gains = np.array([one.gain or 0.0 for one in ones])
    return np.asarray(np.where(gains > 0, lo > terms.margin, hi < -terms.margin))
