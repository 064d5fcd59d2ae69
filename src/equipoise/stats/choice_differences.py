"""Differences between all pairs of systems with limits that hold for all of them together."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from equipoise.errors import InputError
from equipoise.stats.choice import ChoiceFit
from equipoise.stats.choice_counts import FloatArray, IntArray

_VALUES_A_BATCH = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemDifferences:
    """The difference in strength of each pair of systems, in logits.

    Attributes:
        systems: names; ``left`` and ``right`` hold positions in it, left before right.
        left: ``(n_pairs,)``.
        right: ``(n_pairs,)``.
        value: ``(n_pairs,)`` ability of left less ability of right.
        se: ``(n_pairs,)``.
        low: ``(n_pairs,)`` lower limits; all limits of the table hold together at ``level``.
        high: ``(n_pairs,)`` upper limits.
        critical: the multiple of ``se``.
        level: joint confidence.
        df: degrees of freedom; None for normal limits.
        method: ``max-|t| by simulation`` or ``Bonferroni``, with the draws.
    """

    systems: tuple[str, ...]
    left: IntArray
    right: IntArray
    value: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    critical: float
    level: float
    df: float | None
    method: str


def differences(
    fit: ChoiceFit,
    *,
    level: float = 0.95,
    rng: np.random.Generator | None = None,
    draws: int = 20_000,
) -> SystemDifferences:
    """All differences of a fit with simultaneous limits.

    With ``rng`` the critical value is the simulated quantile of the largest ``|t|`` over all pairs
    (the correlation of the differences is used, multivariate t where the errors are clustered);
    without, Bonferroni, which is wider. Two systems need no correction and get none.

    Raises:
        InputError: a level outside (0, 1) or fewer than 1,000 draws (``out_of_range``).

    Source: Hothorn, Bretz & Westfall (2008), Biometrical Journal 50, 346-363, section 3.

    >>> from equipoise.stats.choice import fit_counts
    >>> from equipoise.stats.choice_counts import pair_table
    >>> fit = fit_counts(pair_table([("A", "B", 70, 30), ("A", "C", 60, 40), ("B", "C", 50, 50)]))
    >>> round(differences(fit).critical, 3)  # Bonferroni over three pairs
    2.394
    """
    if not 0.0 < level < 1.0 or draws < 1000:
        raise InputError(
            f"level {level}, draws {draws}",
            wanted="a level between 0 and 1 and at least 1000 draws",
            code="out_of_range",
        )
    left, right = np.triu_indices(len(fit.systems), k=1)
    c = fit.covariance
    se = np.sqrt(c[left, left] + c[right, right] - 2.0 * c[left, right])
    value = fit.ability[left] - fit.ability[right]
    if rng is None or len(left) == 1:
        tail = (1.0 - level) / (2.0 * len(left))
        critical = float(-ndtri(tail) if fit.df is None else -stdtrit(fit.df, tail))
        method = "Bonferroni" if len(left) > 1 else "one pair, no correction"
    else:
        critical = _largest_t(fit, se, level=level, rng=rng, draws=draws)
        method = f"max-|t| by simulation, {draws} draws"
    return SystemDifferences(
        systems=fit.systems,
        left=left,
        right=right,
        value=value,
        se=se,
        low=value - critical * se,
        high=value + critical * se,
        critical=critical,
        level=level,
        df=fit.df,
        method=method,
    )


def _largest_t(
    fit: ChoiceFit, se: FloatArray, *, level: float, rng: np.random.Generator, draws: int
) -> float:
    n = len(fit.systems)
    sizes, axes = np.linalg.eigh(fit.covariance)
    root = axes * np.sqrt(np.clip(sizes, 0.0, None))
    largest = np.empty(draws)
    for start in range(0, draws, batch := max(1, _VALUES_A_BATCH // n)):
        stop = min(draws, start + batch)
        strengths = rng.standard_normal((stop - start, n)) @ root.T
        block, place = np.zeros(stop - start), 0
        for i in range(n - 1):
            gaps = np.abs(strengths[:, i : i + 1] - strengths[:, i + 1 :])
            np.maximum(block, (gaps / se[place : place + n - 1 - i]).max(axis=1), out=block)
            place += n - 1 - i
        largest[start:stop] = block
    if fit.df is not None:
        largest /= np.sqrt(rng.chisquare(fit.df, draws) / fit.df)
    return float(np.quantile(largest, level, method="higher"))
