"""From a study folder to its plan: reads what it names and writes what is promised."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

import msgspec

from equipoise import __version__
from equipoise.archive.durable import replace_file
from equipoise.errors import Blocked
from equipoise.records.codec import digest, pretty
from equipoise.records.plan import Plan
from equipoise.stages.grade.catalog import read_catalog
from equipoise.stages.plan.assembling import Material, assembled
from equipoise.stages.plan.budget import over_budget
from equipoise.stages.plan.crosschecks import typed_n_mins
from equipoise.stages.plan.faults import refuse
from equipoise.stages.plan.load import read_study
from equipoise.stages.plan.outlook import Outlook, outlook_of
from equipoise.stages.plan.page import plan_page
from equipoise.stages.plan.units import read_units
from equipoise.studies.loss.blockers import refuse_blocked, unusable
from equipoise.studies.loss.earlier import measured_in, spreads_of
from equipoise.studies.loss.files import PLAN, PLAN_PAGE, SEAL, STUDY, read_needed, seal_of
from equipoise.studies.loss.looks import waits_of
from equipoise.studies.loss.running_asked import Adapters


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
    draft, faults = read_study(text)
    refuse_blocked(draft, study)
    catalog_bytes = read_needed(study / draft.catalog, "the loss catalog")
    reference = study / draft.reference_set if draft.reference_set else None
    spreads, by_category = spreads_of(draft, faults, study)
    refuse(typed_n_mins(draft, faults, [spread.s for spread in spreads]))
    material = Material(
        units=read_units(
            read_needed(study / draft.units, "the units file"),
            axes=draft.axes,
            provenance=draft.provenance,
            name=draft.units,
        ),
        catalog=read_catalog(catalog_bytes, draft.catalog),
        catalog_sha256=digest(catalog_bytes),
        spreads=spreads,
        study_sha256=digest(text),
        reference_sha256=digest(read_needed(reference, "the reference set")) if reference else "",
    )
    plan, left_out = assembled(draft, material, today=today, tool_version=__version__)
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
    outlook = msgspec.structs.replace(outlook, doubts=(*outlook.doubts, *waits))
    return Planned(plan=plan, content=content, outlook=outlook, page=plan_page(plan, outlook))


def write_plan(study: Path, planned: Planned) -> None:
    """Writes `plan.json` and `E2E-PLAN.md`; refuses to replace a plan that is sealed.

    The page that was sealed with the plan stays, even if it would be worded otherwise by now.

    Raises:
        Blocked: the study is sealed and this is another plan.
    """
    sealed = seal_of(study)
    if sealed is not None and sealed.plan_sha256 != planned.sha256:
        raise Blocked(
            f"{study} is sealed, and {STUDY} with its files now gives another plan; mend: put "
            "them back, or `equipoise amend`, or begin a new study folder; before the first "
            f"run you may remove {SEAL}"
        )
    if sealed is not None and _is_sealed_page(study / PLAN_PAGE, sealed.page_sha256):
        return
    replace_file(study / PLAN, planned.content)
    replace_file(study / PLAN_PAGE, planned.page.encode())


def _is_sealed_page(path: Path, sha256: str) -> bool:
    return path.is_file() and digest(path.read_bytes()) == sha256
