"""What a posted form chooses, and how much work it was; what cannot be is refused."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from equipoise.annotate.stamps import Stamp
from equipoise.annotate.store import Draft
from equipoise.records.packet import Packet

LONGEST_GAP_S = 61.0
"""The most that one gap between two actions counts as work."""

_MOST_ACTIONS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A choice that is none, and what to do."""

    code: str
    says: str


def chosen(packet: Packet, form: Mapping[str, str], stamp: Stamp, now_ms: int) -> Draft:
    """Gives what a form chooses of a packet so far, whether or not it is complete.

    A pressed button (``pick``: ``best:0``) is applied to what was chosen before: an option cannot
    be best and worst, and pressing again takes back. Work is what the page counted, but never more
    than the time since it was shown; a page without script counts as one action.
    """
    n = len(packet.options)
    picked = {role: _place(form.get(role, ""), n) for role in ("best", "worst")}
    role, _, place = form.get("pick", "").partition(":")
    at = _place(place, n)
    if role in picked and at is not None:
        other = "worst" if role == "best" else "best"
        picked[role] = None if picked[role] == at else at
        if picked[other] == at:
            picked[other] = None
    since = max(0, now_ms - stamp.shown_ms) / 1000
    before = stamp.spent_ms / 1000
    told = _number(form.get("seconds", ""))
    spent = before + min(since, LONGEST_GAP_S) if told is None else min(told, before + since)
    return Draft(
        best=picked["best"],
        worst=picked["worst"] if n > 2 else None,
        seconds=round(spent, 1),
        n_actions=int(min(_number(form.get("n_actions", "")) or 1, _MOST_ACTIONS)),
    )


def complete(packet: Packet, draft: Draft) -> Draft | Refused:
    """Gives a complete choice; in a packet of two the other one is the worst."""
    if len(packet.options) == 2:
        if draft.best is None:
            return Refused(code="incomplete", says="Choose the better text first.")
        return Draft(
            best=draft.best,
            worst=1 - draft.best,
            seconds=draft.seconds,
            n_actions=draft.n_actions,
        )
    if draft.best is None or draft.worst is None:
        missing = [
            role for role, place in (("best", draft.best), ("worst", draft.worst)) if place is None
        ]
        return Refused(
            code="incomplete", says=f"Choose the {' and the '.join(missing)} text first."
        )
    if draft.best == draft.worst:
        return Refused(
            code="best_equals_worst", says="One text cannot be both the best and the worst."
        )
    return draft


def _place(text: str, n: int) -> int | None:
    return (
        int(text) if text.isascii() and text.isdigit() and len(text) < 3 and int(text) < n else None
    )


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
