"""Adds up one Claude Code session line by line, in memory that grows only with its messages."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from equipoise.adapters.logs.table.fields import text
from equipoise.adapters.logs.usage import added, claude_usage
from equipoise.records.trial import Usage

KNOWN_TYPES = frozenset(
    {"user", "assistant", "system", "summary", "result", "queue-operation"}
    | {"file-history-snapshot", "progress", "attachment", "last-prompt", "custom-title"}
    | {"ai-title", "agent-name", "mode", "permission-mode", "hook", "stream_event"}
)
HANDOFFS = frozenset({"Task", "Agent"})
"""Tools that hand a part of the work to a sub-agent."""


@dataclass(slots=True)
class Session:
    """What one session did and used."""

    name: str
    line: int
    n_lines: int = 0
    n_assistant: int = 0
    n_sidechain: int = 0
    tools: Counter[str] = field(default_factory=Counter)
    n_results: int = 0
    n_error_results: int = 0
    n_denied: int = 0
    models: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    versions: set[str] = field(default_factory=set)
    usage_by_message: dict[str, Usage] = field(default_factory=dict)
    n_unnamed: int = 0
    first: str = ""
    last: str = ""
    prompt: str = ""
    cwd: str = ""
    stop_reason: str | None = None
    is_api_error: bool = False
    result: dict[str, Any] | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Adds one line of the transcript (or one event of the stream)."""
        self.n_lines += 1
        kind = text(event.get("type")) or "none"
        if kind not in KNOWN_TYPES:
            self.unknown[kind] += 1
        self._note_time(event.get("timestamp"))
        version = text(event.get("version") or event.get("claude_code_version"))
        if version is not None and len(self.versions) < 10:
            self.versions.add(version)
        self.cwd = self.cwd or text(event.get("cwd")) or ""
        self.n_sidechain += event.get("isSidechain") is True
        message = event.get("message")
        if kind == "result":
            self.result = {key: event.get(key) for key in RESULT_KEYS}
        elif isinstance(message, dict) and kind == "assistant":
            self._take_assistant(event, message)
        elif isinstance(message, dict) and kind == "user":
            self._take_user(message)

    @property
    def usage(self) -> Usage | None:
        """Tokens of all messages, each counted once: the last line of a message stands."""
        total: Usage | None = None
        for usage in self.usage_by_message.values():
            total = added(total, usage)
        return total

    @property
    def n_messages(self) -> int:
        """Distinct assistant messages."""
        return len(self.usage_by_message) + self.n_unnamed

    @property
    def duration_ms(self) -> float | None:
        """Wall time from the first to the last time stamp."""
        try:
            start, end = datetime.fromisoformat(self.first), datetime.fromisoformat(self.last)
            return 1000.0 * (end - start).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None

    def _note_time(self, stamp: Any) -> None:
        # ISO times of one form sort as text
        if isinstance(stamp, str) and stamp[:4].isdigit():
            self.first = min(self.first or stamp, stamp)
            self.last = max(self.last, stamp)

    def _take_assistant(self, event: dict[str, Any], message: dict[str, Any]) -> None:
        self.n_assistant += 1
        self.is_api_error = event.get("isApiErrorMessage") is True
        model = text(message.get("model"))
        if model is not None and model != "<synthetic>" and len(self.models) < 100:
            self.models[model] += 1
        stop = text(message.get("stop_reason"))
        if event.get("isSidechain") is not True:
            self.stop_reason = stop or self.stop_reason
        self._note_usage(text(message.get("id")), message.get("usage"))
        for block in _blocks(message):
            if block.get("type") == "tool_use":
                self.tools[text(block.get("name")) or "unnamed"] += 1

    def _note_usage(self, name: str | None, found: Any) -> None:
        usage = claude_usage(found)
        if name is None:
            self.n_unnamed += 1
            name = f"?{self.n_unnamed}" if usage is not None else None
            self.n_unnamed -= name is not None
        if name is not None:
            self.usage_by_message[name] = usage or self.usage_by_message.get(name) or Usage()

    def _take_user(self, message: dict[str, Any]) -> None:
        content = message.get("content")
        if not self.prompt and isinstance(content, str):
            self.prompt = content[:10_000]
        for block in _blocks(message):
            if block.get("type") == "tool_result":
                self.n_results += 1
                self.n_error_results += block.get("is_error") is True
            elif not self.prompt and isinstance(block.get("text"), str):
                self.prompt = block["text"][:10_000]


RESULT_KEYS = (
    *("subtype", "is_error", "api_error_status", "stop_reason", "duration_ms", "total_cost_usd"),
    *("usage", "modelUsage", "permission_denials", "num_turns", "terminal_reason", "result"),
)
"""What is kept of the last event of a stream."""


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []
