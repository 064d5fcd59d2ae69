import json
from pathlib import Path
from typing import Any

import pytest

from adapters.logs.readings import Readings, json_lines
from equipoise.adapters.logs.promptfoo.reader import PromptfooReader
from equipoise.errors import UnreadableSource
from equipoise.records.grade import How
from equipoise.records.trial import EndingKind
from equipoise.wiring import reader
from every import for_every


def row(
    test: int, question: str, *, prompt: int = 0, success: bool = True, **more: Any
) -> dict[str, Any]:
    made: dict[str, Any] = {
        "testIdx": test,
        "promptIdx": prompt,
        "provider": {"id": f"p:{prompt}"},
        "vars": {"question": question},
        "success": success,
        "score": 1.0 if success else 0.25,
        "namedScores": {"tone": 0.5},
        "failureReason": 0 if success else 1,
        "gradingResult": {"componentResults": [{"assertion": {"type": "equals"}}]},
        "latencyMs": 1200 + test,
        "cost": 0.002,
        "response": {"output": f"{question}!", "tokenUsage": {"prompt": 10, "completion": 2}},
    }
    return made | more


def write(path: Path, rows: list[Any], **stats: int) -> Path:
    content = {
        "evalId": "eval-1",
        "results": {
            "version": 3,
            "prompts": [
                {"provider": "p:0", "label": "same", "metrics": {"testPassCount": 1}},
                {"provider": "p:1", "label": "same", "metrics": {"testPassCount": 1}},
            ],
            "results": rows,
            "stats": stats,
        },
        "config": {"description": "größer 漢字"},
    }
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


def read(path: Path, **options: Any) -> Readings:
    return Readings(PromptfooReader().read(path, options))


ROWS = [row(0, "a"), row(0, "a", prompt=1), row(1, "b", success=False)]


def test_a_row_is_a_trial_with_outcome_score_and_named_scores(tmp_path: Path) -> None:
    found = read(write(tmp_path / "r.json", ROWS, successes=2, failures=1, errors=0))
    assert [(t.unit, t.arm, t.model) for t in found.trials] == [
        ("a", "p:0", "p:0"),
        ("a", "p:1", "p:1"),
        ("b", "p:0", "p:0"),
    ]
    assert list(found.values().values()) == [1.0, 1.0, 0.0]
    assert list(found.values("score").values()) == [1.0, 1.0, 0.25]
    assert set(found.values("tone").values()) == {0.5}
    first = found.trials[0]
    assert (first.cost_usd, first.duration_ms) == (0.002, 1200.0)
    assert first.source == "r.json:results[0]"
    assert first.usage is not None
    assert first.usage.input_tokens == 10
    assert not found.notices
    assert ("n_passed", 2.0) in [(h.metric, h.value) for h in found.headlines]


def test_totals_that_do_not_follow_from_the_rows_are_told(tmp_path: Path) -> None:
    found = read(write(tmp_path / "r.json", ROWS, successes=1, failures=1, errors=0))
    messages = {n.message for n in found.notices if n.code == "headline_does_not_follow"}
    assert "its stats count 2 results, the file holds 3 rows" in messages
    assert "its stats declare successes=1, its rows give 2" in messages


def test_repeats_are_repetitions_of_one_unit(tmp_path: Path) -> None:
    rows = [row(i, "a", latencyMs=900 + i) for i in range(3)]
    found = read(write(tmp_path / "r.json", rows))
    assert [(t.unit, t.repetition) for t in found.trials] == [("a", 1), ("a", 2), ("a", 3)]


@pytest.mark.requirement("A11")
@pytest.mark.parametrize("flag", [{"latencyMs": 0}, {"cached": True}])
def test_a11_repeats_from_the_cache_are_no_repetitions(
    tmp_path: Path, flag: dict[str, Any]
) -> None:
    rows = [row(i, "a") for i in range(3)]
    for cached in rows[1:]:
        (cached["response"] if "cached" in flag else cached).update(flag)
    found = read(write(tmp_path / "r.json", rows))
    assert found.codes["cached_repetition"] == 2
    assert len(found.values()) == 1
    assert found.trials[1].ending.detail == "served from cache"


def test_an_error_is_no_failure(tmp_path: Path) -> None:
    rows = [
        row(0, "a", success=False, failureReason=2, error="429 rate limit"),
        row(1, "b", success=False, failureReason=2, error="bad template"),
        row(2, "c", success=False, failureReason=1, error="Expected output to equal x"),
    ]
    found = read(write(tmp_path / "r.json", rows, successes=0, failures=1, errors=2))
    assert [t.ending.kind for t in found.trials] == [
        EndingKind.INFRASTRUCTURE_ERROR,
        EndingKind.HARNESS_ERROR,
        EndingKind.COMPLETED,
    ]
    assert len(found.values()) == 1
    assert not [n for n in found.notices if n.where.endswith("stats")]


@pytest.mark.requirement("A19")
@pytest.mark.requirement("A27")
def test_a_judge_that_gave_no_verdict_is_not_a_failure(tmp_path: Path) -> None:
    part = {"assertion": {"type": "llm-rubric"}, "reason": "Could not extract JSON from response"}
    rows = [row(0, "a", success=False, gradingResult={"componentResults": [part]}), row(1, "b")]
    found = read(write(tmp_path / "r.json", rows))
    first = next(g for g in found.grades if g.criterion == "outcome")
    assert first.value is None
    assert first.how is How.SOFT
    assert found.codes["judge_failed"] == 1
    assert list(found.values().values()) == [None, 1.0]


@pytest.mark.requirement("A23")
def test_a_cut_answer_is_truncated(tmp_path: Path) -> None:
    cut = row(0, "a", success=False, response={"output": "x", "finishReason": "length"})
    found = read(write(tmp_path / "r.json", [cut]))
    assert found.trials[0].ending.kind is EndingKind.TRUNCATED
    assert not found.grades


def test_a_zero_cost_is_an_unknown_price(tmp_path: Path) -> None:
    assert read(write(tmp_path / "r.json", [row(0, "a", cost=0)])).trials[0].cost_usd is None


def test_units_by_description_and_variables_or_by_a_path(tmp_path: Path) -> None:
    rows = [
        row(0, "a", testCase={"description": "asks", "metadata": {"intent": "refund"}}),
        row(1, "b", testCase={"description": "asks", "metadata": {"intent": "invoice"}}),
    ]
    path = write(tmp_path / "r.json", rows)
    found = read(path)
    assert len({t.unit for t in found.trials}) == 2
    assert all(t.unit.startswith("asks #") for t in found.trials)
    assert [t.labels["intent"] for t in found.trials] == ["refund", "invoice"]
    assert [t.unit for t in read(path, unit="vars.question").trials] == ["a", "b"]


def test_json_lines_are_read_too(tmp_path: Path) -> None:
    found = read(json_lines(tmp_path / "r.jsonl", [*ROWS, {"x": 1}]))
    assert len(found.trials) == 3
    assert found.codes["no_row"] == 1


def test_rows_before_a_break_are_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "r.json", ROWS)
    path.write_bytes(path.read_bytes()[: path.read_bytes().rindex(b'"testIdx"')])
    found = read(path)
    assert len(found.trials) == 2
    assert found.codes["bad_json"] == 1


@for_every("content", ["", "{", "[]", '{"results": {"results": []}}', "null"])
def test_what_holds_no_row_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(content)
    with pytest.raises(UnreadableSource):
        read(path)
    assert reader("promptfoo").name == "promptfoo"
