"""Seals the plan of a rating study: from then on its bytes stand, and people may be asked."""

from datetime import datetime
from pathlib import Path

from equipoise.errors import Blocked, as_word
from equipoise.pipeline.sealing import (
    Proofs,
    check_seal,
    refuse_changed,
    refuse_unplanned,
    refuse_without_plan,
    seal_promise,
)
from equipoise.pipeline.study_files import PLAN, SEAL, STUDY, read_needed, seal_of
from equipoise.records.codec import decode
from equipoise.records.event import Seal
from equipoise.records.rating_plan import RatingPlan
from equipoise.studies.rating.planning import plan_rating


def seal_rating(study: Path, *, now: datetime, proofs: Proofs | None = None) -> Seal:
    """Seals the plan of a rating study's folder and gives the seal; see `seal_promise`.

    Raises:
        Blocked: there is no plan, it or its page is not what the study file gives, or another one
            is sealed.
        InputError: the study file has faults, or a proof does not hold.
    """
    refuse_without_plan(study)
    return seal_promise(study, plan_rating(study).promise, now=now, proofs=proofs)


def planned_rating_content(study: Path) -> bytes:
    """Gives the bytes of `plan.json` after seeing that the study file gives just these.

    Raises:
        Blocked: there is no plan, or the study file gives another one.
        InputError: the study file has faults.
    """
    refuse_without_plan(study)
    refuse_unplanned(study, plan_rating(study).promise)
    return read_needed(study / PLAN, "the plan")


def sealed_rating(study: Path) -> tuple[RatingPlan, bytes, Seal]:
    """Gives the plan as it was sealed, its bytes, and the seal, after checking all of them.

    Raises:
        Blocked: the study is not sealed.
        Tampered: plan, study file or outputs were changed since.
    """
    seal = seal_of(study)
    if seal is None:
        raise Blocked(
            f"{study} is not sealed: there is no {SEAL}, and nobody is asked before sealing; mend: "
            f"equipoise plan {as_word(study)}, read what "
            f"it promises, equipoise seal {as_word(study)}"
        )
    content = read_needed(study / PLAN, "the plan")
    refuse_changed(study, PLAN, content, seal.plan_sha256)
    check_seal(content, seal)
    plan = decode(content, RatingPlan, where=PLAN)
    for name, sha256 in {STUDY: plan.study_sha256, plan.outputs_file: plan.outputs_sha256}.items():
        refuse_changed(study, name, read_needed(study / name, f"the sealed {name}"), sha256)
    return plan, content, seal
