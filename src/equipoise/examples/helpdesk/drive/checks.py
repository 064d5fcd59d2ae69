"""The checks: what really happened, seen in the reply, the store and the journal, with its line."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from equipoise.examples.helpdesk.drive.conversations import Exchange
from equipoise.examples.helpdesk.service.store import Action

_SIGNED = {"en": "Kind regards", "de": "Mit freundlichen Grüßen", "ru": "С уважением"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a journal: the file (relative to the drive), its number from 1, a quote.

    The quote is the line up to its time stamp, verbatim.
    """

    log: str
    number: int
    quote: str
    intent: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that went wrong, and the line that shows it."""

    category: str
    value: float
    line: Line


Journals = dict[str, dict[str, Line]]
"""Lines by trace and by hop; of several lines of one hop the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """All that a drive left behind: what the tools did, who has a ticket, the journals."""

    actions: dict[str, list[Action]]
    ticketed: set[str]
    journals: Journals


def read_journals(folder: Path) -> Journals:
    """Reads every ``logs/*.jsonl`` of a drive."""
    journals: Journals = {}
    for path in sorted((folder / "logs").glob("*.jsonl")):
        lines = path.read_text(encoding="utf-8").split("\n")
        for number, text in enumerate(lines[:-1], 1):
            event = json.loads(text)
            journals.setdefault(event["trace"], {})[event["hop"]] = Line(
                log=f"logs/{path.name}",
                number=number,
                quote=text.rpartition(',"at_ms":')[0],
                intent=event.get("intent"),
            )
    return journals


def findings(exchange: Exchange, happened: Happened) -> Iterator[Finding]:
    """What went wrong in one answered exchange, in the order of the catalogue."""
    case, wanted = exchange.case, exchange.case.expected
    reply = exchange.reply or ""
    lines = happened.journals[exchange.trace]
    for action in happened.actions.get(exchange.conversation, []):
        meant = (wanted.subject, wanted.amount_cents)
        if action.tool == wanted.tool and (action.subject, action.amount_cents) != meant:
            yield Finding(category="tool_call_wrong_arg", value=1.0, line=lines["tools"])
    if not re.search(rf"(?<![\w.-]){re.escape(wanted.fact)}(?![\w-])", reply):
        yield Finding(category="wrong_answer", value=1.0, line=lines["composer"])
    if lines["router"].intent != case.intent:
        yield Finding(category="wrong_intent", value=1.0, line=lines["router"])
    if exchange.conversation not in happened.ticketed:
        yield Finding(category="missing_ticket", value=1.0, line=lines["tickets"])
    if _SIGNED[case.language] not in reply:
        yield Finding(category="wrong_language", value=1.0, line=lines["composer"])
