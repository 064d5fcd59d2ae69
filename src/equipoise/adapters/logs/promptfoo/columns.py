"""The columns of a promptfoo run: which prompt under which provider is which arm."""

from dataclasses import dataclass
from typing import Any

from equipoise.adapters.logs.table.fields import field, text

_MAX_LABEL = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Names of the arms by the index of their prompt column, and what each declares."""

    names: dict[int, str]
    declared: dict[str, dict[str, int]]

    def arm_of(self, row: dict[str, Any]) -> str:
        """Gives the arm of a row: its column's name, or else what the row says itself."""
        index = row.get("promptIdx")
        if isinstance(index, int) and index in self.names:
            return self.names[index]
        return _provider(row) or "promptfoo"


def columns_of(prompts: Any) -> Columns:
    """Gives the columns declared by ``results.prompts``.

    An arm is named by what differs: the providers, the prompts' labels, or both.
    """
    listed = [p for p in prompts if isinstance(p, dict)] if isinstance(prompts, list) else []
    providers = [_provider(p) or "" for p in listed]
    labels = [(text(p.get("label")) or text(p.get("raw")) or "")[:_MAX_LABEL] for p in listed]
    if len(set(providers)) == len(listed):
        names = providers
    elif len(set(labels)) == len(listed):
        names = labels
    else:
        names = [f"{p} | {label}" for p, label in zip(providers, labels, strict=True)]
        if len(set(names)) < len(names):
            names = [f"{name} | column {i + 1}" for i, name in enumerate(names)]
    names = [name or f"column {i + 1}" for i, name in enumerate(names)]
    declared = {name: _counts(p.get("metrics")) for name, p in zip(names, listed, strict=True)}
    return Columns(names=dict(enumerate(names)), declared=declared)


def _provider(row: dict[str, Any]) -> str | None:
    found = row.get("provider")
    if isinstance(found, dict):
        return text(found.get("label")) or text(found.get("id"))
    return text(found) or text(field(row, "provider.id"))


def _counts(metrics: Any) -> dict[str, int]:
    keys = {
        "testPassCount": "successes",
        "testFailCount": "failures",
        "testErrorCount": "errors",
    }
    if not isinstance(metrics, dict):
        return {}
    return {
        name: int(value)
        for key, name in keys.items()
        if isinstance(value := metrics.get(key), int) and not isinstance(value, bool)
    }
