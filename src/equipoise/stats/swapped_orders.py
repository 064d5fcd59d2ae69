"""A judge asked twice about each pair, with the places swapped: right, stable, readable?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.errors import InputError, NotEstimable


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapReport:
    """Counts over pairs of answers, each judged in both orders.

    Attributes:
        n: pairs.
        right_first_order: right in the first order; unreadable is not right.
        right_second_order: right in the second order.
        right_both: right in both; the number to quote.
        orders_equal: the same readable verdict in both orders; two unreadable ones are no
            agreement.
        n_unreadable: unreadable verdicts, of 2 n.
        n_both_readable: pairs with a readable verdict in both orders.
        first_place: verdicts for whichever answer was shown first, among the
            ``2 n_both_readable`` of those pairs, where both orders count alike.
    """

    n: int
    right_first_order: int
    right_second_order: int
    right_both: int
    orders_equal: int
    n_unreadable: int
    n_both_readable: int
    first_place: int

    @property
    def flip_share(self) -> float:
        """The share of pairs with two readable verdicts that changed with the order, 0 to 1."""
        return 1.0 - self.orders_equal / self._readable()

    @property
    def first_place_share(self) -> float:
        """The share of verdicts for the first place, 0 to 1; 0.5 without a place bias."""
        return self.first_place / (2 * self._readable())

    def _readable(self) -> int:
        if not self.n_both_readable:
            raise NotEstimable("no pair has two readable verdicts", code="no_units")
        return self.n_both_readable


def swap_report(
    gold: Sequence[int], first_order: Sequence[int | None], second_order: Sequence[int | None]
) -> SwapReport:
    """How a judge does in each order and in both.

    Args:
        gold: the better answer of each pair, 1 or 2.
        first_order: the judge's choice with answer 1 shown first; None where it cannot be read.
        second_order: its choice with answer 2 shown first, turned back to answer 1 or 2.

    Raises:
        InputError: different lengths (``length_differs``), no pair (``no_units``) or an answer
            other than 1, 2 and None (``out_of_range``).

    Source: Zheng et al. (2023), arXiv:2306.05685, section 3.4, for judging in both orders.

    >>> swap_report([1, 1], [1, 1], [1, 2]).right_both
    1
    """
    if not len(gold) == len(first_order) == len(second_order):
        raise InputError(
            f"{len(gold)}, {len(first_order)} and {len(second_order)} entries",
            wanted="as many of each",
            code="length_differs",
        )
    if not gold:
        raise InputError("no pair", wanted="at least one", code="no_units")
    truth, one, two = (_codes(column) for column in (gold, first_order, second_order))
    if (truth == 0).any():
        raise InputError("a pair has no right answer", wanted="1 or 2", code="out_of_range")
    both = (one > 0) & (two > 0)
    return SwapReport(
        n=len(gold),
        right_first_order=int((one == truth).sum()),
        right_second_order=int((two == truth).sum()),
        right_both=int(((one == truth) & (two == truth)).sum()),
        orders_equal=int(((one == two) & both).sum()),
        n_unreadable=int((one == 0).sum() + (two == 0).sum()),
        n_both_readable=int(both.sum()),
        first_place=int(((one == 1) & both).sum() + ((two == 2) & both).sum()),
    )


def _codes(column: Sequence[int | None]) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    if strangers := sorted({x for x in column if x is not None} - {1, 2}):
        raise InputError(
            f"answers {strangers}", wanted="1, 2 or None for unreadable", code="out_of_range"
        )
    return np.array([x or 0 for x in column], dtype=np.intp)
