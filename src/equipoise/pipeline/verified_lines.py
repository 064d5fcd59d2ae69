"""Verifies the lines of an archive, and what single records promise: quotes, blobs, values."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from equipoise.archive.blobs import Blobs
from equipoise.archive.chain import Break, walk
from equipoise.archive.manifest import BLOBS, CHAINS, Document, Head, Manifest, chains_of, genesis
from equipoise.errors import EquipoiseError, InputError
from equipoise.pipeline.faults import Check, Fault
from equipoise.pipeline.quoting import Quotes
from equipoise.records.codec import decode
from equipoise.records.grade import Evidence, Grade
from equipoise.records.trial import Trial

_MOST = 20


class Lines:
    """The lines of one archive under verification; each is read once."""

    def __init__(self, path: Path, manifest: Manifest, head: Head | None) -> None:
        """Looks at the archive in the folder `path`."""
        self._path = path
        self._manifest = manifest
        self._head = head
        self._blobs = Blobs(path / BLOBS)
        self._quotes = Quotes(self._blobs)
        self._trials: set[str] = set()
        self._n_quotes = 0
        self.documents: set[str] = set()

    def checks(self) -> Iterator[Check]:
        """Yields one check per chained file."""
        for name in chains_of(self._manifest.kind):
            yield self._check(name)
        self._quotes.close()

    def _check(self, name: str) -> Check:
        faults: list[Fault] = []
        n_lines = 0
        try:
            for fault in self._faults(name):
                if isinstance(fault, int):
                    n_lines = fault
                elif len(faults) == _MOST:
                    faults.append(Fault(file=name, what=f"more than {_MOST} faults"))
                    break
                else:
                    faults.append(fault)
        except EquipoiseError as error:
            faults.append(Fault(file=name, what="cannot be read", found=str(error)))
        says = f"{n_lines:,} lines"
        if name == "documents.jsonl":
            says += f", {len(self.documents):,} documents whole"
        if name == "grades.jsonl":
            says += f", {self._n_quotes:,} quotes at their places"
        return Check(thing=name, says=says, faults=tuple(faults))

    def _faults(self, name: str) -> Iterator[Fault | int]:
        """Yields the faults of a file, and at the end how many lines it has."""
        end = self._head.files.get(name) if self._head is not None else None
        number, last, n_beyond, is_broken = 0, genesis(self._manifest, name), 0, False
        for step in walk(self._path / name, last):
            is_beyond = end is not None and step.number > end.n_lines
            if isinstance(step, Break):
                is_note = is_beyond and step.is_torn
                is_broken = is_broken or not is_note
                yield _broken(name, step, is_note=is_note)
            elif is_beyond:
                n_beyond += 1
            else:
                number, last = step.number, step.sha256
                yield from self._record(name, step.number, step.body)
        if n_beyond:
            what = "lines beyond the committed end: added by hand, or by a writer that died"
            yield Fault(file=name, what=what, expected="none", found=str(n_beyond))
        if end is not None and not is_broken and (number, last) != (end.n_lines, end.last):
            yield Fault(
                file=name,
                line=number or None,
                what="the file does not end as its head says",
                expected=f"line {end.n_lines} ({end.last[:16]}…)",
                found=f"line {number} ({last[:16]}…)",
            )
        yield number

    def _record(self, name: str, line: int, body: bytes) -> Iterator[Fault]:
        try:
            record: Any = decode(body, CHAINS[name])
            told = self._broken_promise(record)
        except InputError as error:
            yield Fault(file=name, line=line, what="no record of its kind", found=str(error))
            return
        if told:
            yield Fault(file=name, line=line, what=told)

    def _broken_promise(self, record: object) -> str:
        if isinstance(record, Document):
            return self._bad_document(record)
        if isinstance(record, Trial):
            if record.id in self._trials:
                return f"trial {record.id!r} stands twice"
            self._trials.add(record.id)
        if isinstance(record, Grade):
            if (record.value is None) == (not record.not_evaluable):
                return "a grade has a value and a reason for none, or neither"
            if record.value is not None and not 0 <= record.value <= 1:
                return f"the value {record.value!r} is outside [0,1]"
            return "; ".join(filter(None, map(self._bad_quote, record.evidence)))
        return ""

    def _bad_document(self, document: Document) -> str:
        if document.sha256 in self.documents:
            return ""
        self.documents.add(document.sha256)
        try:
            stored = self._blobs.stored_sha256(document.sha256)
            if stored != document.stored_sha256:
                return f"the blob of {document.name!r} was changed ({stored[:16]}…)"
            n_bytes = sum(map(len, self._blobs.chunks(document.sha256)))
        except EquipoiseError as error:
            return f"document {document.name!r}: {error}"
        if n_bytes != document.n_bytes:
            return f"document {document.name!r} has {n_bytes} bytes, not {document.n_bytes}"
        return ""

    def _bad_quote(self, evidence: Evidence) -> str:
        place = f"{evidence.name or evidence.document[:16]} at byte {evidence.start}"
        try:
            if evidence.document not in self.documents:
                return f"the document of the quote {evidence.quote[:60]!r} is not kept"
            if not self._quotes.stands(evidence):
                return f"the quote {evidence.quote[:60]!r} does not stand in {place}"
            line = self._quotes.line_of(evidence)
        except EquipoiseError as error:
            return f"the quote {evidence.quote[:60]!r} cannot be looked up: {error}"
        if evidence.line not in (None, line):
            return f"the quote {evidence.quote[:60]!r} stands in line {line}, not {evidence.line}"
        self._n_quotes += 1
        return ""


def _broken(name: str, step: Break, *, is_note: bool) -> Fault:
    return Fault(
        file=name,
        line=step.accused,
        what=step.what,
        expected=step.expected,
        found=step.found,
        is_note=is_note,
    )
