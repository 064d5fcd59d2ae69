"""How well best-worst sets are balanced over items, pairs, places and neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.errors import InputError

IntArray = npt.NDArray[np.intp]
MinMax = tuple[int, int]

_WORDS = {"position": "positions", "follows": "neighbours"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignBalance:
    """Smallest and largest count of each kind over all items, pairs or places.

    Attributes:
        n_items: different items.
        set_sizes: smallest and largest set.
        shown: times an item is shown.
        pair: times two items share a set; 0 where some pair never meets.
        position: times an item stands at a place.
        follows: times an item comes directly after another.
        label: ``BIBD(v,k) lambda l`` where every pair meets equally often in sets smaller than the
            study; for sets of all items ``positions and neighbours``, ``positions`` or
            ``neighbours``, whatever is equal; else ``none``.
    """

    n_items: int
    set_sizes: MinMax
    shown: MinMax
    pair: MinMax
    position: MinMax
    follows: MinMax
    label: str


def balance(sets: Sequence[Sequence[str]], *, items: Sequence[str] | None = None) -> DesignBalance:
    """The balance of a list of sets, each in the order shown.

    Args:
        sets: items of each set.
        items: all items of the study; by default those that occur.

    Raises:
        InputError: no set (``no_sets``), fewer than two items in a set (``set_too_small``), an
            item twice in a set (``duplicate_item``), an item not listed (``unknown_item``).

    Source: Williams (1949), Australian J. Sci. Res. A 2, 149-168, for neighbours; Louviere, Flynn
    & Marley (2015), Best-Worst Scaling, chapter 2, for balanced incomplete blocks.

    >>> square = [["A", "B", "D", "C"], ["B", "C", "A", "D"], ["C", "D", "B", "A"],
    ...     ["D", "A", "C", "B"]]
    >>> balance(square).label
    'positions and neighbours'
    """
    rows = [tuple(shown) for shown in sets]
    names = tuple(dict.fromkeys(name for shown in rows for name in shown))
    _check(rows, names, items)
    names = names if items is None else tuple(items)
    code = {name: place for place, name in enumerate(names)}
    n, widest = len(names), max(len(shown) for shown in rows)
    grid = np.full((len(rows), widest), -1, dtype=np.intp)
    for row, shown in enumerate(rows):
        grid[row, : len(shown)] = [code[name] for name in shown]
    here = np.zeros((len(rows), n), dtype=np.intp)
    set_of, place = np.nonzero(grid >= 0)
    here[set_of, grid[set_of, place]] = 1
    meet, off_diagonal = here.T @ here, ~np.eye(n, dtype=np.bool_)
    position = np.bincount(grid[set_of, place] * widest + place, minlength=n * widest)
    before, after = grid[:, :-1].ravel(), grid[:, 1:].ravel()
    joined = after >= 0
    follows = np.bincount(before[joined] * n + after[joined], minlength=n * n).reshape(n, n)
    sizes = here.sum(axis=1)
    found = {
        "shown": _range(np.diag(meet)),
        "pair": _range(meet[off_diagonal]),
        "position": _range(position),
        "follows": _range(follows[off_diagonal]),
    }
    set_sizes = _range(sizes)
    label = _label(n, set_sizes, found)
    return DesignBalance(n_items=n, set_sizes=set_sizes, **found, label=label)


def _check(
    rows: list[tuple[str, ...]], names: tuple[str, ...], items: Sequence[str] | None
) -> None:
    if not rows:
        raise InputError("no set", wanted="at least one set of items", code="no_sets")
    for number, shown in enumerate(rows, start=1):
        if len(shown) < 2:
            raise InputError(
                f"set {number} holds {len(shown)} items", wanted="3 or more", code="set_too_small"
            )
        if len(set(shown)) < len(shown):
            raise InputError(
                f"set {number} {list(shown)} holds an item twice",
                wanted="every item once in a set",
                code="duplicate_item",
            )
    if items is not None and (strangers := sorted(set(names) - set(items))):
        raise InputError(
            f"items {strangers} are not listed", wanted="only listed items", code="unknown_item"
        )


def _label(n: int, set_sizes: MinMax, found: dict[str, MinMax]) -> str:
    equal = {name: low == high for name, (low, high) in found.items()}
    k = set_sizes[0]
    if set_sizes[0] == set_sizes[1] < n and equal["shown"] and equal["pair"]:
        return f"BIBD({n},{k}) lambda {found['pair'][0]}"
    kinds = [word for key, word in _WORDS.items() if equal[key]]
    return " and ".join(kinds) or "none"


def _range(counts: IntArray) -> MinMax:
    return int(counts.min()), int(counts.max())
