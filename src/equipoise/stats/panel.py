"""From repeats of a judge to its rate, from several judges to one, and how many they are worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median
from typing import Literal

import numpy as np
import numpy.typing as npt

from equipoise.errors import InputError, NotEstimable

Order = Literal["AB", "BA"]
Verdict = Literal["A", "B", "tie"]

_CREDIT: Mapping[str | None, float] = {"A": 1.0, "tie": 0.5, "B": 0.0}
_LEVEL = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedVerdict:
    """One judge's repeats on one pair, places weighed out.

    Attributes:
        p_a: mean of the rates of A in the two orders, a tie half; 0.5 for a judge that only looks
            at the place, however many repeats each order has.
        verdict: A above 1/2, B below, else tie.
        position_effect: half the rate of A shown first less that of A shown second; +0.5 for a
            judge that always takes the first.
        rate_ab: rate of A where A was shown first.
        rate_ba: rate of A where B was shown first.
        n_ab: readable repeats with A first.
        n_ba: readable repeats with B first.
        invalid: unreadable answers; no tie, no loss, counted nowhere else.
    """

    p_a: float
    verdict: Verdict
    position_effect: float
    rate_ab: float
    rate_ba: float
    n_ab: int
    n_ba: int
    invalid: int

    @property
    def is_balanced(self) -> bool:
        """Whether both orders have equally many readable repeats."""
        return self.n_ab == self.n_ba


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelVerdict:
    """Several judges on one pair: the median decides, the mean only shows what it would say."""

    p_a: float
    mean: float
    verdict: Verdict
    n_judges: int
    without_answer: tuple[str, ...]


def repeated_verdict(orders: Sequence[Order], winners: Sequence[str | None]) -> RepeatedVerdict:
    """The verdict of one judge over repeats in both orders.

    Args:
        orders: ``AB`` where A was shown first, ``BA`` where B was.
        winners: ``A``, ``B`` or ``tie`` after turning the places back; anything else, and None, is
            an unreadable answer.

    Raises:
        NotEstimable: an order without a readable answer (``one_order_missing``): a place bias
            could not be told from a preference.
        InputError: different lengths (``length_differs``) or an unknown order
            (``unknown_order``).

    Source: averaging over orders, Wang et al. (2023), arXiv:2305.17926, "balanced position
    calibration".

    >>> repeated_verdict(["AB", "AB", "BA"], ["A", "A", "B"]).verdict
    'tie'
    """
    if len(orders) != len(winners):
        raise InputError(
            f"{len(orders)} orders, {len(winners)} winners", wanted="as many", code="length_differs"
        )
    if strangers := sorted({str(order) for order in orders} - {"AB", "BA"}):
        raise InputError(f"orders {strangers}", wanted="'AB' or 'BA'", code="unknown_order")
    credit_in: dict[str, list[float]] = {"AB": [], "BA": []}
    for order, winner in zip(orders, winners, strict=True):
        if (credit := _CREDIT.get(winner)) is not None:
            credit_in[order].append(credit)
    n_ab, n_ba = len(credit_in["AB"]), len(credit_in["BA"])
    if not (n_ab and n_ba):
        raise NotEstimable(
            f"both orders are needed: {n_ab} readable answers with A first, {n_ba} with B first",
            code="one_order_missing",
        )
    ab, ba = fmean(credit_in["AB"]), fmean(credit_in["BA"])
    return RepeatedVerdict(
        p_a=(ab + ba) / 2.0,
        verdict=_verdict((ab + ba) / 2.0),
        position_effect=(ab - ba) / 2.0,
        rate_ab=ab,
        rate_ba=ba,
        n_ab=n_ab,
        n_ba=n_ba,
        invalid=len(orders) - n_ab - n_ba,
    )


def panel_verdict(p_a_by_judge: Mapping[str, float | None]) -> PanelVerdict:
    """The median over judges, which one judge far off does not turn.

    Args:
        p_a_by_judge: judge -> rate of A, 0 to 1; None for a judge without an answer, who is named
            in the result and counts nowhere.

    Raises:
        NotEstimable: no judge has an answer (``no_judges``).
        InputError: a rate outside 0..1 (``out_of_range``).

    >>> panel_verdict({"g": 0.6, "x": 0.55, "o": 0.0}).p_a
    0.55
    """
    rates = {name: rate for name, rate in p_a_by_judge.items() if rate is not None}
    if not rates:
        raise NotEstimable("no judge has an answer", code="no_judges")
    if bad := [name for name, rate in rates.items() if not 0.0 <= rate <= 1.0]:
        raise InputError(
            f"rates of {bad} outside 0..1", wanted="shares of 0 to 1", code="out_of_range"
        )
    middle = median(rates.values())
    return PanelVerdict(
        p_a=middle,
        mean=fmean(rates.values()),
        verdict=_verdict(middle),
        n_judges=len(rates),
        without_answer=tuple(name for name in p_a_by_judge if name not in rates),
    )


def effective_judges(n_judges: float, error_correlation: float) -> float:
    """How many independent judges a panel is worth: k / (1 + (k - 1) r).

    Args:
        n_judges: judges, 1 or more.
        error_correlation: mean correlation of their errors, see `error_correlation`.

    Raises:
        NotEstimable: a correlation at or below -1/(k - 1), which k judges cannot share
            (``impossible_correlation``).
        InputError: fewer than one judge, or no correlation (``out_of_range``).

    Source: Kish (1965), Survey Sampling, section 5.4 (design effect).

    >>> effective_judges(9, 0.4375)
    2.0
    """
    if n_judges < 1 or not -1.0 <= error_correlation <= 1.0:
        raise InputError(
            f"{n_judges} judges, correlation {error_correlation}",
            wanted="1 or more judges and a correlation from -1 to 1",
            code="out_of_range",
        )
    inflation = 1.0 + (n_judges - 1.0) * error_correlation
    if inflation <= 1e-12:
        raise NotEstimable(
            f"{n_judges:g} judges cannot share a mean correlation of {error_correlation}",
            code="impossible_correlation",
        )
    return n_judges / inflation


def error_correlation(errors: npt.ArrayLike) -> float:
    """The mean correlation between judges of being wrong on the same units.

    Args:
        errors: ``(n_judges, n_units)`` true where the judge was wrong.

    Raises:
        NotEstimable: fewer than two judges (``no_pairs``) or a judge who is always or never wrong
            (``no_spread``).
        InputError: not two dimensions (``out_of_range``).

    Source: mean of Pearson's (phi) coefficients over pairs of judges.

    >>> error_correlation([[1, 0, 1, 0], [1, 0, 1, 0], [1, 0, 1, 0]])
    1.0
    """
    wrong = np.asarray(errors, dtype=np.float64)
    if wrong.ndim != 2:
        raise InputError(
            f"errors of shape {wrong.shape}", wanted="judges by units", code="out_of_range"
        )
    if len(wrong) < 2:
        raise NotEstimable("one judge has no pair", code="no_pairs")
    if wrong.shape[1] < 2 or (np.ptp(wrong, axis=1) == 0).any():
        raise NotEstimable("a judge is always or never wrong", code="no_spread")
    matrix = np.asarray(np.corrcoef(wrong), dtype=np.float64)
    return fmean(round(float(matrix[i, j]), 12) for i, j in combinations(range(len(wrong)), 2))


def _verdict(p_a: float) -> Verdict:
    if abs(p_a - 0.5) <= _LEVEL:
        return "tie"
    return "A" if p_a > 0.5 else "B"
