"""The exact sign-flip test of matched differences, and Wilcoxon's signed-rank test.

Under the hypothesis that a unit's difference is as often positive as negative, every pattern of
signs is equally probable. The distribution of the sum over all 2^n patterns is found exactly: by
convolution where the values lie on a grid, else by meeting in the middle up to 40 units. Beyond
that it is sampled, and the result says so.
"""

from fractions import Fraction
from math import gcd, lcm

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.estimates import TestResult
from equipoise.stats.inputs import pairs, sample

_MOST_DENOMINATOR = 10_000
_MOST_CELLS = 200_000_000
_MOST_UNITS_EXACT = 40
_TIE = 1e-9
_CHUNK = 4_000_000


def sign_flip(
    differences: ArrayLike, *, rng: np.random.Generator | None = None, draws: int = 100_000
) -> TestResult:
    """The two-sided sign-flip test of the sum of matched differences.

    Exact for up to 40 units that differ, and for any number whose differences lie on a grid (as
    shares of few repetitions do). Otherwise sampled: p = (1 + hits) / (1 + draws), never 0.

    Args:
        differences: new minus base, one per unit.
        rng: source of randomness, used only where the exact distribution is out of reach.
        draws: number of sampled sign patterns.

    Raises:
        InputError: NaN or infinite values; more than 40 units off any grid and no ``rng``.
        NotEstimable: no unit at all.

    Source: Fisher (1935), The Design of Experiments, section 21; sampled p: Phipson and Smyth
    (2010), Statistical Applications in Genetics and Molecular Biology 9, 39.

    >>> sign_flip([0.3, 0.1, -0.1, 0.5, 0.2, 0.4]).p
    0.09375
    """
    d = sample(differences, "d", least=1)
    sizes = np.abs(d[np.abs(d) > 0])
    observed = abs(float(d.sum()))
    floor = float(2.0 ** (1 - sizes.size)) if sizes.size else 1.0
    weights = _on_grid(sizes)
    p_se = None
    if weights is not None:
        signs = np.sign(d[np.abs(d) > 0]).astype(np.int64)
        p = _by_convolution(weights, abs(int((weights * signs).sum())))
        method = "exact sign-flip test (all sign patterns)"
    elif sizes.size <= _MOST_UNITS_EXACT:
        p = _by_halves(sizes, observed)
        method = "exact sign-flip test (all sign patterns)"
    else:
        p, p_se = _sampled(sizes, observed, rng, draws)
        method = f"sign-flip test ({draws} sampled patterns)"
    return TestResult(
        p=p,
        statistic=float(d.sum()),
        n=d.size,
        method=method,
        smallest_p=floor,
        p_se=p_se,
    )


def wilcoxon_signed_rank(new: ArrayLike, base: ArrayLike) -> TestResult:
    """Wilcoxon's exact two-sided signed-rank test; the statistic is V, the positive rank sum.

    Units without a difference are left out; tied differences share ranks and the distribution is
    exact given the ties. Differences that agree to 9 digits count as tied.

    Raises:
        InputError: unequal lengths, NaN or infinite values.
        NotEstimable: no pair, or no pair that differs (code ``no_discordant``).

    Source: Wilcoxon (1945), Biometrics Bulletin 1, 80-83; Pratt and Gibbons (1981), section 3.7.

    >>> wilcoxon_signed_rank([0.12, 0.35, 0.5], [0.1, 0.3, 0.38]).p
    0.25
    """
    first, second = pairs(new, base, least=1)
    d = first - second
    scale = float(max(np.abs(first).max(), np.abs(second).max()))
    d = d[np.abs(d) > _TIE * scale]
    if d.size == 0:
        raise NotEstimable("no pair differs, so there is nothing to rank", code="no_discordant")
    doubled = np.rint(2 * rankdata(np.round(np.abs(d) / scale, 9))).astype(np.int64)
    v = int(doubled[d > 0].sum())
    chance = _subset_sums(doubled)
    tail = min(float(chance[: v + 1].sum()), float(chance[v:].sum()))
    return TestResult(
        p=min(1.0, 2.0 * tail),
        statistic=v / 2,
        n=d.size,
        method="exact Wilcoxon signed-rank test",
        smallest_p=min(1.0, float(2.0 ** (1 - d.size))),
    )


def _on_grid(sizes: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """The sizes as whole multiples of one step, where there is such a step; else None."""
    distinct = np.unique(sizes)
    if distinct.size > 1000:
        return None
    top = float(distinct[-1]) if distinct.size else 1.0
    steps = [Fraction(float(value)).limit_denominator(_MOST_DENOMINATOR) for value in distinct]
    if any(
        step == 0 or abs(float(step) - value) > 1e-13 * top
        for step, value in zip(steps, distinct, strict=True)
    ):
        return None
    common = lcm(*(step.denominator for step in steps))
    whole = [int(step * common) for step in steps]
    shrink = gcd(*whole) or 1
    by_value = dict(zip(distinct.tolist(), (w // shrink for w in whole), strict=True))
    total = sum(by_value[value] for value in sizes.tolist())
    if total * max(1, sizes.size) > _MOST_CELLS:
        return None
    return np.array([by_value[value] for value in sizes.tolist()], dtype=np.int64)


def _by_convolution(weights: NDArray[np.int64], observed: int) -> float:
    """P(|sum| >= observed) for whole weights: the sum is twice a subset sum minus the total."""
    chance = _subset_sums(weights)
    total = int(weights.sum())
    tail = float(chance[(total + observed) // 2 :].sum())
    return min(1.0, 2.0 * tail) if observed > 0 else 1.0


def _subset_sums(weights: NDArray[np.int64]) -> NDArray[np.float64]:
    """The probability of each sum of a random half-half subset of whole weights."""
    chance = np.zeros(int(weights.sum()) + 1)
    chance[0] = 1.0
    reached = 0
    for weight in weights.tolist():
        reached += weight
        chance[weight : reached + 1] += chance[: reached - weight + 1].copy()
        chance[: reached + 1] *= 0.5
    return chance


def _by_halves(sizes: NDArray[np.float64], observed: float) -> float:
    """P(|sum| >= observed) over all sign patterns, counting pairs of half patterns."""
    near = observed - _TIE * float(sizes.sum() or 1.0)
    half = sizes.size // 2
    left, right = _signed_sums(sizes[:half]), np.sort(_signed_sums(sizes[half:]))
    if near <= 0.0:
        return 1.0
    above = right.size - np.searchsorted(right, near - left, side="left")
    hits = 2 * int(above.sum(dtype=np.int64))
    return min(1.0, float(Fraction(hits, left.size * right.size)))


def _signed_sums(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(1)
    for size in sizes.tolist():
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _sampled(
    sizes: NDArray[np.float64], observed: float, rng: np.random.Generator | None, draws: int
) -> tuple[float, float]:
    if rng is None:
        raise InputError(
            f"{sizes.size} units differ and their differences lie on no grid",
            wanted=f"at most {_MOST_UNITS_EXACT} such units, or a source of randomness",
            mend="give a seed",
            code="needs_seed",
        )
    near = observed - _TIE * float(sizes.sum())
    hits, left = 0, draws
    while left:
        block = min(left, max(1, _CHUNK // sizes.size))
        signs = rng.integers(0, 2, size=(block, sizes.size), dtype=np.int8) * 2 - 1
        hits += int(np.count_nonzero(np.abs(signs @ sizes) >= near))
        left -= block
    p = (1 + hits) / (1 + draws)
    return p, float(np.sqrt(p * (1 - p) / (1 + draws)))
