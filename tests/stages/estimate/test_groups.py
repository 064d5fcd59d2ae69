"""Groups of arms say of every pair whether its limits tell it apart, and nothing else."""

from collections.abc import Collection
from itertools import combinations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from equipoise.records.ranking import PairShown
from equipoise.stages.estimate.rating.gaps import Asked, missing_pair, runs

ARMS = ("a", "b", "c", "d", "e")
ALL = tuple(combinations(ARMS, 2))
ASKED = Asked(arms=ARMS, baseline="a", mde=0.1, alpha=0.05, power=0.8, seed=1)


def pairs(apart: Collection[tuple[str, str]]) -> list[PairShown]:
    """Every pair, with limits beyond zero for those that are told apart."""
    return [
        msgspec.structs.replace(
            missing_pair(one, other, ASKED), lo=0.1 if (one, other) in apart else -0.1, hi=0.3
        )
        for one, other in ALL
    ]


def test_an_arm_that_two_others_are_not_told_from_is_in_both_groups() -> None:
    told = runs(ARMS, pairs({("a", "e"), ("c", "e"), ("d", "e")}))
    assert told == (("a", "b", "c", "d"), ("b", "e"))


@given(st.sets(st.sampled_from(ALL)))
def test_two_arms_share_a_group_exactly_where_they_are_not_told_apart(
    apart: set[tuple[str, str]],
) -> None:
    groups = runs(ARMS, pairs(apart))
    shared = {pair for group in groups for pair in combinations(group, 2)}
    assert shared == set(ALL) - apart
    assert {arm for group in groups for arm in group} == set(ARMS)
    assert not any(set(one) < set(other) for one in groups for other in groups)
