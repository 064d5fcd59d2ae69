"""Reads glossaries, chunks, takes and judgements: one JSON object a line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from equipoise.errors import InputError
from equipoise.records.codec import decode, digest
from equipoise.records.term_files import ChunkLine, GlossaryLine
from equipoise.terms.injection import Term, check_terms
from equipoise.terms.matching import Target

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The bytes of a file and what to call it."""

    where: str
    data: bytes

    @property
    def sha256(self) -> str:
        """The hash of the bytes."""
        return digest(self.data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of a glossary: its term as it is injected, its target as it is looked for."""

    term: Term
    target: Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Glossary:
    """The entries of a file, and its hash."""

    entries: tuple[Entry, ...]
    sha256: str

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms in the order of the file."""
        return tuple(entry.term for entry in self.entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunks:
    """The chunks of a file in order, and its hash."""

    chunks: tuple[ChunkLine, ...]
    sha256: str


def read_glossary(given: Given) -> Glossary:
    """The glossary of a file.

    Raises:
        InputError: a line is no entry, two have one id, the file has none.
    """
    entries = []
    for where, line in lines_of(given, GlossaryLine):
        keys = (line.src,) if isinstance(line.src, str) else line.src
        if not keys:
            raise InputError("field 'src' is empty", wanted="one text or more", where=where)
        is_sensitive = line.case == "sensitive" or (
            line.case == "auto" and any(sign.isupper() for sign in line.dst)
        )
        entries.append(
            Entry(
                term=Term(
                    id=line.id or keys[0],
                    keys=keys,
                    target=line.dst,
                    disposition=line.disposition,
                    from_ch=line.from_ch,
                    until_ch=line.until_ch,
                    priority=line.priority,
                ),
                target=Target(
                    text=line.dst,
                    kind=line.kind,
                    gender=line.gender,
                    is_case_sensitive=is_sensitive,
                    forms=line.forms,
                ),
            )
        )
    found = Glossary(entries=tuple(entries), sha256=given.sha256)
    _refuse_empty(found.entries, given, "an entry, such as " + _ENTRY)
    try:
        check_terms(found.terms)
    except InputError as error:
        raise InputError(
            error.found, wanted=error.wanted, where=f"{given.where}: {error.where}"
        ) from error
    return found


def read_chunks(given: Given) -> Chunks:
    """The chunks of a file, in the order of the text.

    Raises:
        InputError: a line is no chunk, two have one id, chapters go back, the file has none.
    """
    chunks: list[ChunkLine] = []
    seen: set[str] = set()
    for where, line in lines_of(given, ChunkLine):
        if line.id in seen:
            raise InputError(
                f"two chunks have the id {line.id!r}", wanted="an id for each", where=where
            )
        if chunks and line.chapter < chunks[-1].chapter:
            raise InputError(
                f"chapter {line.chapter} follows chapter {chunks[-1].chapter}",
                wanted="the chunks in the order of the text",
                where=where,
            )
        seen.add(line.id)
        chunks.append(line)
    _refuse_empty(chunks, given, "a chunk, such as " + _CHUNK)
    return Chunks(chunks=tuple(chunks), sha256=given.sha256)


def lines_of(given: Given, kind: type[T]) -> Iterator[tuple[str, T]]:
    """Each record of a file with ``file:line``; blank lines are passed over.

    Raises:
        InputError: a line is no JSON, or not of the kind; names the field.
    """
    for number, line in enumerate(given.data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            where = f"{given.where}:{number}"
            yield where, decode(line, kind, where=where)


_ENTRY = '{"src": "未庄", "dst": "Вэйчжуан", "kind": "place"}'
_CHUNK = '{"id": "1", "chapter": 1, "source": "…", "translation": "…"}'


def _refuse_empty(found: Sequence[object], given: Given, wanted: str) -> None:
    if not found:
        raise InputError("the file has no line", wanted=wanted, where=given.where)
