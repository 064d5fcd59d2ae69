"""The max-T adjustment: flipping the signs of whole units keeps the correlation of the cells."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import InputError, NotEstimable

Side = Literal["two-sided", "greater", "less"]

_MOST_UNITS_EXACT = 16
_CHUNK = 4_000_000
_TIE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxT:
    """Raw and adjusted p-values of many cells over the same units.

    Attributes:
        raw: p-value of each cell alone, shape ``(k,)``.
        single_step: adjusted by the largest statistic over all cells, shape ``(k,)``.
        step_down: adjusted by the largest over the cells not yet rejected; never larger than
            ``single_step``, shape ``(k,)``.
        n: number of units.
        patterns: number of sign patterns used.
        is_exact: all patterns were used, not a sample.
        smallest_p: the smallest p-value that could have come out.
        method: name of the method.
    """

    raw: NDArray[np.float64]
    single_step: NDArray[np.float64]
    step_down: NDArray[np.float64]
    n: int
    patterns: int
    is_exact: bool
    smallest_p: float
    method: str


def max_t(
    differences: ArrayLike,
    *,
    side: Side = "two-sided",
    scaled: bool = True,
    rng: np.random.Generator | None = None,
    draws: int = 10_000,
) -> MaxT:
    """Family-wise adjusted p-values by flipping the signs of whole units.

    All 2^n patterns up to 16 units, a sample of ``draws`` beyond (then no p-value is below
    1 / (1 + draws)). Memory stays bounded whatever the number of units and cells.

    Args:
        differences: new minus base (minus the margin for a one-sided test), shape ``(n_units,
            n_cells)``; NaN where a unit has no value in a cell.
        side: ``two-sided``, or ``greater`` / ``less`` for one-sided tests.
        scaled: divide each cell's sum by the root of its sum of squares, so that a noisy cell does
            not rule the largest; under sign flips this orders the patterns as the t statistic does.
        rng: source of randomness, used for more than 16 units.
        draws: number of sampled patterns.

    Raises:
        InputError: not two-dimensional, infinite values, or no ``rng`` where one is needed.
        NotEstimable: no unit or no cell, or a cell whose differences are all 0 or missing while
            ``scaled`` (code ``degenerate``).

    Source: Westfall and Young (1993), Resampling-Based Multiple Testing, algorithm 2.8; Winkler et
    al. (2014), NeuroImage 92, 381-397 (sign flips).

    >>> d = [[0.4, 0.1], [0.3, -0.1], [0.5, 0.2], [0.2, 0.1], [0.6, 0], [0.1, 0.3]]
    >>> max_t(d, scaled=False).single_step.tolist()
    [0.03125, 0.65625]
    """
    matrix = _matrix(differences)
    n, k = matrix.shape
    scale = np.sqrt(np.square(matrix).sum(axis=0)) if scaled else np.ones(k)
    if scaled and bool(np.any(scale == 0.0)):
        raise NotEstimable(
            f"{int(np.count_nonzero(scale == 0))} of {k} cells have no difference other than 0",
            code="degenerate",
        )
    matrix = matrix / scale
    is_exact = n <= _MOST_UNITS_EXACT
    if not is_exact and rng is None:
        raise InputError(
            f"{n} units have too many sign patterns to try all",
            wanted=f"at most {_MOST_UNITS_EXACT} units, or a source of randomness",
            mend="give a seed",
            code="needs_seed",
        )
    hits = _Hits(_oriented(matrix.sum(axis=0), side), float(np.abs(matrix).sum(axis=0).max()))
    patterns = 2**n if is_exact else draws
    for first in range(0, patterns, _block(n, k)):
        size = min(_block(n, k), patterns - first)
        signs = _all_signs(first, size, n) if rng is None or is_exact else _some_signs(rng, size, n)
        hits.add(_oriented(signs @ matrix, side))
    extra = 0 if is_exact else 1
    raw, single, down = ((part + extra) / (patterns + extra) for part in hits.counts)
    return MaxT(
        raw=raw,
        single_step=single,
        step_down=_monotone(down, hits.order),
        n=n,
        patterns=patterns,
        is_exact=is_exact,
        smallest_p=float(2.0 ** (1 - n if side == "two-sided" else -n))
        if is_exact
        else 1.0 / (1 + draws),
        method="max-T over sign flips of whole units"
        + ("" if is_exact else f" ({draws} sampled patterns)"),
    )


class _Hits:
    """Counts, pattern by pattern, how often a statistic at least as large came out."""

    def __init__(self, observed: NDArray[np.float64], size: float) -> None:
        self.near = observed - _TIE * size
        self.order = np.argsort(-observed, kind="stable")
        zeros = np.zeros(observed.size, dtype=np.int64)
        self.counts = (zeros.copy(), zeros.copy(), zeros.copy())

    def add(self, statistics: NDArray[np.float64]) -> None:
        """Counts a block of patterns, shape ``(n_patterns, n_cells)``."""
        raw, single, down = self.counts
        raw += (statistics >= self.near).sum(axis=0)
        largest = np.sort(statistics.max(axis=1))
        single += largest.size - np.searchsorted(largest, self.near, side="left")
        rest = np.maximum.accumulate(statistics[:, self.order[::-1]], axis=1)[:, ::-1]
        down[self.order] += (rest >= self.near[self.order]).sum(axis=0)


def _matrix(differences: ArrayLike) -> NDArray[np.float64]:
    try:
        matrix = np.asarray(differences, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            "the rows differ in length or hold something that is no number",
            wanted="one row a unit with one number a cell",
        ) from error
    if matrix.size == 0:
        raise NotEstimable("no unit or no cell", code="too_few")
    if matrix.ndim != 2:
        raise InputError(
            f"the differences have {matrix.ndim} dimensions",
            wanted="one row a unit, one column a cell",
        )
    if bool(np.any(np.isinf(matrix))):
        raise InputError("a difference is infinite", wanted="finite numbers", code="not_a_number")
    return np.nan_to_num(matrix, nan=0.0)


def _oriented(sums: NDArray[np.float64], side: Side) -> NDArray[np.float64]:
    if side == "two-sided":
        return np.abs(sums)
    return sums if side == "greater" else -sums


def _block(n: int, k: int) -> int:
    return max(1, _CHUNK // (n + 4 * k))


def _all_signs(first: int, size: int, n: int) -> NDArray[np.float64]:
    numbers = np.arange(first, first + size, dtype=np.int64)[:, None]
    bits = ((numbers >> np.arange(n)) & 1).astype(np.float64)
    return bits * 2.0 - 1.0


def _some_signs(rng: np.random.Generator, size: int, n: int) -> NDArray[np.float64]:
    bits = rng.integers(0, 2, size=(size, n), dtype=np.int8).astype(np.float64)
    return bits * 2.0 - 1.0


def _monotone(values: NDArray[np.float64], order: NDArray[np.intp]) -> NDArray[np.float64]:
    adjusted = np.empty_like(values)
    adjusted[order] = np.maximum.accumulate(values[order])
    return adjusted
