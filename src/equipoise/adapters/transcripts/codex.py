"""Adds up one session of Codex line by line: its rollout file, or its stream of events.

The rollout is the better witness: the stream was seen to leave out commands that had run.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from equipoise.adapters.transcripts.acts import Acts, kept
from equipoise.adapters.transcripts.facts import Facts, Sign
from equipoise.adapters.transcripts.skills import asked_for, listed
from equipoise.adapters.transcripts.usage import openai_usage
from equipoise.adapters.transcripts.values import amount, elapsed_ms, record, records, word
from equipoise.records.trial import Usage

STREAM_TYPES = frozenset(
    {"thread.started", "turn.started", "turn.completed", "turn.failed", "error"}
    | {"item.started", "item.updated", "item.completed"}
)
ROLLOUT_TYPES = frozenset(
    {"session_meta", "turn_context", "event_msg", "response_item", "compacted", "world_state"}
    | {"inter_agent_communication", "inter_agent_communication_metadata", "token_usage_record"}
)
TOOL_ITEMS = frozenset({"command_execution", "file_change", "mcp_tool_call", "web_search"})
"""Items of the stream that are tool calls."""

CALLS = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"}
)
"""Items of the rollout that are tool calls."""

BARE = CALLS | {"message", "reasoning", "function_call_output", "custom_tool_call_output"}
"""Lines of the oldest rollouts: the items themselves, without an envelope."""

HANDOFFS = frozenset({"spawn_agent", "collab_tool_call", "spawn_agents_on_csv"})
"""Tools that hand a part of the work to a sub-agent."""

EVENTS: dict[str, str] = {
    "turn.completed": "done",
    "task_complete": "done",
    "turn.failed": "api_error",
    "turn_aborted": "cancelled",
}
"""Event that ends a turn -> sign; the last turn's stands. An item of type error only warns."""

_OWN_SANDBOX = re.compile(r"execvp codex-linux-sandbox|Refusing to create helper binaries")
_MAX_NAMES = 1000


@dataclass(slots=True)
class CodexSession:
    """What one thread did and used."""

    name: str = ""
    n_lines: int = 0
    n_turns: int = 0
    n_started: int = 0
    n_said: int = 0
    n_warnings: int = 0
    n_failed_tools: int = 0
    tools: Counter[str] = field(default_factory=Counter)
    skills: Counter[str] = field(default_factory=Counter)
    offered: dict[str, None] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    versions: set[str] = field(default_factory=set)
    usage: Usage | None = None
    first: str = ""
    last: str = ""
    prompt: str = ""
    output: str | None = None
    end: Sign | None = None
    fault: str = ""
    is_sandbox_broken: bool = False
    is_rollout: bool = False
    acts: Acts | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Adds one line of the rollout, or one event of the stream."""
        self.n_lines += 1
        kind = word(event.get("type")) or "none"
        stamp = event.get("timestamp")
        if isinstance(stamp, str) and stamp[:4].isdigit():
            self.first, self.last = self.first or stamp, stamp
        payload = event.get("payload")
        if isinstance(payload, dict) and kind in ROLLOUT_TYPES:
            self.is_rollout = True
            self._take_rollout(kind, payload)
        elif kind in STREAM_TYPES:
            self._take_stream(kind, event)
        elif kind in BARE:
            self.is_rollout = True
            self._take_response(event)
        elif self._is_bare_head(event):
            self.is_rollout = True
            self.name = self.name or word(event.get("id")) or ""
        elif len(self.unknown) < _MAX_NAMES:
            self.unknown[kind] += 1

    @staticmethod
    def _is_bare_head(event: dict[str, Any]) -> bool:
        """The first line of the oldest rollouts, and the marks of state between their items."""
        has_head = "instructions" in event and "timestamp" in event
        return "type" not in event and (has_head or event.get("record_type") == "state")

    @property
    def _end(self) -> Sign:
        """The end of the last turn; older rollouts record none, there the last answer counts."""
        if self.end is None and self.is_rollout and not self.n_started and not self.fault:
            return Sign("no_end" if self.output is None else "done")
        return self.end or Sign("no_end")

    def facts(self) -> Facts:
        """Gives what the session says."""
        broken = (Sign("own_sandbox"),) if self.is_sandbox_broken else ()
        return Facts(
            harness="codex",
            signs=(*broken, self._end),
            counts=self._counts(),
            unknown=dict(self.unknown),
            offered={"skills": tuple(self.offered)} if self.is_rollout else {},
            selected=tuple(self.skills),
            usage=self.usage,
            model=max(self.models, key=lambda name: self.models[name], default=None),
            models=tuple(sorted(self.models)),
            versions={"codex": max(self.versions)} if self.versions else {},
            all_versions=tuple(sorted(self.versions)),
            output=self.output,
            prompt=self.prompt,
            started_at=self.first or None,
            duration_ms=elapsed_ms(self.first, self.last),
            session=self.name,
            acts=kept(self.acts),
        )

    def _counts(self) -> dict[str, int]:
        counts = {
            "lines": self.n_lines,
            "prompts": self.n_turns or self.n_said,
            "tool_calls": self.tools.total(),
            "tool_errors": self.n_failed_tools,
            "handoffs": sum(n for tool, n in self.tools.items() if tool in HANDOFFS),
        }
        counts |= {"warnings": self.n_warnings} if self.n_warnings else {}
        return counts | {f"tool:{tool}": n for tool, n in sorted(self.tools.items())}

    def _take_stream(self, kind: str, event: dict[str, Any]) -> None:
        item = record(event.get("item"))
        if kind == "thread.started":
            self.name = word(event.get("thread_id")) or self.name
        elif kind == "turn.started":
            self.n_turns += 1
            self.end = None
        elif kind == "item.completed":
            self._take_item(item)
        elif kind == "error":
            self.fault = word(event.get("message")) or self.fault
        elif kind in EVENTS:
            failure = word(record(event.get("error")).get("message")) or self.fault
            self.end = Sign(EVENTS[kind], _shortened(failure) if kind == "turn.failed" else "")
            self.usage = openai_usage(event.get("usage")) or self.usage  # counted from the start

    def _take_item(self, item: dict[str, Any]) -> None:
        kind = word(item.get("type")) or "none"
        if kind == "agent_message":
            self.output = word(item.get("text")) or self.output
        elif kind == "error":
            self.n_warnings += 1
            self._look_for_sandbox(item.get("message"))
        elif kind in TOOL_ITEMS or kind in HANDOFFS:
            self._note_tool(kind, word(item.get("command")) or "")
            self.n_failed_tools += item.get("status") == "failed"
            self._look_for_sandbox(item.get("aggregated_output"))
        elif kind not in {"reasoning", "todo_list"} and len(self.unknown) < _MAX_NAMES:
            self.unknown[f"item {kind}"] += 1

    def _take_rollout(self, kind: str, payload: dict[str, Any]) -> None:
        if kind == "session_meta":
            self.name = self.name or word(payload.get("id")) or ""
            version = word(payload.get("cli_version"))
            self.versions |= {version} if version else set()
        elif kind == "turn_context":
            model = word(payload.get("model"))
            if model is not None and len(self.models) < 100:
                self.models[model] += 1
        elif kind == "response_item":
            self._take_response(payload)
        elif kind == "event_msg":
            self._take_event(payload)

    def _take_response(self, item: dict[str, Any]) -> None:
        kind = word(item.get("type")) or "none"
        if kind in CALLS:
            self._note_tool(
                word(item.get("name")) or kind,
                word(item.get("arguments")) or word(item.get("input")) or _command(item),
                word(item.get("call_id")) or "",
            )
        elif kind == "function_call_output":
            self._look_for_sandbox(item.get("output"))
        elif kind == "message":
            texts = [word(part.get("text")) or "" for part in records(item.get("content"))]
            if item.get("role") == "assistant":
                self.output = "\n".join(texts) or self.output
            elif item.get("role") == "developer":
                self.offered |= {name: None for text in texts for name in listed(text)}

    def _take_event(self, event: dict[str, Any]) -> None:
        kind = word(event.get("type")) or "none"
        if kind in {"task_started", "turn_started"}:
            self.n_started += 1
            self.n_turns += 1
            self.end = None
        elif kind == "token_count":
            total = record(event.get("info")).get("total_token_usage")
            self.usage = openai_usage(total) or self.usage
        elif kind == "item_completed":
            self._take_rollout_item(record(event.get("item")))
        elif kind in {"error", "stream_error"}:
            self.fault = word(event.get("message")) or kind
        elif kind == "user_message":
            self.n_said += 1
            self.prompt = self.prompt or (word(event.get("message")) or "")[:10_000]
        elif kind in EVENTS or kind == "turn_complete":
            self._note_end(kind, event)

    def _note_end(self, kind: str, event: dict[str, Any]) -> None:
        said = word(event.get("last_agent_message"))
        self.output = said or self.output
        word_of_end = EVENTS.get(kind, "done")
        if word_of_end == "done" and said is None and self.fault:
            self.end = Sign("api_error", _shortened(self.fault))
        else:
            self.end = Sign(word_of_end, word(event.get("reason")) or "")

    def _take_rollout_item(self, item: dict[str, Any]) -> None:
        kind = word(item.get("type"))
        texts = [word(part.get("text")) or "" for part in records(item.get("content"))]
        if kind == "UserMessage":
            self.prompt = self.prompt or "\n".join(texts)[:10_000]
        elif kind == "AgentMessage":
            self.output = "\n".join(texts) or self.output
        elif kind in {"CommandExecution", "FileChange", "McpToolCall"}:
            code = amount(item.get("exit_code"))
            self.n_failed_tools += item.get("status") == "failed" or bool(code)
            self._look_for_sandbox(item.get("aggregated_output"))

    def _note_tool(self, tool: str, argument: str, call: str = "") -> None:
        if self.acts is not None:
            self.acts.add(tool, argument, call)
        self.tools[tool if tool in self.tools or len(self.tools) < _MAX_NAMES else "more"] += 1
        for skill in asked_for(argument):
            if len(self.skills) < _MAX_NAMES:
                self.skills[skill] += 1

    def _look_for_sandbox(self, told: Any) -> None:
        if isinstance(told, str) and _OWN_SANDBOX.search(told[:10_000]):
            self.is_sandbox_broken = True


def _command(item: dict[str, Any]) -> str:
    """Gives the command of a call of the shell, which stands in a field of its own."""
    command = record(item.get("action")).get("command")
    return json.dumps({"command": command}) if isinstance(command, list) else ""


def _shortened(message: str) -> str:
    return message.split(", url:", maxsplit=1)[0][:160]
