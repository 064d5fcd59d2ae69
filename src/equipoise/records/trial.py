"""A trial: one execution of a cell (unit x arm x model x repetition), and how it ended."""

from enum import StrEnum

import msgspec

from equipoise.records.codec import identity_of


class EndingKind(StrEnum):
    """How a trial ended; only `completed` and `budget` can carry an outcome."""

    COMPLETED = "completed"
    BUDGET = "budget"  # the system used up its declared steps or time: an outcome of the system
    TRUNCATED = "truncated"  # cut off by a token limit: voids the trial
    REFUSED = "refused"  # the system declined: an outcome where the plan says so
    TIMED_OUT = "timed_out"  # the harness ended it; not the system's declared budget
    INFRASTRUCTURE_ERROR = "infrastructure_error"
    HARNESS_ERROR = "harness_error"
    CANCELLED = "cancelled"


class Fault(StrEnum):
    """Whose fault an ending other than `completed` was."""

    NONE = "none"
    SYSTEM = "system"
    INFRASTRUCTURE = "infrastructure"
    HARNESS = "harness"
    OPERATOR = "operator"
    UNKNOWN = "unknown"


class Reason(StrEnum):
    """Why an agent's trial ended as it did: the class that its signs put it in."""

    NONE = ""  # as it should, or not classified
    INFRASTRUCTURE = "infrastructure"  # the model could not be reached, or the record is torn
    ENVIRONMENT = "environment"  # a permission, tool, skill or program was missing
    BUDGET = "budget"  # turns, money or time were used up
    AGENT = "agent"  # the agent itself gave up, failed or ran wild
    REFUSED = "refused"
    TRUNCATED = "truncated"  # a token limit cut an answer
    TAMPERED = "tampered"  # it touched what says how it ended


class Ending(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a trial ended, whose fault it was, and whether trying again makes sense."""

    kind: EndingKind = EndingKind.COMPLETED
    fault: Fault = Fault.NONE
    is_retriable: bool = False
    detail: str = ""
    reason: Reason = Reason.NONE


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens as the vendor bills them; null = not recorded, which is not 0.

    `input_tokens` excludes what was read from or written to the cache, whatever the source's own
    counting was; `convention` names that counting: `extra` (cached tokens are a bucket of their
    own), `subset` (cached tokens were part of the input and have been taken out), `unknown`.
    `is_estimated`: nobody said, so the counts are estimated, and `convention` says how.
    """

    input_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    convention: str = "unknown"
    is_estimated: bool = False

    def plus(self, other: "Usage") -> "Usage":
        """Gives the sum of two usages; what only one of them records is kept as it is."""
        return Usage(
            input_tokens=_plus(self.input_tokens, other.input_tokens),
            output_tokens=_plus(self.output_tokens, other.output_tokens),
            cache_read_tokens=_plus(self.cache_read_tokens, other.cache_read_tokens),
            cache_write_tokens=_plus(self.cache_write_tokens, other.cache_write_tokens),
            convention=self.convention if self.convention == other.convention else "unknown",
            is_estimated=self.is_estimated or other.is_estimated,
        )


def _plus(first: int | None, second: int | None) -> int | None:
    return (first or 0) + (second or 0) if first is not None or second is not None else None


class Blob(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A reference to content kept in the archive under its sha256."""

    sha256: str
    n_bytes: int
    name: str = ""


class Trial(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="record", tag="trial"
):
    """One execution of a cell.

    `repetition` counts planned repeats of the cell from 1; `attempt` counts tries of one
    repetition from 1 (a retry is never a further repetition). `labels` place the unit in its
    partitions; `cluster` names what units share (a book, a repository), if anything.
    `source` says where a foreign run was read from (``runs.jsonl:17``).
    """

    id: str
    unit: str
    arm: str
    repetition: int = 1
    attempt: int = 1
    ending: Ending = Ending()
    model: str | None = None
    model_answered: str | None = None
    labels: dict[str, str] = {}
    cluster: str | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    duration_ms: float | None = None
    stop_reason: str | None = None
    exit_code: int | None = None
    output: Blob | None = None
    transcript: Blob | None = None
    counts: dict[str, int] = {}
    versions: dict[str, str] = {}
    started_at: str | None = None
    is_simulated: bool = False
    source: str = ""


def trial_id(unit: str, arm: str, model: str | None, repetition: int, attempt: int) -> str:
    """Gives the id of a trial: a hash of what it is, stable under any order of import."""
    return identity_of("trial", unit, arm, model, repetition, attempt)
