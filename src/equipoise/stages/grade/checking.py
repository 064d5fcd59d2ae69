"""Grades one trial under a catalog: every category by its check, then the trial's loss."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from equipoise.errors import NotEstimable
from equipoise.records.catalog import Catalog, Category
from equipoise.records.codec import digest, encode
from equipoise.records.grade import Evidence, Grade, How
from equipoise.records.plan import Mode
from equipoise.stages.grade.artifact_check import check_artifact
from equipoise.stages.grade.check_specs import read_spec
from equipoise.stages.grade.checkpoint_check import check_checkpoint
from equipoise.stages.grade.dom_check import check_dom
from equipoise.stages.grade.end_state_check import check_end_state
from equipoise.stages.grade.exit_code_check import check_exit_code
from equipoise.stages.grade.finding import Found
from equipoise.stages.grade.gate_check import check_gate
from equipoise.stages.grade.json_path_check import check_json_path
from equipoise.stages.grade.json_places import span_of
from equipoise.stages.grade.material import OUTPUT, RECORD, Material, Page
from equipoise.stages.grade.program_checks import (
    check_callable,
    check_command,
    check_script,
    code_of,
)
from equipoise.stages.grade.quoting import exactly, stands
from equipoise.stages.grade.regex_check import check_regex
from equipoise.stages.grade.root_cause_check import check_root_cause
from equipoise.stages.grade.rubrics import NOT_APPLIED
from equipoise.stages.grade.spec_base import Spec
from equipoise.stages.grade.sql_check import check_sql
from equipoise.stages.grade.suite_check import check_suite
from equipoise.stages.grade.token_recall_check import check_token_recall

TOOK_TOO_LONG = "took more than"
"""Part of the reason of a grade whose expression ran out of time."""

NOT_REEXECUTED = "unbewertbar: needs the system to be executed again, and mode B executes nothing"

_RUN: dict[str, Callable[[Any, Material], Found]] = {
    "regex": check_regex,
    "json_path": check_json_path,
    "exit_code": check_exit_code,
    "sql": check_sql,
    "dom": check_dom,
    "callable": check_callable,
    "command": check_command,
    "script": check_script,
    "suite": check_suite,
    "end_state": check_end_state,
    "token_recall": check_token_recall,
    "dod_gate": check_gate,
    "root_cause": check_root_cause,
    "checkpoint": check_checkpoint,
    "artifact": check_artifact,
}

_FIELD = {"exit_code": "exit_code"}
"""Kind of check -> the field of the trial's record that shows what was lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A category's check, ready to be executed; `by` is what its grades say they are by."""

    category: Category
    kind: str
    spec: Spec
    by: str


def ready(catalog: Catalog, root: Path | None = None) -> tuple[Check, ...]:
    """Gives the checks of a catalog that was read by `read_catalog`, in its order.

    Grades by the study's own code name it with the first digits of its hash, where the code is
    found in the study's folder `root`: it may change while the catalog does not.
    """
    found = []
    for category in catalog.categories:
        if category.check:
            spec, faults = read_spec(category.check, category.id)
            assert spec is not None, faults
            kind = next(iter(category.check))
            by = f"check:{kind}{code_of(spec, root)}"
            found.append(Check(category=category, kind=kind, spec=spec, by=by))
    return tuple(found)


def grade_trial(checks: tuple[Check, ...], material: Material, mode: Mode) -> dict[str, Grade]:
    """Gives category id -> grade for every category that has a check."""
    return {check.category.id: grade_category(check, material, mode) for check in checks}


def grade_category(check: Check, material: Material, mode: Mode) -> Grade:
    """Gives the grade of one trial in one category; its criterion is the category's id.

    The value is the share lost, ``min(raw, max) / max``. A lost value always carries a quote that
    was looked up again in the stored bytes; where a check has none, the trial's record is quoted.
    """
    by = check.by
    category, trial = check.category, material.trial.id
    try:
        hinder(category, material, mode)
        found = _RUN[check.kind](check.spec, material)
        places = found.places
        if found.raw > 0 and not places:
            places = record_quoted(material, _FIELD.get(check.kind, "output"))
        if not found.raw:
            _refuse_silence(check.spec, material)
        raw = category.max if found.is_total else found.raw
        grade = graded(category, material, raw, places, by=by)
        return noted(grade, found.note)
    except NotEstimable as error:
        return Grade(trial=trial, criterion=category.id, not_evaluable=error.why, by=by)


def graded(
    category: Category,
    material: Material,
    raw: float,
    places: tuple[Evidence, ...],
    *,
    by: str,
    how: How = How.MEASURED,
) -> Grade:
    """Gives the grade of a raw value with its quotes, each looked up again.

    Raises:
        NotEstimable: the value is lost and no quote stands where it is said to stand.
    """
    places = tuple(place for place in places if _holds(place, material))
    if raw > 0 and not places:
        raise NotEstimable("invalid: lost, and no quote shows it", code="no_citation")
    notes = []
    if raw > category.max:
        notes.append(f"raw {raw:g}, clipped at {category.max:g}")
    places, note = withheld(places, material)
    if note:
        notes.append(note)
    return Grade(
        trial=material.trial.id,
        criterion=category.id,
        value=min(raw, category.max) / category.max,
        how=how,
        by=by,
        evidence=places,
        note="; ".join(notes),
    )


def noted(grade: Grade, note: str) -> Grade:
    """Gives the grade with a further note, before those that it has."""
    if not note:
        return grade
    return msgspec.structs.replace(grade, note="; ".join(filter(None, (note, grade.note))))


def withheld(places: tuple[Evidence, ...], material: Material) -> tuple[tuple[Evidence, ...], str]:
    """Gives the quotes that may be kept; in place of those of a unit without permission, a note."""
    if not places or material.holdout is None or material.holdout.may_quote:
        return places, ""
    at = ", ".join(f"{p.name}:{p.line} bytes {p.start}-{p.end}" for p in places)
    return (), f"quote withheld: {at}"


def hinder(category: Category, material: Material, mode: Mode) -> None:
    """Stops where the category cannot be evaluated for this trial, whatever its check.

    Raises:
        NotEstimable: it needs re-execution in mode B, or a probe that left nothing of this trial.
    """
    if category.is_reexecuted and mode is Mode.B:
        raise NotEstimable(NOT_REEXECUTED, code="not_reexecuted")
    if category.applies_to and material.trial.arm not in category.applies_to:
        raise NotEstimable(NOT_APPLIED, code="not_applied")
    for probe in category.needs:
        if not any(is_of(probe, name) for name in material.documents):
            why = material.outages.get(probe, "it left no document of this trial")
            raise NotEstimable(f"unbewertbar: probe {probe}: {why}", code="outage")


def _refuse_silence(spec: Spec, material: Material) -> None:
    """Stops where nothing was lost in what holds nothing of the trial: that shows nothing.

    So it is with a log without a line of the trial, and with the empty output of a program that
    failed. What is absent from them is absent all the same, and counts as it is.

    Raises:
        NotEstimable: a document that the check looked at is of this kind.
    """
    exit_code = material.trial.exit_code
    for name in spec.documents:
        if name == OUTPUT and exit_code and not _has_content(material, name):
            raise NotEstimable(
                f"unbewertbar: it ended with exit code {exit_code} and said nothing, so that its "
                "output shows no fault says nothing",
                code="no_output",
            )
        if name in material.followed and not _has_content(material, name):
            raise NotEstimable(
                f"unbewertbar: {name} holds no line of this trial, so that it shows no fault says "
                "nothing",
                code="no_trace",
            )


def _has_content(material: Material, name: str) -> bool:
    """Says whether a document that a check has looked at holds anything."""
    seen = material.pages.get(name)
    return seen is None or bool(seen.content)


def is_of(probe: str, document: str) -> bool:
    """Says whether a document was left by a probe: it is named after it."""
    return document == probe or document.startswith((f"{probe}.", f"{probe}/"))


def record_quoted(material: Material, field: str) -> tuple[Evidence, ...]:
    """Quotes the archived record of the trial itself, at a field of it or else at its id."""
    seen = record_page(material)
    has_field = f'"{field}":' in seen.text
    return exactly(seen, *span_of(seen, (field if has_field else "id",)))


def record_page(material: Material) -> Page:
    """Gives the record of the trial, as its line in the archive has it, as a document."""
    if RECORD not in material.pages:
        content = encode(material.trial)
        material.pages[RECORD] = Page(
            name=RECORD, sha256=digest(content), content=content, text=content.decode()
        )
    return material.pages[RECORD]


def _holds(place: Evidence, material: Material) -> bool:
    return any(
        seen.sha256 == place.document and stands(place, seen.content)
        for seen in material.pages.values()
    )
