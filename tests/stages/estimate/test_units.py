"""Trials to units: attempts, repetitions, labels, filters."""

from pathlib import Path

import msgspec
import pytest

from equipoise.errors import InputError
from equipoise.records.estimate import ArmEstimate
from stages.estimate.made_columns import Row, estimated, paired, terms_of


def _arm(rows: list[Row], tmp_path: Path, arm: str = "base") -> ArmEstimate:
    reading = estimated(rows, terms_of("base", "new"), tmp_path)
    return next(e for e in reading.estimates.arms if e.arm == arm and not e.cell.label)


def test_a20_a_retried_attempt_is_no_further_sample(tmp_path: Path) -> None:
    rows = [
        Row(unit="u", arm="base", value=None, attempt=1, why="timed_out"),
        Row(unit="u", arm="base", value=1.0, attempt=2),
        Row(unit="u", arm="new", value=1.0),
    ]
    arm = _arm(rows, tmp_path)
    assert (arm.n_units, arm.missing.planned, arm.missing.evaluable) == (1, 1, 1)
    assert arm.mean == 1.0
    assert arm.n_attempts_beyond_first == 1
    assert arm.interval is None
    assert "no interval" in arm.not_estimable


def test_a_later_attempt_never_replaces_an_outcome(tmp_path: Path) -> None:
    rows = [
        Row(unit="u", arm="base", value=0.0, attempt=1),
        Row(unit="u", arm="base", value=1.0, attempt=2),
        Row(unit="u", arm="new", value=1.0),
    ]
    assert _arm(rows, tmp_path).mean == 0.0


def test_the_last_attempt_gives_the_reason_when_none_has_an_outcome(tmp_path: Path) -> None:
    rows = [
        Row(unit="u", arm="base", value=None, attempt=1, why="timed_out"),
        Row(unit="u", arm="base", value=None, attempt=2, why="harness_error"),
        Row(unit="v", arm="base", value=1.0),
        Row(unit="u", arm="new", value=1.0),
    ]
    assert _arm(rows, tmp_path).missing.reasons == {"harness_error": 1}


def test_a2_one_unit_of_five_repetitions_is_read_in_four_named_ways(tmp_path: Path) -> None:
    outcomes = [1, 0, 0, 1, 0]
    rows = [
        Row(unit="u", arm=arm, value=value, repetition=r)
        for arm in ("base", "new")
        for r, value in enumerate(outcomes, 1)
    ]
    reading = estimated(rows, terms_of("base", "new"), tmp_path)
    flaky = reading.estimates.flaky[0]
    assert flaky.rate == pytest.approx(0.4)
    assert (flaky.modal, flaky.any_pass, flaky.all_pass, flaky.n) == ("fail", True, False, 5)
    arm = reading.estimates.arms[0]
    assert arm.mean == pytest.approx(0.4)
    assert arm.reducer == "mean over repetitions, then mean over units"


def test_missing_repetitions_are_counted_and_bounded_never_scored(tmp_path: Path) -> None:
    """Two of ten planned repetitions are missing: the mean is over what is there."""
    rows = [Row(unit=f"u{i}", arm="base", value=None if i < 2 else float(i % 2)) for i in range(10)]
    rows += [Row(unit=f"u{i}", arm="new", value=1.0) for i in range(10)]
    missing = _arm(rows, tmp_path).missing
    assert (missing.planned, missing.evaluable, missing.units_without) == (10, 8, 2)
    assert _arm(rows, tmp_path).mean == pytest.approx(0.5)
    assert missing.worst_lo == pytest.approx(0.4)
    assert missing.worst_hi == pytest.approx(0.6)
    assert missing.mean_as_failure == pytest.approx(0.4)


def test_icc_of_the_table_of_shrout_and_fleiss(tmp_path: Path) -> None:
    """Shrout and Fleiss (1979), table 2: six targets, four judges, ICC(1,1) = 0.17."""
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    rows = [
        Row(unit=f"u{i}", arm=arm, value=value / 10, repetition=r)
        for arm in ("base", "new")
        for i, values in enumerate(table)
        for r, value in enumerate(values, 1)
    ]
    assert _arm(rows, tmp_path).icc == pytest.approx(0.17, abs=0.005)


def test_a_unit_without_a_partition_label_is_refused_by_name(tmp_path: Path) -> None:
    rows = paired([(0, 1), (1, 1)], intent="refund")
    rows += [Row(unit="u07", arm="base", value=1.0, labels={"intent": None})]
    with pytest.raises(InputError, match="'u07'"):
        estimated(rows, terms_of("base", "new", partitions=("intent",)), tmp_path)


def test_an_unknown_label_names_the_nearest(tmp_path: Path) -> None:
    rows = paired([(0, 1), (1, 1)], intent="refund")
    with pytest.raises(InputError, match="did you mean 'intent'"):
        estimated(rows, terms_of("base", "new", partitions=("intnet",)), tmp_path)


def test_a24_a_filter_that_matches_nothing_gives_no_score(tmp_path: Path) -> None:
    rows = paired([(0, 1), (1, 1)], intent="refund")
    terms = msgspec.structs.replace(terms_of("base", "new"), where={"intent": "doesnotexist"})
    with pytest.raises(InputError, match="takes 'refund'"):
        estimated(rows, terms, tmp_path)


def test_an_arm_of_two_models_is_refused(tmp_path: Path) -> None:
    rows = [Row(unit=f"u{i}", arm="base", value=1.0, model=f"m{i}") for i in range(2)]
    rows += [Row(unit=f"u{i}", arm="new", value=1.0) for i in range(2)]
    with pytest.raises(InputError, match="mixes 2 models"):
        estimated(rows, terms_of("base", "new"), tmp_path)


def test_crossed_partitions_hold_each_unit_once(tmp_path: Path) -> None:
    rows = [
        Row(unit=f"u{i}", arm=arm, value=float(i % 2), labels={"a": f"a{i % 2}", "b": f"b{i % 3}"})
        for arm in ("base", "new")
        for i in range(24)
    ]
    reading = estimated(rows, terms_of("base", "new", partitions=("a*b",)), tmp_path)
    cells = [e for e in reading.estimates.arms if e.arm == "base" and e.cell.label]
    assert len(cells) == 6
    assert sum(e.n_units for e in cells) == 24
    assert cells[0].cell.text == "a0 × b0"


def test_crossed_cells_never_merge_whatever_their_labels_hold(tmp_path: Path) -> None:
    rows = [
        Row(unit=f"u{i}", arm=arm, value=float(i % 2), labels={"a": a, "b": b})
        for i, (a, b) in enumerate([("x × y", "z"), ("x", "y × z")] * 3)
        for arm in ("base", "new")
    ]
    reading = estimated(rows, terms_of("base", "new", partitions=("a*b",)), tmp_path)
    cells = [e for e in reading.estimates.arms if e.arm == "base" and e.cell.label]
    assert [e.n_units for e in cells] == [3, 3]


def test_an_arm_without_spread_has_no_standard_error(tmp_path: Path) -> None:
    arm = _arm(paired([(1, 1)] * 5), tmp_path)
    assert arm.is_degenerate
    assert (arm.stddev_between, arm.se) == (0.0, None)
