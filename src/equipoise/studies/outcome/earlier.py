"""Earlier outcome studies that a study rests on: sealed, run, graded and compared, or refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from equipoise.archive.store import Archive
from equipoise.errors import Blocked, EquipoiseError
from equipoise.pipeline.study_files import PLAN, seal_of
from equipoise.records.codec import decode, digest
from equipoise.records.grade import Grade
from equipoise.records.outcome_plan import Finished, OutcomePlan
from equipoise.records.plan import Plan
from equipoise.records.suite import LossComparison
from equipoise.records.trial import Trial
from equipoise.studies.loss.comparing import RESULT
from equipoise.studies.loss.pairing import COMPARISONS
from equipoise.studies.loss.running_place import archived_runs, is_finished
from equipoise.studies.loss.sealed import sealed_plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier study: its sealed plan, what that promised, and what is known of its end."""

    plan: Plan
    outcome: OutcomePlan
    finished: Finished


def sealed_outcome(study: Path) -> OutcomePlan | None:
    """Gives what a study was sealed with; null where it is not sealed.

    It is made from the study file again whenever it is planned or sealed, and what it rests on may
    have been graded or compared anew since, or be gone.
    """
    if seal_of(study) is None or not study.joinpath(PLAN).is_file():
        return None
    outcome = decode(study.joinpath(PLAN).read_bytes(), Plan, where=PLAN).outcome
    return outcome if isinstance(outcome, OutcomePlan) else None


def earlier_study(study: Path, named: str, what: str) -> Earlier:
    """Reads an earlier study and sees that it went through once.

    Args:
        study: the folder of the study that names it.
        named: the path as it is named, from that folder.
        what: the place and the key that name it, for messages.

    Raises:
        Blocked: it is not there, not sealed, or an arm of it is not finished, graded or compared.
        Tampered: it was changed after sealing.
    """
    root = study / named
    if not root.is_dir():
        raise Blocked(f"{what} names {named}, and there is no such folder; mend: name a study")
    if root.resolve() == study.resolve():
        raise Blocked(f"{what} names {named}, this study itself; mend: name an earlier one")
    try:
        plan, content, _ = sealed_plan(root)
    except Blocked as error:
        raise Blocked(f"{what} names {named}: {error}") from error
    if not isinstance(plan.outcome, OutcomePlan):
        raise Blocked(f"{what} names {named}, which is no outcome study of this form")
    name = digest(content)
    heads: dict[str, str] = {}
    lacking: list[str] = []
    for arm in plan.arms:
        runs = [
            p
            for p, facts in archived_runs(root)
            if (facts.arm, facts.plan_sha256) == (arm.name, name)
        ]
        why, head = _went_through(plan, runs[-1]) if runs else ("was never run", "")
        if why:
            lacking.append(f"{arm.name} {why}")
        else:
            heads[runs[-1].name] = head
    compared = dict(_comparisons(root, name))
    if not lacking and len(plan.arms) > 1 and not compared:
        lacking.append("its arms were never compared")
    if lacking:
        raise Blocked(
            f"{what} names {named}, which did not go through once: "
            f"{'; '.join(lacking)}; mend: equipoise run, grade and compare {named}"
        )
    finished = Finished(
        study=named,
        phase=plan.outcome.phase,
        plan_sha256=name,
        archives=heads,
        comparisons=compared,
        is_simulated=plan.is_simulated,
    )
    return Earlier(plan=plan, outcome=plan.outcome, finished=finished)


def _went_through(plan: Plan, path: Path) -> tuple[str, str]:
    """Says what a run lacks, and gives its archive's head."""
    if not is_finished(path):
        return "is not finished", ""
    archive = Archive.open(path)
    done = {(trial.unit, trial.repetition) for trial in archive.read(Trial)}
    wanted = {(unit.id, n) for unit in plan.units for n in range(1, unit.repetitions + 1)}
    if wanted - done:
        return f"lacks {len(wanted - done)} of {len(wanted)} cells", ""
    if not any(True for _ in archive.read(Grade)):
        return "was never graded", ""
    return "", archive.head


def _comparisons(root: Path, plan_sha256: str) -> Iterator[tuple[str, str]]:
    """Yields the comparisons of a plan: path of the result -> its hash."""
    for path in sorted(root.joinpath(COMPARISONS).glob(f"*/{RESULT}")):
        content = path.read_bytes()
        try:
            found = decode(content, LossComparison, where=str(path))
        except EquipoiseError:
            continue
        if found.plan_sha256 == plan_sha256:
            yield path.relative_to(root).as_posix(), digest(content)
