"""Cases from the field: situations that mislead other tools (ids A1 to A28)."""

from pathlib import Path
from typing import Any

import pytest

from adapters.logs.readings import json_lines, read_table
from equipoise.records.trial import EndingKind, Fault


@pytest.mark.requirement("A1")
def test_a1_scored_errored_and_unscored_are_counted_apart(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"unit": f"p{i}", "outcome": True} for i in range(4)]
    rows += [{"unit": "f", "outcome": False}]
    rows += [{"unit": f"e{i}", "outcome": None, "status": "error"} for i in range(3)]
    rows += [{"unit": "nan", "outcome": float("nan")}, {"unit": "null", "outcome": None}]
    found = read_table(json_lines(tmp_path / "r.jsonl", rows), unit="unit", outcome="outcome",
                       status="status")  # fmt: skip
    values = [g.value for g in found.grades]
    assert len(found.trials) == 10
    assert sum(v == 1 for v in values) == 4
    assert sum(v == 0 for v in values) == 1
    assert values.count(None) == 2
    assert sum(t.ending.kind is EndingKind.HARNESS_ERROR for t in found.trials) == 3


@pytest.mark.requirement("A9")
def test_a9_a_timeout_far_below_its_limit_is_a_contradiction(tmp_path: Path) -> None:
    rows = [
        {"unit": "u", "outcome": 0, "status": "agent_timeout", "limit_s": 1800, "duration_s": 205},
        {"unit": "v", "outcome": 0, "status": "agent_timeout", "limit_s": 1800, "duration_s": 1801},
    ]
    found = read_table(json_lines(tmp_path / "r.jsonl", rows))
    assert found.codes["timeout_contradiction"] == 1
    assert found.notice("timeout_contradiction").where == "r.jsonl:1"
    early, late = (t.ending for t in found.trials)
    assert early.kind is EndingKind.TIMED_OUT
    assert "declared limit 1800 s, measured 205 s" in early.detail
    assert late.kind is EndingKind.BUDGET


@pytest.mark.requirement("A11")
def test_a11_answers_from_a_cache_are_no_repetitions(tmp_path: Path) -> None:
    rows = [
        {"unit": "u", "rep": rep, "pass": 1, "output_sha256": "ab", "latency_ms": latency}
        for rep, latency in ((1, 1200), (2, 0), (3, 0))
    ]
    found = read_table(json_lines(tmp_path / "r.jsonl", rows))
    assert found.codes["cached_repetition"] == 2
    first, *others = found.trials
    assert first.ending.kind is EndingKind.COMPLETED
    assert {(t.ending.kind, t.ending.fault, t.ending.detail) for t in others} == {
        (EndingKind.HARNESS_ERROR, Fault.HARNESS, "served from cache")
    }
    assert [g.trial for g in found.grades] == [first.id]


@pytest.mark.requirement("A11")
def test_a11_equal_answers_that_took_time_are_repetitions(tmp_path: Path) -> None:
    rows = [
        {"unit": "u", "rep": rep, "pass": 1, "output_sha256": "ab", "latency_ms": 1200 + rep}
        for rep in (1, 2, 3)
    ]
    found = read_table(json_lines(tmp_path / "r.jsonl", rows))
    assert len(found.grades) == 3
    assert "cached_repetition" not in found.codes


@pytest.mark.requirement("A17")
def test_a17_cached_input_is_counted_by_its_convention(tmp_path: Path) -> None:
    row = {"unit": "u", "pass": 1, "input_tokens": 117231, "cached_tokens": 115584}
    path = json_lines(tmp_path / "r.jsonl", [row])
    columns = {
        "unit": "unit",
        "outcome": "pass",
        "input_tokens": "input_tokens",
        "cache_read_tokens": "cached_tokens",
    }
    usage = read_table(path, **columns, convention="subset").trials[0].usage
    assert usage is not None
    assert (usage.input_tokens, usage.cache_read_tokens) == (1647, 115584)
    extra = read_table(path, **columns, convention="extra").trials[0].usage
    assert extra is not None
    assert (extra.input_tokens, extra.cache_read_tokens) == (117231, 115584)
    unknown = read_table(path, **columns)
    assert unknown.codes["usage_convention_unknown"] == 1


@pytest.mark.requirement("A19")
def test_a19_a_judge_that_failed_gave_no_score(tmp_path: Path) -> None:
    rows = [{"unit": "u", "score": 1}, {"unit": "v", "score": {"error": "429"}}]
    found = read_table(json_lines(tmp_path / "r.jsonl", rows))
    assert [g.value for g in found.grades] == [1.0, None]
    assert found.grades[1].not_evaluable == "the evaluation failed: 429"


@pytest.mark.requirement("A20")
def test_a20_a_second_attempt_is_no_second_repetition(tmp_path: Path) -> None:
    rows = [
        {"unit": "u", "repetition": 1, "attempt": 1, "status": "timeout", "pass": None},
        {"unit": "u", "repetition": 1, "attempt": 2, "status": "completed", "pass": True},
    ]
    found = read_table(json_lines(tmp_path / "r.jsonl", rows))
    assert [(t.repetition, t.attempt) for t in found.trials] == [(1, 1), (1, 2)]
    assert [g.trial for g in found.grades] == [found.trials[1].id]


@pytest.mark.requirement("A21")
def test_a21_a_sentinel_is_no_score(tmp_path: Path) -> None:
    rows = [{"unit": str(i), "score": score} for i, score in enumerate([7, 8, -1])]
    found = read_table(
        json_lines(tmp_path / "r.jsonl", rows), unit="unit", value="score", scale=[0, 10]
    )
    assert [g.value for g in found.grades] == [0.7, 0.8, None]
    assert "value -1 lies outside the scale 0 to 10" in found.notice("bad_value").message


@pytest.mark.requirement("A23")
@pytest.mark.parametrize("stop", ["length", "max_tokens", "MAX_TOKENS"])
def test_a23_an_answer_that_was_cut_off_is_not_wrong(tmp_path: Path, stop: str) -> None:
    rows = [{"unit": str(i), "pass": 0, "stop_reason": stop, "tokens_out": 2048} for i in range(36)]
    found = read_table(json_lines(tmp_path / "r.jsonl", rows))
    assert {t.ending.kind for t in found.trials} == {EndingKind.TRUNCATED}
    assert not found.grades
    assert found.codes["truncated"] == 36


@pytest.mark.requirement("A26")
def test_a26_a_unit_of_nan_alone_is_unscored(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(
        "".join(f'{{"unit": "u", "rep": {i}, "score": NaN}}\n' for i in (1, 2, 3))
        + '{"unit": "v", "rep": 1}\n{"unit": "w", "rep": 1, "score": 1}\n'
    )
    found = read_table(path)
    assert [g.value for g in found.grades] == [None, None, None, None, 1.0]
    assert all(g.not_evaluable for g in found.grades[:4])
