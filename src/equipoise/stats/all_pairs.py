"""Differences between all pairs of several estimates, with limits that hold for all together."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from equipoise.errors import InputError, NotEstimable

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

_VALUES_A_BATCH = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDifferences:
    """The difference of each pair of estimates, in the unit of the estimates.

    Attributes:
        names: of the estimates; ``left`` and ``right`` hold positions in it, left before right.
        left: ``(n_pairs,)``.
        right: ``(n_pairs,)``.
        value: ``(n_pairs,)`` estimate of left less estimate of right.
        se: ``(n_pairs,)``.
        low: ``(n_pairs,)`` lower limits; all limits of the table hold together at ``level``.
        high: ``(n_pairs,)`` upper limits.
        critical: the multiple of ``se``.
        level: joint confidence.
        df: degrees of freedom; None for normal limits.
        method: ``max-|t| by simulation`` with the draws, or ``Bonferroni``.
    """

    names: tuple[str, ...]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """Several estimates: ``values`` ``(n,)``, their ``covariance`` ``(n, n)``, t with ``df``."""

    names: tuple[str, ...]
    values: FloatArray
    covariance: FloatArray
    df: float | None


def all_differences(
    estimates: Estimates,
    *,
    level: float = 0.95,
    rng: np.random.Generator | None = None,
    draws: int = 20_000,
) -> PairDifferences:
    """All differences with simultaneous limits.

    With ``rng`` the critical value is the simulated quantile of the largest ``|t|`` over all pairs
    (the correlation of the differences is used, multivariate t where there are ``df``); without,
    Bonferroni, which is wider. One pair needs no correction and gets none.

    Raises:
        NotEstimable: fewer than two estimates (``no_pairs``), or a pair whose difference has no
            spread at all (``no_spread``): a standard error of 0 would be false certainty.
        InputError: a level outside (0, 1) or fewer than 1,000 draws (``out_of_range``).

    Source: Hothorn, Bretz & Westfall (2008), Biometrical Journal 50, 346-363, section 3.

    >>> three = Estimates(
    ...     names=("a", "b", "c"), values=np.arange(3.0), covariance=np.eye(3), df=None)
    >>> round(all_differences(three, rng=np.random.default_rng(1)).critical, 1)  # Tukey: 2.34
    2.3
    """
    if not 0.0 < level < 1.0 or draws < 1000:
        raise InputError(
            f"level {level}, draws {draws}",
            wanted="a level between 0 and 1 and at least 1000 draws",
            code="out_of_range",
        )
    left, right = np.triu_indices(len(estimates.names), k=1)
    if not len(left):
        raise NotEstimable("fewer than two estimates have no difference", code="no_pairs")
    c = estimates.covariance
    variance = c[left, left] + c[right, right] - 2.0 * c[left, right]
    if (flat := variance <= 1e-14 * (c[left, left] + c[right, right])).any():
        pair = int(flat.argmax())
        names = f"{estimates.names[left[pair]]!r} and {estimates.names[right[pair]]!r}"
        raise NotEstimable(
            f"the difference of {names} is the same everywhere: no spread to see", code="no_spread"
        )
    se, value = np.sqrt(variance), estimates.values[left] - estimates.values[right]
    if rng is None or len(left) == 1:
        tail = (1.0 - level) / (2.0 * len(left))
        df = estimates.df
        critical = float(-ndtri(tail) if df is None else -stdtrit(df, tail))
        method = "Bonferroni" if len(left) > 1 else "one pair, no correction"
    else:
        critical = _largest_t(estimates, se, level=level, rng=rng, draws=draws)
        method = f"max-|t| by simulation, {draws} draws"
    return PairDifferences(
        names=estimates.names,
        left=left,
        right=right,
        value=value,
        se=se,
        low=value - critical * se,
        high=value + critical * se,
        critical=critical,
        level=level,
        df=estimates.df,
        method=method,
    )


def _largest_t(
    estimates: Estimates, se: FloatArray, *, level: float, rng: np.random.Generator, draws: int
) -> float:
    n = len(estimates.names)
    sizes, axes = np.linalg.eigh(estimates.covariance)
    root = axes * np.sqrt(np.clip(sizes, 0.0, None))
    largest = np.empty(draws)
    for start in range(0, draws, batch := max(1, _VALUES_A_BATCH // n)):
        stop = min(draws, start + batch)
        drawn = rng.standard_normal((stop - start, n)) @ root.T
        block, place = np.zeros(stop - start), 0
        for i in range(n - 1):
            gaps = np.abs(drawn[:, i : i + 1] - drawn[:, i + 1 :])
            np.maximum(block, (gaps / se[place : place + n - 1 - i]).max(axis=1), out=block)
            place += n - 1 - i
        largest[start:stop] = block
    if estimates.df is not None:
        largest /= np.sqrt(rng.chisquare(estimates.df, draws) / estimates.df)
    return float(np.quantile(largest, level, method="higher"))
