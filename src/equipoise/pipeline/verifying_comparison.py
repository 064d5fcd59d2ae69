"""Verifies a comparison: its archives are those it cites, and all its files follow from them."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from equipoise.archive.manifest import MANIFEST
from equipoise.archive.store import Archive
from equipoise.errors import EquipoiseError, InputError
from equipoise.pipeline.comparing import COMPARISON, derive
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.codec import decode
from equipoise.records.result import ComparisonFile

_ARCHIVES = "archives"


def check_comparison(path: Path) -> Iterator[Check]:
    """Yields what is checked: the terms, every archive cited, every file derived from them.

    Nothing stored is trusted: columns, estimates, verdicts and pages are derived anew from the
    archives' lines and compared byte for byte.
    """
    try:
        file = decode(path.joinpath(COMPARISON).read_bytes(), ComparisonFile)
    except (OSError, InputError) as error:
        fault = Fault(file=COMPARISON, what="cannot be read", found=str(error))
        yield Check(thing=COMPARISON, says="unreadable", faults=(fault,))
        return
    is_sound = True
    for name in sorted({source.archive for source in file.sources}):
        check = _archive(path, name, file)
        is_sound = is_sound and not any(not fault.is_note for fault in check.faults)
        yield check
    if is_sound:
        yield from _derived(path, file)
    else:
        fault = Fault(file=COMPARISON, what="not derived again: an archive it stands on is altered")
        yield Check(thing="derived files", says="cannot be checked", faults=(fault,))
    yield _strays(path, file)


def _archive(path: Path, name: str, file: ComparisonFile) -> Check:
    where = path / name
    if not where.joinpath(MANIFEST).is_file():
        fault = Fault(file=name, what="the archive is not there", expected="the archive cited")
        return Check(thing=f"archive {name}", says="missing", faults=(fault,))
    faults = [
        msgspec.structs.replace(fault, file=f"{name}/{fault.file}")
        for fault in verify_archive(where)
    ]
    try:
        head = Archive.open(where).head
    except EquipoiseError as error:
        faults.append(Fault(file=name, what="cannot be opened", found=str(error)))
        return Check(thing=f"archive {name}", says="cannot be opened", faults=tuple(faults))
    faults += [
        Fault(file=COMPARISON, what=f"cites another {name}", expected=source.head, found=head)
        for source in file.sources
        if source.archive == name and source.head != head
    ]
    return Check(thing=f"archive {name}", says=f"head {head}", faults=tuple(faults))


def _derived(path: Path, file: ComparisonFile) -> Iterator[Check]:
    with tempfile.TemporaryDirectory(prefix="equipoise-verify-") as fresh:
        try:
            derived = derive(file, path, fresh=Path(fresh))
        except EquipoiseError as error:
            fault = Fault(file=COMPARISON, what="nothing follows from it", found=str(error))
            yield Check(thing="derived files", says="cannot be derived", faults=(fault,))
            return
    for name, expected in sorted(derived.files.items()):
        yield _same(path, name, expected)


def _same(path: Path, name: str, expected: bytes) -> Check:
    try:
        found = path.joinpath(name).read_bytes()
    except OSError:
        fault = Fault(file=name, what="is not there", expected="the derived file")
        return Check(thing=name, says="missing", faults=(fault,))
    if found == expected:
        return Check(thing=name, says="follows from the trials")
    return Check(thing=name, says="does not follow", faults=(_difference(name, expected, found),))


def _difference(name: str, expected: bytes, found: bytes) -> Fault:
    """Names the first line that differs."""
    lines = zip(expected.split(b"\n"), found.split(b"\n"), strict=False)
    for number, (one, other) in enumerate(lines, start=1):
        if one != other:
            return Fault(
                file=name,
                line=number,
                what="does not follow from the trials",
                expected=_short(one),
                found=_short(other),
            )
    return Fault(
        file=name,
        what="is longer or shorter than what follows",
        expected=f"{len(expected)} bytes",
        found=f"{len(found)} bytes",
    )


def _short(line: bytes) -> str:
    text = line.strip().decode("utf-8", "backslashreplace").replace("\u2060", "")
    return text if len(text) <= 120 else text[:119] + "…"


def _strays(path: Path, file: ComparisonFile) -> Check:
    """Reports files that belong to no comparison, as notes: they prove and disprove nothing."""
    known = {COMPARISON, "estimates.json", "verdicts.json", "report", _ARCHIVES}
    cited = {Path(source.archive).parts[0] for source in file.sources}
    strays = [p.name for p in sorted(path.iterdir()) if p.name not in known | cited]
    archives = path / _ARCHIVES
    if archives.is_dir():
        used = {Path(source.archive).as_posix() for source in file.sources}
        names = [f"{_ARCHIVES}/{p.name}" for p in sorted(archives.iterdir())]
        strays += [name for name in names if name not in used]
    report = path / "report"
    pages = {"index.html", "report.md", "report.json", "junit.xml"}
    if report.is_dir():
        strays += [f"report/{p.name}" for p in sorted(report.iterdir()) if p.name not in pages]
    notes = tuple(
        Fault(file=name, what="is no part of this comparison, and was not checked", is_note=True)
        for name in strays
    )
    return Check(thing="other files", says=f"{len(notes)}" if notes else "none", faults=notes)
