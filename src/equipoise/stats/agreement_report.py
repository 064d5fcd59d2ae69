"""What surrounds a coefficient of agreement: its interval, a place test, and whether to show it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from equipoise.errors import InputError, NotEstimable

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementInterval:
    """A coefficient with an interval over sets.

    Attributes:
        value: the coefficient on all sets.
        low: lower limit.
        high: upper limit.
        level: confidence.
        n_sets: sets resampled.
        draws: resamples.
        n_undefined: resamples without a coefficient, left out.
        method: in words.
    """

    value: float
    low: float
    high: float
    level: float
    n_sets: int
    draws: int
    n_undefined: int
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionTest:
    """Whether choices fall evenly on the places.

    Attributes:
        chosen: choices by place, first place first.
        expected: choices by place if places did not matter.
        chi_square: Pearson's statistic.
        df: places - 1.
        p: chance of such a statistic if places did not matter.
        smallest_expected: below 5 the p value is only a rough guide.
    """

    chosen: tuple[int, ...]
    expected: tuple[float, ...]
    chi_square: float
    df: int
    p: float
    smallest_expected: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementMode:
    """Whether a report may show agreement between annotators.

    Attributes:
        mode: ``kappa`` or ``no_kappa``.
        label: the sentence that the report prints.
        may_show: what may be shown all the same, as information; empty for nothing.
    """

    mode: Literal["kappa", "no_kappa"]
    label: str
    may_show: str = ""


def interval_over_sets(
    coefficient: Callable[[IntArray], float],
    n_sets: int,
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    draws: int = 2000,
) -> AgreementInterval:
    """A percentile bootstrap interval of any coefficient of agreement, resampling whole sets.

    Raters and pairs of one set hang together, so sets are drawn, never ratings. With fewer than
    about 30 sets the interval is too short and only indicative.

    Args:
        coefficient: from positions of sets (with repeats) to the coefficient, for instance
            ``lambda rows: fleiss_kappa(counts[rows])``; may raise `NotEstimable`.
        n_sets: number of sets.
        rng: source of randomness.
        level: confidence, 0 to 1.
        draws: resamples, 200 or more.

    Raises:
        NotEstimable: fewer than two sets (``one_cluster``); every resample gives the same value,
            as with perfect agreement, which is no certainty (``no_spread``); more than 5 % of the
            resamples have no coefficient (``unstable``); or the coefficient itself has none.
        InputError: level or draws out of range (``out_of_range``).

    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.

    >>> from equipoise.stats.agreement import observed_agreement
    >>> counts = np.array([[2.0, 0.0]] * 30 + [[1.0, 1.0]] * 10)
    >>> found = interval_over_sets(lambda rows: observed_agreement(counts[rows]), 40,
    ...     np.random.default_rng(1))
    >>> found.value
    0.75
    """
    if not 0.0 < level < 1.0 or draws < 200:
        raise InputError(
            f"level {level}, draws {draws}",
            wanted="a level between 0 and 1 and at least 200 draws",
            code="out_of_range",
        )
    if n_sets < 2:
        raise NotEstimable(f"{n_sets} set: no spread over sets to see", code="one_cluster")
    value = coefficient(np.arange(n_sets))
    found = []
    for _ in range(draws):
        try:
            found.append(coefficient(rng.integers(0, n_sets, n_sets)))
        except NotEstimable:
            continue
    n_undefined = draws - len(found)
    if n_undefined > 0.05 * draws:
        raise NotEstimable(
            f"{n_undefined} of {draws} resamples have no coefficient: the sets vary too little",
            code="unstable",
        )
    if max(found) - min(found) < 1e-12:
        raise NotEstimable(
            "every resample gives the same value: no spread over sets to see", code="no_spread"
        )
    low, high = np.quantile(found, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return AgreementInterval(
        value=value,
        low=float(low),
        high=float(high),
        level=level,
        n_sets=n_sets,
        draws=draws,
        n_undefined=n_undefined,
        method="percentile bootstrap over sets",
    )


def position_test(places: npt.ArrayLike, set_sizes: npt.ArrayLike) -> PositionTest:
    """Pearson's chi-square of chosen places against even choice.

    Belongs beside every kappa of choices: annotators who always click the first place agree
    perfectly. Says nothing about place where sets were always shown in one order, because place
    and item are then mixed up.

    Args:
        places: ``(n,)`` chosen place of each answer, 0 the first.
        set_sizes: ``(n,)`` or one number: places each set had.

    Raises:
        NotEstimable: no answer (``no_units``) or sets with a single place (``one_category``).
        InputError: a place outside its set (``out_of_range``).

    Source: Pearson (1900), Philosophical Magazine 50, 157-175.

    >>> round(position_test([0] * 30 + [1] * 10, 2).chi_square, 3)
    10.0
    """
    chosen = np.asarray(places, dtype=np.intp)
    if chosen.size == 0:
        raise NotEstimable("no answer", code="no_units")
    sizes = np.broadcast_to(np.asarray(set_sizes, dtype=np.intp), chosen.shape)
    if (chosen < 0).any() or (chosen >= sizes).any():
        raise InputError(
            "a chosen place outside its set", wanted="0 <= place < set size", code="out_of_range"
        )
    n_places = int(sizes.max())
    if n_places < 2:
        raise NotEstimable("every set has a single place", code="one_category")
    counts = np.bincount(chosen, minlength=n_places)
    expected = np.array([(1.0 / sizes[sizes > place]).sum() for place in range(n_places)])
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return PositionTest(
        chosen=tuple(counts.tolist()),
        expected=tuple(expected.tolist()),
        chi_square=statistic,
        df=n_places - 1,
        p=float(chi2.sf(statistic, n_places - 1)),
        smallest_expected=float(expected.min()),
    )


def agreement_mode(
    annotators: int, overlap_sets: int, *, least_annotators: int = 3
) -> AgreementMode:
    """Whether agreement may be reported, from who annotated and how much they share.

    Args:
        annotators: people who annotated.
        overlap_sets: sets that two or more of them judged.
        least_annotators: registered minimum.

    Raises:
        InputError: a negative number (``out_of_range``).

    >>> agreement_mode(1, 0).label
    'single annotator: agreement cannot be computed'
    """
    if min(annotators, overlap_sets) < 0:
        raise InputError(
            f"{annotators} annotators, {overlap_sets} sets", wanted="0 or more", code="out_of_range"
        )
    if annotators < 2:
        who = "single annotator" if annotators else "no annotator"
        return AgreementMode(mode="no_kappa", label=f"{who}: agreement cannot be computed")
    if annotators < least_annotators:
        coefficient = "cohen_kappa" if annotators == 2 else "krippendorff_alpha"
        return AgreementMode(
            mode="no_kappa",
            label=f"fewer than {least_annotators} annotators: pre-registered minimum not met",
            may_show=coefficient + "_as_information" if overlap_sets else "",
        )
    if overlap_sets == 0:
        return AgreementMode(mode="no_kappa", label="no set was judged by two annotators")
    return AgreementMode(
        mode="kappa", label=f"{annotators} annotators, {overlap_sets} sets judged by two or more"
    )
