"""From a checked draft, the units and the catalog to the plan itself."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from msgspec import UNSET

from equipoise.records.catalog import Catalog
from equipoise.records.judge_held import JudgeRecord
from equipoise.records.plan import (
    ArmPlan,
    CellPlan,
    Hop,
    Limits,
    PartitionPlan,
    Plan,
    ProbeSpec,
    StateSpec,
    UnitPlan,
)
from equipoise.records.rating_plan import JudgePlan, PanelPlan
from equipoise.stages.plan.draft import (
    PROBES,
    STATES,
    ArmDraft,
    JudgeRecordDraft,
    JudgesDraft,
    ProbeDraft,
    StateDraft,
    StudyDraft,
)
from equipoise.stages.plan.drawing import Draw, drawn, most_adversarial
from equipoise.stages.plan.sizing import Spread, allotted, weights_of
from equipoise.stages.plan.units import Unit, digest_of
from equipoise.stats.power import least_units


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What the files beside `study.yaml` hold.

    Args:
        units: everything the units file has.
        catalog, catalog_sha256: the catalog and the hash of its file.
        spreads: one for each partition, in the order of the draft.
        study_sha256, reference_sha256: of those files; empty where there is none.
        is_drawn: whether a sample is drawn; else every unit is executed, as who named them wants.
    """

    units: tuple[Unit, ...]
    catalog: Catalog
    catalog_sha256: str
    spreads: tuple[Spread, ...]
    study_sha256: str
    reference_sha256: str
    is_drawn: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Units of the file that are not used, by reason."""

    expired: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    over_cap: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stratum:
    plan: PartitionPlan
    regular: Draw
    adversarial: tuple[Unit, ...]


def assembled(
    draft: StudyDraft, material: Material, *, today: date, tool_version: str
) -> tuple[Plan, LeftOut]:
    """Gives the plan, and what of the units file is not used.

    The same draft and files give the same plan, whatever the order of the units; `today` matters
    only where a unit may no longer be used.
    """
    usable = [unit for unit in material.units if not unit.is_expired(today)]
    by_labels = _grouped(usable, draft.partitions.by)
    strata = _strata(draft, material, by_labels)
    adversarial = _adversarial(draft, strata)
    partitions = tuple(stratum.plan for stratum in strata)
    planned = {tuple(one.labels.items()) for one in partitions}
    outside = [
        unit for labels, group in by_labels.items() if labels not in planned for unit in group
    ]
    cells = tuple(_cells(draft, material.catalog, partitions))
    plan = Plan(
        **_rules(draft),
        **_execution(draft),
        judges=judges_plan(draft.judges, draft.double_rating) if draft.judges else UNSET,
        partitions=partitions,
        units_sha256=digest_of(material.units),
        units=_unit_plans(draft, strata, adversarial),
        sample_budget=sum(one.n_min for one in partitions),
        catalog_version=material.catalog.version,
        catalog_sha256=material.catalog_sha256,
        cells=cells,
        k=len(cells),
        reference_sha256=material.reference_sha256,
        tool_version=tool_version,
        study_sha256=material.study_sha256,
    )
    available = sum(len(stratum.adversarial) for stratum in strata)
    left_out = LeftOut(
        expired=tuple(u.brief.unit for u in material.units if u.is_expired(today)),
        outside=tuple(unit.brief.unit for unit in outside),
        over_cap=available - len(adversarial),
    )
    return plan, left_out


def _rules(draft: StudyDraft) -> dict[str, Any]:
    """Gives the fields of the plan that say what is asked and how it is decided."""
    return {
        "kind": draft.kind,
        "title": draft.title,
        "question": draft.question,
        "seed": draft.seed,
        "provenance": draft.provenance,
        "hops": tuple(Hop(**hop.model_dump()) for hop in draft.hops),
        "axes": {key: draft.axes[key] for key in sorted(draft.axes)},
        "by": draft.partitions.by,
        "units_file": draft.units,
        "stochastic_repetitions": draft.repetitions.stochastic,
        "adversarial_cap": draft.adversarial_cap,
        "mde": draft.mde,
        "catalog_file": draft.catalog,
        "baseline": draft.baseline,
        "rule": draft.rule.value,
        "paired": draft.paired,
        "stopping": draft.stopping.rule,
        "looks": draft.stopping.looks,
        "alpha": draft.stopping.alpha,
        "double_rating_share": draft.double_rating,
        "truncation": draft.truncation,
        "reference_set": draft.reference_set or "",
    }


def _execution(draft: StudyDraft) -> dict[str, Any]:
    """Gives the fields of the plan that say what is executed, where, and within which limits."""
    return {
        "arms": tuple(_arm(arm) for arm in draft.arms),
        "limits": Limits(**draft.budget.model_dump(exclude={"sample"})),
        "state": state_spec(draft.state),
        "probes": tuple(probe_spec(probe) for probe in draft.probes),
        "environment": draft.sandbox.environment if draft.sandbox else (),
        "forbidden_environment": draft.sandbox.forbidden if draft.sandbox else (),
        "anti_mock": draft.anti_mock,
        "is_simulated": draft.is_simulated,
    }


def _grouped(
    units: Iterable[Unit], by: Sequence[str]
) -> dict[tuple[tuple[str, str], ...], list[Unit]]:
    groups: dict[tuple[tuple[str, str], ...], list[Unit]] = {}
    for unit in units:
        labels = tuple((key, unit.brief.labels[key]) for key in sorted(by))
        groups.setdefault(labels, []).append(unit)
    return groups


def _strata(
    draft: StudyDraft,
    material: Material,
    groups: Mapping[tuple[tuple[str, str], ...], Sequence[Unit]],
) -> list[_Stratum]:
    weights = weights_of([(one.frequency, one.severity) for one in draft.partitions.of])
    needed = [least_units(spread.s, draft.mde) for spread in material.spreads]
    wanted = allotted(draft.budget.sample, needed)
    if not material.is_drawn:
        wanted = [len(material.units)] * len(needed)
    strata = []
    rows = zip(draft.partitions.of, material.spreads, weights, needed, wanted, strict=True)
    for one, spread, weight, n_min, most in rows:
        labels = dict(sorted(one.labels.items()))
        group = groups.get(tuple(labels.items()), ())
        text = " × ".join(f"{key}={value}" for key, value in labels.items())
        regular = drawn(
            [unit for unit in group if not unit.brief.is_adversarial],
            most,
            seed=draft.seed,
            stratum=text,
        )
        plan = PartitionPlan(
            labels=labels,
            frequency=one.frequency,
            severity=one.severity,
            weight=weight,
            s=spread.s,
            s_source=spread.source,
            n_min=n_min,
            n_available=regular.n_available,
            n_drawn=len(regular.units),
            draw_probability=regular.probability,
        )
        adversarial = tuple(unit for unit in group if unit.brief.is_adversarial)
        strata.append(_Stratum(plan=plan, regular=regular, adversarial=adversarial))
    return strata


def _adversarial(draft: StudyDraft, strata: Sequence[_Stratum]) -> frozenset[str]:
    """Draws adversarial units over all partitions, never more than their cap allows."""
    n_regular = sum(stratum.plan.n_drawn for stratum in strata)
    most = most_adversarial(n_regular, draft.adversarial_cap)
    every = [unit for stratum in strata for unit in stratum.adversarial]
    chosen = drawn(every, most, seed=draft.seed, stratum="adversarial")
    return frozenset(unit.brief.unit for unit in chosen.units)


def _unit_plans(
    draft: StudyDraft, strata: Sequence[_Stratum], adversarial: frozenset[str]
) -> tuple[UnitPlan, ...]:
    plans = [
        UnitPlan(
            id=unit.brief.unit,
            partition=stratum.plan.text,
            sha256=unit.sha256,
            repetitions=1 if unit.brief.is_anchor else draft.repetitions.stochastic,
            is_adversarial=unit.brief.is_adversarial,
        )
        for stratum in strata
        for unit in (
            *stratum.regular.units,
            *(unit for unit in stratum.adversarial if unit.brief.unit in adversarial),
        )
    ]
    return tuple(sorted(plans, key=lambda plan: plan.id))


def _cells(
    draft: StudyDraft, catalog: Catalog, partitions: Iterable[PartitionPlan]
) -> Iterable[CellPlan]:
    for partition in partitions:
        if "loss" in draft.cells:
            yield CellPlan(partition=partition.text)
        if "category" in draft.cells:
            for category in (one for one in catalog.categories if one.weight > 0):
                yield CellPlan(partition=partition.text, category=category.id)


def _arm(arm: ArmDraft) -> ArmPlan:
    return ArmPlan(name=arm.name, mode=arm.mode, system=arm.system, service=arm.service)


def judges_plan(judges: JudgesDraft, double_rating: float) -> PanelPlan:
    """Gives the judges of single outputs as a plan has them, but for the families of their models.

    Which family a model is of says the family map.
    """
    return PanelPlan(
        policy=judges.policy,
        judges=tuple(
            JudgePlan(name=one.name, model=one.model, family="", validation=_record(one.validation))
            for one in judges.judges
        ),
        repeats=1,
        templates=(judges.wording,),
        max_unreadable=judges.max_unreadable,
        double_rating_share=double_rating,
        max_attempts=judges.max_attempts,
        max_chars=judges.max_chars,
        max_usd=judges.max_usd,
        concurrency=judges.concurrency,
    )


def _record(named: JudgeRecordDraft | None) -> JudgeRecord | None:
    """Gives the record as it is named; what it says is read from its file."""
    if named is None:
        return None
    return JudgeRecord(
        file=named.file, sha256="", categories=named.categories, said="", axis=named.axis
    )


def state_spec(state: StateDraft | None) -> StateSpec | None:
    """Gives the state as a plan has it."""
    if state is None:
        return None
    kind = next(kind for kind in STATES if getattr(state, kind))
    return StateSpec(kind=kind, target=getattr(state, kind), scope=state.scope)


def probe_spec(probe: ProbeDraft) -> ProbeSpec:
    """Gives the probe as a plan has it."""
    kind = next(kind for kind in PROBES if getattr(probe, kind) is not None)
    return ProbeSpec(name=probe.name, kind=kind, options=getattr(probe, kind))
