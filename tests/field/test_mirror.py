"""Random small worlds: swapped arms mirror everything, shuffled rows change nothing."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import numpy as np
import pytest

from equipoise.records.codec import encode
from equipoise.records.terms import Direction, Pairing, Rule, Terms
from equipoise.stages.decide.verdicts import decide
from equipoise.stages.estimate.columns import ArmColumns
from equipoise.stages.estimate.estimating import estimate
from stages.estimate.made_columns import Row, write

SWAPPED = {"better": "worse", "worse": "better"}
INTERVALS = ("interval", "interval_single", "interval_equivalence", "fixed_interval")


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Rows of two arms and the terms they are compared under."""

    rows: list[Row]
    terms: Terms


def world(seed: int) -> World:
    """Draws a world: sizes, repetitions, gaps, overlap, grading, clusters and terms vary."""
    rng = np.random.default_rng(seed)
    n, repetitions = int(rng.choice([2, 5, 12, 24])), int(rng.choice([1, 1, 3]))
    gaps, overlap = float(rng.choice([0, 0, 0.05, 0.3])), float(rng.choice([1, 1, 0.7, 0.3, 0]))
    values = [0.0, 0.25, 0.5, 1.0] if rng.random() < 0.4 else [0.0, 1.0]
    has_clusters = bool(rng.random() < 0.4)
    rows = []
    for side, arm in enumerate(("a", "b")):
        first = int(n * (1 - overlap)) * side
        for unit in range(first, first + n):
            for repetition in range(1, repetitions + 1 - int(rng.random() < 0.1)):
                value = None if rng.random() < gaps else float(rng.choice(values))
                rows.append(
                    Row(
                        unit=f"u{unit}",
                        arm=arm,
                        value=value,
                        repetition=repetition,
                        cluster=f"c{unit % 4}" if has_clusters else None,
                        cost=float(rng.random()),
                        labels={"k": "xy"[unit % 2]},
                    )
                )
    rows.append(Row(unit="u0", arm="a", value=1.0, repetition=9, labels={"k": "x"}))
    rows.append(Row(unit="u0", arm="b", value=1.0, repetition=9, labels={"k": "x"}))
    terms = Terms(
        baseline="a",
        arms=("b",),
        criterion="outcome",
        direction=list(Direction)[seed % 2],
        partitions=("k",),
        pairing=list(Pairing)[seed % 3],
        rule=list(Rule)[seed % 5],
        margin=float(rng.choice([0, 0.05])),
        max_missing=float(rng.choice([0.1, 1.0])),
    )
    return World(rows=rows, terms=terms)


def told(rows: list[Row], terms: Terms, folder: Path) -> tuple[dict[str, Any], list[Any]]:
    """Gives estimates and verdicts as the files hold them, without the places of the rows."""
    path = write(rows, folder / "results.parquet")
    arms = [ArmColumns(name=name, path=path, arm=name) for name in (terms.baseline, *terms.arms)]
    with duckdb.connect() as con:
        reading = estimate(con, terms, arms)
    verdicts = decide(terms, reading.estimates, is_simulated=False, is_soft=False)
    estimates = json.loads(encode(reading.estimates))
    for cell in estimates["lines"]:
        for line in cell["lines"]:
            line["trials"] = []
    return estimates, json.loads(encode(verdicts))


SEEDS = [*range(5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 60))]


@pytest.mark.parametrize("seed", SEEDS)
def test_world(seed: int, tmp_path: Path) -> None:
    made = world(seed)
    estimates, verdicts = told(made.rows, made.terms, tmp_path)
    order = np.random.default_rng(seed + 1000).permutation(len(made.rows))
    shuffled = told([made.rows[i] for i in order], made.terms, tmp_path)
    assert shuffled == (estimates, verdicts)
    terms = msgspec.structs.replace(made.terms, baseline="b", arms=("a",))
    mirrored, words = told(made.rows, terms, tmp_path)
    for one, other in zip(estimates["comparisons"], mirrored["comparisons"], strict=True):
        _mirror(one, other)
        _is_sound(one)
    for said, back in zip(verdicts, words, strict=True):
        assert back["word"] == SWAPPED.get(said["word"], said["word"])
        assert back["survives_missing"] == said["survives_missing"]
    for arm in estimates["arms"]:
        _is_sound_arm(arm)


def _mirror(one: dict[str, Any], other: dict[str, Any]) -> None:
    for key in ("delta", "gain"):
        assert _near(one[key], None if other[key] is None else -other[key])
    for key in INTERVALS:
        assert (one[key] is None) == (other[key] is None)
        if one[key] is not None:
            assert _near(one[key]["lo"], -other[key]["hi"])
            assert _near(one[key]["hi"], -other[key]["lo"])
    for key in ("se", "adjusted_p", "units_to_show", "units_to_equate", "reportable", "excludable"):
        assert _near(one[key], other[key]), key
    assert (one["n_better"], one["n_worse"]) == (other["n_worse"], other["n_better"])
    assert (one["n_min_new"], one["n_min_base"]) == (other["n_min_base"], other["n_min_new"])
    assert [p["p"] for p in one["p_values"]] == [p["p"] for p in other["p_values"]]
    if one["worst_lo"] is not None:
        assert _near(one["worst_lo"], -other["worst_hi"])


def _near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) < 1e-12


def _is_sound(one: dict[str, Any]) -> None:
    assert one["se"] is None or one["se"] > 0
    interval, single = one["interval"], one["interval_single"]
    if interval is not None:
        assert -1 <= interval["lo"] < interval["hi"] <= 1
        assert interval["lo"] <= one["delta"] <= interval["hi"]
        assert interval["hi"] - interval["lo"] >= single["hi"] - single["lo"] - 1e-12
    if one["delta"] is None:
        assert one["not_estimable"]
        assert one["interval"] is None


def _is_sound_arm(arm: dict[str, Any]) -> None:
    missing = arm["missing"]
    assert sum(missing["reasons"].values()) == missing["planned"] - missing["evaluable"]
    if arm["mean"] is None:
        assert arm["not_estimable"]
        return
    assert missing["worst_lo"] - 1e-12 <= arm["mean"] <= missing["worst_hi"] + 1e-12
    if arm["interval"] is not None:
        assert 0 <= arm["interval"]["lo"] <= arm["mean"] <= arm["interval"]["hi"] <= 1
        assert arm["interval"]["lo"] < arm["interval"]["hi"]
