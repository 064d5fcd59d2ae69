"""Reads the folder of chapters that ``terms slice`` measures."""

from pathlib import Path

from equipoise.cli.terms_given import given
from equipoise.cli.terms_texts import read_text
from equipoise.errors import InputError
from equipoise.studies.translation.corpora import (
    Corpus,
    corpus_of,
    corpus_of_chunks,
    no_corpus,
    refuse_two,
)
from equipoise.studies.translation.reading import read_chunks, read_glossary

_CHUNKS, _GLOSSARY = "chunks.jsonl", "glossary.jsonl"


def read_folder(folder: Path) -> Corpus:
    """Gives what stands in the folder.

    Raises:
        Blocked: there is nothing to measure yet.
        InputError: a file cannot be read, or the folder is none.
    """
    name = str(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is no folder", wanted="a folder with chapters")
    entries = _entries(folder)
    if not entries:
        raise no_corpus(name, "the folder is empty" if folder.exists() else "it is not there")
    sides = {side: _entries(folder / side) for side in ("source", "target")}
    texts = {side: [path for path in paths if _is_text(path)] for side, paths in sides.items()}
    known = {"source", "target", _CHUNKS, _GLOSSARY}
    ignored = [path for path in entries if path.name not in known]
    ignored += [path for paths in sides.values() for path in paths if not _is_text(path)]
    left = tuple(path.relative_to(folder).as_posix() for path in ignored)
    chunks = folder / _CHUNKS
    if chunks.is_file() and any(texts.values()):
        raise refuse_two(name)
    if not chunks.is_file() and not all(texts.values()):
        counts = f"{len(texts['source'])} sources, {len(texts['target'])} translations"
        raise no_corpus(name, counts)
    glossary = folder / _GLOSSARY
    read = read_glossary(given(glossary)) if glossary.is_file() else None
    if chunks.is_file():
        lines = read_chunks(given(chunks)).chunks
        return corpus_of_chunks(name, lines, glossary=read, ignored=left)
    both = {side: {path.stem: read_text(path) for path in paths} for side, paths in texts.items()}
    return corpus_of(name, both["source"], both["target"], glossary=read, ignored=left)


def _entries(folder: Path) -> list[Path]:
    try:
        found = sorted(folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        raise InputError(
            f"cannot read {folder}: {error.strerror}", wanted="a readable folder"
        ) from error
    return [path for path in found if not path.name.startswith(".")]


def _is_text(path: Path) -> bool:
    return path.suffix == ".txt" and path.is_file()
