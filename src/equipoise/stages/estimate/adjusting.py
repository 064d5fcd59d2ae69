"""P-values of the cells for the rules that give decisions without intervals: Holm and BH."""

from collections.abc import Sequence

import msgspec
import numpy as np

from equipoise.records.estimate import Comparison
from equipoise.records.terms import Rule, Terms
from equipoise.stages.estimate.limits import FloatArray
from equipoise.stages.estimate.samples import Met
from equipoise.stages.estimate.sums import tails_of
from equipoise.stats.guarded_test import touching_p
from equipoise.stats.multiplicity import adjust


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
    """Gives the p-value at which each guarded interval touches the margin."""
    p = np.ones(len(ones))
    for chosen, tails in tails_of(met):
        delta = [ones[i].delta or 0.0 for i in chosen]
        p[chosen] = touching_p(tails, delta, margin=terms.margin)
    return p
