"""Reads Claude Code transcripts: one session, one trial, with tools, tokens, time and ending."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from equipoise.adapters.logs.cell_names import CellNames
from equipoise.adapters.logs.json_stream import walk
from equipoise.adapters.logs.json_text import BadJson
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.objects import objects
from equipoise.adapters.logs.opened import chunks
from equipoise.adapters.logs.options import Options
from equipoise.adapters.logs.sources import files_of
from equipoise.adapters.logs.table.fields import text
from equipoise.adapters.logs.unit_names import UNITS, unit_of
from equipoise.adapters.transcripts.classifying import classified
from equipoise.adapters.transcripts.claude_code import Session, stated_cost
from equipoise.adapters.transcripts.usage import claude_usage
from equipoise.adapters.transcripts.values import amount
from equipoise.errors import UnreadableSource
from equipoise.ports import Reading
from equipoise.records.notice import Attachment, Severity
from equipoise.records.trial import Blob, Trial, Usage

MAX_SESSIONS = 10_000
"""Most sessions kept apart in one file."""

_KEYS = ("arm", "unit", "keep")
_LOGLINES = ("loglines",)


class ClaudeCodeReader:
    """The reader of Claude Code sessions: transcripts (``.jsonl``) and saved event streams.

    Options: ``arm`` (else the model), ``unit``: what tells units apart (``file``, ``prompt``,
    ``folder`` or ``session``), ``keep``: whether transcripts go into the archive (yes). A
    transcript holds no outcome: trials come without grades.
    """

    name = "claude-code"

    def read(self, source: Path, options: dict[str, Any]) -> Iterator[Reading]:
        """Yields the readings of one file, or of all ``.jsonl`` files of a folder.

        Raises:
            InputError: an option is wrong.
            UnreadableSource: no line is one of a session.
        """
        chosen = Options(options, _KEYS)
        arm, unit = chosen.text("arm"), chosen.choice("unit", UNITS)
        keep = chosen.flag("keep", default=True)
        noticer = Noticer()
        cells = CellNames(noticer)
        folder = source if source.is_dir() else source.parent
        n_sessions = 0
        for path in files_of(source, (".jsonl",), noticer):
            sessions = _sessions(path, noticer)
            transcript = _attachment(path, folder) if keep and sessions else None
            if transcript is not None:
                yield transcript
            for session in sessions:
                n_sessions += 1
                cell = (
                    unit_of(unit, session.prompt, session.name, path),
                    arm or session.model or "claude-code",
                )
                yield _trial(session, path, cell, transcript, cells)
                _remark(session, path, noticer)
        if not n_sessions:
            raise UnreadableSource(
                f"{source.name} holds no line of a Claude Code session",
                wanted="a session transcript",
                code="no_session",
            )
        yield from noticer.flush()


def _sessions(path: Path, noticer: Noticer) -> list[Session]:
    """Adds the lines of a file up to its sessions, in the order in which they begin."""
    found: dict[str, Session] = {}
    for line, event in _events(path, noticer):
        named = text(event.get("sessionId") or event.get("session_id"))
        if named is None:
            name = next(iter(found), "")
        elif "" in found and len(found) == 1:
            found[named] = found.pop("")  # lines before the first id belong to it
            name = named
        else:
            name = named
        if name not in found:
            if len(found) >= MAX_SESSIONS:
                noticer.lost("too_many_sessions", "a session beyond the limit", f"{path.name}")
                continue
            found[name] = Session(name=name, line=line)
        found[name].take(event)
    return [s for s in found.values() if s.n_assistant or s.prompt or s.result is not None]


def _events(path: Path, noticer: Noticer) -> Iterator[tuple[int, dict[str, Any]]]:
    if path.suffix.lower() == ".json":
        yield from _exported(path, noticer)
        return
    yield from objects(path, noticer)


def _exported(path: Path, noticer: Noticer) -> Iterator[tuple[int, dict[str, Any]]]:
    """The events of a ``.json`` export: ``{"loglines": [...]}`` or a plain array."""
    split = frozenset({_LOGLINES, ()})
    n_events = 0
    try:
        for place, value in walk(chunks(path, noticer), split):
            if place[:-1] in split and place and isinstance(place[-1], int):
                n_events += 1
                if isinstance(value, dict):
                    yield n_events, value
                else:
                    noticer.lost("no_object", "an event is no object", f"{path.name}:{n_events}")
    except BadJson as error:
        noticer.lost("bad_json", f"the JSON breaks off: {error}", path.name)


def _attachment(path: Path, folder: Path) -> Attachment:
    digest, n_bytes = hashlib.sha256(), 0
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
            n_bytes += len(piece)
    name = path.relative_to(folder).as_posix()
    return Attachment(name=name, sha256=digest.hexdigest(), n_bytes=n_bytes, path=name)


def _trial(
    session: Session,
    path: Path,
    cell: tuple[str, str],
    transcript: Attachment | None,
    cells: CellNames,
) -> Trial:
    model = session.model
    where = f"{path.name}:{session.line}"
    unit, arm = cell
    name, repetition = cells.number(
        (unit, arm, model),
        where,
        why="a session of the same unit again: numbered as a further repetition",
    )
    result = session.result or {}
    return Trial(
        id=name,
        unit=unit,
        arm=arm,
        repetition=repetition,
        ending=classified(session.signs()),
        model=model,
        model_answered=model,
        usage=_usage(session),
        cost_usd=stated_cost(result),
        duration_ms=amount(result.get("duration_ms")) or session.duration_ms,
        stop_reason=session.stop_reason or text(result.get("stop_reason")),
        transcript=None
        if transcript is None
        else Blob(sha256=transcript.sha256, n_bytes=transcript.n_bytes, name=transcript.name),
        counts=session.counts(),
        versions={"claude_code": max(session.versions)} if session.versions else {},
        started_at=session.first or None,
        source=where,
    )


def _usage(session: Session) -> Usage | None:
    """The total of the result event, if there is one: messages of a stream hold partial counts."""
    return claude_usage((session.result or {}).get("usage")) or session.usage


def _remark(session: Session, path: Path, noticer: Noticer) -> None:
    where = f"{path.name}:{session.line}"
    for kind, n_lines in session.unknown.items():
        noticer.add(
            "unknown_line_type",
            f"lines of the unknown type {kind[:40]!r}: counted, not read",
            Severity.INFO,
            where,
            count=n_lines,
        )
    if len(session.models) > 1:
        models = ", ".join(sorted(session.models))
        noticer.info("several_models", f"more than one model answered: {models}", where)
    if session.n_messages and session.usage is None:
        noticer.info("no_usage", "no tokens are recorded", where)
    cost = (session.result or {}).get("total_cost_usd")
    if cost is not None and stated_cost(session.result or {}) is None:
        noticer.warn(
            "price_unknown", "the program states a cost without knowing the price: left out", where
        )
