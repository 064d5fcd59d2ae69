"""What repeats and swapped orders can and cannot do for one verdict of a judge."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from equipoise.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class MajorityError:
    """Chance that most repeats are wrong, and that they split evenly (0 for an odd number)."""

    wrong: float
    tie: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionChances:
    """Chances of each verdict by majority; they add up to 1."""

    a_wins: float
    tie: float
    b_wins: float


def majority_error(n_repeats: int, flip_rate: float) -> MajorityError:
    """The chance that the majority of repeats is wrong, if repeats flip independently.

    Repeats cure only independent flips: what one wording of the question gets wrong, all its
    repeats get wrong.

    Args:
        n_repeats: repeats of one verdict; odd, or an even split is a tie.
        flip_rate: chance that a single repeat is wrong, 0 to 1.

    Raises:
        InputError: no repeat, or no probability (``out_of_range``).

    Source: binomial tail, Condorcet (1785).

    >>> round(majority_error(11, 0.136).wrong, 6)
    0.001579
    """
    if n_repeats < 1 or not 0.0 <= flip_rate <= 1.0:
        raise InputError(
            f"{n_repeats} repeats, flip rate {flip_rate}",
            wanted="1 or more repeats and a rate from 0 to 1",
            code="out_of_range",
        )
    tie = float(binom.pmf(n_repeats // 2, n_repeats, flip_rate)) if n_repeats % 2 == 0 else 0.0
    return MajorityError(wrong=float(binom.sf(n_repeats // 2, n_repeats, flip_rate)), tie=tie)


def position_bias_chances(n_order_ab: int, n_order_ba: int, bias: float) -> DecisionChances:
    """What a majority over repeats decides between two equal outputs under a place bias.

    With equally many repeats in both orders a fully biased judge gives a tie; with 6 and 5 it
    "decides" with certainty for the output that came first more often.

    Args:
        n_order_ab: repeats with A shown first.
        n_order_ba: repeats with B shown first.
        bias: the judge picks the first with chance 0.5 + bias; -0.5 to 0.5.

    Raises:
        InputError: no repeat, or a bias out of range (``out_of_range``).

    Source: sum of two binomials by convolution.

    >>> position_bias_chances(6, 5, 0.5).a_wins
    1.0
    """
    n = n_order_ab + n_order_ba
    if min(n_order_ab, n_order_ba) < 0 or n < 1 or not -0.5 <= bias <= 0.5:
        raise InputError(
            f"{n_order_ab} and {n_order_ba} repeats, bias {bias}",
            wanted="0 or more in each order, at least one, and a bias from -0.5 to 0.5",
            code="out_of_range",
        )
    first = binom.pmf(np.arange(n_order_ab + 1), n_order_ab, 0.5 + bias)
    second = binom.pmf(np.arange(n_order_ba + 1), n_order_ba, 0.5 - bias)
    wins_of_a, chance = np.arange(n + 1), np.convolve(first, second)
    return DecisionChances(
        a_wins=float(chance[2 * wins_of_a > n].sum()),
        tie=float(chance[2 * wins_of_a == n].sum()),
        b_wins=float(chance[2 * wins_of_a < n].sum()),
    )
