"""What is known of one session of a harness, whichever harness wrote it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from equipoise.records.conduct import Act
from equipoise.records.trial import Usage


class Sign(NamedTuple):
    """One thing that bears on how a session ended: a word of `classifying.ROWS`, and its detail."""

    word: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the files of one session say.

    `n_answers` is how many answers of a model are recorded, where that is certain: each was asked
    for once, so that there cannot be more of them than calls.

    `counts` has ``tool_calls``, ``handoffs``, ``turns``, ``tool_errors`` and, by tool,
    ``tool:<name>``, as far as the files tell. `unknown` counts the kinds of events that no reader
    here knows. `offered` has ``tools`` and ``skills`` where the harness lists them; `selected` the
    skills that were chosen. `usage` counts each message once. `cost_usd` is what the harness
    states, null where it says that it does not know the price. `all_versions` are the versions
    that wrote the session, more than one where it changed meanwhile. `acts` are the calls of tools,
    where whoever reads asked for them.
    """

    harness: str
    n_answers: int | None = None
    signs: tuple[Sign, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    offered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    selected: tuple[str, ...] = ()
    usage: Usage | None = None
    cost_usd: float | None = None
    model: str | None = None
    models: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    all_versions: tuple[str, ...] = ()
    output: str | None = None
    prompt: str = ""
    stop_reason: str | None = None
    started_at: str | None = None
    duration_ms: float | None = None
    session: str = ""
    acts: tuple[Act, ...] = ()
