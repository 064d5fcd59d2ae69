import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.logs.readings import Readings
from equipoise.adapters.transcripts.classifying import classified
from equipoise.adapters.transcripts.claude_code import Session
from equipoise.adapters.transcripts.codex import CodexSession
from equipoise.adapters.transcripts.facts import Facts
from equipoise.adapters.transcripts.streams import StreamSession
from equipoise.records.trial import EndingKind, Fault, Reason, Trial
from equipoise.wiring import reader
from every import for_every
from shared_data import shared


def checks() -> list[dict[str, Any]]:
    path = shared("data", "agent_transcripts", "expected.json")
    found: list[dict[str, Any]] = json.loads(path.read_text())["checks"]
    return found


def trial_of(form: str, path: Path) -> Trial:
    found = Readings(reader(form).read(path, {}))
    assert len(found.trials) == 1, path.name
    return found.trials[0]


def sample(name: str) -> Path:
    return shared("data", "harness_event_samples", name)


def streamed(session: Any, name: str) -> Facts:
    with sample(name).open() as file:
        for line in file:
            session.take(json.loads(line))
    facts: Facts = session.facts()
    return facts


@pytest.mark.requirement("ABX-43")
def test_claude_code_sessions_have_the_counts_and_tokens_of_the_pack() -> None:
    n_checked = 0
    for check in checks():
        name, _, question = check["id"].partition(" ")
        if not name.startswith("claude_code/") or question in {"tokens_naive", "span"}:
            continue
        trial = trial_of("claude-code", shared("data", "agent_transcripts", f"{name}.jsonl"))
        n_checked += 1
        if question == "tools":
            tools = {k[5:]: n for k, n in trial.counts.items() if k.startswith("tool:")}
            assert tools == check["value"]
        elif question == "tokens":
            assert trial.usage is not None
            assert check["value"] == {
                "input_tokens": trial.usage.input_tokens,
                "cache_creation_input_tokens": trial.usage.cache_write_tokens,
                "cache_read_input_tokens": trial.usage.cache_read_tokens,
                "output_tokens": trial.usage.output_tokens,
            }
        else:
            names = ["lines", "assistant_lines", "messages"]
            names += ["tool_calls", "tool_results", "tool_errors"]
            assert [trial.counts[key] for key in names] == check["value"], name
    assert n_checked >= 15


def test_trajectories_of_swe_agent_have_the_steps_tokens_and_endings_of_the_pack() -> None:
    n_checked = 0
    for check in checks():
        if not check["id"].startswith("swe_agent/"):
            continue
        trial = trial_of("swe-agent", shared("data", "agent_transcripts", check["id"]))
        steps, status, calls, sent, received, cost, _ = check["value"]
        n_checked += 1
        assert trial.counts["steps"] == steps
        assert trial.stop_reason == status
        assert trial.counts.get("model_calls") == (calls or None)
        if sent:
            assert trial.usage is not None
            assert (trial.usage.input_tokens, trial.usage.output_tokens) == (sent, received)
            assert trial.cost_usd == pytest.approx(cost, abs=1e-4)
        else:
            assert (trial.usage, trial.cost_usd) == (None, None), "not recorded is not free"
        is_done = trial.ending.kind is EndingKind.COMPLETED
        assert is_done == (status == "submitted")
    assert n_checked == 8


def test_trajectories_of_mini_swe_agent_have_the_messages_of_the_pack() -> None:
    expected = {"github_issue": (10, 22, False), "local": (2, 6, True)}
    for name, (n_turns, n_messages, is_done) in expected.items():
        path = shared("data", "agent_transcripts", "mini_swe_agent", f"{name}.traj.json")
        trial = trial_of("mini-swe", path)
        assert (trial.counts["turns"], trial.counts["messages"]) == (n_turns, n_messages)
        assert trial.counts["tool_calls"] == n_turns
        assert trial.usage is None
        assert is_done <= (trial.ending.kind is EndingKind.COMPLETED)
    folder = Readings(reader("mini-swe").read(path.parent, {}))
    assert len(folder.trials) == 2
    assert folder.notice("no_session").where == "preds.json"


CODEX: dict[str, tuple[EndingKind, Reason, int, int | None]] = {
    "codex_0.171.0_exec.jsonl": (EndingKind.COMPLETED, Reason.NONE, 3, 43045),
    "codex_0.171.0_rollout.jsonl": (EndingKind.COMPLETED, Reason.NONE, 3, 42876),
    "codex_0.171.0_exec_lost_event.jsonl": (EndingKind.COMPLETED, Reason.NONE, 2, 43016),
    "codex_0.171.0_api_401.jsonl": (
        EndingKind.INFRASTRUCTURE_ERROR,
        Reason.INFRASTRUCTURE,
        0,
        None,
    ),
}


@pytest.mark.parametrize("name", CODEX)
def test_codex_is_read_from_its_rollout_and_from_its_stream(name: str) -> None:
    kind, reason, n_tools, n_input = CODEX[name]
    trial = trial_of("codex", sample(name))
    assert (trial.ending.kind, trial.ending.reason) == (kind, reason)
    assert trial.counts["tool_calls"] == n_tools
    assert (trial.usage.input_tokens if trial.usage else None) == n_input
    if "401" in name:
        assert "401" in trial.ending.detail
        assert not trial.ending.is_retriable, "the same key is refused again"
    if "rollout" in name:
        assert trial.versions == {"codex": "0.171.0"}
        assert trial.counts["tool_errors"] == 2


CLAUDE = {
    "claude_2.1.197_full.jsonl": (EndingKind.COMPLETED, Fault.NONE, Reason.NONE, 3, 87839),
    "claude_2.1.332_bare.jsonl": (EndingKind.COMPLETED, Fault.NONE, Reason.NONE, 3, 4935),
    "claude_2.1.197_max_turns.jsonl": (
        *(EndingKind.BUDGET, Fault.SYSTEM, Reason.BUDGET),
        *(2, 39043),
    ),
    "claude_2.1.197_permission_denied.jsonl": (
        *(EndingKind.HARNESS_ERROR, Fault.HARNESS, Reason.ENVIRONMENT),
        *(4, 78492),
    ),
    "claude_2.1.197_api_529.jsonl": (
        *(EndingKind.INFRASTRUCTURE_ERROR, Fault.INFRASTRUCTURE, Reason.INFRASTRUCTURE),
        *(0, 0),
    ),
    "qwen_0.15.10.jsonl": (EndingKind.COMPLETED, Fault.NONE, Reason.NONE, 1, 39705),
}


@for_every("name", CLAUDE)
def test_claude_code_says_more_than_its_exit_code(name: str) -> None:
    kind, fault, reason, n_tools, n_input = CLAUDE[name]
    facts = streamed(Session(name="", line=1), name)
    ending = classified(facts.signs)
    assert (ending.kind, ending.fault, ending.reason) == (kind, fault, reason), ending.detail
    assert facts.counts["tool_calls"] == n_tools
    assert facts.usage is not None
    assert facts.usage.input_tokens == n_input
    assert "Bash" in facts.offered["tools"] or "run_shell_command" in facts.offered["tools"]
    if "529" in name:
        assert ending.is_retriable
        assert facts.counts["api_retries"] == 1
    if "denied" in name:
        assert facts.counts["unknown_skills"] == 1
        assert "Edit" in ending.detail


STREAMS: dict[str, tuple[str, int, int, int, str]] = {
    "gemini": ("gemini_0.61.0.jsonl", 2, 37228, 60, "Fixed."),
    "opencode": ("opencode_1.18.33.jsonl", 2, 23531, 60, "Fixed."),
    "pi": ("pi_0.73.1.jsonl", 2, 4591, 60, "Fixed."),
}


@pytest.mark.parametrize("harness", STREAMS)
def test_streams_of_other_harnesses_are_added_up(harness: str) -> None:
    name, n_tools, n_input, n_output, output = STREAMS[harness]
    facts = streamed(StreamSession(harness), name)
    assert facts.counts["tool_calls"] == n_tools
    assert facts.usage is not None
    assert (facts.usage.input_tokens, facts.usage.output_tokens) == (n_input, n_output)
    assert facts.output == output
    assert classified(facts.signs).kind is EndingKind.COMPLETED
    assert not facts.unknown


def test_mini_swe_agent_lean_has_its_tokens_from_every_answer() -> None:
    trial = trial_of("mini-swe", sample("mini_swe_agent_2.4.6_lean.json"))
    assert trial.usage is not None
    assert (trial.usage.input_tokens, trial.usage.output_tokens) == (2779, 60)
    assert trial.counts["tool_calls"] == 3
    assert trial.versions == {"mini_swe_agent": "2.4.6"}


@pytest.mark.requirement("ABX-43")
@pytest.mark.parametrize("make", [lambda: Session(name="", line=1)])
def test_seven_tool_uses_and_one_subagent_call_count_seven_and_one(
    make: Callable[[], Session],
) -> None:
    session = make()
    names = ["Read", "Edit", "Bash", "Bash", "Grep", "Task", "Write"]
    for number, name in enumerate(names):
        block = {"type": "tool_use", "id": str(number), "name": name, "input": {}}
        message = {"id": f"m{number}", "content": [block]}
        session.take({"type": "assistant", "message": message})
    counts = session.facts().counts
    assert (counts["tool_calls"], counts["handoffs"]) == (7, 1)


@pytest.mark.parametrize(
    "session",
    [Session(name="", line=1), CodexSession(), StreamSession("pi"), StreamSession("gemini")],
    ids=lambda one: type(one).__name__,
)
def test_events_of_the_future_are_counted_and_never_fatal(session: Any) -> None:
    events: list[dict[str, Any]] = [
        {"type": "of the future", "payload": 3},
        {"type": "of the future"},
        {"type": None, "message": []},
        {"type": "assistant", "message": {"content": [None, 3, {"type": "tool_use"}]}},
        {"type": "response_item", "payload": {"type": "of the future"}},
        {"type": "item.completed", "item": "no object"},
        {"type": "message_end", "message": 1},
        {"type": "result", "stats": 7},
    ]
    for event in events:
        session.take(event)
    assert session.facts().unknown["of the future"] == 2
