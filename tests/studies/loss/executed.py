"""Sealed studies whose runs stand in archives already, for what comes after a run."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from equipoise.archive.durable import replace_file
from equipoise.archive.manifest import Manifest, RunFacts
from equipoise.archive.store import Archive
from equipoise.pipeline.study_files import PLAN, PLAN_PAGE
from equipoise.records.codec import digest
from equipoise.records.event import Event, EventKind
from equipoise.records.grade import Grade
from equipoise.records.trial import Blob, Ending, Trial, trial_id
from equipoise.studies.loss.grading import Asked, grade_study
from equipoise.studies.loss.grading_told import Told
from equipoise.studies.loss.planning import plan_study
from equipoise.studies.loss.sealed import read_sealed
from equipoise.studies.loss.sealing import seal_study
from studies.loss.made_study import made_study

TODAY = date(2026, 5, 1)
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)

Left = Callable[[str, str, int], dict[str, bytes]]
"""Unit, arm and repetition -> the documents that the trial left, by name."""


def answered(unit: str, arm: str, repetition: int) -> dict[str, bytes]:
    """Every second unit of release 2 is answered with another amount; everything leaves a log."""
    number = int(unit.rpartition("-")[2])
    cents = 0 if arm == "release-2" and number % 2 == 0 else 100 * number
    log = f'{{"hop":"desk","unit":"{unit}","repetition":{repetition}}}\n{{"hop":"end"}}\n'
    return {"output": f"{unit}: refunded {cents} cents\n".encode(), "desk.jsonl": log.encode()}


def executed_study(
    folder: Path,
    left: Left = answered,
    *,
    endings: dict[str, Ending] | None = None,
    exit_code: int = 0,
    is_durable: bool = True,
    only_begun: str = "",
    **changes: Any,
) -> Path:
    """Makes a study, seals it, and archives a run of each arm as if it had been executed.

    Args:
        folder: is made.
        left: what each trial leaves; no ``output`` = the system gave nothing.
        endings: unit -> how its trials end, where not completed.
        exit_code: of every trial.
        is_durable: false for large ones.
        only_begun: an arm whose run has no trial yet.
        changes: see `made_study`.
    """
    made_study(folder, **changes)
    planned = plan_study(folder, today=TODAY)
    replace_file(folder / PLAN, planned.content)
    folder.joinpath(PLAN_PAGE).write_text(planned.page, encoding="utf-8")
    seal_study(folder, now=NOW)
    sealed = read_sealed(folder, today=TODAY)
    for number, arm in enumerate(sealed.plan.arms, start=1):
        path = folder / "archive" / f"{arm.name}-{planned.sha256[:8]}-{number}"
        facts = RunFacts(
            plan_sha256=planned.sha256,
            arm=arm.name,
            mode=arm.mode.value,
            provenance=sealed.plan.provenance.value,
            seal=sealed.seal.label.value,
        )
        manifest = Manifest(run_id=path.name, kind="run", tool_version="0", run=facts)
        with Archive.create(path, manifest, is_durable=is_durable) as archive:
            archive.append(Event(kind=EventKind.STARTED, at=NOW.isoformat()))
            for unit in sealed.plan.units if arm.name != only_begun else ():
                for repetition in range(1, unit.repetitions + 1):
                    _execute(
                        archive, (unit.id, arm.name, repetition), left, endings or {}, exit_code
                    )
        path.joinpath(PLAN).write_bytes(planned.content)
    return folder


def _execute(
    archive: Archive,
    cell: tuple[str, str, int],
    left: Left,
    endings: dict[str, Ending],
    exit_code: int,
) -> None:
    unit, arm, repetition = cell
    identity = trial_id(unit, arm, None, repetition, 1)
    documents = left(unit, arm, repetition)
    output = None
    for name, content in documents.items():
        stored = archive.attach_later(f"{identity}/{name}", content)
        if name == "output":
            output = Blob(sha256=stored.sha256, n_bytes=stored.n_bytes, name=stored.name)
    archive.append(
        Trial(
            id=identity,
            unit=unit,
            arm=arm,
            repetition=repetition,
            ending=endings.get(unit, Ending()),
            exit_code=exit_code,
            output=output,
        )
    )


def grade(study: Path, **asked: Any) -> dict[str, Told]:
    """Grades a study and gives what came of it by arm."""
    told = grade_study(Asked(study=study, **({"today": TODAY} | asked)))
    return {one.arm: one for one in told}


def archive_of(study: Path, arm: str) -> Archive:
    """Opens the archive of an arm's run."""
    (path,) = study.joinpath("archive").glob(f"{arm}-????????-*")
    return Archive.open(path)


def trials(study: Path, arm: str) -> list[Trial]:
    """Gives all trials of an arm's run."""
    return list(archive_of(study, arm).read(Trial))


def grades(study: Path, arm: str, criterion: str) -> dict[str, Grade]:
    """Gives trial -> the grade that counts under a criterion."""
    found: dict[str, Grade] = {}
    for one in archive_of(study, arm).read(Grade):
        before = found.get(one.trial)
        if one.criterion == criterion and (before is None or one.round > before.round):
            found[one.trial] = one
    return found


def sha256_of(study: Path, arm: str, name: str) -> str:
    """Gives the hash of a file of an arm's archive."""
    return digest(archive_of(study, arm).path.joinpath(name).read_bytes())
