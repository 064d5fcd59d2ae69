"""What a planned study will be able to tell, what it will take, and why it might not decide."""

from collections.abc import Iterator

import msgspec

from equipoise.records.catalog import Catalog
from equipoise.records.plan import Mode, PartitionPlan, Plan, SpreadSource
from equipoise.stages.plan.assembling import LeftOut
from equipoise.stages.plan.doubts import doubts
from equipoise.stages.plan.reach import Decided, advisory_n, reach_of
from equipoise.stages.plan.remarks import remarks
from equipoise.stages.plan.whatif import Choice, choices

ADVISED = 2.0
"""The change, in margins, for which the advisory number of units is given."""


class CellOutlook(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison cell: what it needs, has, and can tell; null = no honest number.

    `n` is the units drawn in each arm; `n_min` what its partition needs;
    `advisory_n` lists a change of `ADVISED` margins with 80 % under the declared rule and k.
    """

    partition: str
    category: str
    s: float
    s_source: SpreadSource
    n: int
    n_min: int
    margin: float
    achieved_mde: float | None
    reportable: float | None
    reportable_at_worst: float | None
    excludable: float | None
    advisory_n: int | None
    is_too_small: bool


class ArmOutlook(msgspec.Struct, frozen=True, kw_only=True):
    """What one arm takes.

    `n_executions` is 0 in mode B. `minutes_at_most` follows from the time limit of an attempt and
    the concurrency; `minutes` and `usd` from trials of an earlier run, null where there is none.
    """

    arm: str
    mode: Mode
    n_executions: int
    minutes_at_most: float | None
    minutes: float | None
    usd: float | None


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What a trial of an earlier run took on average, and where that was read."""

    source: str
    n_trials: int
    mean_ms: float | None
    mean_usd: float | None


class JudgeOutlook(msgspec.Struct, frozen=True, kw_only=True):
    """One judge: how often it is asked if every cell has an outcome, and what that costs at most.

    `n_retries` further answers are asked for at most where one cannot be read. `usd` takes
    questions of `n_input` tokens and the longest answers; null where the price is not known.
    """

    judge: str
    model: str
    n_calls: int
    n_retries: int
    n_input: int
    usd: float | None


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `equipoise plan` says before anything is spent.

    `sentence` declares the margin, `can_tell` says from which change on it is really found.
    `doubts` are the reasons why the study could not decide, `remarks` what else is worth knowing;
    `critical_z` is the critical value of the declared rule with all units, at the last look where
    looks are planned; `critical_at_looks` has that of each, empty without looks.
    """

    plan_sha256: str
    title: str
    question: str
    modes: tuple[Mode, ...]
    provenance: str
    mde: float
    sentence: str
    can_tell: str
    rule: str
    k: int
    critical_z: float
    sample_budget: int
    n_units: int
    n_adversarial: int
    n_executions: int
    partitions: tuple[PartitionPlan, ...]
    cells: tuple[CellOutlook, ...]
    arms: tuple[ArmOutlook, ...]
    measured: Measured | None
    doubts: tuple[str, ...]
    remarks: tuple[str, ...]
    choices: tuple[Choice, ...]
    judges: tuple[JudgeOutlook, ...] = ()
    critical_at_looks: tuple[float, ...] = ()

    @property
    def rule_text(self) -> str:
        """Gives the rule with its critical values, in a phrase."""
        text = f"{self.rule}, k = {self.k} cells, critical value {self.critical_z:.3f}"
        if not self.critical_at_looks:
            return text
        each = ", ".join(f"{value:.3f}" for value in self.critical_at_looks)
        return f"{text}, that of the last look; looks ask for {each} in turn"


class SpreadOfCategory(msgspec.Struct, frozen=True, kw_only=True):
    """The spread of one category in one partition, from an earlier suite."""

    partition: str
    category: str
    s: float


def outlook_of(
    plan: Plan,
    catalog: Catalog,
    left_out: LeftOut,
    *,
    plan_sha256: str,
    spreads: tuple[SpreadOfCategory, ...] = (),
    measured: Measured | None = None,
    budget: int | None = None,
) -> Outlook:
    """Gives the outlook of a plan.

    Args:
        plan: the plan.
        catalog: the catalog it names.
        left_out: units of the file that are not used.
        plan_sha256: the plan's name.
        spreads: of categories, where an earlier suite has them; else the partition's stands in.
        measured: what an earlier run took.
        budget: units that may be had, where the study says so.
    """
    decided = Decided(
        margin=plan.mde,
        rule=plan.rule,
        k=plan.k,
        alpha=plan.alpha,
        stopping=plan.stopping,
        looks=plan.looks,
    )
    cells = _cells(plan, decided, spreads)
    arms = _arms(plan, measured)
    return Outlook(
        plan_sha256=plan_sha256,
        title=plan.title,
        question=plan.question,
        modes=tuple(sorted({arm.mode for arm in plan.arms})),
        provenance=plan.provenance.value,
        mde=plan.mde,
        sentence=sentence(plan),
        rule=plan.rule,
        k=plan.k,
        critical_z=decided.z,
        critical_at_looks=decided.at_looks if len(decided.at_looks) > 1 else (),
        sample_budget=plan.sample_budget,
        n_units=sum(not unit.is_adversarial for unit in plan.units),
        n_adversarial=sum(unit.is_adversarial for unit in plan.units),
        n_executions=sum(arm.n_executions for arm in arms),
        partitions=plan.partitions,
        cells=cells,
        arms=arms,
        measured=measured,
        doubts=(
            *doubts(plan, catalog, [(cell.partition, cell.reportable) for cell in cells]),
            *_stops(plan, arms),
        ),
        can_tell=can_tell(plan.mde, cells),
        remarks=tuple(remarks(plan, catalog, left_out, decided, [c.advisory_n for c in cells])),
        choices=choices(plan, budget=budget),
    )


def sentence(plan: Plan) -> str:
    """Gives the one sentence that declares the minimum detectable effect."""
    return f"We want to detect loss deltas from {plan.mde:g} reliably."


def can_tell(mde: float, cells: tuple[CellOutlook, ...]) -> str:
    """Gives what becomes of the declared margin with the units there are, in two sentences."""
    found = sorted(cell.reportable for cell in cells if cell.reportable is not None)
    if not found:
        return (
            f"The margin is {mde:g}; with these units and this rule no cell would list any change "
            "with 80 % probability."
        )
    where = f" in {len(found):,} of {len(cells):,} cells" if len(found) < len(cells) else ""
    left = sorted(cell.excludable for cell in cells if cell.excludable is not None)
    return (
        f"The margin is {mde:g}: smaller changes do not count. With these units and this rule a "
        f"true change is listed with 80 % probability from {_span(found)} on{where}; where "
        f"nothing is listed, changes of up to {_span(left)} remain possible."
    )


def _span(values: list[float]) -> str:
    low, high = f"{values[0]:.3f}", f"{values[-1]:.3f}"
    return low if low == high else f"{low} (surest cell) or {high} (least sure cell)"


def _cells(
    plan: Plan, decided: Decided, spreads: tuple[SpreadOfCategory, ...]
) -> tuple[CellOutlook, ...]:
    partitions = {one.text: one for one in plan.partitions}
    measured = {(one.partition, one.category): one.s for one in spreads}
    found = []
    for cell in plan.cells:
        partition = partitions[cell.partition]
        own = measured.get((cell.partition, cell.category))
        s = own if own is not None else partition.s
        n = partition.n_drawn
        reach = reach_of(n, s, decided)
        found.append(
            CellOutlook(
                partition=cell.partition,
                category=cell.category,
                s=s,
                s_source=SpreadSource.PREVIOUS if own is not None else partition.s_source,
                n=n,
                n_min=partition.n_min,
                margin=plan.mde,
                achieved_mde=reach.achieved_mde,
                reportable=reach.reportable,
                reportable_at_worst=reach.reportable_at_worst,
                excludable=reach.excludable,
                advisory_n=advisory_n(s, decided, change=ADVISED * plan.mde),
                is_too_small=reach.reportable is None or reach.reportable > 3.0 * plan.mde,
            )
        )
    return tuple(found)


def _arms(plan: Plan, measured: Measured | None) -> tuple[ArmOutlook, ...]:
    executions = sum(unit.repetitions for unit in plan.units)
    limits = plan.limits
    found = []
    for arm in plan.arms:
        n = executions if arm.mode is Mode.A else 0
        at_most = n * limits.max_attempts * limits.cell_timeout_s / limits.concurrency / 60.0
        if limits.max_minutes is not None:
            at_most = min(at_most, limits.max_minutes)
        ms = measured.mean_ms if measured else None
        usd = measured.mean_usd if measured else None
        found.append(
            ArmOutlook(
                arm=arm.name,
                mode=arm.mode,
                n_executions=n,
                minutes_at_most=at_most if n else None,
                minutes=n * ms / limits.concurrency / 60_000.0 if n and ms is not None else None,
                usd=n * usd if n and usd is not None else None,
            )
        )
    return tuple(found)


def _stops(plan: Plan, arms: tuple[ArmOutlook, ...]) -> Iterator[str]:
    """Yields where an arm would be stopped by its limits, as far as an earlier run tells."""
    limits = plan.limits
    for arm in arms:
        if limits.max_minutes and arm.minutes and arm.minutes > limits.max_minutes:
            yield (
                f"{arm.arm} takes about {arm.minutes:,.0f} minutes and is stopped after "
                f"{limits.max_minutes:g}: units would be missing"
            )
        if limits.max_usd and arm.usd and arm.usd > limits.max_usd:
            yield (
                f"{arm.arm} costs about {arm.usd:,.2f} US dollars and is stopped at "
                f"{limits.max_usd:g}: units would be missing"
            )
