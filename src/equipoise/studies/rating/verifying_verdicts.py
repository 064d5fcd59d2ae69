"""Verifies what model judges said in a rating study against the answers that are kept."""

from pathlib import Path

from equipoise.archive.manifest import MANIFEST
from equipoise.archive.store import Archive
from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.verifying_verdicts import check_verdicts
from equipoise.records.judgement import Judgement
from equipoise.studies.rating.judging import packets_of
from equipoise.studies.rating.reading import ARCHIVES


def check_judges(study: Path) -> Check | None:
    """Gives what is seen of the verdicts of judges; null where no judge was asked.

    Each verdict is read again from its answer, and each judgement must be of a packet that the plan
    asks about. Without the study's secret packets cannot be made again, which is noted.
    """
    folder = study / ARCHIVES
    paths = [path for path in sorted(folder.glob("*")) if path.joinpath(MANIFEST).is_file()]
    judged = [path for path in paths if Archive.open(path).n_lines(Judgement)]
    if not judged:
        return None
    thing = "verdicts of judges"
    try:
        packets = packets_of(study)
    except (EquipoiseError, OSError, ValueError) as error:
        what = "were not held against packets"
        note = Fault(file=ARCHIVES, what=what, found=str(error), is_note=True)
        return Check(thing=thing, says="not read again", faults=(note,))
    faults: list[Fault] = []
    n = 0
    for path in judged:
        archive = Archive.open(path)
        file = f"{path.relative_to(study).as_posix()}/judgements.jsonl"
        faults += check_verdicts(archive, packets, file)
        for number, one in enumerate(archive.read(Judgement), start=1):
            n += 1
            if one.packet not in packets:
                what = "no question of the plan has this packet"
                faults.append(Fault(file=file, line=number, what=what, found=one.packet))
    return Check(thing=thing, says=f"{n} follow from the answers kept", faults=tuple(faults))
