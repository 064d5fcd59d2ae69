"""The draft of a loss study: every key of `study.yaml`, as types."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from equipoise.records.plan import Batch, Mode, Provenance, SpreadSource, Stopping
from equipoise.records.rating_plan import Policy
from equipoise.records.terms import Rule
from equipoise.records.unseen import UNSEEN
from equipoise.records.wanted import NAME_PATTERN

SYSTEMS = ("http", "command", "callable", "agent", "model", "logs")
"""Kinds of system; the last does not execute anything (mode B)."""

STATES = ("directory", "sqlite", "postgres")
PROBES = ("files", "http", "sql", "browser")

_TRUTHS = {"true": True, "false": False}


def _as_truth(value: Any) -> Any:
    """Gives the truth value for the one word YAML text has for it; ``yes`` and ``1`` are none."""
    if isinstance(value, str) and value not in _TRUTHS:
        raise ValueError(f"{value[:60]!r} is no truth value; write true or false")
    return _TRUTHS[value] if isinstance(value, str) else value


Truth = Annotated[bool, BeforeValidator(_as_truth)]


def _seen(text: str) -> str:
    """Gives the text; refuses characters that nobody sees, but line ends and tabs."""
    found = UNSEEN.search(text.replace("\n", "").replace("\t", ""))
    if found:
        raise ValueError(f"has the unseen character U+{ord(found.group()):04X}; write it without")
    return text


Text = Annotated[str, Field(min_length=1), AfterValidator(_seen)]
Name = Annotated[str, Field(pattern=NAME_PATTERN)]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=10**9)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HopDraft(_Strict):
    """One boundary of the system: one signal, and what correct, flake and error mean there."""

    id: Text
    signal: Text
    correct: Text
    flake: Text
    error: Text


class PartitionDraft(_Strict):
    """One partition: labels, frequency x severity, and where its spread comes from.

    Args:
        labels: one value for each axis in `by`.
        frequency: how often this kind of unit occurs, a share or a count.
        severity: how bad a loss is here, on any scale of your own.
        s: spread (standard deviation) between units; with `s_source` pilot or previous.
        s_source: pilot, previous or default (0.3).
        s_from: a suite.json of an earlier run; its spread for these labels is taken.
        n_min: only to be checked: it must be what the formula gives.
    """

    labels: Annotated[dict[str, Text], Field(min_length=1)]
    frequency: Positive
    severity: Positive
    s: Annotated[float | None, Field(gt=0.0, le=1.0, allow_inf_nan=False)] = None
    s_source: SpreadSource | None = None
    s_from: Text | None = None
    n_min: Count | None = None

    @model_validator(mode="after")
    def _one_source(self) -> "PartitionDraft":
        if self.s_from is not None and (self.s is not None or self.s_source is not None):
            raise ValueError("s_from stands beside s or s_source; one source is wanted")
        if self.s is None and self.s_source not in {None, SpreadSource.DEFAULT}:
            raise ValueError(f"s_source is {self.s_source} and there is no s; write the s it gave")
        if self.s is not None and self.s_source in {None, SpreadSource.DEFAULT}:
            raise ValueError(
                f"s is {self.s:g} and s_source does not say where it was measured; write "
                "s_source: pilot or s_source: previous, or leave s out for the default of 0.3"
            )
        return self


class PartitionsDraft(_Strict):
    """Which axes form the partitions, and the partitions."""

    by: Annotated[tuple[Text, ...], Field(min_length=1)]
    of: Annotated[tuple[PartitionDraft, ...], Field(min_length=1)]
    s_from: Text | None = None


class RepetitionsDraft(_Strict):
    """Repetitions of stochastic units; deterministic anchors are executed once."""

    stochastic: Annotated[int, Field(ge=3, le=10_000)] = 3


class BudgetDraft(_Strict):
    """What may be spent.

    Args:
        sample: units; at least the sum of `n_min` over the partitions, which is the default. What
            is above it is a reserve, drawn in proportion, for units that cannot be completed.
        max_usd, max_minutes: the run stops there.
        cell_timeout_s: one attempt is ended after it.
        max_attempts: attempts at a repetition that failed for want of infrastructure.
        concurrency: attempts at the same time.
        resources: of these, how many that need a model, a sandbox or a database.
    """

    sample: Count | None = None
    max_usd: Positive | None = None
    max_minutes: Positive | None = None
    cell_timeout_s: Positive = 60.0
    max_attempts: Annotated[int, Field(ge=1, le=100)] = 2
    concurrency: Annotated[int, Field(ge=1, le=1024)] = 4
    resources: dict[
        Literal["model", "sandbox", "database"], Annotated[int, Field(ge=1, le=1024)]
    ] = {}


class StoppingDraft(_Strict):
    """Early stopping: the rule, the planned looks, the level."""

    rule: Stopping = Stopping.NONE
    looks: Annotated[int, Field(ge=1, le=1000)] = 1
    alpha: Annotated[float, Field(gt=0.0, lt=0.5)] = 0.05

    @model_validator(mode="after")
    def _looks_have_a_rule(self) -> "StoppingDraft":
        if self.rule is Stopping.NONE and self.looks > 1:
            raise ValueError(
                f"looks is {self.looks} and the rule is none; looking more than once without a "
                "rule raises false alarms: write rule: obrien-fleming, or looks: 1"
            )
        return self


_FIRST_KEYS = {
    "http": "url",
    "command": "argv",
    "callable": "target",
    "agent": "harness",
    "model": "model",
    "logs": "path",
}
"""Kind of system -> the key that each of that kind has."""


class ArmDraft(_Strict):
    """One arm: exactly one kind of system, and the program that has to be up meanwhile."""

    name: Name
    system: dict[str, Any]
    service: dict[str, Any] = {}

    @model_validator(mode="after")
    def _one_system(self) -> "ArmDraft":
        kinds = [kind for kind in SYSTEMS if kind in self.system]
        beside = [key for key in self.system if key not in SYSTEMS]
        if len(kinds) == 1 and beside:
            kind, option = kinds[0], beside[0]
            given = self.system[kind]
            key = _FIRST_KEYS[kind]
            inside = "..." if isinstance(given, dict) else f"{key}: ..."
            raise ValueError(
                f"{', '.join(beside)} stands beside {kind}, not in it; write "
                f"{kind}: {{{inside}, {option}: ...}}"
            )
        _one_of(self.system, SYSTEMS, "system")
        if self.service and "command" not in self.service:
            raise ValueError("service has no command; it names the program to start")
        if self.service and self.mode is Mode.B:
            raise ValueError("service stands beside logs; frozen logs start nothing")
        return self

    @property
    def mode(self) -> Mode:
        """Whether the run of this arm executes the system again."""
        return Mode.B if "logs" in self.system else Mode.A


class StateDraft(_Strict):
    """The state a run changes: exactly one of directory, sqlite, postgres."""

    directory: Text | None = None
    sqlite: Text | None = None
    postgres: Text | None = None
    scope: Literal["run", "cell"] = "run"

    @model_validator(mode="after")
    def _one_state(self) -> "StateDraft":
        _one_of({kind: 1 for kind in STATES if getattr(self, kind)}, STATES, "state")
        return self


class SandboxDraft(_Strict):
    """Variables the system may see, and those whose presence makes the preflight fail."""

    environment: tuple[Text, ...]
    forbidden: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _apart(self) -> "SandboxDraft":
        both = sorted(set(self.environment) & set(self.forbidden))
        if both:
            raise ValueError(f"{', '.join(both)} stand in environment and in forbidden")
        return self


class ProbeDraft(_Strict):
    """A probe: its name and exactly one kind with its options."""

    name: Name
    files: dict[str, Any] | None = None
    http: dict[str, Any] | None = None
    sql: dict[str, Any] | None = None
    browser: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "ProbeDraft":
        kinds = {kind: 1 for kind in PROBES if getattr(self, kind) is not None}
        _one_of(kinds, PROBES, f"probe {self.name}")
        return self


class JudgeRecordDraft(_Strict):
    """The record of an earlier validation of a judge; see docs/reference/judges.md.

    Args:
        file: `ranking.json` of a rating study or `regressions.json` of a loss study.
        axis: of a ranking: the axis on which the judge was held against people.
        categories: what it speaks for; of a loss study, without it: all that it passed.
    """

    file: Text
    axis: Text = ""
    categories: tuple[Text, ...] = ()


class JudgeDraft(_Strict):
    """One judge: its name, its model as an arm of kind ``model`` has it, perhaps a validation."""

    name: Name
    model: dict[str, Any]
    validation: JudgeRecordDraft | None = None


class JudgesDraft(_Strict):
    """The judges of model-judged categories, and how they are asked.

    Args:
        policy: single (one judge, one call) or double (a share of the units is judged twice: by a
            second judge, or by the same one again).
        judges: the judges.
        wording: which of our wordings they are asked in.
        max_unreadable: a judge with a larger share of answers that cannot be read is not used.
        max_attempts: how often it is asked where an answer cannot be read.
        max_chars: of each text so many characters are shown.
        max_usd: what all judges together may cost.
        concurrency: questions at the same time.
    """

    policy: Policy
    judges: Annotated[tuple[JudgeDraft, ...], Field(min_length=1)]
    wording: Text = "plain"
    max_unreadable: Share = 0.05
    max_attempts: Annotated[int, Field(ge=1, le=10)] = 3
    max_chars: Annotated[int, Field(ge=100, le=10_000_000)] = 50_000
    max_usd: Positive | None = None
    concurrency: Annotated[int, Field(ge=1, le=256)] = 4


class StudyDraft(_Strict):
    """Every key of `study.yaml`; see docs/reference/study.md."""

    kind: Literal["loss"]
    title: Text
    question: Text
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    provenance: Provenance
    mode: Mode | None = None
    hops: Annotated[tuple[HopDraft, ...], Field(min_length=1)]
    axes: Annotated[dict[str, tuple[Text, ...]], Field(min_length=1)]
    partitions: PartitionsDraft
    units: Text
    repetitions: RepetitionsDraft = RepetitionsDraft()
    adversarial_cap: Share = 0.10
    mde: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.05
    budget: BudgetDraft = BudgetDraft()
    catalog: Text
    cells: Annotated[tuple[Literal["loss", "category"], ...], Field(min_length=1)] = ("category",)
    rule: Rule = Rule.SEED
    paired: Truth = False
    stopping: StoppingDraft = StoppingDraft()
    baseline: Text
    arms: Annotated[tuple[ArmDraft, ...], Field(min_length=1)]
    state: StateDraft | None = None
    sandbox: SandboxDraft | None = None
    anti_mock: dict[str, Any] = {}
    probes: tuple[ProbeDraft, ...] = ()
    double_rating: Share = 0.20
    judges: JudgesDraft | None = None
    truncation: Batch = Batch.UNIT
    reference_set: Text | None = None
    is_simulated: Truth = False


def _one_of(found: dict[str, Any], kinds: tuple[str, ...], what: str) -> None:
    if len(found) != 1 or next(iter(found)) not in kinds:
        has = ", ".join(found) or "nothing"
        raise ValueError(f"{what} has {has}; exactly one of {', '.join(kinds)} is wanted")


def study_schema() -> dict[str, Any]:
    """Gives the JSON Schema of a study file, for editors that complete and check."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Equipoise loss study",
    } | StudyDraft.model_json_schema(mode="validation")
