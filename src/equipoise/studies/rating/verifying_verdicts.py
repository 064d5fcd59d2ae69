"""Verifies what model judges said in a rating study against the answers that are kept."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from equipoise.archive.manifest import MANIFEST
from equipoise.archive.store import Archive
from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.study_files import SEAL
from equipoise.pipeline.verifying_verdicts import check_verdicts
from equipoise.records.judgement import Judgement
from equipoise.records.packet import Packet
from equipoise.records.ranking import RANKING
from equipoise.studies.rating.judging import packets_of
from equipoise.studies.rating.making import SECRET
from equipoise.studies.rating.reading import ARCHIVES, CAMPAIGN
from equipoise.studies.rating.versions import as_made_by, other_planner, other_than_this

_THING = "verdicts of judges"


def check_judges(study: Path) -> Check | None:
    """Gives what is seen of the verdicts of judges; null where no judge was asked.

    Each verdict is read again from its answer, and each judgement must be of a packet that the plan
    asks about. Without the study's secret packets cannot be made again: that is left out until a
    ranking rests on them. Of a study that was never sealed it is noted.
    """
    folder = study / ARCHIVES
    paths = [path for path in sorted(folder.glob("*")) if path.joinpath(MANIFEST).is_file()]
    faults: list[Fault] = []
    judged: list[Path] = []
    for path in paths:
        try:
            judged += [path] if Archive.open(path).n_lines(Judgement) else []
        except (EquipoiseError, OSError) as error:
            faults.append(_unread(path.relative_to(study).as_posix(), error))
    if not judged:
        return Check(thing=_THING, says="not read again", faults=tuple(faults)) if faults else None
    if (is_open := _is_without(study)) is not None:
        return is_open
    planner = other_planner(study)
    try:
        packets = {name: packet for name, (packet, _) in packets_of(study).items()}
    except (EquipoiseError, OSError, ValueError) as error:
        is_note = not study.joinpath(SEAL).is_file()
        what = "were not held against packets"
        faults.append(Fault(file=ARCHIVES, what=what, found=str(error), is_note=is_note))
        check = Check(thing=_THING, says="not read again", faults=tuple(faults))
        return as_made_by(check, planner)
    n = 0
    for path in judged:
        file = f"{path.relative_to(study).as_posix()}/judgements.jsonl"
        try:
            archive = Archive.open(path)
            n += archive.n_lines(Judgement)
            faults += _read(archive, packets, file, planner)
        except (EquipoiseError, OSError, ValueError) as error:
            faults.append(_unread(file, error))
    says = "do not all follow" if faults else f"{n} follow from the answers kept"
    return Check(thing=_THING, says=says, faults=tuple(faults))


def _is_without(study: Path) -> Check | None:
    """Gives the check that is left out where the secret of a sealed study is kept back."""
    has_secret = study.joinpath(CAMPAIGN, SECRET).is_file()
    has_ranking = any(study.glob(f"comparisons/*/{RANKING}"))
    if has_secret or has_ranking or not study.joinpath(SEAL).is_file():
        return None
    says = f"not read again: without {CAMPAIGN}/{SECRET} nobody can"
    return Check(thing=_THING, says=says, is_left_out=True)


def _read(archive: Archive, packets: dict[str, Packet], file: str, planner: str) -> Iterator[Fault]:
    reader = other_than_this(archive.manifest.tool_version)
    for fault in check_verdicts(archive, packets, file):
        yield msgspec.structs.replace(fault, made_by=reader)
    said = list(enumerate(archive.read(Judgement), start=1))
    strange = [(number, one.packet) for number, one in said if one.packet not in packets]
    if strange:
        line, packet = strange[0]
        told = f"{len(strange)} of {len(said)} judgements, the first of {packet}"
        what = "no question of the plan has this packet"
        yield Fault(file=file, line=line, what=what, found=told, made_by=planner)


def _unread(file: str, error: Exception) -> Fault:
    return Fault(file=file, what="cannot be read", found=str(error))
