"""Opens a foreign file as a stream of bytes, unpacked where it is gzip, with bounds on lines."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from equipoise.adapters.logs.noticing import Noticer
from equipoise.errors import UnreadableSource

MAX_LINE = 128 * 1024 * 1024
"""Bytes of the longest line that is read; a longer one is lost, and said to be."""

MAX_RATIO = 500
"""How far a gzip file may unpack, beyond the first `FREE_BYTES`, before it counts as a bomb."""

FREE_BYTES = 1 << 28
_CHUNK = 1 << 16
_GZIP_MAGIC = b"\x1f\x8b"
_DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, OSError)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Gives the bytes of the file, unpacked where it is gzip (told by its first bytes).

    Raises:
        UnreadableSource: the file is missing, a folder, or may not be read.
    """
    try:
        raw = path.open("rb")
    except OSError as error:
        raise UnreadableSource(
            f"{path.name} cannot be opened ({error.strerror})",
            wanted="a readable file",
            code="unreadable",
        ) from error
    with raw:
        is_gzip = raw.read(2) == _GZIP_MAGIC
        raw.seek(0)
        if is_gzip:
            with gzip.open(raw) as unpacked:
                yield cast("BinaryIO", unpacked)
        else:
            yield raw


def head_of(path: Path, n_bytes: int) -> bytes:
    """Gives the first bytes of the file, unpacked where it is gzip.

    Raises:
        UnreadableSource: the file cannot be opened or unpacked.
    """
    with opened(path) as stream:
        try:
            return stream.read(n_bytes)
        except _DAMAGE as error:
            raise UnreadableSource(
                f"{path.name} cannot be unpacked ({error})",
                wanted="a whole file",
                code="unreadable",
            ) from error


def chunks(path: Path, noticer: Noticer, *, size: int = _CHUNK) -> Iterator[bytes]:
    """Yields the bytes of the file in pieces; a damaged or bomb-like end is told and left out."""
    n_packed = path.stat().st_size if path.is_file() else 0
    n_read = 0
    with opened(path) as stream:
        while True:
            try:
                piece = stream.read(size)
            except _DAMAGE as error:
                noticer.lost(
                    "damaged_end", f"the file is damaged from here on ({error})", f"{path.name}"
                )
                return
            if not piece:
                return
            n_read += len(piece)
            if n_read > FREE_BYTES + MAX_RATIO * n_packed:
                noticer.lost(
                    "unpacks_too_far",
                    f"unpacks to more than {MAX_RATIO} times its size; reading stopped",
                    path.name,
                )
                return
            yield piece


def lines(path: Path, noticer: Noticer, *, keep_blank: bool = False) -> Iterator[tuple[int, bytes]]:
    """Yields (line number from 1, bytes without line end) of each line that is not blank.

    With `keep_blank` blank lines come too. A byte order mark is taken off. A line beyond
    `MAX_LINE` is passed over in bounded memory and told as lost.
    """
    number = 0
    held: list[bytes] = []
    n_held = 0
    for piece in chunks(path, noticer):
        *whole, rest = piece.split(b"\n")
        for part in whole:
            number += 1
            n_held += len(part)
            if n_held > MAX_LINE:
                _too_long(noticer, path, number)
            else:
                held.append(part)
                line = b"".join(held) if len(held) > 1 else held[0]
                yield from _clean(number, line, keep_blank=keep_blank)
            held, n_held = [], 0
        n_held += len(rest)
        if n_held <= MAX_LINE:
            held.append(rest)
        else:
            held = []
    if n_held > MAX_LINE:
        _too_long(noticer, path, number + 1)
    elif held:
        yield from _clean(number + 1, b"".join(held), keep_blank=False)


def _clean(number: int, line: bytes, *, keep_blank: bool) -> Iterator[tuple[int, bytes]]:
    if number == 1:
        line = line.removeprefix(b"\xef\xbb\xbf")
    line = line.rstrip(b"\r")
    if keep_blank or (line and not line.isspace()):
        yield number, line


def _too_long(noticer: Noticer, path: Path, number: int) -> None:
    noticer.lost(
        "line_too_long",
        f"the line is longer than {MAX_LINE // (1 << 20)} MiB and was not read",
        f"{path.name}:{number}",
    )
