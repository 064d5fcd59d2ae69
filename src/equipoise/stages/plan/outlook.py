"""What a planned study will be able to tell, what it will take, and why it might not decide."""

from collections.abc import Iterator

import msgspec
from scipy.special import ndtr

from equipoise.records.catalog import Catalog
from equipoise.records.plan import Mode, PartitionPlan, Plan, SpreadSource
from equipoise.stages.plan.assembling import LeftOut
from equipoise.stages.plan.doubts import doubts
from equipoise.stages.plan.reach import Decided, advisory_n, reach_of
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


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `equipoise plan` says before anything is spent.

    `doubts` are the reasons why the study could not decide, `remarks` what else is worth knowing;
    `reference_z` is the critical value of the declared rule.
    """

    plan_sha256: str
    title: str
    question: str
    modes: tuple[Mode, ...]
    provenance: str
    mde: float
    sentence: str
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
    decided = Decided(margin=plan.mde, rule=plan.rule, k=plan.k, alpha=plan.alpha)
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
        remarks=tuple(_remarks(plan, left_out, decided)),
        choices=choices(plan, budget=budget),
    )


def sentence(plan: Plan) -> str:
    """Gives the one sentence that declares the minimum detectable effect."""
    return f"We want to detect loss deltas from {plan.mde:g} reliably."


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


def _remarks(plan: Plan, left_out: LeftOut, decided: Decided) -> list[str]:
    found = [
        (
            f"a change of exactly {plan.mde:g} is listed with {_listed_at_margin(decided)}, "
            "however many units there are: a row asks that the whole interval lies beyond the "
            "margin"
        )
    ]
    if left_out.expired:
        found.append(
            f"{len(left_out.expired):,} units are past their retention date and are not used: "
            f"{_named(left_out.expired)}"
        )
    if left_out.outside:
        found.append(
            f"{len(left_out.outside):,} units fall into no planned partition and are not used: "
            f"{_named(left_out.outside)}"
        )
    if left_out.over_cap:
        found.append(
            f"{left_out.over_cap:,} adversarial units are over the cap of "
            f"{plan.adversarial_cap:.0%} and are not used"
        )
    bare = [one.text for one in plan.partitions if one.n_drawn == one.n_min]
    if bare:
        found.append(
            f"no reserve is drawn in {_named(bare)}: one unit that cannot be completed leaves a "
            f"partition `unterbelegt`; a budget.sample above {plan.sample_budget:,} draws one"
        )
    assumed = [one.text for one in plan.partitions if one.s_source is SpreadSource.DEFAULT]
    if assumed:
        found.append(
            f"the spread of {_named(assumed)} is assumed (0.3), not measured; pass/fail losses can "
            "have up to 0.5: a pilot tells"
        )
    if plan.paired:
        found.append(
            "the arms are compared unit by unit: the numbers hold for no correlation between them, "
            "and get better the more alike both arms treat a unit"
        )
    if plan.is_simulated:
        found.append("the system is simulated: no verdict about a real system can follow")
    return found


def _listed_at_margin(decided: Decided) -> str:
    return f"{100.0 * float(ndtr(-decided.z)):.2g} %"


def _named(names: list[str] | tuple[str, ...]) -> str:
    shown = ", ".join(names[:5])
    return shown + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")
