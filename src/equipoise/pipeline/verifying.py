"""Verifies an archive: every line, blob, quote and column against what it must follow from."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from equipoise.archive.columns import COLUMN_FILES, FACTS, load_columns, same_content
from equipoise.archive.manifest import (
    BLOBS,
    COLUMNS,
    HEAD,
    LOCK,
    MANIFEST,
    PLAN,
    TORN,
    Head,
    Manifest,
    RunFacts,
    chains_of,
    head_of,
)
from equipoise.archive.store import Archive
from equipoise.errors import EquipoiseError, InputError
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.verified_lines import Lines
from equipoise.records.codec import decode, digest, pretty


def verify_archive(path: Path) -> list[Fault]:
    """Gives every fault and note of an archive; with no fault but notes it is whole.

    Raises:
        InputError: there is no archive at the path.
    """
    return [fault for check in check_archive(path) for fault in check.faults]


def check_archive(path: Path) -> Iterator[Check]:
    """Yields what is checked, in order: manifest, head, lines, documents, quotes, columns, strays.

    Nothing is written to the archive, and nothing in it is trusted.

    Raises:
        InputError: there is no archive at the path.
    """
    if not path.joinpath(MANIFEST).is_file():
        raise InputError(
            f"{path} is no archive: it has no {MANIFEST}",
            wanted="a folder made by `equipoise import`",
            code="no_archive",
        )
    manifest, check = _manifest(path)
    yield check
    head, check = _head(path, manifest)
    yield check
    if manifest is None:
        return
    lines = Lines(path, manifest, head)
    yield from lines.checks()
    if isinstance(manifest.run, RunFacts):
        yield _plan(path, manifest.run)
    if head is not None:
        yield _columns(path)
    yield _strays(path, lines.documents, (*chains_of(manifest.kind), *_own_files(manifest)))


def _manifest(path: Path) -> tuple[Manifest | None, Check]:
    content = path.joinpath(MANIFEST).read_bytes()
    try:
        manifest = decode(content, Manifest, where=MANIFEST)
    except InputError as error:
        fault = Fault(file=MANIFEST, what="cannot be read", found=str(error))
        return None, Check(thing=MANIFEST, says="unreadable", faults=(fault,))
    faults = _not_as_written(MANIFEST, content, pretty(manifest))
    return manifest, Check(thing=MANIFEST, says=f"run {manifest.run_id}", faults=faults)


def _head(path: Path, manifest: Manifest | None) -> tuple[Head | None, Check]:
    try:
        content = path.joinpath(HEAD).read_bytes()
        head = decode(content, Head, where=HEAD)
    except (OSError, InputError) as error:
        fault = Fault(file=HEAD, what="cannot be read", found=str(error))
        return None, Check(thing=HEAD, says="unreadable", faults=(fault,))
    faults = [*_not_as_written(HEAD, content, pretty(head))]
    archive = digest(path.joinpath(MANIFEST).read_bytes())
    names = chains_of(manifest.kind) if manifest else tuple(head.files)
    for file, what, expected, found in (
        (MANIFEST, "not the one the head was made for", head.archive, archive),
        (HEAD, "the head does not follow", head_of(head.archive, head.files).head, head.head),
        (HEAD, "it names other files", ", ".join(sorted(names)), ", ".join(sorted(head.files))),
    ):
        if expected != found:
            faults.append(Fault(file=file, what=what, expected=expected, found=found))
    return head, Check(thing=HEAD, says=f"head {head.head}", faults=tuple(faults))


def _not_as_written(file: str, content: bytes, written: bytes) -> tuple[Fault, ...]:
    if content == written:
        return ()
    what = "not in the form in which it was written"
    return (Fault(file=file, what=what, expected=digest(written), found=digest(content)),)


def _plan(path: Path, facts: RunFacts) -> Check:
    """Holds the plan beside a run against the hash that the run was begun with."""
    try:
        found = digest(path.joinpath(PLAN).read_bytes())
    except OSError as error:
        fault = Fault(file=PLAN, what="cannot be read", found=str(error.strerror))
        return Check(thing=PLAN, says="unreadable", faults=(fault,))
    if found == facts.plan_sha256:
        return Check(thing=PLAN, says=f"plan {found}, {facts.seal}")
    what = "not the plan that the run followed"
    fault = Fault(file=PLAN, what=what, expected=facts.plan_sha256, found=found)
    return Check(thing=PLAN, says="another plan", faults=(fault,))


def _own_files(manifest: Manifest) -> tuple[str, ...]:
    return (PLAN,) if isinstance(manifest.run, RunFacts) else ()


def _columns(path: Path) -> Check:
    """Derives the columns again, elsewhere, and compares; a cache that is not there is no fault."""
    folder = path / COLUMNS
    if not folder.joinpath(FACTS).exists():
        return Check(thing=COLUMNS, says="no cache; it is derived when needed")
    try:
        archive = Archive.open(path)
        cached = load_columns(folder, archive.head)
        if cached is not None and folder.joinpath(FACTS).read_bytes() != pretty(cached.facts):
            cached = None
        with tempfile.TemporaryDirectory(prefix="equipoise-") as place:
            derived = archive.derive_columns(Path(place))
            is_same = cached is not None and same_content(cached, derived)
    except EquipoiseError as error:
        fault = Fault(file=COLUMNS, what="cannot be derived from the lines", found=str(error))
        return Check(thing=COLUMNS, says="not comparable", faults=(fault,))
    if is_same:
        return Check(thing=COLUMNS, says="the cache is what the lines give")
    what = "the cache is not what the lines give; it is never used, delete the folder"
    return Check(thing=COLUMNS, says="another", faults=(Fault(file=COLUMNS, what=what),))


def _strays(path: Path, documents: set[str], chains: tuple[str, ...]) -> Check:
    known = {MANIFEST, HEAD, LOCK, *chains, *(f"{COLUMNS}/{n}" for n in (FACTS, *COLUMN_FILES))}
    known |= {f"{BLOBS}/{sha256[:2]}/{sha256}.zst" for sha256 in documents}
    found = sorted(
        place.relative_to(path).as_posix()
        for place in path.rglob("*")
        if place.is_symlink() or not place.is_dir()
    )
    notes = tuple(
        Fault(
            file=name,
            what="a torn tail, set aside after a writer had died"
            if name.startswith(f"{TORN}/")
            else "not part of the archive; nothing reads it",
            is_note=True,
        )
        for name in found
        if name not in known
    )
    return Check(thing="other files", says=str(len(notes) or "none"), faults=notes)
