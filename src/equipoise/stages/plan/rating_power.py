"""What the planned sets of an axis can tell, and how many would tell what is asked for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.records.rating_plan import AxisPower
from equipoise.stats.bws_power import (
    ScorePower,
    answers_needed,
    difference_found,
    power_of_answers,
    variance_of_difference,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerTerms:
    """What power depends on beside the answers.

    Args:
        n_arms: all arms, every pair of which is compared.
        set_size: arms a set.
        mde: smallest difference of scores worth finding.
        alpha: two-sided error over all comparisons.
        power: wanted chance to find one such difference.
        correlation: between two people's answers to one set.
    """

    n_arms: int
    set_size: int
    mde: float
    alpha: float
    power: float
    correlation: float

    @property
    def comparisons(self) -> int:
        """Pairs of arms."""
        return math.comb(self.n_arms, 2)

    @property
    def dilution(self) -> float:
        """Gives by how much more answers are needed as a set holds only some of the arms."""
        of_all = variance_of_difference(self.set_size, self.set_size, 0.0)
        return variance_of_difference(self.n_arms, self.set_size, 0.0) / of_all


def axis_power(
    axis: str,
    raters: Sequence[int],
    terms: PowerTerms,
    *,
    clusters: Sequence[str] = (),
    design: str = "",
) -> AxisPower:
    """Gives what the sets of an axis can tell, with limits as they are analysed.

    The power is that of one arm that is best in a share of the sets that show it, where readers
    choose by chance among arms that are equal.

    Args:
        axis: its name.
        raters: for each study set how many people rate it; without people each counts once.
        terms: what else it depends on.
        clusters: of each set, what it hangs together with others by (its unit, or what units
            share); none given = each set by itself. Limits count clusters, so that many sets of
            few clusters show little.
        design: how the sets were made, in words.

    Source: `equipoise.stats.bws_power`; several answers to one set count 1 + (A - 1) r times less
    (Kish 1965, Survey Sampling, section 5.4).
    """
    answers = sum(raters) or len(raters)
    weighted = sum(n * (1 + (n - 1) * terms.correlation) for n in raters) or len(raters)
    effect = weighted / answers
    is_seen = [n > 0 or not sum(raters) for n in raters]
    named = clusters or [str(n) for n in range(len(raters))]
    n_clusters = len({name for name, seen in zip(named, is_seen, strict=True) if seen})
    asked = ScorePower(
        n_items=terms.n_arms,
        set_size=terms.set_size,
        alpha=terms.alpha,
        design_effect=effect,
        answers_per_cluster=answers / n_clusters,
    )
    found = difference_found(answers, asked, power=terms.power)
    return AxisPower(
        axis=axis,
        n_sets=len(raters),
        n_answers=sum(raters),
        n_overlapping=sum(n > 1 for n in raters),
        n_clusters=n_clusters,
        comparisons=terms.comparisons,
        design_effect=round(effect * terms.dilution, 6),
        n_needed=answers_needed(terms.mde, asked, power=terms.power),
        mde_reached=round(found, 6) if math.isfinite(found) else None,
        power_reached=round(power_of_answers(answers, terms.mde, asked), 6),
        design=design,
    )
