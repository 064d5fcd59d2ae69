"""A folder of chapters: sources, translations and a glossary, as people put them there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from equipoise.errors import Blocked, InputError
from equipoise.records.codec import identity_of
from equipoise.records.term_files import ChunkLine
from equipoise.studies.translation.reading import Glossary

LAYOUT = "source/NAME.txt and target/NAME.txt (or chunks.jsonl), and glossary.jsonl"
_NUMBER = re.compile(r"\d{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What was found in a folder.

    Attributes:
        folder: its name.
        chunks: chapters with source and translation, in order.
        glossary: its glossary; None where there is none.
        numbered_by: where the numbers of the chapters come from.
        without_target, without_source: names that stand on one side alone.
        empty: names whose text is empty on one side.
        ignored: files that belong to nothing.
        sha256: hash over all that was read.
    """

    folder: str
    chunks: tuple[ChunkLine, ...]
    glossary: Glossary | None
    numbered_by: Literal["names", "order", "chunks"]
    without_target: tuple[str, ...] = ()
    without_source: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    sha256: str = ""


def corpus_of(
    folder: str,
    sources: Mapping[str, str],
    targets: Mapping[str, str],
    *,
    glossary: Glossary | None = None,
    ignored: tuple[str, ...] = (),
) -> Corpus:
    """Puts sources and translations of one name together.

    Args:
        folder: what to call it.
        sources: name of a chapter -> its source.
        targets: name of a chapter -> its translation.
        glossary: the glossary, where there is one.
        ignored: files that belong to nothing.

    Raises:
        Blocked: no name has both, each with some text.
    """
    names = sorted(sources.keys() & targets.keys(), key=_natural)
    empty = [name for name in names if not (sources[name].strip() and targets[name].strip())]
    both = [name for name in names if name not in empty]
    if not both:
        raise no_corpus(
            folder,
            f"{len(sources)} sources, {len(targets)} translations, "
            f"{len(both)} chapters with text in both",
        )
    numbers = {name: _NUMBER.search(name) for name in both}
    has_numbers = all(numbers.values())
    chunks = [
        ChunkLine(
            id=name,
            chapter=int(found.group()) if has_numbers and found else place,
            source=sources[name],
            translation=targets[name],
        )
        for place, (name, found) in enumerate(numbers.items(), start=1)
    ]
    return Corpus(
        folder=folder,
        chunks=tuple(sorted(chunks, key=lambda one: one.chapter)),
        glossary=glossary,
        numbered_by="names" if has_numbers else "order",
        without_target=tuple(sorted(sources.keys() - targets.keys(), key=_natural)),
        without_source=tuple(sorted(targets.keys() - sources.keys(), key=_natural)),
        empty=tuple(empty),
        ignored=ignored,
        sha256=_identity([(name, sources[name], targets[name]) for name in both], glossary),
    )


def corpus_of_chunks(
    folder: str,
    chunks: tuple[ChunkLine, ...],
    *,
    glossary: Glossary | None = None,
    ignored: tuple[str, ...] = (),
) -> Corpus:
    """Takes chunks as they are used for `terms consistency`.

    Raises:
        Blocked: none has a translation.
    """
    empty = [one.id for one in chunks if not (one.source.strip() and one.translation.strip())]
    both = [one for one in chunks if one.id not in set(empty)]
    if not both:
        raise no_corpus(folder, f"{len(chunks)} chunks, none with a translation")
    return Corpus(
        folder=folder,
        chunks=tuple(both),
        glossary=glossary,
        numbered_by="chunks",
        empty=tuple(empty),
        ignored=ignored,
        sha256=_identity([(one.id, one.source, one.translation) for one in both], glossary),
    )


def no_corpus(folder: str, found: str) -> Blocked:
    """Gives the error that says that there is nothing to measure yet."""
    return Blocked(
        f"no corpus in {folder}: {found}; wanted: {LAYOUT}; mend: put the files there and run the "
        "same command again"
    )


def refuse_two(folder: str) -> InputError:
    """Gives the error for a folder that holds chapters in two ways."""
    return InputError(
        "the folder has chapters twice",
        wanted="either chunks.jsonl, or the folders source and target",
        where=folder,
    )


def _identity(texts: list[tuple[str, str, str]], glossary: Glossary | None) -> str:
    return identity_of(texts, glossary.sha256 if glossary else "")


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """Sorts 2 before 10."""
    parts = re.split(r"(\d{1,9})", name)
    return tuple((int(part), "") if at % 2 else (0, part) for at, part in enumerate(parts))
