"""Closed forms for two systems: order effect from both orders, and Davidson ties."""

import math
from dataclasses import dataclass

from equipoise.errors import InputError, NotEstimable


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedPair:
    """``strength``: log odds that A beats B with places level; ``position``: gain of the first."""

    strength: float
    position: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TiedPair:
    """``log_ratio``: log of A's strength over B's; ``nu``: Davidson's readiness to tie."""

    log_ratio: float
    nu: float


def two_systems_with_order(
    wins_first: float, n_first: float, wins_second: float, n_second: float
) -> OrderedPair:
    """Strength and order effect of A against B from A's wins in each order.

    The model logit P(A) = strength + position (A shown first) or strength - position (A shown
    second) has two rates and two parameters, so the fit is half the sum and half the difference
    of the two log odds. A tie may be given as half a win.

    Args:
        wins_first: wins of A where A was shown first.
        n_first: votes with A shown first.
        wins_second: wins of A where B was shown first.
        n_second: votes with B shown first.

    Raises:
        NotEstimable: an order without a vote (``one_order_missing``), or one in which A always or
            never won (``separation``).
        InputError: wins below 0 or above the votes (``out_of_range``).

    Source: Davidson & Beaver (1977), Biometrics 33, 693-702, for the order effect; the solution is
    that of a saturated logistic model.

    >>> round(two_systems_with_order(40, 60, 35, 60).strength, 5)
    0.51481
    """
    if not (0 <= wins_first <= n_first and 0 <= wins_second <= n_second):
        raise InputError(
            f"{wins_first:g} wins of {n_first:g} and {wins_second:g} of {n_second:g}",
            wanted="0 <= wins <= votes in each order",
            code="out_of_range",
        )
    if n_first == 0 or n_second == 0:
        raise NotEstimable("both orders are needed; one has no vote", code="one_order_missing")
    losses = n_first - wins_first, n_second - wins_second
    if min(wins_first, wins_second, *losses) == 0:
        raise NotEstimable("separation", code="separation")
    ahead = math.log(wins_first / losses[0])
    behind = math.log(wins_second / losses[1])
    return OrderedPair(strength=(ahead + behind) / 2.0, position=(ahead - behind) / 2.0)


def two_systems_with_ties(wins: float, losses: float, ties: float) -> TiedPair:
    """Strength ratio and tie parameter of A against B.

    Davidson's model is saturated for two systems: ratio = wins/losses and
    nu = ties / sqrt(wins losses).

    Raises:
        NotEstimable: A never won or never lost (``separation``).
        InputError: a negative count (``out_of_range``).

    Source: Davidson (1970), JASA 65, 317-328.

    >>> two_systems_with_ties(5, 5, 40)
    TiedPair(log_ratio=0.0, nu=8.0)
    """
    if min(wins, losses, ties) < 0:
        raise InputError(
            f"counts {wins:g}, {losses:g}, {ties:g}", wanted="0 or more", code="out_of_range"
        )
    if wins == 0 or losses == 0:
        raise NotEstimable("separation", code="separation")
    return TiedPair(log_ratio=math.log(wins / losses), nu=ties / math.sqrt(wins * losses))
