"""Verifies a rating study: plan and seal, archives, keys, and all that must follow from them."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import msgspec

from equipoise.archive.manifest import MANIFEST, PLAN
from equipoise.errors import Blocked, EquipoiseError, InputError, Tampered, as_word
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.sealing import check_seal
from equipoise.pipeline.verifying import check_archive
from equipoise.records.codec import decode, digest
from equipoise.records.event import Seal
from equipoise.records.ranking import RANKING
from equipoise.records.rating_plan import RatingPlan
from equipoise.studies.rating.comparing import COMPARISONS, PAGE, derive
from equipoise.studies.rating.reading import ARCHIVES, SEAL, Gathered, gather
from equipoise.studies.rating.verifying_kept import check_kept
from equipoise.studies.rating.verifying_keys import check_keys
from equipoise.studies.rating.verifying_sealed import check_sealed
from equipoise.studies.rating.verifying_verdicts import check_judges
from equipoise.studies.rating.versions import maker_of, other_than_this, teller_of

_BEFORE, _MOST = 30, 100


def check_rating_study(study: Path, *, ca: Path | None) -> Iterator[Check]:
    """Yields what is checked, in order: plan, archives, keys with outputs, rankings and pages.

    Nothing is written, and nothing that can be derived is trusted.

    Args:
        study: the study's folder.
        ca: certificates that the authority behind a witnessed seal is trusted by.

    Raises:
        InputError: there is no plan in the folder.
    """
    if not study.joinpath(PLAN).is_file():
        raise InputError(
            f"{study} has no {PLAN}",
            wanted="the folder of a rating study that was planned",
            mend=f"equipoise plan {as_word(study)}",
            code="nothing_to_verify",
        )
    yield _plan(study, ca)
    yield from check_sealed(study)
    folder = study / ARCHIVES
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.joinpath(MANIFEST).is_file():
            yield from _archive(study, path)
    yield from check_keys(study)
    yield from check_kept(study)
    if (judged := check_judges(study)) is not None:
        yield judged
    rankings = sorted(study.joinpath(COMPARISONS).glob(f"*/{RANKING}"))
    if not rankings:
        note = Fault(file=COMPARISONS, what="there is no ranking yet", is_note=True)
        yield Check(thing=COMPARISONS, says="nothing to derive", faults=(note,))
        return
    try:
        given = gather(study)
    except (EquipoiseError, OSError) as error:
        yield _failed("keys, answers and outputs", "cannot be joined", error)
        return
    yield Check(
        thing="keys, answers and outputs",
        says=f"{len(given.keys)} keys, {len(given.answers)} answers, "
        f"{len(given.judgements)} judgements, {len(given.outputs)} outputs",
    )
    for path in rankings:
        yield _ranking(study, path.parent, given)


def _plan(study: Path, ca: Path | None) -> Check:
    content = study.joinpath(PLAN).read_bytes()
    try:
        decode(content, RatingPlan, where=PLAN)
    except InputError as error:
        return _failed(PLAN, "cannot be read", error)
    if not study.joinpath(SEAL).is_file():
        note = Fault(file=SEAL, what="the plan is not sealed", is_note=True)
        return Check(thing=PLAN, says=f"plan {digest(content)}", faults=(note,))
    try:
        seal = decode(study.joinpath(SEAL).read_bytes(), Seal, where=SEAL)
        check_seal(content, seal, ca=ca)
    except (Tampered, InputError) as error:
        return _failed(PLAN, "is not what was sealed", error)
    except Blocked as error:
        note = Fault(file=SEAL, what="the proof was not checked", found=str(error), is_note=True)
        return Check(thing=PLAN, says=f"plan {digest(content)}", faults=(note,))
    return Check(thing=PLAN, says=f"plan {digest(content)}, {seal.label.value} {seal.sealed_at}")


def _archive(study: Path, path: Path) -> Iterator[Check]:
    inside = path.relative_to(study).as_posix()
    for check in check_archive(path):
        kept = tuple(
            msgspec.structs.replace(fault, file=f"{inside}/{fault.file}")
            for fault in check.faults
            if not (fault.is_note and fault.file.startswith(PLAN))
        )
        yield msgspec.structs.replace(check, thing=f"{inside}/{check.thing}", faults=kept)


def _ranking(study: Path, folder: Path, given: Gathered) -> Check:
    name = folder.relative_to(study).as_posix()
    stored = folder.joinpath(RANKING).read_bytes()
    page = folder / PAGE
    made_by = maker_of(stored)
    told_by = teller_of(page.read_bytes() if page.is_file() else b"", made_by)
    try:
        found = derive(given, made_by, told_by)
    except EquipoiseError as error:
        return _failed(name, "cannot be derived", error)
    faults = [
        fault
        for file, wanted in found.files.items()
        for fault in _held(folder, name, file, wanted, made_by if file == RANKING else told_by)
    ]
    says = f"{len(found.files)} files follow from plan, archives and keys"
    if faults:
        says = f"{len(faults)} of {len(found.files)} files are not what plan and archives give"
    return Check(thing=name, says=says, faults=tuple(faults))


def _held(folder: Path, name: str, file: str, wanted: bytes, made_by: str) -> Iterator[Fault]:
    path = folder / file
    if not path.is_file():
        yield Fault(file=f"{name}/{file}", what="is missing", expected=digest(wanted))
        return
    found = path.read_bytes()
    if found == wanted:
        return
    line, theirs, ours = _first_difference(found, wanted)
    maker = other_than_this(made_by)
    yield Fault(
        file=f"{name}/{file}",
        line=line,
        what=f"made by version {maker}, follows otherwise here" if maker else "does not follow",
        expected=ours,
        found=theirs,
        made_by=maker,
    )


def _first_difference(found: bytes, wanted: bytes) -> tuple[int, str, str]:
    """Gives the number of the first line that differs, and what stands there in both."""
    pairs = zip_longest(found.split(b"\n"), wanted.split(b"\n"), fillvalue=b"(nothing)")
    for number, (one, other) in enumerate(pairs, start=1):
        if one != other:
            start = max(0, _alike(one, other) - _BEFORE)
            return number, _shown(one, start), _shown(other, start)
    return 0, "", ""


def _alike(one: bytes, other: bytes) -> int:
    """Gives how many bytes two lines begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _shown(line: bytes, start: int) -> str:
    """Gives what stands there, without the signs that only keep a line from breaking."""
    text = line[start : start + _MOST].decode("utf-8", "replace").strip()
    return repr(text.replace("\u2060", ""))


def _failed(name: str, what: str, error: Exception) -> Check:
    fault = Fault(file=name, what=what, found=str(error))
    return Check(thing=name, says="not verified", faults=(fault,))
