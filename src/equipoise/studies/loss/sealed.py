"""A sealed study as the later stages read it: refused where anything was changed since."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from equipoise.errors import Blocked, Tampered, as_word
from equipoise.pipeline.amendments import read_amendments
from equipoise.pipeline.sealing import check_seal, refuse_changed
from equipoise.pipeline.study_files import (
    PLAN,
    SEAL,
    STUDY,
    read_needed,
    seal_of,
)
from equipoise.ports.suites import hash_of
from equipoise.records.brief import Brief
from equipoise.records.codec import decode
from equipoise.records.event import Amendment, Seal
from equipoise.records.holdout import Holdout
from equipoise.records.outcome_plan import OutcomePlan, SkillPlan
from equipoise.records.plan import Plan
from equipoise.stages.plan.units import Unit, digest_of, read_units
from equipoise.studies.loss.promised import amended


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A sealed study.

    Args:
        root: the study folder.
        plan: what is in force: the sealed plan with its amendments.
        plan_bytes: the sealed file, byte for byte; its sha256 is the plan's name.
        seal: what bears it out.
        briefs, holdouts: unit id -> its two halves, of the drawn units.
        amendments: what was changed since, in order.
    """

    root: Path
    plan: Plan
    plan_bytes: bytes
    seal: Seal
    briefs: dict[str, Brief]
    holdouts: dict[str, Holdout]
    amendments: tuple[Amendment, ...] = ()


def read_sealed(study: Path, *, today: date) -> Sealed:
    """Reads a sealed study folder.

    Args:
        study: the folder.
        today: units whose retention ended before may not be used.

    Raises:
        Blocked: it is not sealed, or a unit may no longer be used.
        Tampered: plan, study file, units, catalog, reference set or amendments were changed after
            sealing, or the seal's signature or token is not over this plan; says what.
        InputError: a file cannot be read at all.
    """
    plan, content, seal = sealed_plan(study)
    used = _used(study, plan)
    expired = [unit.brief.unit for unit in used if unit.is_expired(today)]
    if expired:
        further = f" and {len(expired) - 10} more" if len(expired) > 10 else ""
        raise Blocked(
            f"the retention of {', '.join(expired[:10])}{further} is over: these units may not be "
            "used any more; mend: a new study without them"
        )
    amendments = read_amendments(study, seal.plan_sha256)
    return Sealed(
        root=study,
        plan=amended(plan, amendments),
        plan_bytes=content,
        seal=seal,
        briefs={unit.brief.unit: unit.brief for unit in used},
        holdouts={unit.brief.unit: unit.holdout for unit in used},
        amendments=amendments,
    )


def sealed_plan(study: Path) -> tuple[Plan, bytes, Seal]:
    """Gives the plan as it was sealed, its bytes, and the seal, after checking all of them.

    Raises:
        Blocked: the study is not sealed.
        Tampered: plan, study file, catalog or reference set were changed since.
    """
    seal = seal_of(study)
    if seal is None:
        raise Blocked(
            f"{study} is not sealed: there is no {SEAL}, and sampling before sealing is refused; "
            f"mend: equipoise plan {as_word(study)}, read "
            f"what it promises, equipoise seal {as_word(study)}"
        )
    content = read_needed(study / PLAN, "the plan")
    refuse_changed(study, PLAN, content, seal.plan_sha256)
    check_seal(content, seal)
    plan = decode(content, Plan, where=PLAN)
    for name, sha256 in _sealed_with(plan).items():
        refuse_changed(study, name, read_needed(study / name, f"the sealed {name}"), sha256)
    _refuse_changed_skills(study, plan)
    return plan, content, seal


def changed_skills(study: Path, plan: Plan) -> dict[SkillPlan, str]:
    """Gives the skills of arms that are not as they were sealed, with the hash they have now."""
    skills = plan.outcome.skills if isinstance(plan.outcome, OutcomePlan) else ()
    found = {one: _hash(study / one.folder) for one in skills}
    return {one: sha256 for one, sha256 in found.items() if sha256 != one.sha256}


def _hash(folder: Path) -> str:
    return hash_of(folder) if folder.is_dir() else ""


def _refuse_changed_skills(study: Path, plan: Plan) -> None:
    for skill, found in changed_skills(study, plan).items():
        raise Tampered(
            f"the skill {skill.folder} of {skill.arm} was changed after sealing: its sha256 is "
            f"{found[:16] or 'that of nothing'}…, sealed was {skill.sha256[:16]}…; mend: put the "
            "sealed one back; another version of a skill is another arm, in another study"
        )


def refuse_edited_study(study: Path) -> None:
    """Holds what stands in a study against its seal, for who reads only what its runs left.

    A file that is not there misleads nobody here; `verify` names it.

    Raises:
        Tampered: plan, study file, catalog or reference set were changed after sealing.
    """
    seal = seal_of(study)
    if seal is None or not study.joinpath(PLAN).is_file():
        return
    content = study.joinpath(PLAN).read_bytes()
    refuse_changed(study, PLAN, content, seal.plan_sha256)
    for name, sha256 in _sealed_with(decode(content, Plan, where=PLAN)).items():
        if study.joinpath(name).is_file():
            refuse_changed(study, name, study.joinpath(name).read_bytes(), sha256)


def _sealed_with(plan: Plan) -> dict[str, str]:
    """Gives the files that a plan names by their hash: name -> sha256."""
    named = {STUDY: plan.study_sha256, plan.catalog_file: plan.catalog_sha256}
    if plan.reference_set:
        named[plan.reference_set] = plan.reference_sha256
    named |= {record.file: record.sha256 for record in plan.judge_records}
    return named


def _used(study: Path, plan: Plan) -> list[Unit]:
    """Gives the drawn units after seeing that no line of the units file was changed."""
    units = read_units(
        read_needed(study / plan.units_file, "the units file"),
        axes=plan.axes,
        provenance=plan.provenance,
        name=plan.units_file,
    )
    known = {unit.brief.unit: unit for unit in units}
    changed = [
        one.id for one in plan.units if one.id not in known or known[one.id].sha256 != one.sha256
    ]
    if changed:
        lines = [known[one].brief.origin if one in known else f"{one} (gone)" for one in changed]
        raise Tampered(
            f"{plan.units_file} was changed after sealing: {', '.join(lines[:10])}; mend: put the "
            "sealed lines back, or begin a new study"
        )
    if digest_of(units) != plan.units_sha256:
        raise Tampered(
            f"{plan.units_file} was changed after sealing: lines of units that were not drawn were "
            "added, changed or removed; mend: put the sealed lines back, or begin a new study"
        )
    return [known[one.id] for one in plan.units]
