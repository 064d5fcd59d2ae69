"""Verifies what a rating study promised: page, sets, and who was asked about what."""

from collections.abc import Iterator
from pathlib import Path

from equipoise.blind.private_files import kept_secret
from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.study_files import PLAN, STUDY, first_difference, seal_of
from equipoise.records.codec import decode, digest
from equipoise.records.rating_plan import RatingPlan
from equipoise.studies.rating.made import CAMPAIGN, MADE
from equipoise.studies.rating.making import (
    ASSIGNMENTS,
    CHECKS,
    KEYS,
    PACKETS,
    SECRET,
    campaign_files,
    outputs_of,
)
from equipoise.studies.rating.planning import RATING_PAGE, plan_rating
from equipoise.studies.rating.versions import other_than_this

_FILES = (PACKETS, ASSIGNMENTS, CHECKS, KEYS)


def check_promises(study: Path) -> Iterator[Check]:
    """Yields whether sets, page and campaign follow from the study file, its outputs and the seal.

    A campaign is made again from the plan and its secret; where the secret is not there (who gives
    a study away keeps it), it is left out.
    """
    try:
        content = study.joinpath(PLAN).read_bytes()
        plan = decode(content, RatingPlan, where=PLAN)
    except (EquipoiseError, OSError):
        return  # told by whoever checks the plan itself
    if not plan.powers:  # `plan` always says what the sets can tell
        note = Fault(file=PLAN, what="was not made by `equipoise plan`", is_note=True)
        yield Check(thing="sets", says="nothing to make them again from", faults=(note,))
        return
    changed = tuple(_changed(study, plan))
    if changed:
        yield Check(thing="sets", says="not made again from other files", faults=changed)
    else:
        yield _sets(study, content, plan)
    if any(fault.file == plan.outputs_file for fault in changed):
        return  # whatever shows their texts differs
    is_made = any(study.joinpath(CAMPAIGN, name).is_file() for name in (*_FILES, MADE))
    if is_made and study.joinpath(CAMPAIGN, SECRET).is_file():
        yield _campaign(study, plan)
    elif is_made:
        says = f"not made again: without {CAMPAIGN}/{SECRET} nobody can"
        yield Check(thing=CAMPAIGN, says=says, is_left_out=True)


def _changed(study: Path, plan: RatingPlan) -> Iterator[Fault]:
    """Yields a fault for study file or outputs that are not those that were planned with."""
    for name, sha256 in ((STUDY, plan.study_sha256), (plan.outputs_file, plan.outputs_sha256)):
        path = study / name
        found = digest(path.read_bytes()) if path.is_file() else "nothing"
        if sha256 and found != sha256:
            what = "was changed after planning" if path.is_file() else "is missing"
            yield Fault(file=name, what=what, expected=sha256, found=found)


def _sets(study: Path, content: bytes, plan: RatingPlan) -> Check:
    """Holds plan and page against what the study file and the outputs give."""
    made_by = other_than_this(plan.tool_version)
    page = study / RATING_PAGE
    shown = page.read_bytes() if page.is_file() else b""
    try:
        seal = seal_of(study)
        planned = plan_rating(study)
    except EquipoiseError as error:
        fault = Fault(file=PLAN, what="cannot be made again", found=str(error), made_by=made_by)
        return Check(thing="sets", says="not verified", faults=(fault,))
    faults = []
    if planned.content != content:
        what = "is not what study.yaml and the outputs give"
        told = first_difference(content, planned.content)
        faults.append(Fault(file=PLAN, what=what, found=told, made_by=made_by))
    sealed = seal.page_sha256 if seal is not None else ""
    if sealed and digest(shown) != sealed:
        faults.append(Fault(file=RATING_PAGE, what="is not the page that was sealed"))
    elif not sealed and shown != planned.page.encode():
        told = first_difference(shown, planned.page.encode())
        what = "is not what the plan gives"
        faults.append(Fault(file=RATING_PAGE, what=what, found=told, made_by=made_by))
    n = len(plan.sets)
    says = f"{n} sets and their page follow from study.yaml and the outputs"
    return Check(thing="sets", says=says if not faults else "do not follow", faults=tuple(faults))


def _campaign(study: Path, plan: RatingPlan) -> Check:
    """Holds packets, lists, checks and keys against those that plan and secret give."""
    made_by = other_than_this(plan.tool_version)
    folder = study / CAMPAIGN
    try:
        files = campaign_files(plan, outputs_of(study, plan), kept_secret(folder / SECRET))
    except EquipoiseError as error:
        fault = Fault(file=CAMPAIGN, what="cannot be made again", found=str(error), made_by=made_by)
        return Check(thing=CAMPAIGN, says="not verified", faults=(fault,))
    faults = []
    for name in _FILES:
        path = folder / name
        found = path.read_bytes() if path.is_file() else b""
        if found != files[name]:
            told = first_difference(found, files[name]) if found else "it is missing"
            # what may be seen in a fault is what may be seen on a screen: no key, no right answer
            told = told if name in {PACKETS, ASSIGNMENTS} or not found else "a line differs"
            what = "is not what the plan gives"
            file = f"{CAMPAIGN}/{name}"
            faults.append(Fault(file=file, what=what, found=told, made_by=made_by))
    says = "packets, lists, checks and keys follow from the plan"
    return Check(thing=CAMPAIGN, says=says if not faults else "do not follow", faults=tuple(faults))
