"""What the planned sets of an axis can tell, and how many would tell what is asked for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import ndtr, ndtri

from equipoise.records.rating_plan import AxisPower
from equipoise.stats.bws_plan import sets_needed


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
        """Gives by how much more answers are needed as a set holds only some of the arms.

        Under equal arms and a balanced design the variance of a difference of two scores from `n`
        answers is 4 S^2 / (k^2 (S - 1) n) for S arms in sets of k; with k = S it is 4 / ((k - 1)
        n), which is the case of `sets_needed`.
        """
        s, k = self.n_arms, self.set_size
        return s * s * (k - 1) / (k * k * (s - 1))


def axis_power(
    axis: str, raters: Sequence[int], terms: PowerTerms, *, design: str = ""
) -> AxisPower:
    """Gives what the sets of an axis can tell, by the closed form for equal arms.

    Args:
        axis: its name.
        raters: for each study set how many people rate it; without people each counts once.
        terms: what else it depends on.
        design: how the sets were made, in words.

    Source: `sets_needed`; several answers to one set count 1 + (A - 1) r times less (Kish 1965,
    Survey Sampling, section 5.4).
    """
    answers = sum(raters) or len(raters)
    weighted = sum(n * (1 + (n - 1) * terms.correlation) for n in raters) or len(raters)
    effect = weighted / answers * terms.dilution
    needed = sets_needed(
        terms.mde,
        terms.set_size,
        alpha=terms.alpha,
        power=terms.power,
        comparisons=terms.comparisons,
        design_effect=effect,
    )
    z = float(ndtri(1 - terms.alpha / (2 * terms.comparisons)))
    se = math.sqrt(needed.variance_of_difference * effect / answers)
    return AxisPower(
        axis=axis,
        n_sets=len(raters),
        n_answers=sum(raters),
        n_overlapping=sum(n > 1 for n in raters),
        comparisons=terms.comparisons,
        design_effect=round(effect, 6),
        n_needed=needed.n,
        mde_reached=round((z + float(ndtri(terms.power))) * se, 6),
        power_reached=round(float(ndtr(terms.mde / se - z)), 6),
        design=design,
    )
