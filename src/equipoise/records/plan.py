"""The plan of a loss study: everything that was promised before the first run."""

from enum import StrEnum
from typing import Any

import msgspec

from equipoise.records.judge_held import JudgeRecord
from equipoise.records.outcome_plan import OutcomePlan
from equipoise.records.rating_plan import PanelPlan


class Mode(StrEnum):
    """Whether a run executes the system again."""

    A = "A"  # it does: sandbox, snapshot and teardown are mandatory
    B = "B"  # it does not: frozen logs


class Provenance(StrEnum):
    """Where the units come from."""

    SYNTHETIC = "synthetisch"
    CORPUS = "korpus"


class SpreadSource(StrEnum):
    """Where the spread between units that sizes a partition comes from."""

    PILOT = "pilot"
    PREVIOUS = "previous"
    DEFAULT = "default"


class Stopping(StrEnum):
    """Whether and how a run may end before all units are executed."""

    NONE = "none"
    OBRIEN_FLEMING = "obrien-fleming"
    POCOCK = "pocock"
    E_PROCESS = "e-process"


class Batch(StrEnum):
    """What is void where an answer of a trial met its token limit."""

    TRIAL = "trial"  # the trial alone
    UNIT = "unit"  # every execution of its unit in this arm
    RUN = "run"  # the whole run of this arm


class Hop(msgspec.Struct, frozen=True, kw_only=True):
    """One system boundary of the trace: its signal, and what correct, flake and error mean."""

    id: str
    signal: str
    correct: str
    flake: str
    error: str


class PartitionPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One partition: labels, weight, and how many units it needs and gets.

    `weight` = frequency x severity, normalised over the partitions. `n_min` = ceil(16 s^2 / mde^2),
    exact. `n_available` units are in the units file, `n_drawn` of them are in the plan, each with
    probability `draw_probability` (null where nothing was drawn).
    """

    labels: dict[str, str]
    frequency: float
    severity: float
    weight: float
    s: float
    s_source: SpreadSource
    n_min: int
    n_available: int
    n_drawn: int
    draw_probability: float | None = None

    @property
    def text(self) -> str:
        """Gives the partition's name: ``intent=refund × language=de``."""
        return " × ".join(f"{key}={value}" for key, value in self.labels.items())


class ArmPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One arm: how the system is executed, or where its frozen logs are.

    `system` is the adapter's specification, ``{"http": {...}}``, ``{"command": {...}}``,
    ``{"callable": {...}}`` in mode A and ``{"logs": {...}}`` in mode B; `service` a program that
    has to be up meanwhile. `mode` follows from `system`.
    """

    name: str
    mode: Mode
    system: dict[str, Any]
    service: dict[str, Any] = {}


class CellPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One registered comparison cell: a partition by its text, and a category ("" = the loss)."""

    partition: str
    category: str = ""

    @property
    def text(self) -> str:
        """Gives the cell's name: ``intent=refund / tone_off``."""
        return f"{self.partition} / {self.category}" if self.category else self.partition


class Limits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a run may spend; null = no limit. `cell_timeout_s` bounds one attempt.

    `resources` bound how many cells that need a ``model``, ``sandbox`` or ``database`` are under
    way at the same time; what is not named is bounded by `concurrency` alone.
    """

    cell_timeout_s: float = 60.0
    max_usd: float | None = None
    max_minutes: float | None = None
    max_attempts: int = 2
    concurrency: int = 4
    resources: dict[str, int] = {}


class StateSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state that a run changes: ``directory``, ``sqlite`` or ``postgres``, and where.

    `scope` ``run``: put back at the end of each run; ``cell``: before every attempt.
    """

    kind: str
    target: str
    scope: str = "run"


class ProbeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A probe that collects what a trial left behind: ``files``, ``http``, ``sql``, ``browser``."""

    name: str
    kind: str
    options: dict[str, Any]


class UnitPlan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One drawn unit: its id, partition, and the hash of everything the units file says of it."""

    id: str
    partition: str
    sha256: str
    repetitions: int
    is_adversarial: bool = False


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The file `plan.json`; the sha256 of its canonical bytes is the plan's name.

    `cells` is the fixed list of comparison cells and `k` its length; `units` what was drawn,
    sorted by id; `sample_budget` the sum of `n_min` over the partitions. `paired` compares the
    arms unit by unit instead of as independent samples. `looks` are planned interim looks.
    `hidden` are the hidden tests that the units name, path -> hash over names and contents.
    `truncation` says what is void with a trial of which an answer met its token limit.
    `units_sha256` covers every line of the units file in the order of the ids; `study_sha256` the
    bytes of the study file that the plan was made from. `judges` are the models that find the
    model-judged categories (unset = people do). `outcome` has what an outcome study promises
    beside that.
    """

    kind: str
    title: str
    question: str
    seed: int
    provenance: Provenance
    hops: tuple[Hop, ...]
    axes: dict[str, tuple[str, ...]]
    by: tuple[str, ...]
    partitions: tuple[PartitionPlan, ...]
    units_file: str
    units_sha256: str
    units: tuple[UnitPlan, ...]
    stochastic_repetitions: int
    adversarial_cap: float
    mde: float
    sample_budget: int
    catalog_version: str
    catalog_sha256: str
    catalog_file: str
    cells: tuple[CellPlan, ...]
    k: int
    arms: tuple[ArmPlan, ...]
    baseline: str
    rule: str = "seed"
    paired: bool = False
    stopping: Stopping = Stopping.NONE
    looks: int = 1
    alpha: float = 0.05
    limits: Limits = Limits()
    state: StateSpec | None = None
    probes: tuple[ProbeSpec, ...] = ()
    environment: tuple[str, ...] = ()
    forbidden_environment: tuple[str, ...] = ()
    anti_mock: dict[str, Any] = {}
    double_rating_share: float = 0.20
    reference_set: str = ""
    reference_sha256: str = ""
    hidden: dict[str, str] = {}
    truncation: Batch = Batch.UNIT
    is_simulated: bool = False
    tool_version: str = ""
    study_sha256: str = ""
    format: int = 1
    judges: PanelPlan | msgspec.UnsetType = msgspec.UNSET
    outcome: OutcomePlan | msgspec.UnsetType = msgspec.UNSET

    @property
    def judge_records(self) -> tuple[JudgeRecord, ...]:
        """Gives the records of earlier validations that are named for judges."""
        panel = self.judges
        if not isinstance(panel, PanelPlan):
            return ()
        return tuple(one.validation for one in panel.judges if one.validation is not None)
