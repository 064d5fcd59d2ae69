"""Differences in strength between all pairs of systems of a Bradley-Terry fit."""

import numpy as np

from equipoise.stats.all_pairs import Estimates, PairDifferences, all_differences
from equipoise.stats.choice import ChoiceFit


def differences(
    fit: ChoiceFit,
    *,
    level: float = 0.95,
    rng: np.random.Generator | None = None,
    draws: int = 20_000,
) -> PairDifferences:
    """All differences of a fit, in logits, with simultaneous limits.

    Report these and never a bar around a single system: a single strength has no meaning, and
    overlapping bars decide nothing. For ``rng`` and ``draws`` see
    `equipoise.stats.all_pairs.all_differences`.

    Raises:
        NotEstimable: a difference without any spread (``no_spread``).
        InputError: a level outside (0, 1) or fewer than 1,000 draws (``out_of_range``).

    Source: Hothorn, Bretz & Westfall (2008), Biometrical Journal 50, 346-363, section 3.

    >>> from equipoise.stats.choice import fit_counts
    >>> from equipoise.stats.choice_counts import pair_table
    >>> fit = fit_counts(pair_table([("A", "B", 70, 30), ("A", "C", 60, 40), ("B", "C", 50, 50)]))
    >>> round(differences(fit).critical, 3)  # Bonferroni over three pairs
    2.394
    """
    estimates = Estimates(
        names=fit.systems, values=fit.ability, covariance=fit.covariance, df=fit.df
    )
    return all_differences(estimates, level=level, rng=rng, draws=draws)
