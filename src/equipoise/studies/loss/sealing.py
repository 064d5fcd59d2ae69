"""Seals a plan: from then on its bytes stand, and runs may begin."""

from datetime import UTC, datetime
from pathlib import Path

from equipoise.archive.durable import replace_file
from equipoise.errors import Blocked
from equipoise.records.codec import digest, pretty
from equipoise.records.event import Seal, SealLabel
from equipoise.studies.loss.planning import PLAN, STUDY, plan_study, read_needed

SEAL = "seal.json"


def seal_study(study: Path, *, now: datetime) -> Seal:
    """Seals the plan of a study folder and gives the seal; sealing again gives the seal there is.

    Args:
        study: folder with `study.yaml` and `plan.json`.
        now: the time of sealing.

    Raises:
        Blocked: there is no plan, or it is not what the study file gives.
        InputError: the study file has faults.
    """
    content = read_needed(study / PLAN, "the plan (run `equipoise plan` first)")
    planned = plan_study(study, today=now.date())
    if planned.content != content:
        raise Blocked(
            f"{PLAN} is not what {STUDY} gives; mend: `equipoise plan {study}` again, read it, "
            "then seal"
        )
    seal = Seal(
        plan_sha256=digest(content),
        sealed_at=now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        label=SealLabel.SELF_DECLARED,
    )
    replace_file(study / SEAL, pretty(seal))
    return seal
