"""What came of a grading: values and gaps per category, and what has to be said about them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from equipoise.archive.store import Archive
from equipoise.records.catalog import Catalog
from equipoise.records.grade import Grade
from equipoise.records.judgement import JUDGE_SIMULATED
from equipoise.records.notice import Notice, Severity
from equipoise.stages.grade.reviewing import Reviewed
from equipoise.stages.grade.rubrics import outcome
from equipoise.stages.grade.unit_loss import LOSS
from equipoise.studies.loss.gathering import Gathered
from equipoise.studies.loss.judging import Judged

INVALID = "invalid_finding"
CLIPPED = "clipped"
FEW_DOUBLE = "double_rating"
BARRED = "not_graded"
NOT_VALIDATED = "judge_not_validated"
UNUSABLE = "judge_unusable"
SUSPECT = "judge_suspect"


@dataclass(slots=True, kw_only=True)
class Tally:
    """What became of one category, or of the loss, over the trials of one run."""

    n_values: int = 0
    n_lost: int = 0
    total: float = 0.0
    n_clipped: int = 0
    n_withheld: int = 0
    n_cited: int = 0
    why: Counter[str] = field(default_factory=Counter)

    @property
    def mean(self) -> float | None:
        """Gives the mean share lost; null where nothing could be evaluated."""
        return self.total / self.n_values if self.n_values else None

    def take(self, grade: Grade) -> None:
        """Adds a grade."""
        if grade.value is None:
            self.why[grade.not_evaluable] += 1
            return
        self.n_values += 1
        self.n_lost += grade.value > 0
        self.total += grade.value
        self.n_clipped += "clipped" in grade.note
        self.n_withheld += "quote withheld" in grade.note
        self.n_cited += bool(grade.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of grading one run.

    Args:
        run_id, arm, mode: whose run it is.
        version: the catalog's version.
        n_trials: trials that ended with an outcome.
        n_new: of them, those about which something new was written.
        endings: how many trials ended otherwise, by kind; they have no grade.
        categories: category id, or ``loss``, -> what became of it.
        shares: category id -> how many units were rated twice, in words.
        notices: what has to be said; they stand in the archive.
        old: the version it was graded under last, if another.
        changes: what is different against that version, one line each.
        judged: what model judges said of all runs, and what asking them took.
        rubric: under a rubric, how many trials pass, fail, cannot be told, and violate policy.
    """

    run_id: str
    arm: str
    mode: str
    version: str
    n_trials: int
    endings: Mapping[str, int]
    categories: Mapping[str, Tally]
    shares: Mapping[str, str]
    notices: tuple[Notice, ...]
    n_new: int = 0
    old: str = ""
    changes: tuple[str, ...] = ()
    judged: Judged = field(default_factory=Judged)
    rubric: Mapping[str, int] = field(default_factory=dict)


def tell(
    archive: Archive, catalog: Catalog, gathered: Gathered, reviewed: Reviewed, judged: Judged
) -> Told:
    """Gives what stands under this version, from the archive's own lines."""
    names = {catalog.criterion(c.id): c.id for c in catalog.categories}
    names[catalog.criterion(LOSS)] = LOSS
    last: dict[tuple[str, str], Grade] = {}
    for grade in archive.read(Grade):
        if name := names.get(grade.criterion):
            before = last.get((grade.trial, name))
            if before is None or grade.round > before.round:
                last[grade.trial, name] = grade
    tallies = {name: Tally() for name in names.values()}
    for (_, name), grade in last.items():
        tallies[name].take(grade)
    return Told(
        run_id=archive.manifest.run_id,
        arm=gathered.arm,
        mode=gathered.mode.value,
        version=catalog.version,
        n_trials=len(gathered.work),
        endings=dict(sorted(gathered.endings.items())),
        categories=tallies,
        shares={name: share.text for name, share in reviewed.shares.items()},
        notices=(*_notices(catalog, gathered, reviewed, tallies), *_of_judges(judged)),
        judged=judged,
        rubric=_rubric(catalog, last) if catalog.is_rubric else {},
    )


def _rubric(catalog: Catalog, last: Mapping[tuple[str, str], Grade]) -> dict[str, int]:
    by_trial: dict[str, dict[str, Grade]] = {}
    for (trial, name), grade in last.items():
        by_trial.setdefault(trial, {})[name] = grade
    counts = {"passed": 0, "failed": 0, "not evaluable": 0, "disqualified": 0}
    words = {True: "passed", False: "failed", None: "not evaluable"}
    for grades in by_trial.values():
        found = outcome(catalog, grades)
        counts[words[found.passes]] += 1
        counts["disqualified"] += found.is_disqualified
    return counts


def _notices(
    catalog: Catalog, gathered: Gathered, reviewed: Reviewed, tallies: Mapping[str, Tally]
) -> list[Notice]:
    found = [
        Notice(
            code=INVALID,
            message=f"{one.why}; it does not count",
            severity=Severity.REFUSED,
            where=one.finding.where,
        )
        for one in reviewed.invalid
    ]
    for name, share in reviewed.shares.items():
        if not share.is_enough:
            message = f"category {name} is not evaluable: {share.text}"
            found.append(Notice(code=FEW_DOUBLE, message=message, where=catalog.criterion(name)))
    found += [
        Notice(
            code=CLIPPED,
            message=f"raw values of {name} above its maximum were clipped",
            severity=Severity.INFO,
            where=catalog.criterion(name),
            count=tally.n_clipped,
        )
        for name, tally in tallies.items()
        if tally.n_clipped and name != LOSS
    ]
    barred = Counter(work.barred for work in gathered.work if work.barred)
    found += [
        Notice(
            code=BARRED,
            message=f"{count} trials were not graded: {why}",
            where=f"catalog {catalog.version}",
            count=count,
        )
        for why, count in sorted(barred.items())
    ]
    return found


def _of_judges(judged: Judged) -> list[Notice]:
    """Gives what has to be said of judges wherever something rests on them."""
    found = []
    for one in judged.readable:
        if not one.n_answers:
            continue
        where = f"judge {one.judge}"
        message = (
            f"[soft] judge {one.judge} is not validated: `compare` holds its verdicts against "
            "those of people, where some rated the same outputs"
        )
        found.append(Notice(code=NOT_VALIDATED, message=message, where=where))
        if not one.is_usable:
            message = f"judge {one.judge} is not used: {one.text}"
            found.append(Notice(code=UNUSABLE, message=message, where=where))
        if one.is_suspect:
            counts = "; ".join(
                f"{arm}: " + ", ".join(f"{n} {state}" for state, n in sorted(states.items()))
                for arm, states in sorted(one.by_arm.items())
            )
            message = (
                f"answers of judge {one.judge} are unreadable more often for one arm than for "
                f"another (p = {one.p_arms:.2g}): what is missing is not so by chance ({counts})"
            )
            found.append(Notice(code=SUSPECT, message=message, where=where))
    if judged.is_simulated:
        message = "[simulated] judges are stand-ins: what they say shows nothing"
        found.append(Notice(code=JUDGE_SIMULATED, message=message, where="judges"))
    return found
