"""What an exact sign-flip test over few units can find: its smallest p, and from where on."""

import numpy as np
from scipy.special import betaincinv

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.inputs import open_unit
from equipoise.stats.mover import paired_difference
from equipoise.stats.signflip import sign_flip


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


def detectable_share(n: int, alpha: float, *, threshold: float = 0.0, power: float = 0.8) -> float:
    """The smallest mean gain of n units that is found with ``power`` to lie beyond a threshold.

    It is found where the exact sign-flip test of the gains less the threshold and the guarded
    interval of their mean both say so. Units are all or nothing: a unit gains 1 or stays as it is,
    and none loses, so that the mean gain is the share that gains, and how many do is binomial.
    Where units lose too, more have to gain.

    Args:
        n: units.
        alpha: two-sided level.
        threshold: of the gain, from 0 on, below 1.
        power: wanted probability.

    Raises:
        InputError: n below 1, alpha or power outside (0, 1).
        NotEstimable: even where every unit gains, it is not found (code ``floor``).

    Source: Clopper and Pearson (1934), Biometrika 26, 404-413: a binomial tail by a beta.

    >>> round(detectable_share(6, 0.05), 3), round(detectable_share(20, 0.05), 3)
    (0.963, 0.366)
    >>> round(detectable_share(20, 0.05, threshold=0.3), 3)
    0.663
    """
    level, wanted = float(open_unit(alpha, "alpha")), float(open_unit(power, "power"))
    if smallest_p(n) > level or not _is_found(n, n, level, threshold):
        raise NotEstimable(
            f"over {n} units a gain of every one has p {smallest_p(n):.4g}, and {level:.4g} is "
            f"wanted beyond {threshold:g}; more units are needed",
            code="floor",
        )
    low, high = 0, n  # not found with `low` units that gain, found with `high`
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _is_found(n, middle, level, threshold) else (middle, high)
    return float(betaincinv(high, n - high + 1, wanted))


def _is_found(n: int, n_gaining: int, alpha: float, threshold: float) -> bool:
    gains = np.zeros(n)
    gains[:n_gaining] = 1.0
    distances = gains - threshold
    if distances.sum() <= 0.0 or sign_flip(distances, rng=np.random.default_rng(1)).p > alpha:
        return False
    interval = paired_difference(gains, np.zeros(n), level=1.0 - alpha).interval
    return interval.lo > threshold
