"""What a planned number of units can report: the published table, and the power that one gets."""

import math

import numpy as np
import pytest

from equipoise.records.plan import Stopping
from equipoise.stages.plan.reach import Decided, advisory_n, reach_of
from equipoise.stats.guarded import independent_interval, powers_of
from every import for_every


def seed(k: int, margin: float = 0.05) -> Decided:
    return Decided(margin=margin, rule="seed", k=k, alpha=0.05)


@for_every(
    "n, k, reportable",
    [
        *[(576, 1, 0.100), (576, 10, 0.121), (576, 50, 0.135), (576, 200, 0.147)],
        *[(58, 1, 0.208), (58, 10, 0.272), (58, 50, 0.317), (58, 200, 0.356)],
    ],
)
def test_reportable_is_as_published(n: int, k: int, reportable: float) -> None:
    found = reach_of(n, 0.3, seed(k)).reportable
    assert found == pytest.approx(reportable, abs=6e-4)


@for_every(
    "k, change, n",
    [(1, 0.075, 2326), (1, 0.10, 582), (10, 0.10, 1148), (50, 0.15, 415), (200, 0.20, 242)],
)
def test_advisory_n_is_as_published(k: int, change: float, n: int) -> None:
    assert advisory_n(0.3, seed(k), change=change) == n


@pytest.mark.parametrize("change", [0.0, 0.04, 0.05])
def test_no_number_of_units_lists_a_change_within_the_margin(change: float) -> None:
    assert advisory_n(0.3, seed(1), change=change) is None


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_units_have_no_reach(n: int) -> None:
    found = reach_of(n, 0.3, seed(1))
    assert (found.achieved_mde, found.reportable, found.excludable) == (None, None, None)


def test_a_change_beyond_what_losses_allow_is_none() -> None:
    assert reach_of(4, 0.5, seed(200, margin=0.5)).reportable is None


def test_achieved_mde_is_four_s_over_root_n() -> None:
    found = reach_of(62, 0.28, seed(1)).achieved_mde
    assert found == pytest.approx(0.142, abs=5e-4)


@pytest.mark.parametrize(("n", "k"), [(150, 1), (576, 10), (576, 50)])
def test_losses_of_all_or_nothing_are_listed_as_often_as_printed(n: int, k: int) -> None:
    rule, s, draws = seed(k), 0.3, 4000
    change = reach_of(n, s, rule).reportable_at_worst
    assert change is not None
    base_mean = (1.0 - math.sqrt(1.0 - 4.0 * s * s)) / 2.0
    rng = np.random.default_rng(20260102)
    base = (rng.random((draws, n)) < base_mean).astype(float)
    new = (rng.random((draws, n)) < base_mean + change).astype(float)
    guarded = independent_interval(powers_of(new), powers_of(base), z=rule.z).lo
    se = np.sqrt((new.var(axis=1, ddof=1) + base.var(axis=1, ddof=1)) / n)
    literal = new.mean(axis=1) - base.mean(axis=1) - rule.z * se
    listed = float(np.mean((guarded > rule.margin) & (literal > rule.margin)))
    assert 0.77 <= listed <= 0.83


def test_planned_looks_are_paid_for_in_what_can_be_told() -> None:
    """Jennison and Turnbull (2000), table 2.3: C = 2.024 for four O'Brien-Fleming looks at 0.05."""
    alone = Decided(margin=0.05, rule="holm", k=1, alpha=0.05)
    looked = Decided(
        margin=0.05, rule="holm", k=1, alpha=0.05, stopping=Stopping.OBRIEN_FLEMING, looks=4
    )
    assert alone.z == pytest.approx(1.96, abs=1e-3)
    assert looked.at_looks == pytest.approx(
        [2.024 * (4 / look) ** 0.5 for look in (1, 2, 3, 4)], abs=2e-3
    )
    few, many = reach_of(400, 0.3, alone), reach_of(400, 0.3, looked)
    assert few.reportable
    assert many.reportable
    assert few.excludable
    assert many.excludable
    se = 0.3 * (2 / 400) ** 0.5
    assert many.reportable - few.reportable == pytest.approx((2.024 - 1.96) * se, abs=1e-4)
    assert many.excludable - few.excludable == pytest.approx(2 * (2.024 - 1.96) * se, abs=1e-4)
    even = Decided(margin=0.05, rule="holm", k=1, alpha=0.05, stopping=Stopping.E_PROCESS, looks=5)
    assert even.at_looks == pytest.approx([2.576] * 5, abs=1e-3)
