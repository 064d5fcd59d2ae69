"""Votes between two systems, one a row or counted per ordered pair."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.errors import InputError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

_LARGEST_DENSE_TABLE = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTable:
    """Votes counted per ordered pair of systems; make one with `pair_table` or `tabulate`.

    Attributes:
        systems: names; the arrays hold positions in it.
        first: ``(n_cells,)`` the system shown first.
        second: ``(n_cells,)`` the system shown second, never equal to ``first``.
        first_wins: ``(n_cells,)`` votes for the first, at least 0.
        second_wins: ``(n_cells,)`` votes for the second.
        ties: ``(n_cells,)`` votes for neither.
    """

    systems: tuple[str, ...]
    first: IntArray
    second: IntArray
    first_wins: FloatArray
    second_wins: FloatArray
    ties: FloatArray

    @property
    def n_votes(self) -> float:
        """All votes, ties included."""
        return float(self.first_wins.sum() + self.second_wins.sum() + self.ties.sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """Single votes with the prompt each belongs to.

    Attributes:
        systems: names; ``first`` and ``second`` hold positions in it.
        first: ``(n,)`` the system shown first.
        second: ``(n,)`` the system shown second.
        outcome: ``(n,)`` 1 the first won, -1 the second won, 0 tie.
        prompt: ``(n,)`` any integers; votes on one prompt share one, and prompts are what a
            repetition of the study would draw anew.

    Raises:
        InputError: unequal lengths (``length_differs``), no vote (``no_votes``), a system against
            itself (``same_system``), a position or an outcome out of range (``out_of_range``).
    """

    systems: tuple[str, ...]
    first: IntArray
    second: IntArray
    outcome: npt.NDArray[np.int8]
    prompt: IntArray

    def __post_init__(self) -> None:
        lengths = {len(self.first), len(self.second), len(self.outcome), len(self.prompt)}
        if len(lengths) > 1:
            raise InputError(
                f"columns of {sorted(lengths)} votes",
                wanted="first, second, outcome and prompt of one length",
                code="length_differs",
            )
        _check_pairs(self.systems, self.first, self.second)
        if np.abs(self.outcome).max() > 1:
            raise InputError(
                f"an outcome {int(self.outcome[np.abs(self.outcome).argmax()])}",
                wanted="1 (first won), -1 (second won) or 0 (tie); leave unreadable votes out",
                code="out_of_range",
            )


def pair_table(
    rows: Sequence[Sequence[str | float]], *, systems: Sequence[str] | None = None
) -> PairTable:
    """The table of rows ``(first, second, wins of first, wins of second[, ties])``.

    Rows of the same ordered pair are added up. Systems stand in the order in which they first
    appear unless ``systems`` gives one; the first is the reference of a fit.

    Raises:
        InputError: no row (``no_votes``), a row of another shape (``row_shape``), a
            text for a count (``not_a_number``), a negative or
            non-finite count (``out_of_range``), a system against itself (``same_system``), a
            system that ``systems`` does not name (``unknown_item``).

    >>> pair_table([("A", "B", 7, 3), ("A", "C", 6, 4)]).systems
    ('A', 'B', 'C')
    """
    for number, row in enumerate(rows, start=1):
        if len(row) not in {4, 5}:
            raise InputError(
                f"row {number} has {len(row)} fields",
                wanted="first, second, wins of first, wins of second, and perhaps ties",
                code="row_shape",
            )
        if texts := [count for count in row[2:] if isinstance(count, str)]:
            raise InputError(
                f"row {number} has the counts {texts}", wanted="numbers", code="not_a_number"
            )
    named = [str(name) for row in rows for name in row[:2]]
    order = tuple(dict.fromkeys(named)) if systems is None else tuple(systems)
    place = {name: index for index, name in enumerate(order)}
    if strangers := sorted(set(named) - place.keys()):
        raise InputError(
            f"systems {strangers} are not declared", wanted=f"{list(order)}", code="unknown_item"
        )
    pairs = np.array([place[name] for name in named], dtype=np.intp).reshape(-1, 2)
    counts = np.array([[float(c) for c in (*row[2:], 0.0)][:3] for row in rows], dtype=np.float64)
    _check_pairs(order, pairs[:, 0], pairs[:, 1])
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise InputError(
            "a count that is negative or not finite",
            wanted="counts of 0 or more",
            code="out_of_range",
        )
    cells, inverse = np.unique(pairs, axis=0, return_inverse=True)
    summed = np.zeros((len(cells), 3))
    np.add.at(summed, inverse.ravel(), counts)
    return _table(order, cells[:, 0], cells[:, 1], summed)


def tabulate(votes: Votes) -> PairTable:
    """The votes counted per ordered pair; pairs that never met have no cell."""
    n = len(votes.systems)
    key = votes.first * n + votes.second
    if 3 * n * n <= _LARGEST_DENSE_TABLE:
        counts = np.bincount(key * 3 + (1 - votes.outcome), minlength=3 * n * n).reshape(-1, 3)
        cells = np.flatnonzero(counts.any(axis=1))
        counts = counts[cells]
    else:
        cells, inverse = np.unique(key, return_inverse=True)
        index = inverse * 3 + (1 - votes.outcome)
        counts = np.bincount(index, minlength=3 * len(cells)).reshape(-1, 3)
    columns = counts[:, [0, 2, 1]].astype(np.float64)
    return _table(votes.systems, cells // n, cells % n, columns)


def _table(
    systems: tuple[str, ...], first: IntArray, second: IntArray, counts: FloatArray
) -> PairTable:
    return PairTable(
        systems=systems,
        first=first,
        second=second,
        first_wins=counts[:, 0],
        second_wins=counts[:, 1],
        ties=counts[:, 2],
    )


def _check_pairs(systems: tuple[str, ...], first: IntArray, second: IntArray) -> None:
    if len(first) == 0:
        raise InputError("no vote", wanted="at least one comparison", code="no_votes")
    low, high = min(first.min(), second.min()), max(first.max(), second.max())
    if low < 0 or high >= len(systems):
        raise InputError(
            f"positions of systems {int(low)}..{int(high)}",
            wanted=f"0..{len(systems) - 1}",
            code="out_of_range",
        )
    if (same := first == second).any():
        name = systems[int(first[same.argmax()])]
        raise InputError(
            f"{name!r} is compared with itself", wanted="two different systems", code="same_system"
        )
