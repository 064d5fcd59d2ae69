"""Verifies what model judges said in a loss study: archives, verdicts and the ratings from them."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import msgspec

from equipoise.archive.manifest import MANIFEST
from equipoise.archive.store import Archive
from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.study_files import read_needed
from equipoise.pipeline.verifying import check_archive
from equipoise.pipeline.verifying_verdicts import check_verdicts
from equipoise.records.catalog import Category
from equipoise.records.event import Rating
from equipoise.records.judgement import Judgement
from equipoise.records.rating_plan import PanelPlan
from equipoise.stages.grade.catalog import read_catalog
from equipoise.studies.loss.gathering import gather
from equipoise.studies.loss.judging import JUDGEMENTS, Run, questions_of, raw_of
from equipoise.studies.loss.scoring import ARCHIVES
from equipoise.studies.loss.sealed import read_sealed


def check_judgements(study: Path) -> Iterator[Check]:
    """Yields what is checked of the judgements of each run; nothing where no judge was asked.

    Each verdict is read again from the answer that is kept, and each rating must be the score that
    a judgement gives to the packet of that trial.
    """
    folder = study / JUDGEMENTS
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not path.joinpath(MANIFEST).is_file():
            continue
        name = path.relative_to(study).as_posix()
        is_whole = True
        for check in check_archive(path):
            faults = tuple(
                msgspec.structs.replace(fault, file=f"{name}/{fault.file}")
                for fault in check.faults
            )
            is_whole = is_whole and all(fault.is_note for fault in faults)
            yield msgspec.structs.replace(check, thing=f"{name}/{check.thing}", faults=faults)
        if is_whole:
            yield _verdicts(study, path, name)


def _verdicts(study: Path, path: Path, name: str) -> Check:
    thing = f"{name}/judgements.jsonl"
    run = study / ARCHIVES / path.name
    try:
        sealed = read_sealed(study, today=date.min)
        if not isinstance(sealed.plan.judges, PanelPlan):
            fault = Fault(file=thing, what="the plan names no judges")
            return Check(thing=thing, says="judgements", faults=(fault,))
        file = sealed.plan.catalog_file
        catalog = read_catalog(read_needed(study / file, "the catalog"), Path(file).name)
        archive = Archive.open(run)
        gathered = gather(archive, sealed, catalog, date.min)
        known = questions_of(sealed, catalog, Run(path=run, arm=gathered.arm, work=gathered.work))
    except (EquipoiseError, ValueError) as error:
        what = "verdicts were not held against packets"
        note = Fault(file=thing, what=what, found=str(error), is_note=True)
        return Check(thing=thing, says="judgements", faults=(note,))
    judged = Archive.open(path)
    lines = list(judged.read(Judgement))
    packets = {packet: question.packet for packet, (question, _) in known.items()}
    faults = list(check_verdicts(judged, packets, thing))
    trials = {packet: work.trial.id for packet, (_, work) in known.items()}
    held = (lines, trials, {one.id: one for one in catalog.categories})
    faults += _ratings(archive, held, f"{name}/judgements.jsonl")
    return Check(
        thing=thing,
        says=f"{len(lines)} verdicts follow from the answers kept",
        faults=tuple(faults),
    )


def _ratings(
    archive: Archive,
    held: tuple[list[Judgement], dict[str, str], dict[str, Category]],
    file: str,
) -> Iterator[Fault]:
    """Yields a fault for each rating of a judge that its judgement does not give."""
    lines, trials, categories = held
    for rating in archive.read(Rating):
        place, _, name = rating.source.rpartition(" ")
        if not rating.rater.startswith("judge:") or not place.startswith(f"{file}:"):
            continue
        number = int(place.rpartition(":")[2])
        one = lines[number - 1] if 0 < number <= len(lines) else None
        if one is not None and one.packet not in trials:
            continue  # of another version of the catalog
        says = None
        if one is not None and name in one.scores and name in categories:
            category = categories[name]
            says = raw_of(category, one.scores[name]) / category.max
        if says is None or one is None:
            found = "nothing of the kind"
        elif trials[one.packet] != rating.trial:
            found = "a judgement of another trial"
        elif abs(says - rating.value) > 1e-12:
            found = f"{says:g}"
        else:
            continue
        what = f"the rating of {rating.rater} does not follow"
        yield Fault(file=place, what=what, expected=f"{rating.value:g}", found=found)
