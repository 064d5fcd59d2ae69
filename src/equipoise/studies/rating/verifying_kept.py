"""Verifies what the app keeps beside the archive: whose link is whose, and its answers."""

from collections.abc import Iterator
from pathlib import Path

from equipoise.annotate.answers import answers_at_rest, answers_file
from equipoise.archive.manifest import MANIFEST
from equipoise.archive.store import Archive
from equipoise.blind.private_files import kept_secret
from equipoise.errors import EquipoiseError
from equipoise.pipeline.faults import Check, Fault
from equipoise.records.answer import Answer
from equipoise.records.codec import decode
from equipoise.studies.rating.made import CAMPAIGN, MADE, TOKENS_MAC, tokens_mac
from equipoise.studies.rating.making import SECRET, TOKENS
from equipoise.studies.rating.reading import ARCHIVES

_TOKENS = f"{CAMPAIGN}/{TOKENS}"


def check_kept(study: Path) -> Iterator[Check]:
    """Yields whether the links are those that were made, and the answers those of the archive.

    Neither is looked at where it is kept back; answers in another database are not looked at here.
    """
    folder = study / CAMPAIGN
    if all(folder.joinpath(name).is_file() for name in (TOKENS, MADE, SECRET)):
        yield _tokens(folder)
    path = answers_file(study)
    archives = sorted(study.joinpath(ARCHIVES).glob(f"people-*/{MANIFEST}"))
    if path.is_file() and archives:
        yield _answers(path, [one.parent for one in archives])


def _tokens(folder: Path) -> Check:
    try:
        made = decode(folder.joinpath(MADE).read_bytes(), dict[str, str], where=MADE)
        found = tokens_mac(kept_secret(folder / SECRET), folder.joinpath(TOKENS).read_bytes())
    except (EquipoiseError, OSError) as error:
        fault = Fault(file=_TOKENS, what="cannot be held against its making", found=str(error))
        return Check(thing=_TOKENS, says="not verified", faults=(fault,))
    wanted = made.get(TOKENS_MAC, "")
    if not wanted:
        note = Fault(file=_TOKENS, what="an earlier version did not say what it made", is_note=True)
        return Check(thing=_TOKENS, says="not verified", faults=(note,))
    if found == wanted:
        return Check(thing=_TOKENS, says="each link is still that of the person it was made for")
    what = (
        "is not what `annotate make` or its --renew wrote: links may have changed hands, and "
        "answers the names that they stand under"
    )
    fault = Fault(file=_TOKENS, what=what, expected=wanted, found=found)
    return Check(thing=_TOKENS, says="not what was made", faults=(fault,))


def _answers(path: Path, archives: list[Path]) -> Check:
    name = f"{CAMPAIGN}/{path.name}"
    try:
        held = answers_at_rest(path)
        kept = [one for archive in archives for one in Archive.open(archive).read(Answer)]
    except (EquipoiseError, OSError) as error:
        fault = Fault(file=name, what="cannot be held against the archive", found=str(error))
        return Check(thing=name, says="not verified", faults=(fault,))
    faults = []
    for number, (archived, found) in enumerate(zip(kept, held, strict=False), start=1):
        if archived != found:
            what = f"answer {number} is not the one that was archived"
            told = f"packet {archived.packet}, {archived.annotator}"
            faults.append(Fault(file=name, what=what, expected=told, found=_said(archived, found)))
            break
    if len(held) < len(kept):
        what = f"{len(kept) - len(held)} archived answers are gone from it"
        faults.append(Fault(file=name, what=what))
    says = f"holds the {len(kept)} answers that were archived"
    if (n_new := len(held) - len(kept)) > 0:
        says += f", and {n_new} that are not collected yet"
    return Check(thing=name, says="not what was archived" if faults else says, faults=tuple(faults))


def _said(archived: Answer, found: Answer) -> str:
    fields = (field for field in Answer.__struct_fields__)
    names = [name for name in fields if getattr(archived, name) != getattr(found, name)]
    return f"another {', '.join(names)}"
