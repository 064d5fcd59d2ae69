"""What befell a plan or a run, as lines that can only be appended to."""

from enum import StrEnum

import msgspec


class EventKind(StrEnum):
    """What an event of a run is."""

    STARTED = "started"  # the first line of an archive: plan hash, seal, witness token
    RESUMED = "resumed"
    PREFLIGHT = "preflight"
    SNAPSHOT = "snapshot"
    RESTORED = "restored"
    TORN_DOWN = "torn_down"
    ABORTED = "aborted"  # an attempt was begun and no trial of it recorded
    PAUSED = "paused"  # whoever answers asked to wait, and no attempt began meanwhile
    STOPPED = "stopped"  # a budget, an early-stopping rule or a signal ended the run
    LOOK = "look"  # a planned look of the early-stopping rule: what it saw, what it decided
    PROBE = "probe"  # a probe could not be used, and why
    FINISHED = "finished"


class Event(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="record", tag="event"
):
    """One thing that happened around the trials of a run.

    `outcome` is ``passed``, ``failed`` or ``not applicable`` for preflights, and ``go on``,
    ``stop`` or ``not looked`` for a `look`. `facts` holds what belongs to the kind:
    ``plan_sha256``, ``seal``, ``token_sha256`` for `started`, ``state_sha256`` for `snapshot` and
    `restored`, ``cell``/``attempt`` for `aborted`, ``seconds`` for `paused`; for a `look` both
    runs, the catalog, the margin and everything of `SuiteLook`; for a run that was `stopped` at a
    look ``look`` and ``n_not_executed``.
    """

    kind: EventKind
    at: str
    outcome: str = ""
    detail: str = ""
    facts: dict[str, str] = {}


class Amendment(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="record",
    tag="amendment",
):
    """A dated, reasoned change after sealing; shown in every report.

    `field` is the plan's field (``mde``), `was` and `now` its JSON before and after; both are null
    for a remark that changes nothing.
    """

    at: str
    by: str
    reason: str
    field: str = ""
    was: str | None = None
    now: str | None = None


class SealLabel(StrEnum):
    """How strongly a seal proves when the plan was frozen."""

    SELF_DECLARED = "self-declared"
    SIGNED = "signed"
    WITNESSED = "witnessed"


class Seal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The file `seal.json`: the plan's hash, when it was frozen, and what bears that out.

    `signature` is the armoured ssh signature over `plan.json` with `signer` its key; `token` the
    base64 RFC 3161 token over it, `witnessed_at` the time in it. `page_sha256` is the hash of
    `E2E-PLAN.md`, the plan as people read it; empty in seals of earlier versions.
    """

    plan_sha256: str
    sealed_at: str
    label: SealLabel = SealLabel.SELF_DECLARED
    commit: str = ""
    signer: str = ""
    signature: str = ""
    token: str = ""
    witnessed_at: str = ""
    page_sha256: str = ""


class Rating(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="record", tag="rating"
):
    """What one rater said about one trial under one criterion: the share lost, in [0,1]."""

    trial: str
    criterion: str
    rater: str
    value: float
    source: str = ""
