"""Tells the format of a foreign file or folder by what it holds, not by its name alone."""

import re
from itertools import islice
from pathlib import Path
from typing import Any

from equipoise.adapters.logs.json_text import BadJson, decode
from equipoise.adapters.logs.opened import head_of
from equipoise.errors import UnreadableSource

TABLE = "table"
_HEAD = 1 << 16
_MAX_LOOKED_AT = 200
_TRACE = re.compile(
    rb"^\d{4}-\d\d-\d\dT\S+\s+(meta|inner|design|refine|refinement|outer|cot|epoch|architect)\s",
    re.MULTILINE,
)
_INSPECT_KEYS = re.compile(rb'^\s*\{\s*"(version|status|eval)"')
_PROMPTFOO_KEYS = re.compile(rb'"(evalId|promptIdx|testIdx)"\s*:')
_MINI = re.compile(rb'"mini_version"\s*:|"trajectory_format"\s*:\s*"mini-swe|mswea_bash_command')
_SWE_KEYS = re.compile(rb'^\s*\{\s*"(environment|trajectory|history|info)"\s*:')
_CODEX_TYPES = frozenset({"session_meta", "turn_context", "event_msg", "response_item"})
_SESSION_TYPES = frozenset(
    {"user", "assistant", "system", "summary", "result", "queue-operation"}
    | {"file-history-snapshot", "progress"}
)


def detect(path: Path) -> str:
    """Gives the name of the format that the file or folder looks like; ``table`` if none other.

    Raises:
        UnreadableSource: there is nothing there, or a folder without a file that is known.
    """
    if path.is_dir():
        return _folder(path)
    return _by_head(head_of(path, _HEAD).removeprefix(b"\xef\xbb\xbf"), path)


def _folder(path: Path) -> str:
    suffixes = {".eval": "inspect", ".xml": "junit", ".log": "ldd", ".traj": "swe-agent"}
    for found in islice(sorted(p for p in path.rglob("*") if p.is_file()), _MAX_LOOKED_AT):
        suffix = found.suffix.lower()
        if suffix in suffixes:
            return suffixes[suffix]
        if suffix in {".jsonl", ".json"}:
            name = detect(found)
            if name in {"claude-code", "codex", "mini-swe", "inspect"}:
                return name
    raise UnreadableSource(
        f"no file in the folder {path.name} is of a format that is read by the folder",
        wanted="Inspect logs, transcripts of agents, JUnit XML or LDD traces",
        mend="name one file, or say the format",
        code="unknown_format",
    )


def _by_head(head: bytes, path: Path) -> str:
    start = head.lstrip()
    if start.startswith(b"PK\x03\x04"):
        return "inspect" if b"samples/" in head or b"_journal/" in head else TABLE
    if start.startswith(b"<"):
        return "junit" if b"<testsuite" in head else TABLE
    if start.startswith(b"{"):
        return _by_object(head, path)
    if start.startswith(b"[") and _MINI.search(head):
        return "mini-swe"
    return "ldd" if _TRACE.search(head) else TABLE


def _by_object(head: bytes, path: Path) -> str:
    first = _first_object(head) or {}
    looks = {
        "codex": _is_codex(first),
        "claude-code": _is_session(first) or b'"loglines"' in head[:200],
        "mini-swe": path.suffix != ".jsonl" and _MINI.search(head),
        "swe-agent": path.suffix == ".traj" and _SWE_KEYS.match(head),
        "inspect": _INSPECT_KEYS.match(head) and re.search(rb'"eval"\s*:\s*\{', head),
        "promptfoo": _PROMPTFOO_KEYS.search(head),
        "ldd": path.suffix == ".json" and b'"per_skill"' in head and b'"rubric_max"' in head,
    }
    return next((name for name, is_like in looks.items() if is_like), TABLE)


def _first_object(head: bytes) -> dict[str, Any] | None:
    line, newline, _ = head.partition(b"\n")
    try:
        value = decode(line).value if newline or len(head) < _HEAD else None
    except BadJson:
        return None
    return value if isinstance(value, dict) else None


def _is_session(event: dict[str, Any]) -> bool:
    if str(event.get("type")) not in _SESSION_TYPES:
        return False
    marks = ("sessionId", "session_id", "message", "leafUuid", "messageId")
    return any(mark in event for mark in marks)


def _is_codex(event: dict[str, Any]) -> bool:
    kind = event.get("type")
    is_rollout = kind in _CODEX_TYPES and isinstance(event.get("payload"), dict)
    is_rollout = is_rollout or {"id", "timestamp", "instructions"} <= event.keys()
    return is_rollout or (kind == "thread.started" and "thread_id" in event)
