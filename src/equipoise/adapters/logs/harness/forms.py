"""Reads one file in the form of its harness: lines that add up, or one document."""

from pathlib import Path
from typing import Any

from equipoise.adapters.logs.json_text import BadJson, decode
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.objects import objects
from equipoise.adapters.logs.opened import MAX_LINE, head_of
from equipoise.adapters.transcripts.codex import CodexSession
from equipoise.adapters.transcripts.facts import Facts
from equipoise.adapters.transcripts.trajectories import is_mini, is_swe, mini_facts, swe_facts


def codex(path: Path, noticer: Noticer) -> Facts | None:
    """Gives what a rollout or an event stream of Codex says."""
    session = CodexSession()
    for _, event in objects(path, noticer):
        session.take(event)
    is_known = session.n_lines > sum(session.unknown.values())
    return session.facts() if is_known else None


def mini_swe(path: Path, noticer: Noticer) -> Facts | None:
    """Gives what a trajectory of mini-swe-agent says."""
    document = _document(path, noticer)
    return mini_facts(document) if is_mini(document) else None


def swe_agent(path: Path, noticer: Noticer) -> Facts | None:
    """Gives what a trajectory of SWE-agent says."""
    document = _document(path, noticer)
    return swe_facts(document) if is_swe(document) else None


def _document(path: Path, noticer: Noticer) -> Any:
    content = head_of(path, MAX_LINE + 1)
    if len(content) > MAX_LINE:
        noticer.lost("too_long", f"more than {MAX_LINE >> 20} MiB in one document", path.name)
        return None
    try:
        return decode(content.removeprefix(b"\xef\xbb\xbf")).value
    except BadJson as error:
        noticer.lost("bad_json", f"no JSON: {error}", path.name)
        return None
