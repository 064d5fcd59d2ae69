"""What raters say of the trials of an archive, and what is lost without any of them."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from equipoise.archive.blobs import Blobs
from equipoise.stages.grade.findings import Finding
from equipoise.stages.grade.material import Material
from equipoise.stages.grade.reviewing import Reviewed, review, settled
from equipoise.studies.loss.gathering import Gathered
from equipoise.studies.loss.grading_work import Bench, material_of
from equipoise.studies.loss.judging import Judged
from equipoise.studies.loss.sealed import Sealed


def reviewed_of(
    findings: Sequence[Finding], judged: Judged, bench: Bench, gathered: Gathered, sealed: Sealed
) -> Reviewed:
    """Gives the ratings and grades of raters; what was to be left and was not needs none.

    Args:
        findings: of people and judges, of any archive.
        judged: what judges were asked.
        bench: what the work of the archive shares.
        gathered: the archive's trials.
        sealed: the study.
    """
    reviewed = _review(findings, bench, gathered, sealed)
    known = {category.id: category for category in bench.catalog.categories}
    blobs = Blobs(bench.blobs)
    grades = {
        (work.trial.id, name): settled(known[name], material_of(work, blobs), why)
        for work in gathered.work
        if not work.barred
        for name in known
        if (why := judged.settled.get((work.trial.id, name)))
    }
    return replace(
        reviewed,
        grades={**grades, **reviewed.grades},
        unread=judged.unread,
        made=judged.made,
    )


def _review(
    findings: Sequence[Finding], bench: Bench, gathered: Gathered, sealed: Sealed
) -> Reviewed:
    blobs = Blobs(bench.blobs)
    by_trial = {work.trial.id: work for work in gathered.work if not work.barred}

    def material(trial: str) -> Material:
        return material_of(by_trial[trial], blobs)

    return review(
        [finding for finding in findings if finding.trial in by_trial],
        bench.catalog,
        material,
        bench.mode,
        Fraction(str(sealed.plan.double_rating_share)),
    )
