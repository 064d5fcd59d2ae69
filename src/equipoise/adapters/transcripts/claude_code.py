"""Adds up one session of Claude Code line by line: its transcript, or its stream of events.

Qwen Code writes the same stream. Memory is bounded, however long the session is.
"""

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import Any

from equipoise.adapters.transcripts.acts import Acts, kept
from equipoise.adapters.transcripts.facts import Facts, Sign
from equipoise.adapters.transcripts.usage import added, claude_usage
from equipoise.adapters.transcripts.values import amount, elapsed_ms, record, records, word, words
from equipoise.records.trial import Usage

KNOWN_TYPES = frozenset(
    {"user", "assistant", "system", "summary", "result", "queue-operation"}
    | {"file-history-snapshot", "progress", "attachment", "last-prompt", "custom-title"}
    | {"ai-title", "agent-name", "mode", "permission-mode", "hook", "stream_event"}
    | {"api-request", "api-request-blob", "api-request-shape", "atis-latch", "cost-state"}
    | {"tools-used"}
)
HANDOFFS = frozenset({"Task", "Agent", "agent"})
"""Tools that hand a part of the work to a sub-agent."""

RESULT_KEYS = (
    *("subtype", "is_error", "api_error_status", "stop_reason", "duration_ms", "total_cost_usd"),
    *("usage", "modelUsage", "permission_denials", "num_turns", "terminal_reason", "result"),
)
"""What is kept of the last event of a stream."""

SUBTYPES: dict[str, str] = {
    "error_max_turns": "budget",
    "error_max_budget_usd": "budget",
    "error_during_execution": "failed",
    "error_max_structured_output_retries": "agent",
}
"""Subtype of the result event -> sign; ``success`` says nothing, it stands beside errors too."""

STOPS: dict[str, str] = {"max_tokens": "truncated", "refusal": "refused"}
"""Stop reason of a message -> sign."""

_OPEN_MESSAGES = 4096
_MAX_NAMES = 1000
_SKILL_TOOLS = frozenset({"Skill", "skill"})
_API_ERROR = ("API Error:", "[API Error:")
_UNKNOWN_SKILL = "Unknown skill"


@dataclass(slots=True)
class Session:
    """What one session did and used."""

    name: str
    line: int
    n_lines: int = 0
    n_assistant: int = 0
    n_sidechain: int = 0
    tools: Counter[str] = field(default_factory=Counter)
    skills: Counter[str] = field(default_factory=Counter)
    n_results: int = 0
    n_error_results: int = 0
    n_unknown_skills: int = 0
    n_retries: int = 0
    models: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    versions: set[str] = field(default_factory=set)
    n_unnamed: int = 0
    n_synthetic: int = 0
    first: str = ""
    last: str = ""
    prompt: str = ""
    output: str | None = None
    cwd: str = ""
    stop_reason: str | None = None
    is_api_error: bool = False
    init: dict[str, tuple[str, ...]] | None = None
    result: dict[str, Any] | None = None
    acts: Acts | None = None
    _open: OrderedDict[str, Usage] = field(default_factory=OrderedDict)
    _closed: Usage | None = None
    _n_closed: int = 0

    def take(self, event: dict[str, Any]) -> None:
        """Adds one line of the transcript (or one event of the stream)."""
        self.n_lines += 1
        kind = word(event.get("type")) or "none"
        if kind not in KNOWN_TYPES and len(self.unknown) < _MAX_NAMES:
            self.unknown[kind] += 1
        self._note_time(event.get("timestamp"))
        self._note_version(event)
        self.cwd = self.cwd or word(event.get("cwd")) or ""
        self.n_sidechain += event.get("isSidechain") is True
        message = event.get("message")
        if kind == "result":
            self.result = {key: event.get(key) for key in RESULT_KEYS}
        elif kind == "system":
            self._take_system(event)
        elif isinstance(message, dict) and kind == "assistant":
            self._take_assistant(event, message)
        elif isinstance(message, dict) and kind == "user":
            self._take_user(message)

    @property
    def usage(self) -> Usage | None:
        """Tokens of all messages, each counted once: the last line of a message stands."""
        total = self._closed
        for usage in self._open.values():
            total = added(total, usage)
        return None if total == Usage() else total

    @property
    def n_messages(self) -> int:
        """Distinct assistant messages."""
        return self._n_closed + len(self._open) + self.n_unnamed

    @property
    def duration_ms(self) -> float | None:
        """Wall time from the first to the last time stamp."""
        return elapsed_ms(self.first, self.last)

    @property
    def model(self) -> str | None:
        """The model that answered most often."""
        ranked = sorted(self.models.items(), key=lambda item: (-item[1], item[0]))
        return ranked[0][0] if ranked else None

    def signs(self) -> tuple[Sign, ...]:
        """Gives what bears on how the session ended; a stream also needs its result event."""
        if self.result is None:
            stop = STOPS.get(self.stop_reason or "")
            by_message = [Sign(stop, f"(stop reason {self.stop_reason})")] if stop else []
            failed = [Sign("api_error", "(the last answer)")] if self.is_api_error else []
            return (*by_message, *failed)
        return tuple(_signs_of(self.result))

    def facts(self, harness: str = "claude-code") -> Facts:
        """Gives what the session says, its result event counted where there is one."""
        result = self.result or {}
        return Facts(
            harness=harness,
            n_answers=max(0, self.n_messages - self.n_synthetic),
            signs=(*self.signs(), Sign("done" if self.is_ended else "no_end")),
            counts=self.counts(),
            unknown=dict(self.unknown),
            offered=self.init or {},
            selected=tuple(self.skills),
            usage=claude_usage(result.get("usage")) or self.usage,
            cost_usd=stated_cost(result),
            model=self.model,
            models=tuple(sorted(self.models)),
            versions={"claude_code": max(self.versions)} if self.versions else {},
            all_versions=tuple(sorted(self.versions)),
            output=word(result.get("result")) or self.output,
            prompt=self.prompt,
            stop_reason=self.stop_reason or word(result.get("stop_reason")),
            started_at=self.first or None,
            duration_ms=amount(result.get("duration_ms")) or self.duration_ms,
            session=self.name,
            acts=kept(self.acts),
        )

    @property
    def is_ended(self) -> bool:
        """Whether the record has an end; a transcript has none but its last answer."""
        return self.result is not None or (self.init is None and self.n_assistant > 0)

    def counts(self) -> dict[str, int]:
        """Gives what was counted, tools by name too."""
        counts = {
            "lines": self.n_lines,
            "assistant_lines": self.n_assistant,
            "messages": self.n_messages,
            "tool_calls": self.tools.total(),
            "tool_results": self.n_results,
            "tool_errors": self.n_error_results,
            "handoffs": sum(n for tool, n in self.tools.items() if tool in HANDOFFS),
            "sidechain_lines": self.n_sidechain,
        }
        more = {"api_retries": self.n_retries, "unknown_skills": self.n_unknown_skills}
        counts |= {name: n for name, n in more.items() if n}
        return counts | {f"tool:{tool}": n for tool, n in sorted(self.tools.items())}

    def _note_time(self, stamp: Any) -> None:
        # ISO times of one form sort as text
        if isinstance(stamp, str) and stamp[:4].isdigit():
            self.first = min(self.first or stamp, stamp)
            self.last = max(self.last, stamp)

    def _note_version(self, event: dict[str, Any]) -> None:
        names = ("version", "claude_code_version", "qwen_code_version")
        version = next((v for name in names if (v := word(event.get(name)))), None)
        if version is not None and len(self.versions) < 10:
            self.versions.add(version)

    def _take_system(self, event: dict[str, Any]) -> None:
        kind = event.get("subtype")
        self.n_retries += kind == "api_retry"
        if kind == "init":
            self.init = {"tools": words(event.get("tools")), "skills": words(event.get("skills"))}

    def _take_assistant(self, event: dict[str, Any], message: dict[str, Any]) -> None:
        self.n_assistant += 1
        model = word(message.get("model"))
        is_synthetic = model == "<synthetic>"
        self.n_synthetic += is_synthetic
        self.is_api_error = event.get("isApiErrorMessage") is True
        if model is not None and not is_synthetic and len(self.models) < 100:
            self.models[model] += 1
        stop = word(message.get("stop_reason"))
        is_main = event.get("isSidechain") is not True and not event.get("parent_tool_use_id")
        if is_main:
            self.stop_reason = stop or self.stop_reason
        self._note_usage(word(message.get("id")), message.get("usage"))
        for block in records(message.get("content")):
            if block.get("type") == "tool_use":
                self._note_tool(block)
            elif is_main and isinstance(block.get("text"), str):
                self.output = block["text"]

    def _note_tool(self, block: dict[str, Any]) -> None:
        tool = word(block.get("name")) or "unnamed"
        if self.acts is not None:
            self.acts.add(tool, block.get("input"), word(block.get("id")) or "")
        if tool in self.tools or len(self.tools) < _MAX_NAMES:
            self.tools[tool] += 1
        else:
            self.tools["more"] += 1
        skill = word(record(block.get("input")).get("skill")) if tool in _SKILL_TOOLS else None
        if skill and len(self.skills) < _MAX_NAMES:
            self.skills[skill] += 1

    def _note_usage(self, name: str | None, found: Any) -> None:
        usage = claude_usage(found)
        if name is None:
            self.n_unnamed += 1
            self._closed = added(self._closed, usage)
            return
        self._open[name] = usage or self._open.get(name) or Usage()
        if len(self._open) > _OPEN_MESSAGES:  # the lines of a message stand close together
            _, usage = self._open.popitem(last=False)
            self._closed = added(self._closed, None if usage == Usage() else usage)
            self._n_closed += 1

    def _take_user(self, message: dict[str, Any]) -> None:
        content = message.get("content")
        if not self.prompt and isinstance(content, str):
            self.prompt = content[:10_000]
        for block in records(content):
            if block.get("type") == "tool_result":
                self.n_results += 1
                self.n_error_results += block.get("is_error") is True
                told = block.get("content")
                self.n_unknown_skills += isinstance(told, str) and _UNKNOWN_SKILL in told[:200]
            elif not self.prompt and isinstance(block.get("text"), str):
                self.prompt = block["text"][:10_000]


def stated_cost(result: dict[str, Any]) -> float | None:
    """The cost the program states; null where it says itself that the price is not known."""
    for used in record(result.get("modelUsage")).values():
        if isinstance(used, dict) and used.get("costBasis") == "unknown":
            return None
    return amount(result.get("total_cost_usd"))


def _signs_of(result: dict[str, Any]) -> list[Sign]:
    signs: list[Sign] = []
    subtype = word(result.get("subtype")) or ""
    stop = word(result.get("stop_reason")) or ""
    text = result.get("result")
    is_told_error = isinstance(text, str) and text.startswith(_API_ERROR)
    if result.get("terminal_reason") == "max_turns":
        signs.append(Sign("budget", subtype or "max_turns"))
    elif subtype in SUBTYPES:
        told = (word(text) or subtype) if SUBTYPES[subtype] == "failed" else subtype
        signs.append(Sign(SUBTYPES[subtype], told))
    if stop in STOPS:
        signs.append(Sign(STOPS[stop], f"(stop reason {stop})"))
    status = word(result.get("api_error_status"))
    is_error = result.get("is_error") is True and subtype not in SUBTYPES
    if status or is_told_error or is_error:
        signs.append(Sign("api_error", status or word(text) or subtype))
    denials = records(result.get("permission_denials"))
    return [*signs, *(Sign("denied", word(one.get("tool_name")) or "a tool") for one in denials)]
