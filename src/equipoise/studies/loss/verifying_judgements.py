"""Verifies what model judges said in a loss study: archives, verdicts and the ratings from them."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TypeAlias

import msgspec

from equipoise.archive.manifest import MANIFEST, Document
from equipoise.archive.store import Archive
from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.study_files import PLAN, read_needed
from equipoise.pipeline.verifying import check_archive
from equipoise.pipeline.verifying_verdicts import check_verdicts
from equipoise.records.catalog import MODEL_JUDGED, Catalog
from equipoise.records.codec import decode, digest
from equipoise.records.decomposition import COVERAGE
from equipoise.records.event import Rating
from equipoise.records.judgement import Judgement, ReadState, standing
from equipoise.records.plan import Plan
from equipoise.records.rating_plan import PanelPlan
from equipoise.stages.grade.catalog import read_catalog
from equipoise.studies.loss.gathering import gather
from equipoise.studies.loss.judging import JUDGEMENTS, document_of, questions_of
from equipoise.studies.loss.judging_questions import Posed, Run
from equipoise.studies.loss.scoring import ARCHIVES
from equipoise.studies.loss.sealed import Sealed, read_sealed

_JUDGE = "judge:"
_CATALOG = re.compile(r"loss-catalog\.[^/]+\.json")
_NEAR = 1e-12

_Known: TypeAlias = dict[str, tuple[Posed, Catalog]]
"""Packet id -> the question about a trial, and the catalog that it is asked under."""


def check_judgements(study: Path) -> Iterator[Check]:
    """Yields what is checked of the judgements of each run; nothing where no judge was asked.

    Each verdict is read again from the answer that is kept, and each rating must be the score that
    a judgement gives to the packet of that trial. Judgements that ratings rest on have to be there.
    """
    yield from _missing(study)
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


def _missing(study: Path) -> Iterator[Check]:
    """Yields a check with a fault for each run whose ratings rest on judgements that are gone."""
    folder = study / ARCHIVES
    for run in sorted(folder.iterdir()) if folder.is_dir() else ():
        place = study / JUDGEMENTS / run.name
        if not run.joinpath(MANIFEST).is_file() or place.joinpath(MANIFEST).is_file():
            continue
        try:
            n = sum(one.rater.startswith(_JUDGE) for one in Archive.open(run).read(Rating))
        except (EquipoiseError, OSError):
            continue  # told by whoever checks the archive
        if n:
            name = place.relative_to(study).as_posix()
            what = "is missing, and what judges found in the run rests on it"
            fault = Fault(file=f"{name}/{MANIFEST}", what=what, expected=f"{n} ratings of judges")
            yield Check(thing=name, says="not verified", faults=(fault,))


def _verdicts(study: Path, path: Path, name: str) -> Check:
    thing = f"{name}/judgements.jsonl"
    run = study / ARCHIVES / path.name
    try:
        sealed = read_sealed(study, today=date.min)
        if not isinstance(sealed.plan.judges, PanelPlan):
            fault = Fault(file=thing, what="the plan names no judges")
            return Check(thing=thing, says="judgements", faults=(fault,))
        archive = Archive.open(run)
        known = _known(archive, sealed)
    except (EquipoiseError, OSError, ValueError) as error:
        return _unheld(study, thing, error)
    judged = Archive.open(path)
    lines = list(judged.read(Judgement))
    packets = {name: posed.question.packet for name, (posed, _) in known.items()}
    faults = list(check_verdicts(judged, packets, thing))
    faults += _ratings(archive, lines, known, thing)
    faults += _documents(archive, lines, known)
    if strange := [n for n, one in enumerate(lines, 1) if one.packet not in known]:
        told = f"{len(strange)} of {len(lines)}, the first in line {strange[0]}"
        what = "judgements are of no question that was graded under"
        faults.append(Fault(file=thing, what=what, found=told, is_note=True))
    n = len(lines) - len(strange)
    says = f"{n} verdicts follow from the answers kept"
    if not all(fault.is_note for fault in faults):
        says = "do not all follow"
    return Check(thing=thing, says=says, faults=tuple(faults))


def _known(archive: Archive, sealed: Sealed) -> _Known:
    """Gives every question there can be about a run under a catalog that it was graded under."""
    file = sealed.plan.catalog_file
    contents = {Path(file).name: read_needed(sealed.root / file, "the catalog")}
    for one in archive.read(Document):
        if _CATALOG.fullmatch(one.name) and one.name not in contents:
            contents[one.name] = b"".join(archive.blobs.chunks(one.sha256))
    known: _Known = {}
    for name, content in contents.items():
        catalog = read_catalog(content, name)
        if not any(one.type == MODEL_JUDGED for one in catalog.categories):
            continue
        gathered = gather(archive, sealed, catalog, date.min)
        run = Run(path=archive.path, arm=gathered.arm, work=gathered.work)
        for packet, posed in questions_of(sealed, catalog, run).items():
            known[packet] = (posed, catalog)
    return known


def _unheld(study: Path, thing: str, error: Exception) -> Check:
    """Gives the check of verdicts that could not be read again.

    Where the units are gone, as they have to be after their retention, it is left out.
    """
    what = "verdicts were not held against packets"
    try:
        units = decode(study.joinpath(PLAN).read_bytes(), Plan, where=PLAN).units_file
        is_left_out = not study.joinpath(units).is_file()
    except (EquipoiseError, OSError):
        is_left_out = False
    fault = Fault(file=thing, what=what, found=str(error), is_note=is_left_out)
    says = "not read again"
    return Check(thing=thing, says=says, faults=(fault,), is_left_out=is_left_out)


def _ratings(
    archive: Archive, lines: Sequence[Judgement], known: _Known, file: str
) -> Iterator[Fault]:
    """Yields a fault for each rating of a judge that its judgement does not give."""
    for rating in archive.read(Rating):
        place, _, name = rating.source.rpartition(" ")
        if not rating.rater.startswith(_JUDGE) or not place.startswith(f"{file}:"):
            continue
        number = int(place.rpartition(":")[2])
        one = lines[number - 1] if 0 < number <= len(lines) else None
        found = _otherwise(rating, name, one, known)
        if found:
            what = f"the rating of {rating.rater} does not follow"
            yield Fault(file=place, what=what, expected=f"{rating.value:g}", found=found)


def _documents(archive: Archive, lines: Sequence[Judgement], known: _Known) -> Iterator[Fault]:
    """Yields a fault for each document of what a judge found in a list that it does not give."""
    given: dict[str, str] = {}
    for one in standing(lines):
        posed = known[one.packet][0] if one.packet in known else None
        made = document_of(posed, one) if posed is not None else None
        if posed is not None and made is not None:
            given[f"{posed.work.trial.id}/{made[0]}"] = digest(made[1])
    for held in archive.read(Document):
        if held.name.partition("/")[2].startswith(COVERAGE) and given.get(held.name) != held.sha256:
            found = "another content" if held.name in given else "no judgement of the kind"
            yield Fault(file=held.name, what="does not follow from what judges said", found=found)


def _otherwise(rating: Rating, name: str, one: Judgement | None, known: _Known) -> str:
    """Says what a judgement gives instead of the rating; empty where it gives just that."""
    if one is None:
        return "nothing of the kind"
    if one.packet not in known:
        return "a judgement of no question of this study"
    posed, catalog = known[one.packet]
    if posed.work.trial.id != rating.trial:
        return "a judgement of another trial"
    said = posed.said(one, catalog).get(name) if one.state is ReadState.READ else None
    if said is None or said.lost is None:
        return "nothing of the kind"
    return "" if abs(said.lost - rating.value) <= _NEAR else f"{said.lost:g}"
