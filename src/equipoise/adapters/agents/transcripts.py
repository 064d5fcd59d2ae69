"""Reads the transcript that a harness left in its cell, by the name of its form."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import msgspec

from equipoise.adapters.agents.scripted_session import ScriptedSession
from equipoise.adapters.transcripts.acts import Acts, of_subagent
from equipoise.adapters.transcripts.claude_code import Session
from equipoise.adapters.transcripts.codex import CodexSession
from equipoise.adapters.transcripts.facts import Facts, Sign
from equipoise.adapters.transcripts.files import (
    MAX_DOCUMENT,
    Astray,
    Events,
    opened,
    read_whole,
)
from equipoise.adapters.transcripts.streams import StreamSession
from equipoise.adapters.transcripts.trajectories import is_mini, is_swe, mini_facts, swe_facts
from equipoise.records.conduct import Act


class Adding(Protocol):
    """What adds up the events of one session."""

    def take(self, event: dict[str, Any]) -> None:
        """Adds one event."""
        ...

    def facts(self) -> Facts:
        """Gives what they say."""
        ...


LINES: dict[str, Callable[[], Adding]] = {
    "claude-code": lambda: Session(name="", line=1, acts=Acts()),
    "qwen": lambda: Session(name="", line=1, acts=Acts()),
    "codex": lambda: CodexSession(acts=Acts()),
    "gemini": lambda: StreamSession("gemini", acts=Acts()),
    "opencode": lambda: StreamSession("opencode", acts=Acts()),
    "pi": lambda: StreamSession("pi", acts=Acts()),
    "scripted": ScriptedSession,
}
"""Form of lines -> what adds them up."""

DOCUMENTS: dict[str, tuple[Callable[[Any], bool], Callable[[Any], Facts]]] = {
    "mini-swe": (is_mini, mini_facts),
    "swe-agent": (is_swe, swe_facts),
}
"""Form of documents -> whether it is one, and what it says."""

_MOST_KEPT = 50
FORMS = (*LINES, *DOCUMENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What came of reading one transcript; `content` is what is kept of it."""

    facts: Facts | None = None
    signs: tuple[Sign, ...] = ()
    n_bad_lines: int = 0
    content: bytes | None = None
    n_left_out: int = 0


def transcript(path: Path | None, within: Path, form: str) -> Transcript:
    """Reads a transcript; never raises for what stands there, and follows no link.

    A file that is no plain file of the cell was put there by someone: that is tampering.
    """
    if path is None:
        return Transcript(signs=(Sign("no_transcript"),))
    try:
        content, n_left_out = read_whole(path, within)
        if form in DOCUMENTS:
            return _document(content, n_left_out, form)
        with opened(path, within) as file:
            facts, n_bad = added_up(file, form)
    except Astray as error:
        return Transcript(signs=(Sign("tampered", f"(the transcript: {error})"),))
    except OSError as error:
        return Transcript(signs=(Sign("no_transcript", f"({error.strerror})"),))
    signs = () if facts is not None else (Sign("no_transcript", "that can be read"),)
    return Transcript(
        facts=facts, signs=signs, n_bad_lines=n_bad, content=content, n_left_out=n_left_out
    )


def of_subagents(paths: Sequence[Path], within: Path, form: str) -> "Subagents":
    """Reads the transcripts of sub-agents: some of them are kept, all are counted."""
    kept: dict[str, bytes] = {}
    acts: list[Act] = []
    n_tools = n_kept = 0
    for path in paths:
        read = transcript(path, within, form)
        n_tools += 0 if read.facts is None else read.facts.counts.get("tool_calls", 0)
        acts += of_subagent(read.facts.acts, path.name) if read.facts else ()
        n_kept += len(read.content or b"")
        if read.content is not None and len(kept) < _MOST_KEPT and n_kept <= MAX_DOCUMENT:
            kept[f"subagents/{path.name}"] = read.content
    counts = {"subagents": len(paths), "subagents_tool_calls": n_tools} if paths else {}
    return Subagents(counts=counts, documents=kept, acts=tuple(acts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subagents:
    """What sub-agents did."""

    counts: dict[str, int]
    documents: dict[str, bytes]
    acts: tuple[Act, ...] = ()


def printed(content: bytes, form: str) -> tuple[Facts | None, int]:
    """Reads a stream of events that was printed; (None, bad lines) where it has none."""
    return added_up(BytesIO(content), form)


def added_up(file: BinaryIO, form: str) -> tuple[Facts | None, int]:
    """Adds up a file of lines in memory for one line."""
    session, events, n_good = LINES[form](), Events(), 0
    for event in events.of(file):
        session.take(event)
        n_good += 1
    return (session.facts() if n_good else None), events.n_bad


def _document(content: bytes, n_left_out: int, form: str) -> Transcript:
    is_one, facts_of = DOCUMENTS[form]
    try:
        value = None if n_left_out else msgspec.json.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        value = None
    is_known = value is not None and is_one(value)
    unread = f"more than {MAX_DOCUMENT >> 20} MiB" if n_left_out else "that can be read"
    return Transcript(
        facts=facts_of(value) if is_known else None,
        signs=() if is_known else (Sign("no_transcript", unread),),
        n_bad_lines=int(value is None),
        content=content,
        n_left_out=n_left_out,
    )
