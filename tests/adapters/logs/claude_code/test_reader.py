import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from adapters.logs.readings import Readings, json_lines
from equipoise.adapters.logs.claude_code.reader import ClaudeCodeReader
from equipoise.errors import InputError, UnreadableSource
from equipoise.records.trial import EndingKind, Fault
from equipoise.wiring import reader
from every import for_every
from shared_data import shared


def read(path: Path, **options: Any) -> Readings:
    return Readings(ClaudeCodeReader().read(path, options))


def assistant(
    name: str | None, usage: dict[str, int] | None, *content: object, **more: Any
) -> dict[str, Any]:
    message = {"id": name, "model": "m-1", "usage": usage, "content": list(content)}
    return {
        "type": "assistant",
        "sessionId": "s1",
        "timestamp": "2026-01-01T00:00:09.500Z",
        "version": "2.1.14",
        "message": message | more.pop("message", {}),
    } | more


PROMPT = {
    "type": "user",
    "sessionId": "s1",
    "timestamp": "2026-01-01T00:00:00Z",
    "message": {"content": "Fix größer 漢字 🙂"},
}


@pytest.mark.requirement("A16")
def test_usage_counts_once_per_message_and_its_last_line_stands(tmp_path: Path) -> None:
    usages = [(100, 1), (100, 1), (100, 250)]
    lines = [assistant("m", {"input_tokens": i, "output_tokens": o}) for i, o in usages]
    usage = read(json_lines(tmp_path / "a.jsonl", [PROMPT, *lines])).trials[0].usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (100, 250)


def test_a_session_is_a_trial_with_tools_errors_handoffs_and_time(tmp_path: Path) -> None:
    tools = [{"type": "tool_use", "name": name} for name in ("Bash", "Task", "Bash")]
    results = [{"type": "tool_result", "is_error": flag} for flag in (False, True, None)]
    lines = [
        PROMPT,
        assistant("m1", {"input_tokens": 1, "output_tokens": 2}, *tools),
        {"type": "user", "sessionId": "s1", "message": {"content": results}},
        {"type": "of the future", "sessionId": "s1"},
        {"type": "of the future", "sessionId": "s1"},
    ]
    found = read(json_lines(tmp_path / "a.jsonl", lines), arm="base", unit="prompt")
    (trial,) = found.trials
    assert trial.unit.startswith("Fix größer 漢字 🙂 #")
    assert (trial.arm, trial.model, trial.duration_ms) == ("base", "m-1", 9500.0)
    assert trial.versions == {"claude_code": "2.1.14"}
    assert trial.counts == {
        "lines": 5,
        "assistant_lines": 1,
        "messages": 1,
        "tool_calls": 3,
        "tool_results": 3,
        "tool_errors": 1,
        "handoffs": 1,
        "sidechain_lines": 0,
        "tool:Bash": 2,
        "tool:Task": 1,
    }
    assert not found.grades, "a transcript holds no outcome"
    assert found.codes["unknown_line_type"] == 2
    (attachment,) = found.attachments
    assert trial.transcript is not None
    assert trial.transcript.sha256 == attachment.sha256


@for_every(
    "result, kind, fault",
    [
        ({"subtype": "success", "is_error": False}, EndingKind.COMPLETED, Fault.NONE),
        (
            {"subtype": "success", "permission_denials": [{"tool_name": "Edit"}]},
            EndingKind.HARNESS_ERROR,
            Fault.HARNESS,
        ),
        ({"subtype": "error_max_turns", "is_error": True}, EndingKind.BUDGET, Fault.SYSTEM),
        ({"subtype": "error_max_budget_usd"}, EndingKind.BUDGET, Fault.SYSTEM),
        (
            {"subtype": "success", "is_error": True, "api_error_status": 429},
            EndingKind.INFRASTRUCTURE_ERROR,
            Fault.INFRASTRUCTURE,
        ),
        (
            {"subtype": "success", "is_error": True, "stop_reason": "refusal"},
            EndingKind.REFUSED,
            Fault.SYSTEM,
        ),
        ({"subtype": "error_during_execution"}, EndingKind.HARNESS_ERROR, Fault.UNKNOWN),
    ],
)
def test_the_result_event_says_how_it_ended(
    tmp_path: Path, result: dict[str, Any], kind: EndingKind, fault: Fault
) -> None:
    lines = [PROMPT, assistant("m", None), {"type": "result", "session_id": "s1", **result}]
    ending = read(json_lines(tmp_path / "a.jsonl", lines)).trials[0].ending
    assert (ending.kind, ending.fault) == (kind, fault)


@pytest.mark.requirement("A23")
def test_without_a_result_the_last_message_tells(tmp_path: Path) -> None:
    cut = assistant("m", None, message={"stop_reason": "max_tokens"})
    failed = assistant("m", None, isApiErrorMessage=True)
    for line, kind in (
        (cut, EndingKind.TRUNCATED),
        (failed, EndingKind.INFRASTRUCTURE_ERROR),
    ):
        path = json_lines(tmp_path / "a.jsonl", [PROMPT, line])
        assert read(path).trials[0].ending.kind is kind


def test_a_cost_without_a_price_is_left_out(tmp_path: Path) -> None:
    result = {"type": "result", "subtype": "success", "total_cost_usd": 0.4}
    priced = read(json_lines(tmp_path / "a.jsonl", [PROMPT, result]))
    assert priced.trials[0].cost_usd == 0.4
    result["modelUsage"] = {"m": {"costBasis": "unknown"}}
    unpriced = read(json_lines(tmp_path / "a.jsonl", [PROMPT, result]))
    assert unpriced.trials[0].cost_usd is None
    assert unpriced.codes["price_unknown"] == 1


def test_broken_lines_are_told_and_reading_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    good = json.dumps(PROMPT).encode()
    path.write_bytes(b"\n".join([good, b"{", b"\xff", b"[1]", b"null", good, good[:-3]]))
    found = read(path)
    assert found.trials[0].counts["lines"] == 2
    assert found.codes["bad_json"] == 3
    assert found.codes["no_object"] == 2


def test_two_sessions_in_a_file_are_two_trials(tmp_path: Path) -> None:
    found = read(
        json_lines(tmp_path / "a.jsonl", [PROMPT, PROMPT | {"sessionId": "s2"}]), unit="session"
    )
    assert [t.unit for t in found.trials] == ["s1", "s2"]
    again = read(tmp_path / "a.jsonl", keep=False)
    assert [t.repetition for t in again.trials] == [1, 2]
    assert not again.attachments


def test_what_is_no_session_is_refused(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", [{"unit": 1}])
    with pytest.raises(UnreadableSource):
        read(path)
    with pytest.raises(InputError, match="file or prompt or folder or session"):
        read(path, unit="cwd")
    assert reader("claude-code").name == "claude-code"


def checks() -> dict[str, Any]:
    expected = json.loads(shared("data", "agent_transcripts", "expected.json").read_text("utf-8"))
    return {c["id"]: c["value"] for c in expected["checks"] if c["id"].startswith("claude_code/")}


def test_every_real_transcript_gives_its_counts() -> None:
    expected = checks()
    names = {key.split("/")[1].split(" ")[0] for key in expected}
    assert names
    for name in names:
        path = shared("data", "agent_transcripts", "claude_code", f"{name}.jsonl")
        (trial,) = read(path).trials
        counts = trial.counts
        keys = ("lines", "assistant_lines", "messages", "tool_calls", "tool_results", "tool_errors")
        assert [counts[k] for k in keys] == expected[f"claude_code/{name}"]
        tools = {k.removeprefix("tool:"): n for k, n in counts.items() if k.startswith("tool:")}
        assert tools == expected[f"claude_code/{name} tools"]
        assert counts["handoffs"] == tools.get("Task", 0)
        usage = trial.usage
        assert usage is not None
        assert {
            "input_tokens": usage.input_tokens,
            "cache_creation_input_tokens": usage.cache_write_tokens,
            "cache_read_input_tokens": usage.cache_read_tokens,
            "output_tokens": usage.output_tokens,
        } == expected[f"claude_code/{name} tokens"]
        naive = expected[f"claude_code/{name} tokens_naive"]
        assert usage.output_tokens <= naive["output_tokens"]
        first, last = (datetime.fromisoformat(t) for t in expected[f"claude_code/{name} span"])
        assert trial.started_at == expected[f"claude_code/{name} span"][0]
        assert trial.duration_ms == pytest.approx(1000 * (last - first).total_seconds())


def test_hand_made_edges_do_not_stop_the_import() -> None:
    for name in ("edge_cases", "representative_messages", "todowrite_examples"):
        found = read(shared("data", "agent_transcripts", "claude_code_edge", f"{name}.jsonl"))
        assert found.trials
    edges = read(shared("data", "agent_transcripts", "claude_code_edge", "edge_cases.jsonl"))
    assert edges.codes["no_object"] == 3
    exported = read(
        shared("data", "agent_transcripts", "claude_code", "sample_session_simonw.json")
    )
    assert exported.trials[0].counts["tool_calls"] == 12


def test_real_streams_end_as_they_ended() -> None:
    wanted = {
        "claude_2.1.197_full.jsonl": EndingKind.COMPLETED,
        "claude_2.1.197_max_turns.jsonl": EndingKind.BUDGET,
        "claude_2.1.197_api_529.jsonl": EndingKind.INFRASTRUCTURE_ERROR,
        "claude_2.1.197_permission_denied.jsonl": EndingKind.HARNESS_ERROR,
        "claude_2.1.332_bare.jsonl": EndingKind.COMPLETED,
    }
    for name, kind in wanted.items():
        (trial,) = read(shared("data", "harness_event_samples", name)).trials
        assert trial.ending.kind is kind, name
    assert read(shared("data", "harness_event_samples", name)).trials[0].cost_usd is None
