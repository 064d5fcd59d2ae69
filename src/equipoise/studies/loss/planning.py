"""From a study folder to its plan: reads what it names and writes what is promised."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from equipoise import __version__
from equipoise.errors import Blocked, InputError, NotEstimable
from equipoise.pipeline.sealing import Promise, write_promise
from equipoise.pipeline.study_files import PLAN_PAGE, STUDY, kind_in, read_needed
from equipoise.records.catalog import Catalog
from equipoise.records.codec import decode, digest, pretty
from equipoise.records.outcome_plan import ContrastProof, OutcomePlan
from equipoise.records.plan import Plan
from equipoise.stages.grade.catalog import read_catalog
from equipoise.stages.grade.templates import resolved
from equipoise.stages.plan.assembling import Material, assembled
from equipoise.stages.plan.budget import over_budget
from equipoise.stages.plan.crosschecks import typed_n_mins
from equipoise.stages.plan.faults import refuse
from equipoise.stages.plan.load import Looked, look_at
from equipoise.stages.plan.outcome_page import outcome_blocks
from equipoise.stages.plan.outlook import Outlook, SpreadOfCategory, outlook_of
from equipoise.stages.plan.page import plan_page
from equipoise.stages.plan.placeholders import unfilled
from equipoise.stages.plan.units import Unit, read_units
from equipoise.studies.loss.blockers import refuse_blocked, unusable
from equipoise.studies.loss.earlier import measured_in, spreads_of
from equipoise.studies.loss.hidden import hidden_of, missing, seen_by_agents
from equipoise.studies.loss.judges_recorded import with_records
from equipoise.studies.loss.judging_planned import judge_faults, judge_outlook, with_families
from equipoise.studies.loss.looks import waits_of
from equipoise.studies.loss.running_asked import Adapters

COMPILED = "outcome-study.json"
"""What an outcome study is compiled to by `plan`: a loss study on the scenarios of its pack."""

OUTCOME = "outcome-plan.json"
"""What an outcome study promises beside that: its scenarios and its hypotheses."""

ARMS = "outcome-arms.json"
"""What came of rendering its arms, two by two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan, its bytes as the file has them, and what it will be able to tell."""

    plan: Plan
    content: bytes
    outlook: Outlook
    page: str

    @property
    def sha256(self) -> str:
        """The plan's name."""
        return digest(self.content)

    @property
    def promise(self) -> Promise:
        """What is sealed of it."""
        return Promise(content=self.content, page=self.page.encode(), page_name=PLAN_PAGE)


def plan_study(study: Path, *, today: date, adapters: Adapters | None = None) -> Planned:
    """Gives the plan of a study folder; the same files give the same bytes.

    Args:
        study: folder with `study.yaml`.
        today: units whose retention ended before are not used.
        adapters: systems, state and probes are made by them, and started by nobody, to see whether
            their options are right; null = only their kinds are looked at.

    Raises:
        InputError: lists every fault of the study file or of the units file; or the budget is
            below what the partitions need.
        Blocked: something the study needs is not there; names it.
    """
    text = read_needed(study / STUDY, "the study file")
    kind, compiled = _compiled(study, text)
    looked = look_at(text) if compiled is None else look_at(compiled, name=COMPILED)
    draft, faults = looked.draft, looked.faults
    if not looked.found:
        refuse_blocked(draft, study)
    material, by_category = _material(study, looked, text, is_drawn=compiled is None)
    plan, left_out = assembled(draft, material, today=today, tool_version=__version__)
    plan = with_families(_of_kind(plan, kind, study), study, faults)
    plan = with_records(plan, material.catalog, study)
    chosen = {unit.id for unit in plan.units}
    executed = [unit for unit in material.units if unit.brief.unit in chosen]
    refuse(unfilled(draft, executed, faults))
    refuse(judge_faults(plan, material.catalog, study, faults))
    plan = _with_hidden(plan, study, material, executed)
    if adapters is not None:
        refuse(unusable(plan, study, adapters))
    budget = draft.budget.sample
    refuse(over_budget(plan, budget, faults))
    content = pretty(plan)
    waits = waits_of(plan, material.catalog)
    outlook = outlook_of(
        plan,
        material.catalog,
        left_out,
        plan_sha256=digest(content),
        spreads=by_category,
        measured=measured_in(draft, study),
        budget=budget,
    )
    judges, doubts = judge_outlook(plan, material.catalog, study, adapters, today, executed)
    outlook = msgspec.structs.replace(
        outlook, doubts=(*outlook.doubts, *waits, *doubts), judges=judges
    )
    page = plan_page(plan, outlook, _first(plan, study))
    return Planned(plan=plan, content=content, outlook=outlook, page=page)


def _compiled(study: Path, text: bytes) -> tuple[str, bytes | None]:
    """Gives the kind of plan, and what a study of another kind was compiled to.

    Raises:
        Blocked: it was not compiled.
    """
    if kind_in(text) != "outcome":
        return "loss", None
    return "outcome", read_needed(study / COMPILED, "what the outcome study is compiled to")


def _of_kind(plan: Plan, kind: str, study: Path) -> Plan:
    """Gives the plan with its kind, and with what only an outcome study promises.

    Raises:
        Blocked: that was not compiled.
    """
    if kind == plan.kind:
        return plan
    content = read_needed(study / OUTCOME, "what the outcome study promises")
    outcome = decode(content, OutcomePlan, where=OUTCOME)
    return msgspec.structs.replace(plan, kind=kind, outcome=outcome)


def _first(plan: Plan, study: Path) -> list[list[str]]:
    """Gives what stands first on the page of an outcome study; nothing for another.

    Raises:
        Blocked: what its arms were rendered to is missing.
    """
    if not isinstance(plan.outcome, OutcomePlan):
        return []
    content = read_needed(study / ARMS, "what the arms of the outcome study were rendered to")
    proofs = decode(content, tuple[ContrastProof, ...], where=ARMS)
    return outcome_blocks(plan, plan.outcome, proofs)


def _with_hidden(plan: Plan, study: Path, material: Material, executed: list[Unit]) -> Plan:
    """Gives the plan with the hidden tests of its units, which are sealed with it.

    Raises:
        Blocked: some are not there.
        InputError: some lie in what an agent gets.
    """
    hidden = hidden_of(study, material.catalog, executed)
    if lacking := missing(hidden):
        raise Blocked("\n".join(f"missing: {one}" for one in lacking))

    def fill(template: Any) -> list[Any]:
        values = [{"brief": u.brief.content, "unit": u.brief.unit} for u in executed]
        return [_resolved(template, one) for one in values]

    refuse(seen_by_agents(hidden, plan.arms, fill))
    return msgspec.structs.replace(plan, hidden=hidden)


def _resolved(template: Any, values: dict[str, Any]) -> Any:
    try:
        return resolved(template, values)
    except NotEstimable:
        return None  # what nobody can fill is refused already


def _material(
    study: Path, looked: Looked, text: bytes, *, is_drawn: bool
) -> tuple[Material, tuple[SpreadOfCategory, ...]]:
    """Gives what a plan is made of, with hashes of what was read, and the spreads of categories.

    Raises:
        InputError: lists every fault of the study, of its units and of its catalog.
        Blocked: the catalog or the reference set is not there.
    """
    draft = looked.draft
    units, catalog = _named(study, looked)
    assert units is not None, "a study without faults names its units"
    assert catalog is not None, "a study without faults names its catalog"
    catalog_bytes = read_needed(study / draft.catalog, "the loss catalog")
    reference = study / draft.reference_set if draft.reference_set else None
    spreads, by_category = spreads_of(draft, looked.faults, study)
    refuse(typed_n_mins(draft, looked.faults, [spread.s for spread in spreads]))
    material = Material(
        units=units,
        catalog=catalog,
        catalog_sha256=digest(catalog_bytes),
        spreads=spreads,
        study_sha256=digest(text),
        reference_sha256=digest(read_needed(reference, "the reference set")) if reference else "",
        is_drawn=is_drawn,
    )
    return material, by_category


def _named(study: Path, looked: Looked) -> tuple[tuple[Unit, ...] | None, Catalog | None]:
    """Reads the units and the catalog that a study names, as far as it says how.

    Raises:
        InputError: lists every fault of the study, of its units and of its catalog.
    """
    draft, known, found = looked.draft, looked.known, list(looked.found)
    units: tuple[Unit, ...] | None = None
    catalog: Catalog | None = None
    if {"units", "axes", "provenance"} <= known and study.joinpath(draft.units).is_file():
        try:
            units = read_units(
                study.joinpath(draft.units).read_bytes(),
                axes=draft.axes,
                provenance=draft.provenance,
                name=draft.units,
            )
        except InputError as error:
            found.append(str(error))
    if "catalog" in known and study.joinpath(draft.catalog).is_file():
        try:
            catalog = read_catalog(study.joinpath(draft.catalog).read_bytes(), draft.catalog)
        except InputError as error:
            found.append(str(error))
    refuse(line for fault in found for line in fault.splitlines())
    return units, catalog


def write_plan(study: Path, planned: Planned) -> None:
    """Writes `plan.json` and `E2E-PLAN.md`; refuses to replace a plan that is sealed.

    The page that was sealed with the plan stays, even if it would be worded otherwise by now.

    Raises:
        Blocked: the study is sealed and this is another plan.
    """
    write_promise(study, planned.promise)
