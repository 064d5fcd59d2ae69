"""A sealed study as the later stages read it: refused where anything was changed since."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from equipoise.errors import Blocked, Tampered
from equipoise.records.brief import Brief
from equipoise.records.codec import decode, digest
from equipoise.records.event import Amendment, Seal
from equipoise.records.holdout import Holdout
from equipoise.records.plan import Plan
from equipoise.stages.plan.units import digest_of, read_units
from equipoise.studies.loss.planning import PLAN, STUDY, read_needed
from equipoise.studies.loss.sealing import SEAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A sealed study.

    Args:
        root: the study folder.
        plan: what is in force: the sealed plan with its amendments.
        plan_bytes: the sealed file, byte for byte.
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

    Raises:
        Blocked: it is not sealed, or a unit may no longer be used.
        Tampered: plan, study file or units were changed after sealing; says which.
    """
    if not (study / SEAL).exists():
        raise Blocked(
            f"{study} is not sealed: there is no {SEAL}; sampling before sealing is refused; mend: "
            f"`equipoise plan {study}`, read {PLAN}, then `equipoise seal {study}`"
        )
    seal = decode(read_needed(study / SEAL, "the seal"), Seal, where=SEAL)
    content = read_needed(study / PLAN, "the plan")
    if digest(content) != seal.plan_sha256:
        raise Tampered(
            f"{PLAN} was changed after sealing: its sha256 is {digest(content)}, sealed was "
            f"{seal.plan_sha256}"
        )
    plan = decode(content, Plan, where=PLAN)
    if digest(read_needed(study / STUDY, "the study file")) != plan.study_sha256:
        raise Tampered(f"{STUDY} was changed after sealing")
    units = read_units(
        read_needed(study / plan.units_file, "the units file"),
        axes=plan.axes,
        provenance=plan.provenance,
        name=plan.units_file,
    )
    if digest_of(units) != plan.units_sha256:
        raise Tampered(f"{plan.units_file} was changed after sealing")
    wanted = {unit.id for unit in plan.units}
    used = [unit for unit in units if unit.brief.unit in wanted]
    expired = [unit.brief.unit for unit in used if unit.is_expired(today)]
    if expired:
        raise Blocked(
            f"the retention of {', '.join(expired[:10])} is over: these units may not be used any "
            "more; mend: a new study without them"
        )
    return Sealed(
        root=study,
        plan=plan,
        plan_bytes=content,
        seal=seal,
        briefs={unit.brief.unit: unit.brief for unit in used},
        holdouts={unit.brief.unit: unit.holdout for unit in used},
    )
