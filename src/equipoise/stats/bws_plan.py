"""How many best-worst sets a study needs, and what attention checks let through."""

import math
from dataclasses import dataclass

from scipy.special import ndtri
from scipy.stats import binom

from equipoise.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class BwsSampleSize:
    """Sets needed: ``n`` whole, ``n_exact`` before rounding up, and the variance behind them."""

    n: int
    n_exact: float
    variance_of_difference: float


def sets_needed(
    difference: float,
    set_size: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    comparisons: int = 1,
    design_effect: float = 1.0,
) -> BwsSampleSize:
    """Independent sets needed to find a difference of two counting scores.

    n = (z(1 - alpha/(2 m)) + z(power))^2 V deff / difference^2, where V = 4/(k - 1) is the variance
    of best-minus-worst of one item less that of another in one set under random choice (by
    enumeration of all answers). Three people on one set are not three sets: with A annotators and
    correlation r between them give ``design_effect`` 1 + (A - 1) r and count answers.

    Args:
        difference: smallest difference of scores to be found, above 0 and at most 2.
        set_size: items a set, 2 or more.
        alpha: two-sided error over all comparisons.
        power: chance to find one such difference.
        comparisons: number of pairs compared (Bonferroni).
        design_effect: factor for answers that hang together, 1 or more for shared sets.

    Raises:
        InputError: a value outside its range (``out_of_range``).

    Source: normal-theory sample size (Cohen 1988, chapter 2) with the variance enumerated.

    >>> sets_needed(0.2, 4).n
    262
    """
    inside = (
        0.0 < difference <= 2.0
        and set_size >= 2
        and 0.0 < alpha < 1.0
        and 0.0 < power < 1.0
        and comparisons >= 1
        and design_effect > 0.0
    )
    if not inside:
        raise InputError(
            f"difference {difference}, set size {set_size}, alpha {alpha}, power {power}, "
            f"comparisons {comparisons}, design effect {design_effect}",
            wanted="0 < difference <= 2, set size >= 2, alpha and power in (0, 1), "
            "comparisons >= 1, design effect > 0",
            code="out_of_range",
        )
    variance = 4.0 / (set_size - 1)
    z = float(-ndtri(alpha / (2.0 * comparisons)) + ndtri(power))
    exact = z * z * variance * design_effect / difference**2
    return BwsSampleSize(n=math.ceil(exact - 1e-9), n_exact=exact, variance_of_difference=variance)


def pass_probability(n_checks: int, need_at_least: int, right_probability: float) -> float:
    """The chance to pass attention checks when each is right with ``right_probability``.

    With 1/k for a set of k it is what a guesser achieves; with 0.95 what an honest person does.

    Raises:
        InputError: a value outside its range (``out_of_range``).

    Source: upper tail of the binomial distribution.

    >>> round(pass_probability(8, 6, 0.25), 4)
    0.0042
    """
    if not (0 <= need_at_least <= n_checks and n_checks >= 1 and 0.0 <= right_probability <= 1.0):
        raise InputError(
            f"{need_at_least} of {n_checks} checks at {right_probability}",
            wanted="0 <= needed <= checks, at least one check, a probability",
            code="out_of_range",
        )
    return float(binom.sf(need_at_least - 1, n_checks, right_probability))
