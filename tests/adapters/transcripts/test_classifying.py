from datetime import UTC, datetime
from typing import Any

from equipoise.adapters.transcripts.classifying import ROWS, classified
from equipoise.adapters.transcripts.claude_code import SUBTYPES, Session
from equipoise.adapters.transcripts.codex import CodexSession
from equipoise.adapters.transcripts.facts import Facts, Sign
from equipoise.adapters.transcripts.streams import STOPS, StreamSession
from equipoise.adapters.transcripts.trajectories import (
    MINI_ENDS,
    SWE_ENDS,
    mini_facts,
    swe_facts,
)
from equipoise.records.trial import Ending, EndingKind, Fault, Reason
from every import for_every
from house.documents import ROOT


def claude(**result: Any) -> Facts:
    session = Session(name="", line=1)
    session.take({"type": "system", "subtype": "init", "tools": ["Bash"]})
    session.take({"type": "result", "subtype": "success", "is_error": False} | result)
    return session.facts()


def codex(*events: dict[str, Any]) -> Facts:
    session = CodexSession()
    for event in ({"type": "thread.started"}, {"type": "turn.started"}, *events):
        session.take(event)
    return session.facts()


def rollout(*payloads: dict[str, Any]) -> Facts:
    session = CodexSession()
    for payload in payloads:
        session.take({"type": "event_msg", "payload": payload})
    return session.facts()


def mini(ended: str, **extra: Any) -> Facts:
    last = {"role": "exit", "extra": {"exit_status": ended} | extra}
    info = {"mini_version": "2", "exit_status": ended}
    return mini_facts({"info": info, "messages": [last]})


def swe(status: str | None) -> Facts:
    return swe_facts({"history": [], "info": {"exit_status": status}})


def pi(**message: Any) -> Facts:
    session = StreamSession("pi")
    session.take({"type": "message_end", "message": {"role": "assistant"} | message})
    return session.facts()


def failed(message: str) -> Facts:
    return codex({"type": "turn.failed", "error": {"message": message}})


OK, BUDGET, REFUSED, CUT = (
    EndingKind.COMPLETED,
    EndingKind.BUDGET,
    EndingKind.REFUSED,
    EndingKind.TRUNCATED,
)
INFRA, HARNESS = EndingKind.INFRASTRUCTURE_ERROR, EndingKind.HARNESS_ERROR

TABLE: dict[str, tuple[Facts, EndingKind, Reason, bool]] = {
    "claude: done": (claude(), OK, Reason.NONE, False),
    "claude: a denied permission ends with 0 and success": (
        *(claude(permission_denials=[{"tool_name": "Edit"}]), HARNESS),
        *(Reason.ENVIRONMENT, False),
    ),
    "claude: turns": (
        claude(subtype="error_max_turns", is_error=True),
        *(BUDGET, Reason.BUDGET, False),
    ),
    "claude: money": (
        claude(subtype="error_max_budget_usd", is_error=True),
        *(BUDGET, Reason.BUDGET, False),
    ),
    "claude: prompt too long": (
        claude(is_error=True, api_error_status=400),
        *(INFRA, Reason.INFRASTRUCTURE, False),
    ),
    "claude: no such model": (
        claude(is_error=True, api_error_status=404),
        *(INFRA, Reason.INFRASTRUCTURE, False),
    ),
    "claude: rate limit": (
        claude(is_error=True, api_error_status=429),
        *(INFRA, Reason.INFRASTRUCTURE, True),
    ),
    "claude: overloaded": (
        claude(is_error=True, api_error_status=529),
        *(INFRA, Reason.INFRASTRUCTURE, True),
    ),
    "claude: connection refused": (
        claude(is_error=True, result="API Error: Connection error."),
        *(INFRA, Reason.INFRASTRUCTURE, True),
    ),
    "claude: refusal": (
        claude(is_error=True, stop_reason="refusal"),
        *(REFUSED, Reason.REFUSED, False),
    ),
    "claude: cut off": (claude(stop_reason="max_tokens"), CUT, Reason.TRUNCATED, False),
    "claude: its own error": (
        claude(subtype="error_during_execution", is_error=True),
        *(HARNESS, Reason.INFRASTRUCTURE, True),
    ),
    "qwen: an API error ends with 0, is_error false and success": (
        claude(result="[API Error: 401 Incorrect API key provided]"),
        *(INFRA, Reason.INFRASTRUCTURE, False),
    ),
    "codex: done": (codex({"type": "turn.completed"}), OK, Reason.NONE, False),
    "codex: a warning is no error": (
        codex(
            {"type": "item.completed", "item": {"type": "error", "message": "no metadata"}},
            {"type": "turn.completed"},
        ),
        *(OK, Reason.NONE, False),
    ),
    "codex: 400": (failed("unexpected status 400"), INFRA, Reason.INFRASTRUCTURE, False),
    "codex: 401": (failed("unexpected status 401"), INFRA, Reason.INFRASTRUCTURE, False),
    "codex: 429": (failed("exceeded retry limit, 429"), INFRA, Reason.INFRASTRUCTURE, True),
    "codex: 500": (failed("unexpected status 500"), INFRA, Reason.INFRASTRUCTURE, True),
    "codex: its sandbox cannot start, and it says nothing": (
        codex(
            {
                "type": "item.completed",
                "item": {
                    "type": "command_execution",
                    "status": "failed",
                    "aggregated_output": "execvp codex-linux-sandbox: No such file",
                },
            },
            {"type": "turn.completed"},
        ),
        *(HARNESS, Reason.ENVIRONMENT, False),
    ),
    "codex: cut in the middle": (codex(), HARNESS, Reason.INFRASTRUCTURE, True),
    "codex: interrupted": (
        rollout({"type": "turn_aborted", "reason": "interrupted"}),
        *(EndingKind.CANCELLED, Reason.NONE, False),
    ),
    "codex: a turn completes without an answer after an error": (
        rollout(
            {"type": "error", "message": "stream disconnected"},
            {"type": "task_complete", "last_agent_message": None},
        ),
        *(INFRA, Reason.INFRASTRUCTURE, True),
    ),
    "codex: an older rollout, which records no end": (
        rollout({"type": "user_message", "message": "Fix"}, {"type": "agent_message"}),
        *(HARNESS, Reason.INFRASTRUCTURE, True),
    ),
    "mini: submitted": (mini("Submitted"), OK, Reason.NONE, False),
    "mini: steps": (mini("LimitsExceeded"), BUDGET, Reason.BUDGET, False),
    "mini: time": (mini("TimeExceeded"), BUDGET, Reason.BUDGET, False),
    "mini: no tool call three times": (mini("RepeatedFormatError"), OK, Reason.AGENT, False),
    "mini: overloaded": (mini("ModelFailed", status=529), INFRA, Reason.INFRASTRUCTURE, True),
    "mini: bad key": (mini("ModelFailed", status=401), INFRA, Reason.INFRASTRUCTURE, False),
    "mini: an error of the program": (
        mini("KeyError", exception_str="'choices'"),
        *(HARNESS, Reason.INFRASTRUCTURE, True),
    ),
    "swe: submitted": (swe("submitted"), OK, Reason.NONE, False),
    "swe: cost": (swe("exit_cost"), BUDGET, Reason.BUDGET, False),
    "swe: submitted at its limit": (swe("submitted (exit_cost)"), BUDGET, Reason.BUDGET, False),
    "swe: format": (swe("exit_format"), OK, Reason.AGENT, False),
    "swe: API": (swe("exit_api"), INFRA, Reason.INFRASTRUCTURE, True),
    "swe: unknown": (swe(None), HARNESS, Reason.INFRASTRUCTURE, True),
    "pi: stopped": (pi(stopReason="stop"), OK, Reason.NONE, False),
    "pi: length": (pi(stopReason="length"), CUT, Reason.TRUNCATED, False),
    "pi: error": (
        pi(stopReason="error", errorMessage="529 overloaded"),
        *(INFRA, Reason.INFRASTRUCTURE, True),
    ),
    "pi: still at work": (pi(stopReason="toolUse"), HARNESS, Reason.INFRASTRUCTURE, True),
}


@for_every("name", TABLE)
def test_what_a_harness_says_has_one_meaning(name: str) -> None:
    facts, kind, reason, is_retriable = TABLE[name]
    ending = classified(facts.signs)
    assert (ending.kind, ending.reason, ending.is_retriable) == (kind, reason, is_retriable)


@for_every("row", ROWS, ids=lambda row: row.sign)
def test_each_row_gives_its_ending_whatever_else_is_said_below_it(row: Any) -> None:
    below = [other.sign for other in ROWS[ROWS.index(row) :]]
    ending = classified(Sign(word) for word in reversed(below))
    assert (ending.kind, ending.fault, ending.reason) == (row.kind, row.fault, row.reason)
    assert ending.is_retriable == row.is_retriable


def test_every_word_of_a_harness_is_in_the_table() -> None:
    known = {row.sign for row in ROWS}
    for words in (SUBTYPES, MINI_ENDS, SWE_ENDS, STOPS):
        assert set(words.values()) <= known


def test_every_reason_is_explained() -> None:
    page = ROOT.joinpath("docs", "reference", "systems.md").read_text(encoding="utf-8")
    for reason in Reason:
        assert f"`{reason}`" in page or reason is Reason.NONE


def test_nothing_said_is_completed_and_details_are_told_together() -> None:
    assert classified(()) == Ending()
    denied = classified([Sign("denied", "Write"), Sign("denied", "Edit"), Sign("denied", "Edit")])
    assert denied.detail == "permission denied for Edit, Write"
    assert denied.fault is Fault.HARNESS
    assert len(classified([Sign("failed", "x" * 9000)]).detail) <= 200


def test_tampering_outranks_what_the_record_claims() -> None:
    ending = classified([Sign("done"), Sign("tampered", "(the transcript: a link)")])
    assert ending.reason is Reason.TAMPERED
    assert ending.fault is Fault.SYSTEM
    assert not ending.is_retriable


def test_the_older_rollouts_of_codex_have_no_end_but_their_last_answer() -> None:
    """As Codex wrote until 0.50 (an envelope, no end) and until 0.30 (the items themselves)."""
    said = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Ok."}]}
    call = {"type": "function_call", "name": "shell", "arguments": "{}"}
    head = {"id": "old", "timestamp": "2025-05-01T00:00:00Z", "instructions": None}
    wrapped = [{"type": "response_item", "payload": item} for item in (call, said)]
    bare: list[dict[str, Any]] = [head, {"record_type": "state"}, call, said]
    for lines in (wrapped, bare):
        session = CodexSession()
        for line in lines:
            session.take(line)
        facts = session.facts()
        assert classified(facts.signs).kind is EndingKind.COMPLETED
        assert (facts.counts["tool_calls"], facts.output) == (1, "Ok.")
        assert not facts.unknown


def test_usage_of_a_resumed_codex_thread_is_cumulative_and_not_added_up() -> None:
    facts = codex(
        {"type": "turn.completed", "usage": {"input_tokens": 100, "cached_input_tokens": 40}},
        {"type": "turn.started"},
        {"type": "turn.completed", "usage": {"input_tokens": 250, "cached_input_tokens": 90}},
    )
    assert facts.usage is not None
    assert (facts.usage.input_tokens, facts.usage.cache_read_tokens) == (160, 90)
    assert facts.counts["prompts"] == 2


def test_a_million_messages_are_added_up_in_bounded_memory() -> None:
    session = Session(name="", line=1)
    n_messages = 20_000
    for number in range(n_messages):
        usage = {"input_tokens": 3, "output_tokens": 2}
        for _ in range(2):  # a message is streamed as several lines that repeat its usage
            message = {"id": f"m{number}", "usage": usage, "content": []}
            session.take({"type": "assistant", "message": message})
    facts = session.facts()
    assert facts.usage is not None
    assert facts.usage.input_tokens == 3 * n_messages
    assert facts.counts["messages"] == n_messages
    assert len(session._open) < 5000


def test_times_come_from_the_stamps() -> None:
    stamps = [datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC).isoformat() for second in (0, 9)]
    session = CodexSession()
    for stamp in stamps:
        session.take({"type": "event_msg", "timestamp": stamp, "payload": {"type": "x"}})
    assert session.facts().duration_ms == 9000.0
