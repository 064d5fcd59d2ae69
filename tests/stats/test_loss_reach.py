"""The printed reportable change is the one that is listed with 80 % probability (simulated)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from equipoise.stats.critical import critical_value
from equipoise.stats.intervals import Moments
from equipoise.stats.loss_reach import reportable_loss
from equipoise.stats.reporting import guarded_rows
from every import for_every

FloatArray = NDArray[np.float64]

MARGIN = 0.05
LAWS = ("bernoulli", "severities", "three runs")


def drawn(law: str, mean: float, shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Losses of units with this mean: shape (studies, units)."""
    if law == "bernoulli":
        return np.asarray(rng.random(shape) < mean, dtype=float)
    if law == "severities":
        sizes = rng.choice([0.25, 0.4, 0.75], p=[0.4, 0.4, 0.2], size=shape)
        return np.asarray(sizes * (rng.random(shape) < mean / 0.41))
    rates = rng.beta(0.7, 0.7 * (1 - mean) / mean, size=shape)
    return np.asarray(rng.binomial(3, rates) / 3)


def planted(losses: FloatArray, change: float, rng: np.random.Generator) -> FloatArray:
    """The mean raised by a change: units without loss now lose as the others do."""
    lost = losses[losses > 0]
    is_free = losses == 0
    chance = change / (is_free.mean() * lost.mean())
    if chance >= 1:
        pytest.skip("more units would have to lose than there are")
    hit = is_free & (rng.random(losses.shape) < chance)
    found = losses.copy()
    found[hit] = rng.choice(lost, size=int(hit.sum()))
    return found


def moments(losses: FloatArray) -> Moments:
    mean = losses.mean(axis=1)
    squares = np.square(losses - mean[:, None]).sum(axis=1)
    return Moments.of(np.full(mean.shape, float(losses.shape[1])), mean, squares)


def listed_share(law: str, mean: float, n: tuple[int, int], k: int, *, studies: int = 800) -> float:
    """Share of studies that list a planted change as large as 300 studies without one print."""
    rng = np.random.default_rng([k, *n, round(1000 * mean), LAWS.index(law)])
    before = moments(drawn(law, mean, (300, n[0]), rng))
    after = moments(drawn(law, mean, (300, n[1]), rng))
    printed = reportable_loss(after, before, z=critical_value(k).z, margin=MARGIN)
    change = float(printed.mean())
    base = moments(drawn(law, mean, (studies, n[0]), rng))
    new = moments(planted(drawn(law, mean, (studies, n[1]), rng), change, rng))
    return float(guarded_rows(new, base, k=k, margin=MARGIN).is_listed.mean())


@pytest.mark.requirement("X-E3")
@for_every("law", LAWS)
@for_every("k", [1, 10])
def test_the_printed_change_is_listed_with_80_percent(law: str, k: int) -> None:
    assert 0.77 - 0.03 <= listed_share(law, 0.15, (576, 576), k) <= 0.83 + 0.03


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("mean", [0.02, 0.05, 0.15, 0.25])
@pytest.mark.parametrize("k", [1, 10, 50])
@pytest.mark.parametrize("n", [150, 576, 2000])
def test_the_printed_change_holds_over_the_grid(law: str, mean: float, k: int, n: int) -> None:
    """77 to 83 % is asked; 2 points are the simulation's, 5 are allowed below 500 units."""
    share = listed_share(law, mean, (n, n), k, studies=1500 if n < 1000 else 600)
    slack = 0.02 if n >= 500 else 0.05
    assert 0.77 - slack <= share <= 0.83 + slack


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("mean", [0.02, 0.15])
@pytest.mark.parametrize("n", [(58, 2000), (576, 576), (2000, 58), (30, 30)])
@pytest.mark.parametrize("k", [1, 10])
def test_at_the_margin_no_more_is_listed_than_the_rule_allows(
    law: str, mean: float, n: tuple[int, int], k: int
) -> None:
    """A true change of exactly the margin: 2.3 % at k = 1, 0.08 % at k = 10 by the normal law."""
    rng = np.random.default_rng([k, *n, round(1000 * mean), 7])
    studies = 4000
    base = moments(drawn(law, mean, (studies, n[0]), rng))
    new = moments(planted(drawn(law, mean, (studies, n[1]), rng), MARGIN, rng))
    share = float(guarded_rows(new, base, k=k, margin=MARGIN).is_listed.mean())
    allowed = critical_value(k).one_sided_p
    assert share <= 1.25 * allowed + 3 * np.sqrt(allowed / studies)


def test_where_losses_are_plain_the_change_is_that_of_the_known_formula() -> None:
    """Moderate losses, many units: mde + (z + 0.8416) se, up to the new arm's larger spread."""
    both = Moments.of([20000.0], [0.3], [19999 * 0.21])
    found = float(reportable_loss(both, both, z=2.0, margin=MARGIN)[0])
    se = np.sqrt(2 * 0.21 / 20000)
    assert found == pytest.approx(MARGIN + (2.0 + 0.8416) * se, rel=0.02)


def test_no_change_is_large_enough_where_units_are_too_few() -> None:
    few = Moments.of([3.0], [0.5], [0.5])
    assert np.isnan(reportable_loss(few, few, z=4.0, margin=MARGIN)[0])


@settings(deadline=None)
@given(
    n=st.integers(20, 3000),
    mean=st.floats(0, 0.5),
    share=st.floats(0, 1),
    k=st.integers(1, 200),
)
def test_more_cells_never_make_a_smaller_change_reportable(
    n: int, mean: float, share: float, k: int
) -> None:
    both = Moments.of([float(n)], [mean], [share * n * mean * (1 - mean)])
    one, many = (
        float(reportable_loss(both, both, z=critical_value(cells).z, margin=MARGIN)[0])
        for cells in (k, k + 50)
    )
    assert np.isnan(one) or one > MARGIN
    assert np.isnan(many) or many >= one - 1e-9
