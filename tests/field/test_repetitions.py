"""Field cases of repetitions, attempts, caches and time limits (A2, A9, A11, A20)."""

from pathlib import Path
from typing import Any

import pytest

from field.runs import write_rows
from packs.product import compare


@pytest.mark.requirement("A2")
def test_a2_every_reading_of_repetitions_has_its_name(tmp_path: Path) -> None:
    rows = [
        {"arm": arm, "unit": unit, "rep": rep, "outcome": value}
        for arm in ("base", "new")
        for unit in ("one", "two")
        for rep, value in enumerate((1, 0, 0, 1, 0) if unit == "one" else (1,) * 5, start=1)
    ]
    source = write_rows(tmp_path / "runs.jsonl", rows)
    made = compare(tmp_path / "out", source, "--baseline", "base")
    (flaky,) = (f for f in made.estimates["flaky"] if f["arm"] == "new")
    assert flaky["unit"] == "one"
    assert (flaky["rate"], flaky["n"]) == (0.4, 5)
    assert (flaky["modal"], flaky["any_pass"], flaky["all_pass"]) == ("fail", True, False)
    one = made.arm("new")
    assert one["mean"] == pytest.approx(0.7)
    assert one["reducer"] == "mean over repetitions, then mean over units"
    page = (made.folder / "report" / "index.html").read_text("utf-8")
    for name in ("Modal", "Any", "All"):
        assert f">{name}" in page


@pytest.mark.requirement("A9")
def test_a9_a_timeout_that_contradicts_its_limit_is_flagged(tmp_path: Path) -> None:
    rows = [
        {
            "arm": arm,
            "unit": f"u{i:02}",
            "outcome": i % 2,
            "status": "agent_timeout" if i < 2 and arm == "new" else "completed",
            "timeout_limit_s": 1800,
            "duration_s": 205,
        }
        for arm in ("base", "new")
        for i in range(40)
    ]
    source = write_rows(tmp_path / "runs.jsonl", rows)
    made = compare(tmp_path / "out", source, "--baseline", "base")
    told = made.notice("timeout_contradiction")
    assert told["count"] == 2
    assert "another limit struck" in told["message"]
    assert made.arm("new")["missing"]["reasons"] == {"timed_out": 2}
    assert "another limit struck" in made.told.out


@pytest.mark.requirement("A11")
def test_a11_answers_from_a_cache_are_no_repetitions(tmp_path: Path) -> None:
    rows = [
        {"arm": arm, "unit": f"u{unit}", "rep": rep, "outcome": 1, "output_sha256": f"{arm}{unit}",
         "latency_ms": 1200 if rep == 1 or arm == "base" else 0}
        for arm in ("base", "new") for unit in range(10) for rep in (1, 2, 3)
    ]  # fmt: skip
    source = write_rows(tmp_path / "runs.jsonl", rows)
    made = compare(tmp_path / "out", source, "--baseline", "base")
    one = made.arm("new")
    assert one["missing"]["evaluable"] == 10
    assert one["pass_k"] == [] or one["pass_k"][-1]["k"] == 1
    assert one["stddev_within"] is None
    assert "served from a cache" in made.notice("cached_repetition")["message"]
    assert made.verdict()["word"] == "not evaluable"


@pytest.mark.requirement("A20")
def test_a20_a_retry_is_no_further_sample(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    for arm in ("base", "new"):
        for i in range(10):
            row: dict[str, Any] = {
                "arm": arm,
                "unit": f"u{i}",
                "repetition": 1,
                "attempt": 1,
            }
            rows.append(row | {"status": "timeout", "pass": None})
            rows.append(row | {"attempt": 2, "status": "completed", "pass": i > 0})
    source = write_rows(tmp_path / "runs.jsonl", rows)
    made = compare(tmp_path / "out", source, "--baseline", "base")
    one = made.arm("new")
    assert (one["n_units"], one["n_trials"], one["n_attempts_beyond_first"]) == (10, 20, 10)
    assert (one["missing"]["planned"], one["missing"]["evaluable"]) == (10, 10)
    assert one["mean"] == 0.9
    assert one["stddev_within"] is None, "an attempt is no repetition"
    attempts = [n for n in made.estimates["notices"] if n["code"] == "attempts"]
    assert len(attempts) == 2
