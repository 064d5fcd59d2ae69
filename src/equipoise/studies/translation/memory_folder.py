"""Keeps an evaluation of terminology memory: its record, its page, each full output by its hash."""

from collections.abc import Mapping
from pathlib import Path

from equipoise.archive.durable import replace_file
from equipoise.errors import InputError
from equipoise.records.codec import pretty
from equipoise.records.term_memory import Memory
from equipoise.studies.translation.memory_page import page

RECORD = "memory.json"
PAGE = "memory.md"
OUTPUTS = "outputs"


def write_memory(folder: Path, found: Memory, outputs: Mapping[str, str]) -> None:
    """Writes the folder; outputs that lie there already stay.

    Raises:
        InputError: the folder cannot be made or written.
    """
    try:
        (folder / OUTPUTS).mkdir(parents=True, exist_ok=True)
        for sha256, text in outputs.items():
            replace_file(folder / OUTPUTS / f"{sha256}.txt", text.encode())
        replace_file(folder / RECORD, pretty(found))
        replace_file(folder / PAGE, page(found).encode())
    except OSError as error:
        raise InputError(
            f"cannot write {folder}: {error.strerror}", wanted="a folder that can be written"
        ) from error
