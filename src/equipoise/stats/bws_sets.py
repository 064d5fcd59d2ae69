"""Which items stand together in best-worst sets, and in which places, by tables or by search."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from equipoise.errors import InputError
from equipoise.stats.bws_design import balance

_INFINITY = -1
_FAMILIES: dict[tuple[int, int], tuple[int, tuple[tuple[int, ...], ...]]] = {
    (5, 3): (5, ((0, 1, 2), (0, 1, 3))),
    (5, 4): (5, ((0, 1, 2, 3),)),
    (6, 3): (5, ((_INFINITY, 0, 1), (0, 2, 3))),
    (6, 5): (6, ((0, 1, 2, 3, 4),)),
    (7, 3): (7, ((0, 1, 3),)),
    (7, 4): (7, ((1, 2, 3, 5),)),
    (8, 4): (7, ((_INFINITY, 0, 1, 3), (2, 4, 5, 6))),
    (9, 4): (9, ((0, 1, 2, 4), (0, 1, 4, 6))),
    (11, 5): (11, ((1, 3, 4, 5, 9),)),
    (13, 3): (13, ((0, 1, 4), (0, 2, 7))),
    (13, 4): (13, ((0, 1, 3, 9),)),
    (21, 5): (21, ((0, 1, 4, 14, 16),)),
}
"""(items, set size) -> the group they are counted in, and the base blocks; -1 stays where it is."""

_FEW = 4
"""All subsets are taken where there are no more of them than so many for each item."""

SEARCH_STEPS = 20_000
"""Swaps that are tried at most, for the items of sets and again for their places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetDesign:
    """Sets of positions of items, to be gone through again and again.

    Attributes:
        sets: one tuple of positions a set, in the order of its places.
        how: ``williams``, ``difference family``, ``all subsets`` or ``search``.
        says: the same in a sentence, with what was optimised.
    """

    sets: tuple[tuple[int, ...], ...]
    how: str
    says: str


def design_sets(n_items: int, set_size: int, rng: np.random.Generator) -> SetDesign:
    """Gives sets of `set_size` of `n_items` items that are as balanced as is known how.

    Sets of all items are the rows of a Williams square (two for an odd number): every item once at
    each place, every item directly after every other equally often. Smaller sets come from a
    difference family where one is known, or are all subsets where these are few: every pair meets
    equally often. Else they are searched for: every item is shown equally often, and then swaps
    lower the sum of squares of the times pairs meet, and of the times items stand at places and
    follow each other; `SEARCH_STEPS` swaps are tried for each, drawn by `rng`.

    Raises:
        InputError: fewer than two items or places (``set_too_small``), or more places than items
            (``out_of_range``).

    Source: Williams (1949), Australian J. Sci. Res. A 2, 149-168; Bose (1939), Annals of Eugenics
    9, 353-399, for differences.

    >>> design_sets(4, 4, np.random.default_rng(0)).sets
    ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))
    """
    if set_size < 2:
        raise InputError(
            f"sets of {set_size}", wanted="two items or more in a set", code="set_too_small"
        )
    if set_size > n_items:
        raise InputError(
            f"sets of {set_size} from {n_items} items",
            wanted="a set no larger than the number of items",
            code="out_of_range",
        )
    if set_size == n_items:
        n = "two squares" if n_items % 2 and n_items > 2 else "a square"
        says = f"every set holds all {n_items}; places follow {n} of Williams"
        return SetDesign(sets=williams_rows(n_items), how="williams", says=says)
    if (n_items, set_size) in _FAMILIES:
        sets = tuple(_developed(*_FAMILIES[n_items, set_size]))
        meets = balance([[str(one) for one in shown] for shown in sets]).pair[0]
        says = f"a difference family: {len(sets)} sets in which every pair meets {meets} times"
        return SetDesign(sets=sets, how="difference family", says=says)
    if math.comb(n_items, set_size) <= _FEW * n_items:
        subsets = [list(subset) for subset in combinations(range(n_items), set_size)]
        says = (
            f"all {len(subsets)} sets of {set_size}: every pair meets equally often; at most "
            f"{SEARCH_STEPS:,} swaps for places"
        )
        sets = _placed(subsets, n_items, rng)
        return SetDesign(sets=sets, how="all subsets", says=says)
    sets = _searched(n_items, set_size, rng)
    says = (
        f"a search of at most {SEARCH_STEPS:,} swaps each for pairs and for places over "
        f"{len(sets)} sets, every item shown equally often"
    )
    return SetDesign(sets=sets, how="search", says=says)


def williams_rows(n: int) -> tuple[tuple[int, ...], ...]:
    """Gives the rows of a Williams square of `n` items: `n` for an even number, else ``2 n``.

    Any `n` rows that begin at a multiple of `n` have every item once at each place; all rows
    together have every item equally often directly after every other.

    Source: Williams (1949), section 3.

    >>> williams_rows(2)
    ((0, 1), (1, 0))
    """
    zigzag = [0, *((step + 1) // 2 if step % 2 else n - step // 2 for step in range(1, n))]
    rows = [tuple((item + shift) % n for item in zigzag) for shift in range(n)]
    if n % 2 and n > 1:
        rows += [row[::-1] for row in rows]
    return tuple(rows)


def _developed(group: int, blocks: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Yields the base blocks with every shift; the fixed item has the last number."""
    for shift in range(group):
        for block in blocks:
            yield tuple(group if one == _INFINITY else (one + shift) % group for one in block)


def _searched(n: int, k: int, rng: np.random.Generator) -> tuple[tuple[int, ...], ...]:
    """Gives 2 n sets as balanced as swaps make them."""
    sets = [[(row + step) % n for step in range(k)] for row in range(n) for _ in range(2)]
    meet = [[0] * n for _ in range(n)]
    for shown in sets:
        _count_pairs(meet, shown, 1)
    draws = rng.integers([len(sets), len(sets), k, k], size=(SEARCH_STEPS, 4)).tolist()
    for one, other, here, there in draws:
        first, second = sets[one], sets[other]
        a, b = first[here], second[there]
        if b in first or a in second:
            continue
        rest_a, rest_b = [x for x in first if x != a], [x for x in second if x != b]
        _count_pairs(meet, first, -1)
        _count_pairs(meet, second, -1)
        as_is = sum(meet[a][x] for x in rest_a) + sum(meet[b][x] for x in rest_b)
        swapped = sum(meet[b][x] for x in rest_a) + sum(meet[a][x] for x in rest_b)
        if swapped <= as_is:
            first[here], second[there] = b, a
        _count_pairs(meet, first, 1)
        _count_pairs(meet, second, 1)
    return _placed(sets, n, rng)


def _count_pairs(meet: list[list[int]], shown: Sequence[int], by: int) -> None:
    for one, other in combinations(shown, 2):
        meet[one][other] += by
        meet[other][one] += by


def _placed(sets: list[list[int]], n: int, rng: np.random.Generator) -> tuple[tuple[int, ...], ...]:
    """Swaps places within sets while items stand at places, and follow others, more evenly."""
    k = len(sets[0])
    at = [[0] * k for _ in range(n)]
    after = [[0] * n for _ in range(n)]
    for shown in sets:
        _count_places(at, after, shown, 1)
    for row, here, there in rng.integers([len(sets), k, k], size=(SEARCH_STEPS, 3)).tolist():
        shown = sets[row]
        _count_places(at, after, shown, -1)
        changed = shown.copy()
        changed[here], changed[there] = shown[there], shown[here]
        if _cost(at, after, changed) <= _cost(at, after, shown):
            sets[row] = changed
        _count_places(at, after, sets[row], 1)
    return tuple(tuple(shown) for shown in sets)


def _count_places(
    at: list[list[int]], after: list[list[int]], shown: Sequence[int], by: int
) -> None:
    for place, item in enumerate(shown):
        at[item][place] += by
    for item, following in pairwise(shown):
        after[item][following] += by


def _cost(at: list[list[int]], after: list[list[int]], shown: Sequence[int]) -> int:
    """What a set adds to the sums of squares (half of it): places first, then neighbours."""
    places = sum(at[item][place] for place, item in enumerate(shown))
    return len(at) * places + sum(after[item][next_] for item, next_ in pairwise(shown))
