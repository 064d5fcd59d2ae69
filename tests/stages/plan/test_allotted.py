"""A sample above what is needed is a reserve, shared out in proportion and to the last unit."""

from hypothesis import given
from hypothesis import strategies as st

from equipoise.stages.plan.sizing import allotted


def test_a_reserve_is_shared_in_proportion_to_what_is_needed() -> None:
    assert allotted(560, [57, 225, 100, 57, 100]) == [59, 234, 104, 59, 104]
    assert allotted(None, [57, 225]) == [57, 225]
    assert allotted(282, [57, 225]) == [57, 225]


@given(st.lists(st.integers(1, 2_000), min_size=1, max_size=12), st.integers(0, 5_000))
def test_every_partition_gets_what_it_needs_and_all_is_given_out(
    needed: list[int], reserve: int
) -> None:
    given_out = allotted(sum(needed) + reserve, needed)
    assert sum(given_out) == sum(needed) + reserve
    assert all(got >= need for got, need in zip(given_out, needed, strict=True))
    most = max(range(len(needed)), key=needed.__getitem__)
    assert all(given_out[most] >= got for got in given_out)
