"""From plan, archives and keys of a rating study to `ranking.json` and its pages."""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import msgspec

from equipoise import __version__
from equipoise.archive.durable import replace_file, storage_errors
from equipoise.records.codec import pretty
from equipoise.records.ranking import RANKING, Ranking
from equipoise.records.rating_plan import RatingPlan
from equipoise.records.validation import LockedThreshold
from equipoise.stages.decide.rating import ruled, turned
from equipoise.stages.report.rating.markdown import to_rating_markdown
from equipoise.stages.report.rating.page import to_rating_page
from equipoise.studies.rating.axes import axis_shown
from equipoise.studies.rating.joining import joined
from equipoise.studies.rating.reading import THRESHOLD, Gathered, gather
from equipoise.studies.rating.unblinding import note_unblinding
from equipoise.studies.rating.verifying_keys import refuse_other_keys

COMPARISONS = "comparisons"
PAGE = "report/index.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingCompared:
    """What follows from a rating study: the ranking, and its files' bytes by name.

    `remark` says, where rating still goes on, that who has read this is not blind any more.
    """

    ranking: Ranking
    files: dict[str, bytes]
    remark: str = ""


def folder_of(study: Path, plan_sha256: str) -> Path:
    """Gives the folder of the comparison that follows a plan."""
    return study / COMPARISONS / f"ranking-{plan_sha256[:8]}"


def compare(
    study: Path, made_by: str = __version__, *, at: datetime | None = None
) -> RatingCompared:
    """Derives the ranking of a study and writes its files.

    Args:
        study: the study's folder.
        made_by: the version of the program that is named in the files.
        at: the time, for the log of unblinding; null = it is not logged.

    Raises:
        Blocked, InputError, Tampered: as `gather`; Tampered also where keys do not go with their
            packets.
        StorageFull: the disk took no more.
    """
    given = gather(study)
    refuse_other_keys(study)
    found = derive(given, made_by)
    if at is not None:
        found = replace(found, remark=note_unblinding(study, given, at))
    folder = folder_of(study, found.ranking.plan_sha256)
    if locked := locks(found.ranking):
        replace_file(study / THRESHOLD, pretty(locked))
    for name, content in found.files.items():
        with storage_errors(f"writing {name}"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        replace_file(folder / name, content)
    return found


def derive(
    given: Gathered, made_by: str = __version__, told_by: str = __version__
) -> RatingCompared:
    """Derives the ranking and its pages; a pure function of what was gathered.

    Args:
        given: what was gathered.
        made_by: the version that is named as the ranking's maker.
        told_by: the version that is named as the page's.

    Raises:
        InputError: a rule of the plan names an axis that the study does not have.
    """
    ranking = rank(given, made_by)
    return RatingCompared(ranking=ranking, files=files_of(ranking, told_by))


def locks(ranking: Ranking) -> tuple[LockedThreshold, ...]:
    """Gives the thresholds that were chosen, as they are locked: without what was reported."""
    return tuple(
        msgspec.structs.replace(
            axis.threshold,
            n_final=0,
            n_accepted=0,
            final_rate=None,
            final_lo=None,
            final_hi=None,
            notes=(),
        )
        for axis in ranking.axes
        if axis.threshold is not None and axis.threshold.s is not None
    )


def files_of(ranking: Ranking, told_by: str = __version__) -> dict[str, bytes]:
    """Gives every file of a comparison from its ranking."""
    return {
        RANKING: pretty(ranking),
        PAGE: to_rating_page(ranking, told_by),
        "report/report.md": to_rating_markdown(ranking),
    }


def rank(given: Gathered, made_by: str = __version__) -> Ranking:
    """Derives the ranking on each axis; axes are never combined."""
    plan = given.plan
    verdicts = joined(plan, given.keys, given.answers, given.judgements)
    axes = tuple(axis_shown(given, verdicts, axis) for axis in plan.axes)
    estimates = {axis.axis: axis.deciding for axis in axes}
    tags = {axis.axis: axis.tags for axis in axes}
    return Ranking(
        title=plan.title,
        question=plan.question,
        arms=plan.arms,
        baseline=plan.baseline,
        mde=plan.mde,
        alpha=plan.alpha,
        power=plan.power,
        seed=plan.seed,
        axes=axes,
        rules=ruled(plan.rules, plan.baseline, estimates, tags, plan.mde),
        heads=given.heads,
        plan_sha256=given.plan_sha256,
        keys_sha256=given.keys_sha256,
        seal=given.seal,
        is_simulated=_is_simulated(given, plan),
        unjoined=dict(verdicts.unjoined),
        notes=_notes(given),
        derived_by=made_by,
    )


def _is_simulated(given: Gathered, plan: RatingPlan) -> bool:
    return (
        plan.is_simulated
        or any(one.is_simulated for one in given.answers)
        or any(one.is_simulated for one in given.judgements)
    )


def _notes(given: Gathered) -> tuple[str, ...]:
    return tuple(f"amended {one.at[:10]}: {one.field}: {one.reason}" for one in given.amendments)


def words(ranking: Ranking) -> list[str]:
    """Gives the words of every arm against the baseline, on all axes, and those of the rules."""
    against = [
        pair if pair.against == ranking.baseline else turned(pair)
        for axis in ranking.axes
        for pair in (axis.deciding.pairs if axis.deciding else ())
        if ranking.baseline in (pair.arm, pair.against)
    ]
    return [*(rule.word for rule in ranking.rules), *(pair.word for pair in against)]
