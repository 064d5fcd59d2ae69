"""Simulated studies, through the tables: a planted change is listed, no change is not."""

from pathlib import Path

import duckdb
import numpy as np
import pytest

from stages.estimate.loss.made_loss_columns import Arm, FloatArray, compared, promised, scored

SHAPE = (2, 400, 1, 2)
STUDIES = 200


def arm(rng: np.random.Generator, wrong: tuple[float, float]) -> FloatArray:
    """Units that lose the first category with these rates by partition, the second with 10 %."""
    lost = np.zeros(SHAPE)
    lost[..., 0] = rng.random(SHAPE[:3]) < np.array(wrong)[:, None, None]
    lost[..., 1] = rng.random(SHAPE[:3]) < 0.1
    return lost


@pytest.mark.slow
@pytest.mark.requirement("X-E3")
def test_the_printed_change_is_listed_in_four_of_five_studies(tmp_path: Path) -> None:
    """Over 200 studies with the change that studies without any printed: 77 to 83 % +- 2 se."""
    rng = np.random.default_rng(2026)
    plan = promised(SHAPE)
    printed = []
    for _ in range(20):
        found = compared(
            tmp_path,
            Arm(name="new", lost=arm(rng, (0.15, 0.15))),
            Arm(name="base", lost=arm(rng, (0.15, 0.15))),
            plan,
        )
        printed.append(found.rows[0].reportable or 1.0)
    change = float(np.mean(printed))
    listed = false = 0
    for _ in range(STUDIES):
        found = compared(
            tmp_path,
            Arm(name="new", lost=arm(rng, (0.15 + change, 0.15))),
            Arm(name="base", lost=arm(rng, (0.15, 0.15))),
            plan,
        )
        listed += not found.rows[0].failed
        false += any(not row.failed for row in found.rows[1:])
    slack = 2 * np.sqrt(0.8 * 0.2 / STUDIES)
    assert 0.77 - slack <= listed / STUDIES <= 0.83 + slack
    assert false / STUDIES <= 0.02


def test_the_score_difference_has_limits_that_hold_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    found = compared(
        tmp_path,
        Arm(name="new", lost=arm(rng, (0.3, 0.2))),
        Arm(name="base", lost=arm(rng, (0.3, 0.2))),
        promised(SHAPE),
    ).score
    assert found is not None
    assert found.covered == 1.0
    assert found.lo < found.delta < found.hi
    assert found.n == 800


def test_missing_repetitions_are_no_losses(tmp_path: Path) -> None:
    lost = np.zeros((1, 4, 3, 2))
    lost[0, 0] = 1.0
    lost[0, 1, 1:] = np.nan
    with duckdb.connect() as con:
        suite = scored(con, tmp_path, Arm(name="new", lost=lost), promised(lost.shape), "new").suite
    (row,) = suite.partitions
    assert row.loss == pytest.approx(0.25)
    assert row.n == 4
    assert row.coverage == pytest.approx((3 + 1 / 3) / 4)
    assert suite.incomplete_units == ("p0u1",)
