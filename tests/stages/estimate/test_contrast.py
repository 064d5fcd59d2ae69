"""Comparisons: pairing, mirrors, order, clusters, degenerate data, missing data."""

import random as shuffling  # noqa: TID251 -- shuffles rows of a test, no result depends on it
from pathlib import Path

import hypothesis.strategies as st
import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from equipoise.records.codec import encode
from equipoise.records.estimate import CellKey, Comparison
from equipoise.records.terms import Direction, Pairing, Rule
from equipoise.stages.decide.words import word_of
from stages.estimate.made_columns import Row, estimated, paired, terms_of

_MIRROR = {"better": "worse", "worse": "better"}


def _whole(rows: list[Row], tmp_path: Path, **changed: object) -> Comparison:
    terms = msgspec.structs.replace(terms_of("base", "new"), **changed)
    found = estimated(rows, terms, tmp_path).estimates.comparisons
    return next(c for c in found if c.cell == CellKey())


values = st.lists(
    st.tuples(st.sampled_from([0, 0.25, 0.5, 1]), st.sampled_from([0, 0.25, 0.5, 1])),
    min_size=2,
    max_size=30,
)


@given(values)
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_swapping_the_arms_mirrors_the_comparison(
    tmp_path: Path, pairs: list[tuple[float, float]]
) -> None:
    rows = paired(pairs)
    there = estimated(rows, terms_of("base", "new"), tmp_path).estimates.comparisons[0]
    back = estimated(rows, terms_of("new", "base"), tmp_path).estimates.comparisons[0]
    assert there.delta is not None
    assert back.delta == pytest.approx(-there.delta, abs=1e-12)
    assert there.interval is not None
    assert back.interval is not None
    assert back.interval.lo == pytest.approx(-there.interval.hi, abs=1e-12)
    assert back.interval.hi == pytest.approx(-there.interval.lo, abs=1e-12)
    word, mirror = (word_of(c, terms_of("base", "new")) for c in (there, back))
    assert mirror == _MIRROR.get(word, word)


def test_the_direction_turns_the_word_and_nothing_else(tmp_path: Path) -> None:
    rows = paired([(0, 1)] * 30 + [(1, 1)] * 30)
    higher = _whole(rows, tmp_path)
    lower = _whole(rows, tmp_path, direction=Direction.LOWER)
    assert higher.delta == lower.delta == pytest.approx(0.5)
    assert higher.gain == pytest.approx(0.5)
    assert lower.gain == pytest.approx(-0.5)
    assert word_of(higher, terms_of("base", "new")) == "better"
    assert word_of(lower, terms_of("base", "new", direction=Direction.LOWER)) == "worse"


@pytest.mark.requirement("E2E-01")
def test_the_order_of_rows_changes_no_byte(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [
        Row(
            unit=f"u{i}",
            arm=arm,
            value=float(rng.choice([0.1, 0.3, 0.7, 1.0])),
            repetition=r,
            labels={"intent": f"i{i % 3}"},
        )
        for i in range(40)
        for arm in ("base", "new")
        for r in (1, 2, 3)
    ]
    terms = terms_of("base", "new", partitions=("intent",))
    first = msgspec.structs.replace(estimated(rows, terms, tmp_path).estimates, lines=())
    shuffling.Random(1).shuffle(rows)
    second = msgspec.structs.replace(estimated(rows, terms, tmp_path).estimates, lines=())
    assert encode(first) == encode(second)


def test_a13_the_same_units_are_compared_unit_by_unit(tmp_path: Path) -> None:
    """100 units, 10 discordant all one way, rates 0.50 and 0.60: exact McNemar p = 0.002."""
    rows = paired([(0, 1)] * 10 + [(1, 1)] * 50 + [(0, 0)] * 40)
    found = _whole(rows, tmp_path)
    assert (found.pairing, found.n_pairs) == ("paired", 100)
    assert found.p_values[0].p == pytest.approx(2 * 0.5**10)
    assert word_of(found, terms_of("base", "new")) == "better"
    apart = _whole(rows, tmp_path, pairing=Pairing.UNPAIRED)
    assert apart.pairing == "unpaired"
    assert word_of(apart, terms_of("base", "new")) == "cannot tell"


def test_identical_arms_are_no_certainty(tmp_path: Path) -> None:
    found = _whole(paired([(0, 0)] * 10), tmp_path)
    assert found.is_degenerate
    assert found.se is None
    assert found.interval is not None
    assert found.interval.lo < -0.2
    assert found.interval.hi > 0.2
    assert word_of(found, terms_of("base", "new")) == "cannot tell"


def test_a15_one_unit_gives_a_difference_and_no_interval(tmp_path: Path) -> None:
    found = _whole(paired([(0, 1)]), tmp_path)
    assert found.delta == 1.0
    assert found.interval is None
    assert "no interval" in found.not_estimable
    assert word_of(found, terms_of("base", "new")) == "cannot tell"


def test_arms_without_a_common_unit_are_compared_apart(tmp_path: Path) -> None:
    rows = [Row(unit=f"b{i}", arm="base", value=float(i % 2)) for i in range(20)]
    rows += [Row(unit=f"n{i}", arm="new", value=float(i % 4 > 0)) for i in range(24)]
    reading = estimated(rows, terms_of("base", "new"), tmp_path)
    sets, found = reading.estimates.unit_sets[0], reading.estimates.comparisons[0]
    assert (sets.n_shared, sets.n_only_base, sets.n_only_new) == (0, 20, 24)
    assert found.pairing == "unpaired"
    assert found.delta == pytest.approx(0.25)
    forced = _whole(rows, tmp_path, pairing=Pairing.PAIRED)
    assert word_of(forced, terms_of("base", "new")) == "not evaluable"


def _without(row: Row) -> Row:
    return Row(unit=row.unit, arm=row.arm, value=None)


@pytest.mark.requirement("E2E-40")
def test_more_than_a_tenth_missing_is_not_compared(tmp_path: Path) -> None:
    def rows(n_missing: int) -> list[Row]:
        made = paired([(0, 1)] * 60 + [(1, 1)] * 40)
        return [
            _without(row) if row.arm == "new" and i < 2 * n_missing else row
            for i, row in enumerate(made)
        ]

    terms = terms_of("base", "new")
    assert word_of(_whole(rows(10), tmp_path), terms) == "better"
    over = _whole(rows(11), tmp_path)
    assert word_of(over, terms) == "not evaluable"
    assert "11.0%" in over.not_estimable
    assert over.delta is None


def test_clusters_widen_the_interval_and_equal_ones_are_no_certainty(tmp_path: Path) -> None:
    def rows(n_clusters: int) -> list[Row]:
        return [
            Row(
                unit=f"u{i}",
                arm=arm,
                value=float(arm == "new" and i % n_clusters < n_clusters // 2),
                cluster=f"c{i % n_clusters}",
            )
            for i in range(40)
            for arm in ("base", "new")
        ]

    clustered = _whole(rows(8), tmp_path)
    plain = _whole(rows(8), tmp_path, use_clusters=False)
    assert (clustered.pairing, clustered.n_clusters) == ("clustered", 8)
    assert clustered.interval is not None
    assert plain.interval is not None
    assert clustered.interval.lo < plain.interval.lo
    one = _whole(rows(1), tmp_path)
    assert "one cluster" in one.not_estimable
    same = [
        Row(unit=f"u{i}", arm=arm, value=float(arm == "new"), cluster=f"c{i % 4}")
        for i in range(40)
        for arm in ("base", "new")
    ]
    found = _whole(same, tmp_path)
    assert found.interval is not None
    assert found.interval.lo < 0.75
    assert found.is_degenerate


def test_clustered_standard_error_is_cr2(tmp_path: Path) -> None:
    """Differences and clusters of a worked case, held against R's clubSandwich: CR2 0.113849."""
    y = [0, 1, 0.5, 1, 0, 0, 1, 1, 0.5, 0, 0, 0.25]
    clusters = "aaabbccccdde"
    rows = [
        Row(unit=f"u{i:02}", arm=arm, value=v if arm == "new" else 0.0, cluster=c)
        for i, (v, c) in enumerate(zip(y, clusters, strict=True))
        for arm in ("base", "new")
    ]
    assert _whole(rows, tmp_path).se == pytest.approx(0.11384923244042, abs=1e-9)


@pytest.mark.parametrize("rule", [Rule.HOLM, Rule.BH])
def test_holm_and_bh_decide_without_showing_an_unadjusted_interval(
    tmp_path: Path, rule: Rule
) -> None:
    rows = [
        Row(
            unit=f"u{i}",
            arm=arm,
            value=float(arm == "new" if i % 2 else i % 4 == 0),
            labels={"intent": "up" if i % 2 else "same"},
        )
        for i in range(80)
        for arm in ("base", "new")
    ]
    terms = msgspec.structs.replace(terms_of("base", "new", partitions=("intent",)), rule=rule)
    found = estimated(rows, terms, tmp_path).estimates.comparisons
    words = {c.cell.value: word_of(c, terms) for c in found if c.cell.label}
    assert words == {"up": "better", "same": "cannot tell"}
    assert all(c.interval is None for c in found if c.cell.label)
    assert all(c.adjusted_p is not None for c in found if c.cell.label)


def test_clusters_count_without_pairs_too(tmp_path: Path) -> None:
    """Ten clusters of ten in each arm, all alike inside: ten units each, not a hundred."""

    def rows(*, is_named: bool) -> list[Row]:
        return [
            Row(
                unit=f"{arm}{i}",
                arm=arm,
                value=float((i // 10) % 10 < (8 if arm == "new" else 4)),
                cluster=f"{arm}-c{i // 10}" if is_named else None,
            )
            for i in range(100)
            for arm in ("base", "new")
        ]

    clustered = _whole(rows(is_named=True), tmp_path)
    alone = _whole(rows(is_named=False), tmp_path)
    terms = terms_of("base", "new")
    assert (clustered.pairing, clustered.n_clusters) == ("unpaired", 10)
    assert clustered.delta == alone.delta == pytest.approx(0.4)
    assert word_of(alone, terms) == "better"
    assert word_of(clustered, terms) == "cannot tell"
    assert clustered.interval is not None
    assert clustered.interval.lo < -0.05
    assert clustered.se == pytest.approx(((0.8 * 0.2 + 0.4 * 0.6) / 9) ** 0.5)
    assert word_of(_whole(rows(is_named=True), tmp_path, use_clusters=False), terms) == "better"
