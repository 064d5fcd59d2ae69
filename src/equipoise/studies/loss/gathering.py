"""Gathers from an archive what is to be graded: trials, documents, and what stands already."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from equipoise.archive.manifest import Document, RunFacts
from equipoise.archive.store import Archive
from equipoise.errors import Blocked, Tampered
from equipoise.pipeline.study_files import PLAN
from equipoise.records.catalog import Catalog
from equipoise.records.codec import decode, digest
from equipoise.records.event import Event, EventKind, Rating
from equipoise.records.grade import Grade
from equipoise.records.notice import Notice
from equipoise.records.plan import Mode, Plan
from equipoise.records.terms import Direction
from equipoise.records.trial import EndingKind, Trial
from equipoise.stages.grade.material import OUTPUT
from equipoise.stages.grade.unit_loss import LOSS
from equipoise.studies.loss.grading_work import Work
from equipoise.studies.loss.sealed import Sealed
from equipoise.studies.loss.voided import voided

_CARRIES = frozenset({EndingKind.COMPLETED, EndingKind.BUDGET})


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What an archive holds, as grading needs it.

    Args:
        mode: the run's mode.
        arm: the run's arm.
        work: the trials that ended with an outcome, in the archive's order.
        endings: how many trials ended otherwise, by kind.
        standing: trial -> category id (or ``loss``) -> the grade that counts under this version;
            of a trial that is whole it is kept only where raters may still say more.
        whole: trials that have a loss under this version.
        directions: criterion of the logs -> whether more of it is better.
        imported: trial and category id -> the grade that came with frozen logs.
        ratings: trial, criterion and rater -> the value recorded.
        names: names of the archive's documents that grading may have added.
        notices: the notices that stand.
        has_soft: whether the catalog has categories that raters find.
    """

    mode: Mode
    arm: str
    work: list[Work]
    endings: Counter[str]
    standing: dict[str, dict[str, Grade]]
    whole: set[str]
    directions: dict[str, Direction]
    imported: dict[tuple[str, str], Grade]
    ratings: dict[tuple[str, str, str], float]
    names: set[str]
    notices: list[Notice] = field(default_factory=list)
    has_soft: bool = False

    def is_checked(self, trial: str) -> bool:
        """Says whether the checks were executed on the trial already."""
        return trial in self.whole

    def wants(self, trial: str) -> bool:
        """Says whether anything about the trial may have to be written."""
        return self.has_soft or trial not in self.whole


def graded_trials(archive: Archive) -> Iterator[Trial]:
    """Yields the trials that ended with an outcome; only those are graded."""
    return (trial for trial in archive.read(Trial) if trial.ending.kind in _CARRIES)


def gather(archive: Archive, sealed: Sealed, catalog: Catalog, today: date) -> Gathered:
    """Gives what there is to grade.

    Raises:
        Tampered: a line or the plan beside the archive was altered.
        Blocked: the run follows another plan, which is not beside it.
    """
    facts = archive.manifest.run
    assert isinstance(facts, RunFacts)
    changed = _changed_units(archive.path, facts, sealed)
    outages = {
        event.facts.get("probe", ""): event.detail
        for event in archive.read(Event)
        if event.kind is EventKind.PROBE
    }
    followed = _followed(sealed.plan)
    trials = list(archive.read(Trial))
    documents, names = _documents(archive, {trial.id for trial in trials})
    void = voided(sealed.plan, trials)
    work, endings = [], Counter[str]()
    for trial in trials:
        if trial.ending.kind not in _CARRIES:
            endings[trial.ending.kind.value] += 1
            continue
        held = documents.get(trial.id, {})
        if trial.output is not None:
            held[OUTPUT] = trial.output.sha256
        work.append(
            Work(
                trial=trial,
                documents=held,
                brief=sealed.briefs.get(trial.unit),
                holdout=sealed.holdouts.get(trial.unit),
                outages=outages,
                followed=followed,
                barred=void.why(trial.unit) or _barred(trial.unit, sealed, changed, today),
                is_void=bool(void.why(trial.unit)),
            )
        )
    return _with_grades(
        archive,
        catalog,
        Gathered(
            mode=Mode(facts.mode),
            arm=facts.arm,
            work=work,
            endings=endings,
            standing={},
            whole=set(),
            directions={name: c.direction for name, c in archive.manifest.criteria.items()},
            imported={},
            ratings={(r.trial, r.criterion, r.rater): r.value for r in archive.read(Rating)},
            names=names,
            notices=list(archive.read(Notice)),
            has_soft=any(not category.check for category in catalog.categories),
        ),
    )


def _with_grades(archive: Archive, catalog: Catalog, gathered: Gathered) -> Gathered:
    names = {catalog.criterion(c.id): c.id for c in catalog.categories}
    names[catalog.criterion(LOSS)] = LOSS
    bare = {category.id for category in catalog.categories if not category.check}
    void = {work.trial.id for work in gathered.work if work.is_void}
    for grade in archive.read(Grade):
        name = names.get(grade.criterion)
        if name is None:
            if grade.criterion in bare:
                gathered.imported.setdefault((grade.trial, grade.criterion), grade)
            continue
        held = gathered.standing.setdefault(grade.trial, {})
        if name not in held or grade.round > held[name].round:
            held[name] = grade
        if name == LOSS and grade.trial not in void:
            gathered.whole.add(grade.trial)
            if not gathered.has_soft:
                del gathered.standing[grade.trial]
    return gathered


def _followed(plan: Plan) -> frozenset[str]:
    """Gives the documents of probes that wait for a line of every trial, as `files` does."""
    names = [
        probe.name
        for probe in plan.probes
        if probe.kind == "files" and str(probe.options.get("min_lines", 1)) != "0"
    ]
    return frozenset(f"{name}.{end}" for name in names for end in ("jsonl", "log"))


def _documents(archive: Archive, trials: set[str]) -> tuple[dict[str, dict[str, str]], set[str]]:
    """Gives trial -> name -> hash, and the names of the documents that grading may have added."""
    found: dict[str, dict[str, str]] = {}
    names: set[str] = set()
    for document in archive.read(Document):
        trial, slash, name = document.name.partition("/")
        if slash and trial in trials:
            found.setdefault(trial, {})[name] = document.sha256
        if document.name.endswith((".json", ".jsonl")):
            names.add(document.name)
    return found, names


def _barred(unit: str, sealed: Sealed, changed: set[str], today: date) -> str:
    holdout = sealed.holdouts.get(unit)
    if holdout is None:
        return "the unit is not in the plan"
    if unit in changed:
        return "the unit was changed since this run was planned"
    until = holdout.retention_until
    if until is not None and date.fromisoformat(until) < today:
        return f"the retention of the unit's logs ended on {until}"
    return ""


def _changed_units(path: Path, facts: RunFacts, sealed: Sealed) -> set[str]:
    """Gives the units that the run's own plan has with other content than the sealed one."""
    if facts.plan_sha256 == digest(sealed.plan_bytes):
        return set()
    try:
        content = path.joinpath(PLAN).read_bytes()
    except OSError as error:
        raise Blocked(
            f"{path} follows another plan ({facts.plan_sha256[:16]}…), which is not beside it: "
            f"{error.strerror}; mend: take its {PLAN} from a copy"
        ) from error
    if digest(content) != facts.plan_sha256:
        raise Tampered(
            f"{path / PLAN} has the sha256 {digest(content)[:16]}…, the run followed "
            f"{facts.plan_sha256[:16]}…; mend: take it from a copy"
        )
    before = {unit.id: unit.sha256 for unit in decode(content, Plan, where=PLAN).units}
    return {unit.id for unit in sealed.plan.units if before.get(unit.id) != unit.sha256}
