"""Grades the archives of a loss study: new grades stand beside the old, nothing is executed."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import msgspec

from equipoise.archive.blobs import Blobs
from equipoise.archive.manifest import BLOBS, Criterion, RunFacts
from equipoise.archive.store import Archive
from equipoise.errors import Blocked, EquipoiseError, InputError, as_word, nearest
from equipoise.pipeline.judging_terms import Means
from equipoise.records.catalog import Catalog, Category
from equipoise.records.event import Rating
from equipoise.records.grade import Grade
from equipoise.records.rating_plan import PanelPlan
from equipoise.records.terms import Direction
from equipoise.stages.grade.checking import TOOK_TOO_LONG
from equipoise.stages.grade.findings import Finding, Known, read_findings
from equipoise.stages.grade.imported import taken_over
from equipoise.stages.grade.judges.inquiries import is_inquired
from equipoise.stages.grade.reviewing import Reviewed, not_reviewed
from equipoise.stages.grade.unit_loss import LOSS, loss_grade
from equipoise.studies.loss.gathering import Gathered, gather, graded_trials
from equipoise.studies.loss.grading_documents import attach_made, attach_record
from equipoise.studies.loss.grading_reviewed import reviewed_of
from equipoise.studies.loss.grading_told import Told, tell
from equipoise.studies.loss.grading_work import (
    Bench,
    Graded,
    SuitesMaker,
    Work,
    grades_of,
    has_suites,
    in_suite_order,
    material_of,
)
from equipoise.studies.loss.hidden import refuse_changed
from equipoise.studies.loss.judging import Judged, judge_runs
from equipoise.studies.loss.judging_questions import Run
from equipoise.studies.loss.reference import check_reference
from equipoise.studies.loss.rescoring import (
    Chosen,
    catalog_changes,
    choose_catalog,
    last_catalog,
    lock_catalog,
)
from equipoise.studies.loss.sealed import Sealed, read_sealed

ARCHIVES = "archive"
FINDINGS = "findings"
MOST_TIMED_OUT = 25
"""After so many trials in which a check took too long, grading stops: it would go on for hours."""

Progress = Callable[[str, int, int], None]
"""Is told a run, how many of its trials are looked at, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be graded.

    Args:
        study: the study folder.
        today: the day on which retention is judged.
        catalog: the catalog's file; null = the planned one.
        arm: only this arm.
        suites: makes what runs the study's hidden tests; null = nothing does.
        judges: what judges are asked with; null = nobody is asked, what they said before counts.
    """

    study: Path
    today: date
    catalog: Path | None = None
    arm: str | None = None
    suites: SuitesMaker | None = None
    judges: Means | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """What every archive is graded with; `findings` has those of judges too."""

    asked: Asked
    findings: Sequence[Finding]
    judged: Judged
    on_progress: Progress | None


def grade_study(asked: Asked, *, on_progress: Progress | None = None) -> list[Told]:
    """Grades every archive of a study under one catalog, and says of each what came of it.

    What was graded under this version before is left as it is; a killed grading goes on where it
    was.

    Raises:
        Blocked: the study is not sealed, has no runs, or its reference set has drifted.
        InputError: the catalog, a finding or the arm is not what it has to be; nothing is graded.
        Tampered: something sealed, hidden tests among it, or archived was altered.
    """
    sealed = read_sealed(asked.study, today=date.min)  # retention is judged unit by unit
    paths = _archives(sealed, asked)
    every = [path for path, _ in archives_of(sealed.root)]
    chosen = choose_catalog(sealed.root, sealed.plan, asked.catalog, every)
    findings = _findings(sealed, chosen.catalog, every)
    refuse_changed(sealed)
    check_reference(sealed.root, sealed.plan, chosen.catalog)
    lock_catalog(sealed.root, chosen)
    judged = _judged(sealed, chosen.catalog, (every, paths), asked)
    given = _Given(
        asked=asked,
        findings=(*findings, *judged.findings),
        judged=judged,
        on_progress=on_progress,
    )
    return [_grade_archive(path, sealed, chosen, given) for path in paths]


def _judged(
    sealed: Sealed, catalog: Catalog, paths: tuple[Sequence[Path], Sequence[Path]], asked: Asked
) -> Judged:
    """Has the judges of the plan asked, and gives what they said; nothing where it names none.

    Args:
        sealed: the study.
        catalog: the catalog.
        paths: all archives of runs, and those that are to be graded.
        asked: what is to be graded.
    """
    if not isinstance(sealed.plan.judges, PanelPlan) and not is_inquired(catalog):
        return Judged()
    every, due = paths
    runs = []
    for path in every:
        gathered = gather(Archive.open(path), sealed, catalog, asked.today)
        runs.append(Run(path=path, arm=gathered.arm, work=gathered.work, is_due=path in due))
    return judge_runs(sealed, catalog, runs, asked.judges)


def archives_of(root: Path) -> list[tuple[Path, RunFacts]]:
    """Gives the archives of runs in a study folder with their facts, in order of their number."""
    folder = root / ARCHIVES
    found = []
    for path in sorted(folder.iterdir() if folder.is_dir() else (), key=_ordinal):
        if path.joinpath("archive.json").is_file():
            facts = Archive.open(path).manifest.run
            if isinstance(facts, RunFacts):
                found.append((path, facts))
    return found


def _ordinal(path: Path) -> tuple[int, str]:
    last = path.name.rpartition("-")[2]
    return (int(last) if last.isdigit() else 0, path.name)


def _archives(sealed: Sealed, asked: Asked) -> list[Path]:
    found = archives_of(sealed.root)
    if not found:
        raise Blocked(
            f"{sealed.root} has no runs to grade; mend: "
            f"`equipoise run {as_word(sealed.root)}` first"
        )
    arms = sorted({facts.arm for _, facts in found})
    if asked.arm is not None and asked.arm not in arms:
        raise InputError(
            f"no run of arm {asked.arm!r}",
            wanted=f"one of {', '.join(arms)}",
            mend=nearest(asked.arm, arms),
            code="no_arm",
        )
    return [path for path, facts in found if asked.arm in {None, facts.arm}]


def _findings(sealed: Sealed, catalog: Catalog, archives: Sequence[Path]) -> list[Finding]:
    files = sorted(sealed.root.joinpath(FINDINGS).glob("*.jsonl"))
    if not files:
        return []
    return read_findings(
        ((f"{FINDINGS}/{path.name}", path.read_bytes()) for path in files),
        catalog,
        _known(archives),
    )


def _known(archives: Sequence[Path]) -> Known:
    arms: dict[str, None] = {}
    arm_of: dict[str, str] = {}
    trial_of: dict[tuple[str, int, str], str] = {}
    for path in archives:
        for trial in graded_trials(Archive.open(path)):
            arms[trial.arm] = None
            arm_of[trial.id] = trial.arm
            trial_of.setdefault((trial.unit, trial.repetition, trial.arm), trial.id)
    return Known(arms=tuple(arms), arm_of=arm_of, trial_of=trial_of)


def _grade_archive(
    path: Path,
    sealed: Sealed,
    chosen: Chosen,
    given: "_Given",
) -> Told:
    try:
        return _graded(path, sealed, chosen, given)
    except BaseException:
        with suppress(EquipoiseError), Archive.append_to(path):
            pass  # takes up what was written before: `verify` finds a whole archive
        raise


def _graded(
    path: Path,
    sealed: Sealed,
    chosen: Chosen,
    given: "_Given",
) -> Told:
    catalog = chosen.catalog
    with Archive.append_to(path) as archive:
        old = last_catalog(archive, catalog.version)
        gathered = gather(archive, sealed, catalog, given.asked.today)
        if chosen.name not in gathered.names:
            archive.attach(chosen.name, [chosen.content])
        _declare(archive, catalog)
        bench = Bench(
            blobs=path / BLOBS,
            catalog=catalog,
            mode=gathered.mode,
            root=sealed.root,
            suites=given.asked.suites,
        )
        reviewed = reviewed_of(given.findings, given.judged, bench, gathered, sealed)
        for rating in _new_ratings(reviewed, gathered, catalog):
            archive.append(rating)
        n_new = _write(archive, bench, gathered, reviewed, given.on_progress)
        archive.commit()
        told = tell(archive, catalog, gathered, reviewed, given.judged)
        for notice in told.notices:
            if notice not in gathered.notices:
                archive.append(notice)
    changes = tuple(catalog_changes(old, catalog)) if old else ()
    return replace(told, n_new=n_new, changes=changes, old=old.version if old else "")


def _declare(archive: Archive, catalog: Catalog) -> None:
    """Says in the manifest that less is better of every criterion of the catalog."""
    names = [*(category.id for category in catalog.categories), LOSS]
    wanted = {catalog.criterion(name): Criterion(direction=Direction.LOWER) for name in names}
    before = archive.manifest.criteria
    if before | wanted != before:
        archive.declare(msgspec.structs.replace(archive.manifest, criteria=before | wanted))


def _new_ratings(reviewed: Reviewed, gathered: Gathered, catalog: Catalog) -> list[Rating]:
    found = []
    for rating in reviewed.ratings:
        before = gathered.ratings.get((rating.trial, rating.criterion, rating.rater))
        if before is None:
            found.append(rating)
        elif before != rating.value:
            raise InputError(
                f"{rating.source}: rater {rating.rater!r} gave {before:g} before and now "
                f"{rating.value:g} (share of the maximum lost)",
                wanted="ratings as they were recorded; they are never altered",
                mend=f"keep the line as it was; look again under a version after {catalog.version}",
                code="rating_changed",
            )
    return found


def _write(
    archive: Archive,
    bench: Bench,
    gathered: Gathered,
    reviewed: Reviewed,
    on_progress: Progress | None,
) -> int:
    """Appends what is not there yet: a trial's grades in the catalog's order, its loss last."""
    every = 1 if has_suites(bench.catalog) else 100
    in_order = in_suite_order(gathered.work) if every == 1 else gathered.work
    todo = [work for work in in_order if not gathered.is_checked(work.trial.id)]
    checked = grades_of(bench, todo)
    total, n_new = len(gathered.work), 0
    timed_out: Counter[str] = Counter()
    for number, work in enumerate(in_order, start=1):
        trial = work.trial.id
        fresh = Graded() if gathered.is_checked(trial) else next(checked)
        _refuse_endless(fresh.grades, timed_out, bench.catalog)
        attach_made(archive, work, fresh, gathered, reviewed.made.get(trial, {}))
        if gathered.wants(trial):
            before = gathered.standing.get(trial, {})
            kept = _kept(work, (before, fresh.grades), bench, gathered, reviewed)
            new = {name: grade for name, grade in kept.items() if grade is not before.get(name)}
            for name, grade in new.items():
                criterion = bench.catalog.criterion(name)
                attach_record(archive, work, grade, gathered)
                archive.append(msgspec.structs.replace(grade, criterion=criterion))
            n_new += bool(new)
            if every == 1:
                archive.commit()  # what took a suite of tests to find out is kept at once
        if on_progress is not None and (number % every == 0 or number == total):
            on_progress(archive.manifest.run_id, number, total)
    return n_new


def _refuse_endless(fresh: Mapping[str, Grade], timed_out: Counter[str], catalog: Catalog) -> None:
    """Stops where a category's expression or query runs out of time again and again."""
    timed_out.update(n for n, grade in fresh.items() if TOOK_TOO_LONG in grade.not_evaluable)
    for name, n in timed_out.items():
        if n >= MOST_TIMED_OUT:
            raise InputError(
                f"the check of category {name!r} took too long in {n} trials",
                wanted="an expression that does not try every way of matching",
                mend=f"write it anew in a catalog after {catalog.version}; what is graded stays",
                code="endless",
            )


def _kept(
    work: Work,
    given: tuple[Mapping[str, Grade], Mapping[str, Grade]],
    bench: Bench,
    gathered: Gathered,
    reviewed: Reviewed,
) -> dict[str, Grade]:
    """Gives the grades that hold for a trial: what stands, unless raters have said more since."""
    before, fresh = given
    trial, catalog = work.trial.id, bench.catalog
    kept: dict[str, Grade] = {}
    for category in catalog.categories:
        name = category.id
        if work.is_void:
            kept[name] = _settled(fresh[name], before.get(name))
            continue
        if name in fresh or (name in before and (category.check or work.barred)):
            kept[name] = before.get(name) or fresh[name]
            continue
        grade = (
            reviewed.grades.get((trial, name))
            or _from_logs(work, category, bench, gathered)
            or not_reviewed(category, trial, reviewed.unread.get((trial, name), ""))
        )
        kept[name] = _settled(grade, before.get(name))
    kept[LOSS] = _settled(loss_grade(catalog, trial, kept), before.get(LOSS))
    return kept


def _from_logs(work: Work, category: Category, bench: Bench, gathered: Gathered) -> Grade | None:
    grade = gathered.imported.get((work.trial.id, category.id))
    if grade is None:
        return None
    direction = gathered.directions.get(category.id, Direction.HIGHER)
    material = material_of(work, Blobs(bench.blobs))
    return taken_over(grade, category, material, bench.mode, direction)


def _settled(grade: Grade, before: Grade | None) -> Grade:
    """Gives the grade that stands where it says the same, else the new one in a later round."""
    if before is None:
        return grade
    same = msgspec.structs.replace(grade, criterion=before.criterion, round=before.round)
    return before if same == before else msgspec.structs.replace(same, round=before.round + 1)
