"""Adds up what the scripted stand-in wrote of its own actions."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from equipoise.adapters.transcripts.acts import Acts, kept
from equipoise.adapters.transcripts.facts import Facts, Sign
from equipoise.adapters.transcripts.values import word, words

_KNOWN = frozenset({"begin", "action", "end"})


@dataclass(slots=True)
class ScriptedSession:
    """What one scripted session did."""

    tools: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    n_errors: int = 0
    offered: tuple[str, ...] = ()
    versions: set[str] = field(default_factory=set)
    output: str | None = None
    is_over: bool = False
    acts: Acts = field(default_factory=Acts)

    def take(self, event: dict[str, Any]) -> None:
        """Adds one line."""
        kind = word(event.get("type")) or "none"
        if kind not in _KNOWN:
            self.unknown[kind] += 1
        elif kind == "begin":
            self.is_over = False
            version = word(event.get("version"))
            self.versions |= {version} if version else set()
            self.offered = words(event.get("tools"))
        elif kind == "action":
            name = word(event.get("name")) or "unnamed"
            self.tools[name] += 1
            self.acts.add(name, event.get("given"))
            self.n_errors += event.get("is_error") is True
        else:
            self.is_over = True
            self.output = word(event.get("output"))

    def facts(self) -> Facts:
        """Gives what they say."""
        counts = {
            "tool_calls": self.tools.total(),
            "tool_errors": self.n_errors,
            "handoffs": self.tools["handoff"],
            "turns": self.tools.total(),
        }
        return Facts(
            harness="scripted",
            signs=(Sign("done") if self.is_over else Sign("no_end"),),
            counts=counts | {f"tool:{name}": n for name, n in sorted(self.tools.items())},
            unknown=dict(self.unknown),
            offered={"tools": self.offered} if self.offered else {},
            versions={"scripted": max(self.versions)} if self.versions else {},
            all_versions=tuple(sorted(self.versions)),
            output=self.output,
            acts=kept(self.acts),
        )
