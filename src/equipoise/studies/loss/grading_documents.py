"""Documents that grading adds to a trial: its own record where that is quoted, results of tests."""

from collections.abc import Mapping

from equipoise.archive.store import Archive
from equipoise.records.codec import digest, encode
from equipoise.records.grade import Grade
from equipoise.stages.grade.material import RECORD
from equipoise.studies.loss.gathering import Gathered
from equipoise.studies.loss.grading_work import Graded, Work


def attach_record(archive: Archive, work: Work, grade: Grade, gathered: Gathered) -> None:
    """Stores the trial's own record as a document where a grade quotes it."""
    name = f"{work.trial.id}/{RECORD}"
    if name in gathered.names or not any(place.name == RECORD for place in grade.evidence):
        return
    content = encode(work.trial)
    if any(place.document == digest(content) for place in grade.evidence):
        archive.attach(name, [content])
        gathered.names.add(name)


def attach_made(
    archive: Archive,
    work: Work,
    graded: Graded,
    gathered: Gathered,
    judged: Mapping[str, bytes],
) -> None:
    """Stores what checks and judges made of a trial, such as the outcome of each hidden test."""
    for name, content in (*graded.made.items(), *judged.items()):
        full = f"{work.trial.id}/{name}"
        if full not in gathered.names:
            archive.attach(full, [content])
            gathered.names.add(full)
