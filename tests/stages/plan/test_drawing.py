"""A chance sample of a partition: the same for the same seed, whatever the order, fair, capped."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.records.brief import Brief
from equipoise.records.holdout import Holdout
from equipoise.stages.plan.drawing import drawn, most_adversarial
from equipoise.stages.plan.units import Unit


def units(n: int) -> list[Unit]:
    return [
        Unit(
            brief=Brief(unit=f"u{number:03}", content={}, labels={}),
            holdout=Holdout(unit=f"u{number:03}"),
            sha256="",
        )
        for number in range(n)
    ]


@pytest.mark.requirement("E2E-14")
@given(st.permutations(units(12)), st.integers(0, 2**63 - 1))
def test_the_order_of_the_units_does_not_matter(shuffled: list[Unit], seed: int) -> None:
    assert drawn(shuffled, 5, seed=seed, stratum="a") == drawn(units(12), 5, seed=seed, stratum="a")


def test_another_seed_and_another_stratum_draw_otherwise() -> None:
    draws = {
        tuple(unit.brief.unit for unit in drawn(units(60), 20, seed=seed, stratum=name).units)
        for seed in (1, 2)
        for name in ("a", "b")
    }
    assert len(draws) == 4


@pytest.mark.requirement("E2E-25")
def test_each_unit_is_drawn_with_the_probability_that_is_recorded() -> None:
    counts = np.zeros(10)
    for seed in range(3000):
        draw = drawn(units(10), 3, seed=seed, stratum="a")
        assert draw.probability == pytest.approx(0.3)
        for unit in draw.units:
            counts[int(unit.brief.unit[1:])] += 1
    chi_square = float(((counts - 900.0) ** 2 / 900.0).sum())
    assert chi_square < 27.9  # 99.9 % of a chi-square with 9 degrees of freedom


def test_what_is_there_is_taken_whole_where_it_is_not_enough() -> None:
    draw = drawn(units(3), 5, seed=1, stratum="a")
    assert (len(draw.units), draw.probability) == (3, 1.0)
    assert drawn([], 5, seed=1, stratum="a").probability is None


@pytest.mark.requirement("E2E-49")
@given(st.integers(0, 10_000), st.floats(0.0, 0.99))
def test_adversarial_units_are_never_more_than_their_share(n: int, cap: float) -> None:
    most = most_adversarial(n, cap)
    assert most <= cap * (n + most) + 1e-6
    assert most + 1 > cap * (n + most + 1) - 1e-6
