"""What an exact sign-flip test over few units can find: its smallest p, and from where on."""

import math

from scipy.special import betaincinv

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.inputs import open_unit


def smallest_p(n: int) -> float:
    """The smallest two-sided p that the sign-flip test over n units can give: 2 / 2^n.

    It is reached where every unit differs in the same direction; units without a difference raise
    it.

    Raises:
        InputError: n is below 1.

    Source: Fisher (1935), The Design of Experiments, section 21.

    >>> smallest_p(6), smallest_p(1)
    (0.03125, 1.0)
    """
    if n < 1:
        raise InputError(f"{n} units", wanted="at least 1")
    return float(2.0 ** (1 - n))


def detectable_share(n: int, alpha: float, *, power: float = 0.8) -> float:
    """The smallest share of units that has to gain for the test to find it with ``power``.

    Units are all or nothing: a unit gains 1 or stays as it is, and none loses, so that the share is
    the mean gain as well. The test then finds a gain where at least m units gain, m the smallest
    count with 2 / 2^m <= alpha, and the number that gain is binomial. Where units lose too, more
    has to gain.

    Args:
        n: units.
        alpha: two-sided level.
        power: wanted probability.

    Raises:
        InputError: n below 1, alpha or power outside (0, 1).
        NotEstimable: even where every unit gains, p stays above alpha (code ``floor``).

    Source: Clopper and Pearson (1934), Biometrika 26, 404-413: a binomial tail by a beta.

    >>> round(detectable_share(6, 0.05), 3), round(detectable_share(20, 0.05), 3)
    (0.963, 0.366)
    """
    level, wanted = float(open_unit(alpha, "alpha")), float(open_unit(power, "power"))
    needed = 1 + math.ceil(-math.log2(level) - 1e-12)
    if smallest_p(n) > level:
        raise NotEstimable(
            f"over {n} units the smallest p is {smallest_p(n):.4g}, above {level:.4g}; "
            f"{needed} units are needed",
            code="floor",
        )
    return float(betaincinv(needed, n - needed + 1, wanted))
