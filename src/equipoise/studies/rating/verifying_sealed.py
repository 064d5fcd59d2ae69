"""Verifies that the seal of a rating study, its copies and the log of unblinding still stand."""

from collections.abc import Iterator
from pathlib import Path

from equipoise.archive.manifest import MANIFEST, PLAN
from equipoise.archive.store import Archive
from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.study_files import SEAL, SEALED, STUDY
from equipoise.records.codec import decode, digest
from equipoise.records.event import Event
from equipoise.records.ranking import RANKING, Ranking
from equipoise.records.rating_plan import RatingPlan
from equipoise.studies.rating.made import CAMPAIGN, MADE
from equipoise.studies.rating.making import ASSIGNMENTS, CHECKS, KEYS, PACKETS
from equipoise.studies.rating.reading import ARCHIVES
from equipoise.studies.rating.unblinding import UNBLINDED, Unblinding, unblindings


def check_sealed(study: Path) -> Iterator[Check]:
    """Yields what is seen of the seal, of the sealed copies and of the log of unblinding.

    A study that was never sealed has none of them.
    """
    if not study.joinpath(SEAL).is_file():
        if began := sorted(_began(study)):
            what = f"is missing, and {', '.join(began)} began under it"
            yield Check(thing=SEAL, says="not verified", faults=(Fault(file=SEAL, what=what),))
        return
    yield _copies(study)
    yield from _begun(study)
    if rankings := sorted(study.glob(f"comparisons/*/{RANKING}")):
        yield _log(study, rankings)


def _began(study: Path) -> Iterator[str]:
    """Yields what is only ever made under a seal."""
    if study.joinpath(CAMPAIGN, MADE).is_file():
        yield CAMPAIGN
    for path in study.joinpath(ARCHIVES).glob(f"*/{MANIFEST}"):
        try:
            events = list(Archive.open(path.parent).read(Event))
        except (EquipoiseError, OSError):
            continue  # told by whoever checks the archive
        if any(event.facts.get("seal") for event in events):
            yield path.parent.relative_to(study).as_posix()


def _begun(study: Path) -> Iterator[Check]:
    """Yields a check for each archive of people that says what campaign it was begun with."""
    for path in sorted(study.joinpath(ARCHIVES).glob(f"*/{MANIFEST}")):
        try:
            events = list(Archive.open(path.parent).read(Event))
        except (EquipoiseError, OSError):
            continue  # told by whoever checks the archive
        wanted = {
            name: str(event.facts[fact])
            for event in events
            for fact, name in _FACTS.items()
            if event.facts.get(fact)
        }
        faults = []
        for name, sha256 in wanted.items():
            file = study / CAMPAIGN / name
            if file.is_file() and (found := digest(file.read_bytes())) != sha256:
                what = f"is not the one that {path.parent.name} was collected with"
                place = f"{CAMPAIGN}/{name}"
                faults.append(Fault(file=place, what=what, expected=sha256, found=found))
        if wanted:
            name = path.parent.relative_to(study).as_posix()
            says = "collected with the campaign that stands here"
            yield Check(thing=name, says=says, faults=tuple(faults))


_FACTS = {
    "keys_sha256": KEYS,
    "packets_sha256": PACKETS,
    "assignments_sha256": ASSIGNMENTS,
    "checks_sha256": CHECKS,
}


def _copies(study: Path) -> Check:
    content = study.joinpath(PLAN).read_bytes()
    wanted = {PLAN: digest(content)}
    try:
        drafted = decode(content, RatingPlan, where=PLAN).study_sha256
        wanted |= {STUDY: drafted} if drafted else {}
    except EquipoiseError:
        pass  # told by whoever checks the plan
    faults = []
    for name, sha256 in wanted.items():
        copy = study / SEALED / name
        if not copy.is_file():
            faults.append(Fault(file=f"{SEALED}/{name}", what="is missing", expected=sha256))
        elif (found := digest(copy.read_bytes())) != sha256:
            what = "is not what was sealed"
            file = f"{SEALED}/{name}"
            faults.append(Fault(file=file, what=what, expected=sha256, found=found))
    return Check(thing=SEALED, says="the copies made when it was sealed", faults=tuple(faults))


def _log(study: Path, rankings: list[Path]) -> Check:
    """Holds the log against the rankings, each of which was made by joining keys and answers."""
    file = f"{CAMPAIGN}/{UNBLINDED}"
    try:
        lines = list(enumerate(unblindings(study), start=1))
        made = {path: decode(path.read_bytes(), Ranking, where=RANKING) for path in rankings}
    except (EquipoiseError, OSError) as error:
        fault = Fault(file=file, what="cannot be read", found=str(error))
        return Check(thing=file, says="not verified", faults=(fault,))
    faults = []
    for path, ranking in made.items():
        held = {one.keys_sha256 for _, one in lines if one.plan_sha256 == ranking.plan_sha256}
        if ranking.keys_sha256 not in held:
            what = f"no line says that the keys of {path.parent.name} were joined with answers"
            faults.append(Fault(file=file, what=what, expected=ranking.keys_sha256))
    first: dict[tuple[str, int], Unblinding] = {}
    for number, one in lines:
        before = first.setdefault((one.plan_sha256, one.n_packets), one)
        if before.keys_sha256 != one.keys_sha256:
            what = "other keys of the same packets than were joined before"
            expected, found = before.keys_sha256, one.keys_sha256
            faults.append(Fault(file=file, line=number, what=what, expected=expected, found=found))
    return Check(thing=file, says=f"{len(lines)} times unblinded", faults=tuple(faults))
