"""What each comparison could report, and how many more units would settle it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.records.estimate import Comparison
from equipoise.records.terms import Rule, Terms
from equipoise.stages.estimate.limits import FloatArray
from equipoise.stages.estimate.samples import Met
from equipoise.stages.estimate.sums import outward_steps_of, tails_of
from equipoise.stats.guarded_planning import (
    multiple_to_equate,
    multiple_to_show,
    reportable_change,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """Per comparison: the smallest change it would call, and the further units that would tell.

    Units are pairs where arms are paired, else units of both arms together in their present
    proportion. Null: no number of units is enough.
    """

    reportable: list[float]
    to_show: list[int | None]
    to_equate: list[int | None]


def planning(
    terms: Terms,
    ones: Sequence[Comparison],
    met: Sequence[Met],
    critical: tuple[FloatArray, FloatArray],
) -> Planning:
    """Gives the planning figures, at the power of 80 %.

    Args:
        terms: margin and equivalence band.
        ones: the comparisons, with their differences.
        met: how the arms met in each.
        critical: the critical values of the deciding and of the equivalence interval.
    """
    found = Planning(
        reportable=[0.0] * len(ones), to_show=[None] * len(ones), to_equate=[None] * len(ones)
    )
    for chosen, tails in tails_of(met):
        z, equal_z = critical[0][chosen], critical[1][chosen]
        delta = np.array([ones[i].delta or 0.0 for i in chosen])
        literal = np.array([terms.rule is Rule.SEED and bool(ones[i].cell.label) for i in chosen])
        report = reportable_change(tails, margin=terms.margin, z=z, is_literal_too=literal)
        show = multiple_to_show(tails, delta, margin=terms.margin, z=z, is_literal_too=literal)
        steps = outward_steps_of([met[i] for i in chosen])
        equate = multiple_to_equate(tails, band=terms.equivalence, z=equal_z, outward_step=steps)
        for place, i in enumerate(chosen):
            found.reportable[i] = float(report[place])
            found.to_show[i] = _more(ones[i], float(show[place]))
            found.to_equate[i] = _more(ones[i], float(equate[place]))
    return found


def _more(one: Comparison, multiple: float) -> int | None:
    if not math.isfinite(multiple):
        return None
    units = one.n_pairs or one.n_units_new + one.n_units_base
    return max(1, math.ceil((multiple - 1.0) * units))
