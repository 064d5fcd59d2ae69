"""The check `root_cause`: whether a document names the true root cause, by its words alone.

What it says with these words nobody knows here: a judge is the other track.
"""

from equipoise.errors import NotEstimable
from equipoise.records.scenario import RootCause
from equipoise.stages.grade.end_state_check import told_as_one
from equipoise.stages.grade.finding import Fault, Found
from equipoise.stages.grade.keywords import has_keyword
from equipoise.stages.grade.left_behind import Left, document, left_by, matching
from equipoise.stages.grade.material import Material, Page
from equipoise.stages.grade.outcome_specs import NOT_APPLICABLE, RootCauseSpec, expectation
from equipoise.stages.grade.quoting import line_quoted
from equipoise.stages.grade.written import sections, unreadable, words


def check_root_cause(spec: RootCauseSpec, material: Material) -> Found:
    """Gives 1 where of a group of keywords none stands in the document.

    Of several documents the one counts that names most.

    Raises:
        NotEstimable: the unit has no keywords, or nobody froze the workspace.
    """
    cause = expectation(spec, material, RootCause)
    if not cause.keywords:
        raise NotEstimable(f"{NOT_APPLICABLE}: the unit has no keywords", code="no_expectation")
    left = left_by(material)
    found = matching(left.files, cause.document)
    if not found:
        return told_as_one([(f"left no {cause.document}", ())], material)
    _, faults = min(
        (_faults(cause, path, material, left) for path in found), key=lambda told: told[0]
    )
    return told_as_one(faults, material)


def _faults(cause: RootCause, path: str, material: Material, left: Left) -> tuple[int, list[Fault]]:
    """Gives how much a document lacks, and what."""
    seen = document(material, path)
    why = unreadable(seen)
    if why or seen is None:
        return len(cause.keywords) + 1, [(f"{path}: {why}", left.named(path))]
    text = words(_told(cause.section, seen))
    faults: list[Fault] = [
        (f"{path} names none of {', '.join(group)}", line_quoted(seen, 1))
        for group in cause.keywords
        if not any(has_keyword(text, one) for one in group)
    ]
    return len(faults), faults


def _told(section: str, seen: Page) -> str:
    """Gives the text below a heading; all of it where none is asked for."""
    if not section:
        return seen.text
    name = section.strip().casefold()
    named = [one for one in sections(seen) if one.heading.strip().casefold() == name]
    return "\n".join(seen.text[one.start : one.end] for one in named)
