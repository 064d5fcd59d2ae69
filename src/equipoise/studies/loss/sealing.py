"""Seals the plan of a loss study: from then on its bytes stand, and runs may begin."""

from datetime import datetime
from pathlib import Path

from equipoise.pipeline.sealing import Proofs, refuse_unplanned, refuse_without_plan, seal_promise
from equipoise.pipeline.study_files import PLAN, read_needed
from equipoise.records.event import Seal
from equipoise.studies.loss.planning import plan_study


def seal_study(study: Path, *, now: datetime, proofs: Proofs | None = None) -> Seal:
    """Seals the plan of a study folder and gives the seal; see `seal_promise`.

    Raises:
        Blocked: there is no plan, it or its page is not what the study file gives, or another one
            is sealed.
        InputError: the study file has faults, or a proof does not hold.
    """
    refuse_without_plan(study)
    promise = plan_study(study, today=now.date()).promise
    return seal_promise(study, promise, now=now, proofs=proofs)


def planned_content(study: Path, *, now: datetime) -> bytes:
    """Gives the bytes of `plan.json` after seeing that the study file gives just these.

    Raises:
        Blocked: there is no plan, or the study file gives another one.
        InputError: the study file has faults.
    """
    refuse_without_plan(study)
    refuse_unplanned(study, plan_study(study, today=now.date()).promise)
    return read_needed(study / PLAN, "the plan")
