"""Verifies the pages of a study that people read: the plan as text, and the page of its history."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from equipoise import __version__
from equipoise.errors import EquipoiseError, as_word
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.study_files import PLAN, PLAN_PAGE, seal_of
from equipoise.records.codec import decode, digest
from equipoise.records.plan import Plan
from equipoise.studies.loss.history import read_history
from equipoise.studies.loss.planning import plan_study
from equipoise.studies.loss.retelling import TREND, trend
from equipoise.studies.loss.verifying_derived import failed, held

_MADE_BY = re.compile(rb'<meta name="generator" content="Equipoise ([^"]*)">')


def check_pages(study: Path, today: date) -> Iterator[Check]:
    """Yields a check for `E2E-PLAN.md`, and one for `history.html` where it was written.

    Args:
        study: the study's folder.
        today: where nothing is sealed yet, the day on which the plan is made again.
    """
    yield _plan_page(study, today)
    path = study / TREND
    if path.is_file():
        yield _trend(study, path.read_bytes())


def _plan_page(study: Path, today: date) -> Check:
    """Holds the page against its hash in the seal, or against what the study file gives."""
    path = study / PLAN_PAGE
    found = path.read_bytes() if path.is_file() else b""
    try:
        seal = seal_of(study)
        if seal is not None and seal.page_sha256:
            return _against_the_seal(found, seal.page_sha256)
        plan = decode(study.joinpath(PLAN).read_bytes(), Plan, where=PLAN)
        planned = plan_study(study, today=today)
        if planned.plan != plan:
            return _unheld("the study file gives another plan by now")
    except EquipoiseError as error:
        return _unheld(f"it cannot be made again: {error}")
    faults = held(PLAN_PAGE, found, planned.page.encode(), "the plan", plan.tool_version)
    says = "not what the plan gives" if faults else "follows from the plan"
    return Check(thing=PLAN_PAGE, says=says, faults=faults)


def _against_the_seal(found: bytes, wanted: str) -> Check:
    if digest(found) == wanted:
        return Check(thing=PLAN_PAGE, says="the page that was sealed with the plan")
    what = "changed after sealing" if found else "is missing"
    fault = Fault(file=PLAN_PAGE, what=what, expected=wanted, found=digest(found) if found else "")
    return Check(thing=PLAN_PAGE, says="not the page that was sealed", faults=(fault,))


def _unheld(why: str) -> Check:
    """Gives the check of a page that nothing holds; a study sealed by this version has its hash."""
    fault = Fault(file=PLAN_PAGE, what=f"not verified: no seal holds it, and {why}", is_note=True)
    return Check(thing=PLAN_PAGE, says="not verified", faults=(fault,))


def _trend(study: Path, found: bytes) -> Check:
    try:
        wanted = trend(study)
    except (EquipoiseError, OSError) as error:
        return failed(TREND, "cannot be derived", error)
    if found != wanted and (n := _rows_of(study, found)):
        what = (
            f"is that of the first {n} rows; write it "
            f"again with `equipoise report {as_word(study)}`"
        )
        note = Fault(file=TREND, what=what, is_note=True)
        return Check(
            thing=TREND, says="follows from the history, and lags behind it", faults=(note,)
        )
    made_by = _MADE_BY.search(found)
    version = made_by[1].decode("utf-8", "replace") if made_by else __version__
    faults = held(TREND, found, wanted, "the history", version)
    says = "not what the history gives" if faults else "follows from the history"
    return Check(thing=TREND, says=says, faults=faults)


def _rows_of(study: Path, found: bytes) -> int:
    """Gives how many of the first rows of the history a page was made of; 0 where of none."""
    n = len(read_history(study).rows)
    return next((k for k in range(n - 1, 0, -1) if trend(study, k) == found), 0)
