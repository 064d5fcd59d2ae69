"""Reads the texts that the actions of ``terms`` are given: files, or stdin as ``-``."""

import codecs
import sys
from pathlib import Path

from equipoise.errors import InputError

_MOST_BYTES = 256 * 2**20


def read_text(path: Path) -> str:
    """Gives the text of a file in UTF-8, without a byte order mark; ``-`` is stdin.

    Raises:
        InputError: it cannot be read, is too large, or holds a byte that is no UTF-8, with the
            line and the byte of it.
    """
    data = read_bytes(path)
    body = data.removeprefix(codecs.BOM_UTF8)
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        at = len(data) - len(body) + error.start
        line = data.count(b"\n", 0, at) + 1
        column = at - (data.rfind(b"\n", 0, at) + 1) + 1
        raise InputError(
            f"the byte 0x{data[at]:02x} at byte {column:,} of the line is no UTF-8",
            wanted="text in UTF-8",
            mend="convert it, for instance: iconv -f GB18030 -t UTF-8 FILE",
            where=f"{path}:{line}",
            code="bad_utf8",
        ) from error


def read_bytes(path: Path) -> bytes:
    """Gives the bytes of a file; ``-`` is stdin.

    Raises:
        InputError: it cannot be read, or has more than 256 MB.
    """
    try:
        if str(path) == "-":
            data = sys.stdin.buffer.read(_MOST_BYTES + 1)
        else:
            with path.open("rb") as file:
                data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise InputError(
            f"cannot read {path}: {error.strerror}", wanted="a readable file"
        ) from error
    if len(data) > _MOST_BYTES:
        raise InputError(
            f"{path} has more than 256 MB", wanted="a text", mend="split it into chapters"
        )
    return data


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file.

    Raises:
        InputError: it cannot be written.
    """
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(
            f"cannot write {path}: {error.strerror}", wanted="a place for a file"
        ) from error
