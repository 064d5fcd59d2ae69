"""pass@k, pass^k and the stability of repeated outcomes."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import InputError, NotEstimable
from equipoise.stats.inputs import count
from equipoise.stats.intervals import QuasiWilson, quasi_wilson

_TWO_THIRDS = Fraction(2, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassK:
    """Unbiased estimates for one task.

    Attributes:
        any_of_k: pass@k: the chance that at least one of k repetitions passes.
        all_of_k: pass^k: the chance that all k repetitions pass.
    """

    any_of_k: float
    all_of_k: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePassK:
    """Means over tasks, each with its interval over tasks; None with one task alone."""

    any_of_k: float
    all_of_k: float
    any_interval: QuasiWilson | None
    all_interval: QuasiWilson | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """What "the most common outcome is at least 2 of 3" can tell with n outcomes.

    Attributes:
        smallest_modal_share: the smallest share that the most common outcome can have.
        is_vacuous: a modal share of at least 2/3 is met by every possible result.
        n: number of outcomes.
    """

    smallest_modal_share: float
    is_vacuous: bool
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeStability:
    """How stable the outcomes of one unit were.

    Attributes:
        modal_share: share of the most common outcome.
        is_unanimous: all outcomes are equal.
        flip_rate: share of pairs of outcomes that differ.
        n: number of outcomes.
    """

    modal_share: float
    is_unanimous: bool
    flip_rate: float
    n: int


def pass_k(n: float, c: float, k: float) -> PassK:
    """pass@k and pass^k of one task with ``c`` passes in ``n`` repetitions.

    ``1 - C(n-c, k) / C(n, k)`` and ``C(c, k) / C(n, k)``, in exact arithmetic.

    Raises:
        InputError: a number that is negative or not whole, ``c`` above ``n``, ``k`` 0.
        NotEstimable: ``k`` above ``n``: with 3 repetitions there is no pass@5.

    Source: Chen et al. (2021), arXiv 2107.03374, equation 1; Yao et al. (2024), arXiv 2406.12045,
    section 3 (pass^k).

    >>> pass_k(3, 2, 2).all_of_k == 1 / 3
    True
    """
    repetitions, wanted = _checked(n, k)
    passes = count(c, "c", most=repetitions)
    ways = comb(repetitions, wanted)
    return PassK(
        any_of_k=float(1 - Fraction(comb(repetitions - passes, wanted), ways)),
        all_of_k=float(Fraction(comb(passes, wanted), ways)),
    )


def suite_pass_k(
    ns: Sequence[float], cs: Sequence[float], k: float, *, level: float = 0.95
) -> SuitePassK:
    """The mean of pass@k and of pass^k over tasks, with quasi-Wilson intervals over tasks.

    Args:
        ns: repetitions of each task.
        cs: passes of each task.
        k: number of repetitions asked about.
        level: confidence level.

    Raises:
        InputError: as :func:`pass_k`, or lists of different lengths.
        NotEstimable: no task, or a task with fewer than k repetitions: leaving it out would select.

    >>> round(suite_pass_k([3, 3, 3, 3], [3, 2, 0, 1], 2).any_of_k, 4)
    0.6667
    """
    if len(ns) != len(cs):
        raise InputError(
            f"{len(ns)} tasks have repetitions and {len(cs)} have passes",
            wanted="both for each task",
            code="unequal_length",
        )
    if not cs:
        raise NotEstimable("no task", code="too_few")
    wanted = int(k)
    short = sum(n < k for n in ns)
    if short:
        raise NotEstimable(
            f"{short} of {len(ns)} tasks have fewer than k = {wanted} repetitions", code="k_above_n"
        )
    tasks = [pass_k(n, c, k) for n, c in zip(ns, cs, strict=True)]
    any_of_k = [task.any_of_k for task in tasks]
    all_of_k = [task.all_of_k for task in tasks]
    several = len(tasks) > 1
    return SuitePassK(
        any_of_k=float(np.mean(any_of_k)),
        all_of_k=float(np.mean(all_of_k)),
        any_interval=quasi_wilson(any_of_k, level=level) if several else None,
        all_interval=quasi_wilson(all_of_k, level=level) if several else None,
        n=len(tasks),
    )


def pass_k_of_units(
    ns: ArrayLike, cs: ArrayLike, k: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """pass@k and pass^k of many tasks at once, shape ``(n_tasks,)`` each.

    Args:
        ns: repetitions of each task.
        cs: passes of each task.
        k: number of repetitions asked about; the cost grows with it.

    Raises:
        InputError: passes outside 0 ... repetitions, or ``k`` below 1.
        NotEstimable: a task has fewer than ``k`` repetitions.

    >>> pass_k_of_units([3, 3], [2, 0], 2)[0].tolist()
    [1.0, 0.0]
    """
    n, c = np.asarray(ns, dtype=np.float64), np.asarray(cs, dtype=np.float64)
    _checked(k, k)
    if n.shape != c.shape or bool(np.any((c < 0) | (c > n))):
        raise InputError(
            "passes and repetitions do not match", wanted="0 <= passes <= repetitions per task"
        )
    short = int(np.count_nonzero(n < k))
    if short:
        raise NotEstimable(
            f"{short} of {n.size} tasks have fewer than k = {k} repetitions", code="k_above_n"
        )
    none_passes, all_pass = np.ones_like(n), np.ones_like(n)
    for drawn in range(k):
        none_passes *= np.maximum(n - c - drawn, 0.0) / (n - drawn)
        all_pass *= np.maximum(c - drawn, 0.0) / (n - drawn)
    return 1.0 - none_passes, all_pass


def stability_of_design(n: float, *, kinds: float = 2) -> Stability:
    """Whether "modal share at least 2/3" can fail at all with ``n`` outcomes of ``kinds`` kinds.

    Three pass/fail outcomes always have two alike, so the criterion says nothing there.

    Raises:
        InputError: a number that is not whole or below 1.
        NotEstimable: no outcome.

    >>> stability_of_design(3).is_vacuous
    True
    """
    outcomes, sorts = count(n, "n_outcomes"), count(kinds, "n_categories")
    if sorts < 1:
        raise InputError(
            f"n_categories = {sorts}", wanted="1 or more", where="field 'n_categories'"
        )
    if outcomes == 0:
        raise NotEstimable("no outcome", code="too_few")
    least = Fraction(-(-outcomes // sorts), outcomes)
    return Stability(smallest_modal_share=float(least), is_vacuous=least >= _TWO_THIRDS, n=outcomes)


def outcome_stability(outcomes: Sequence[Hashable]) -> OutcomeStability:
    """Modal share, unanimity and flip rate of the outcomes of one unit.

    Raises:
        NotEstimable: fewer than 2 outcomes.

    >>> outcome_stability(["pass", "pass", "fail"]).is_unanimous
    False
    """
    n = len(outcomes)
    if n < 2:
        raise NotEstimable(f"{n} outcome(s), at least 2 needed", code="too_few")
    tally = Counter(outcomes).values()
    return OutcomeStability(
        modal_share=max(tally) / n,
        is_unanimous=len(tally) == 1,
        flip_rate=1.0 - sum(comb(t, 2) for t in tally) / comb(n, 2),
        n=n,
    )


def _checked(n: float, k: float) -> tuple[int, int]:
    repetitions, wanted = count(n, "n"), count(k, "k")
    if wanted == 0:
        raise InputError("k = 0", wanted="1 or more", where="field 'k'")
    if wanted > repetitions:
        raise NotEstimable(
            f"with {repetitions} repetitions there is no pass@{wanted}", code="k_above_n"
        )
    return repetitions, wanted
