"""Opens what a harness left, without following it anywhere else, and decodes it line by line."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

MAX_LINE = 16 * 2**20
"""Bytes of the longest line that is read; a longer one is counted as bad."""

MAX_DOCUMENT = 64 * 2**20
"""Bytes of the longest document that is read in one piece, and of what is kept of a file."""


class Astray(Exception):
    """What stands there is no plain file of the cell: a link, a device, something outside."""


@dataclass(slots=True)
class Events:
    """The JSON objects of a file of lines; what is none is counted, never fatal."""

    n_lines: int = 0
    n_bad: int = 0
    first_bad: int = field(default=0)

    def of(self, file: BinaryIO) -> Iterator[dict[str, Any]]:
        """Yields the objects, in memory for one line."""
        while line := file.readline(MAX_LINE + 1):
            self.n_lines += 1
            if len(line) > MAX_LINE:
                self._bad()
                while (rest := file.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                    pass
                continue
            if line.isspace():
                continue
            try:
                value = msgspec.json.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                value = None
            if isinstance(value, dict):
                yield value
            else:
                self._bad()

    def _bad(self) -> None:
        self.n_bad += 1
        self.first_bad = self.first_bad or self.n_lines


def opened(path: Path, within: Path) -> BinaryIO:
    """Opens a plain file that lies in `within`; no link on the way is followed.

    Raises:
        Astray: it is a link, no plain file, has another name elsewhere, or one of its folders is
            a link.
        OSError: it is not there or cannot be read.
    """
    parts = path.relative_to(within).parts
    if ".." in parts:
        raise Astray(f"{path.name} leads out of its folder")
    folder = os.open(within, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = _step(part, folder, is_last=False)
            os.close(folder)
            folder = inner
        return os.fdopen(_step(parts[-1], folder, is_last=True), "rb")
    finally:
        os.close(folder)


def _step(part: str, folder: int, *, is_last: bool) -> int:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    found = os.lstat(part, dir_fd=folder)
    if stat.S_ISLNK(found.st_mode):
        raise Astray(f"{part} is a link")
    if is_last and not stat.S_ISREG(found.st_mode):
        raise Astray(f"{part} is no plain file")
    if is_last and found.st_nlink > 1:
        raise Astray(f"{part} has a second name elsewhere")
    return os.open(part, flags | (0 if is_last else os.O_DIRECTORY), dir_fd=folder)


def found_in(folder: Path, suffixes: tuple[str, ...], most: int = 1000) -> list[Path]:
    """Gives the names in a folder and below that end in one of the suffixes, links not followed.

    A link itself is given where its name ends so: `opened` then says what it is.
    """
    found: list[Path] = []
    for root, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        found += [Path(root, name) for name in sorted(names) if name.endswith(suffixes)]
        found += [Path(root, name) for name in folders if name.endswith(suffixes)]
        if len(found) >= most:
            return found[:most]
    return found


def read_whole(path: Path, within: Path, most: int = MAX_DOCUMENT) -> tuple[bytes, int]:
    """Gives the first `most` bytes of a plain file, and how many bytes were left out.

    Raises:
        Astray: as `opened`.
        OSError: as `opened`.
    """
    with opened(path, within) as file:
        size = os.fstat(file.fileno()).st_size
        return file.read(most), max(0, size - most)
