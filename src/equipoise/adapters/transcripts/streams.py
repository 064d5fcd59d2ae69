"""Adds up the event streams of Gemini CLI, OpenCode and pi, for programs that write one of them."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from equipoise.adapters.transcripts.acts import Acts, kept
from equipoise.adapters.transcripts.facts import Facts, Sign
from equipoise.adapters.transcripts.usage import added, subset_usage, whole
from equipoise.adapters.transcripts.values import record, records, word
from equipoise.records.trial import Usage

STOPS: dict[str, str] = {
    "stop": "done",
    "success": "done",
    "length": "truncated",
    "max_tokens": "truncated",
    "content-filter": "refused",
    "refusal": "refused",
    "error": "api_error",
    "aborted": "cancelled",
}
"""A harness's word for how it stopped -> sign."""

_KNOWN = {
    "gemini": frozenset({"init", "message", "tool_use", "tool_result", "result", "error"}),
    "opencode": frozenset(
        {"step_start", "step_finish", "text", "tool_use", "reasoning", "error", "tool"}
    ),
    "pi": frozenset(
        {"session", "agent_start", "agent_end", "turn_start", "turn_end", "message_start"}
        | {"message_update", "message_end", "tool_execution_start", "tool_execution_update"}
        | {"tool_execution_end", "compaction_start", "compaction_end", "queue_update"}
    ),
}
_MAX_NAMES = 1000


@dataclass(slots=True)
class StreamSession:
    """What one stream of one of these harnesses says."""

    harness: str
    n_lines: int = 0
    n_turns: int = 0
    n_errors: int = 0
    tools: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    usage: Usage | None = None
    model: str | None = None
    session: str = ""
    output: str | None = None
    prompt: str = ""
    end: Sign | None = None
    is_speaking: bool = False
    acts: Acts | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Adds one event."""
        self.n_lines += 1
        kind = word(event.get("type")) or "none"
        if kind not in _KNOWN[self.harness]:
            if len(self.unknown) < _MAX_NAMES:
                self.unknown[kind] += 1
            return
        {"gemini": self._gemini, "opencode": self._opencode, "pi": self._pi}[self.harness](
            kind, event
        )

    def facts(self) -> Facts:
        """Gives what the stream says."""
        counts = {
            "lines": self.n_lines,
            "turns": self.n_turns,
            "tool_calls": self.tools.total(),
            "tool_errors": self.n_errors,
            "handoffs": 0,
        }
        return Facts(
            harness=self.harness,
            signs=(self.end or Sign("no_end"),),
            counts=counts | {f"tool:{tool}": n for tool, n in sorted(self.tools.items())},
            unknown=dict(self.unknown),
            usage=self.usage,
            model=self.model,
            models=(self.model,) if self.model else (),
            output=self.output,
            prompt=self.prompt,
            session=self.session,
            acts=kept(self.acts),
        )

    def _tool(self, name: Any, given: Any) -> None:
        tool = word(name) or "unnamed"
        if self.acts is not None:
            self.acts.add(tool, given)
        self.tools[tool if tool in self.tools or len(self.tools) < _MAX_NAMES else "more"] += 1

    def _stop(self, stop: Any, told: Any = None) -> None:
        reason = word(stop) or "error"
        sign = STOPS.get(reason, "done" if reason.startswith("end") else "failed")
        self.end = Sign(sign, "" if sign == "done" else (word(told) or reason)[:160])

    def _gemini(self, kind: str, event: dict[str, Any]) -> None:
        was_speaking = kind == "message" and event.get("role") == "assistant"
        if kind == "init":
            self.model, self.session = word(event.get("model")), word(event.get("session_id")) or ""
        elif kind == "message" and event.get("role") == "assistant":
            said = event.get("content")
            is_more = event.get("delta") is True and self.is_speaking
            self.n_turns += not self.is_speaking
            if isinstance(said, str):
                self.output = (self.output or "") + said if is_more else said
        elif kind == "message":
            self.prompt = self.prompt or (word(event.get("content")) or "")[:10_000]
        elif kind == "tool_use":
            self._tool(event.get("tool_name"), event.get("parameters") or event.get("args"))
        elif kind == "tool_result":
            self.n_errors += event.get("status") == "error"
        elif kind == "result":
            self._stop(event.get("status"), record(event.get("error")).get("message"))
            stats = record(event.get("stats"))
            inputs, outputs = whole(stats.get("input_tokens")), whole(stats.get("output_tokens"))
            if inputs is not None or outputs is not None:
                self.usage = subset_usage(inputs, outputs, whole(stats.get("cached")), None)
        self.is_speaking = was_speaking

    def _opencode(self, kind: str, event: dict[str, Any]) -> None:
        part = record(event.get("part"))
        self.session = self.session or word(event.get("sessionID")) or ""
        if kind == "text":
            self.output = word(part.get("text")) or self.output
        elif kind in {"tool_use", "tool"}:
            self._tool(part.get("tool"), record(part.get("state")).get("input"))
            self.n_errors += record(part.get("state")).get("status") == "error"
        elif kind == "step_finish":
            self.n_turns += 1
            tokens = record(part.get("tokens"))
            cache = record(tokens.get("cache"))
            self.usage = added(self.usage, _beside(tokens, cache.get("read"), cache.get("write")))
            self.end = None
            if part.get("reason") != "tool-calls":
                self._stop(part.get("reason"))
        elif kind == "error":
            failure = record(event.get("error"))
            told = record(failure.get("data")).get("message") or failure.get("name")
            self.end = Sign("api_error", (word(told) or "error")[:160])

    def _pi(self, kind: str, event: dict[str, Any]) -> None:
        message = record(event.get("message"))
        if kind == "session":
            self.session = word(event.get("id")) or ""
        elif kind == "tool_execution_start":
            self._tool(event.get("toolName"), event.get("args"))
        elif kind == "tool_execution_end":
            self.n_errors += event.get("isError") is True
        elif kind == "message_end":
            self._pi_message(message)

    def _pi_message(self, message: dict[str, Any]) -> None:
        texts = [word(part.get("text")) or "" for part in records(message.get("content"))]
        said = "\n".join(text for text in texts if text)
        if message.get("role") == "user":
            self.prompt = self.prompt or said[:10_000]
        elif message.get("role") == "assistant":
            self.n_turns += 1
            self.model = word(message.get("model")) or self.model
            self.output = said or self.output
            used = record(message.get("usage"))
            counted = _beside(used, used.get("cacheRead"), used.get("cacheWrite"))
            self.usage = added(self.usage, counted)
            self.end = None
            if message.get("stopReason") != "toolUse":
                self._stop(message.get("stopReason"), message.get("errorMessage"))


def _beside(found: dict[str, Any], read: Any, write: Any) -> Usage | None:
    inputs, outputs = whole(found.get("input")), whole(found.get("output"))
    if inputs is None and outputs is None:
        return None
    return Usage(
        input_tokens=inputs,
        output_tokens=outputs,
        cache_read_tokens=whole(read),
        cache_write_tokens=whole(write),
        convention="extra",
    )
