"""Sets are as balanced as published designs, and better than what is in use where none is known."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import InputError
from equipoise.stats.bws_design import DesignBalance, balance
from equipoise.stats.bws_sets import design_sets, williams_rows


def _made(n: int, k: int, *, n_sets: int | None = None) -> tuple[DesignBalance, str]:
    made = design_sets(n, k, np.random.default_rng(1))
    wanted = n_sets or len(made.sets)
    sets = [made.sets[number % len(made.sets)] for number in range(wanted)]
    return balance([[str(item) for item in shown] for shown in sets]), made.how


@pytest.mark.requirement("PIL-24")
@pytest.mark.parametrize("n_sets", [4, 12, 80])
def test_four_systems_stand_a_quarter_of_the_sets_at_each_place(n_sets: int) -> None:
    found, how = _made(4, 4, n_sets=n_sets)
    assert how == "williams"
    assert found.position == (n_sets // 4, n_sets // 4)
    assert found.follows == (n_sets // 4, n_sets // 4)
    assert found.pair == (n_sets, n_sets)


def test_squares_balance_places_and_neighbours_for_every_number_of_systems() -> None:
    for n in range(2, 9):
        rows = williams_rows(n)
        assert len(rows) == (n if n % 2 == 0 else 2 * n)
        assert balance([[str(i) for i in row] for row in rows]).label == (
            "positions and neighbours"
        )
        half = balance([[str(i) for i in row] for row in rows[:n]])
        assert half.position == (1, 1)


# Tables of designs in the literature: v, k -> b, r, lambda (Fisher & Yates 1963; the handbook of
# combinatorial designs, II.1).
_PUBLISHED = {
    (5, 3): (10, 6, 3), (5, 4): (5, 4, 3), (6, 3): (10, 5, 2), (6, 4): (15, 10, 6),
    (6, 5): (6, 5, 4), (7, 3): (7, 3, 1), (7, 4): (7, 4, 2), (8, 4): (14, 7, 3),
    (9, 4): (18, 8, 3), (11, 5): (11, 5, 2), (13, 3): (26, 6, 1), (13, 4): (13, 4, 1),
    (21, 5): (21, 5, 1),
}  # fmt: skip


@pytest.mark.requirement("PIL-24")
def test_smaller_sets_are_the_designs_of_the_tables() -> None:
    for (v, k), (b, r, meets) in _PUBLISHED.items():
        made = design_sets(v, k, np.random.default_rng(1))
        found, _ = _made(v, k)
        assert (len(made.sets), found.shown, found.pair) == (b, (r, r), (meets, meets)), (v, k)
        assert found.label == f"BIBD({v},{k}) lambda {meets}"


def test_a_search_leaves_no_pair_out_and_balances_places() -> None:
    found, how = _made(20, 4)
    assert how == "search"
    assert found.shown == (8, 8)
    assert found.pair[0] >= 1
    assert found.pair[1] <= 2
    assert found.position[0] >= 1
    assert found.position[1] <= 3
    assert _made(20, 4) == (found, how)


@settings(max_examples=6, deadline=None)
@given(st.integers(2, 8), st.data())
def test_every_design_shows_every_item_equally_often_and_none_twice(
    n: int, data: st.DataObject
) -> None:
    k = data.draw(st.integers(2, n))
    made = design_sets(n, k, np.random.default_rng(data.draw(st.integers(0, 9))))
    assert all(len(set(shown)) == k for shown in made.sets)
    shown = np.bincount([item for shown in made.sets for item in shown], minlength=n)
    assert shown.min() == shown.max()
    if made.how != "search" and k > 1:
        meets = {
            sum({a, b} <= set(shown) for shown in made.sets) for a, b in combinations(range(n), 2)
        }
        assert len(meets) == 1


@pytest.mark.parametrize(
    ("n", "k", "code"), [(4, 1, "set_too_small"), (3, 4, "out_of_range"), (1, 1, "set_too_small")]
)
def test_sets_that_cannot_be_are_refused(n: int, k: int, code: str) -> None:
    with pytest.raises(InputError) as caught:
        design_sets(n, k, np.random.default_rng(1))
    assert caught.value.code == code
