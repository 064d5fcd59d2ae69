"""Reads members of foreign zip files in memory: zstd too, bombs refused, nothing is extracted."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import zstandard

from equipoise.adapters.logs.noticing import Noticer
from equipoise.errors import UnreadableSource

MAX_MEMBERS = 1_000_000
MAX_MEMBER_BYTES = 512 * 1024 * 1024
MAX_RATIO = 1000
"""A member that unpacks to more than this many times its size, and beyond 16 MiB, is a bomb."""

_FREE_BYTES = 16 * 1024 * 1024
_CHUNK = 1 << 16
_STORED, _DEFLATED, _ZSTD = 0, 8, 93
_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_LOCAL_MAGIC = b"PK\x03\x04"
_ENCRYPTED = 0x1
_SIZES_FOLLOW = 0x8


class BadMember(ValueError):
    """A member cannot be read; the message says why in one clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """Where a member's bytes stand in the file."""

    name: str
    method: int
    start: int
    n_packed: int
    is_encrypted: bool


def members_of(path: Path, noticer: Noticer) -> dict[str, Member]:
    """Gives the members by name; of equal names the last one, as zip readers do.

    Where the list at the end is missing (the writer was killed), the members are found by walking
    from one to the next, and a notice says so. Names that lead out of the archive are refused.

    Raises:
        UnreadableSource: the file is no zip, or has too many members.
    """
    try:
        found = list(_listed(path))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error):
        try:
            found = list(_walked(path))
        except OSError as error:
            raise UnreadableSource(f"{path.name} cannot be opened", code="unreadable") from error
        if not found:
            raise UnreadableSource(
                f"{path.name} is no zip file", wanted="an .eval log", code="no_zip"
            ) from None
        noticer.lost(
            "zip_unfinished",
            "the file was not closed by its writer; what stands in it whole was read",
            path.name,
        )
    if len(found) > MAX_MEMBERS:
        raise UnreadableSource(
            f"{path.name} has {len(found)} members",
            wanted=f"at most {MAX_MEMBERS}",
            code="zip_bomb",
        )
    members: dict[str, Member] = {}
    for member in found:
        if _leads_out(member.name):
            noticer.refused("zip_path", "a member whose name leads out of the archive", path.name)
            continue
        if member.name in members:
            noticer.warn("zip_double", "a member stands twice; the last one counts", path.name)
        members[member.name] = member
    return members


def content_of(path: Path, member: Member, *, limit: int = MAX_MEMBER_BYTES) -> Iterator[bytes]:
    """Yields the unpacked bytes of a member in pieces.

    Raises:
        BadMember: it is encrypted, of an unknown method, damaged, or a bomb.
    """
    if member.is_encrypted:
        raise BadMember("it is encrypted")
    n_out = 0
    try:
        with path.open("rb") as file:
            file.seek(member.start)
            for piece in _unpacked(file, member):
                n_out += len(piece)
                if n_out > limit or n_out > max(_FREE_BYTES, MAX_RATIO * member.n_packed):
                    raise BadMember(f"it unpacks to more than {n_out} bytes")
                yield piece
    except (zlib.error, zstandard.ZstdError, OSError, EOFError) as error:
        raise BadMember(f"it is damaged ({error})") from error


def _listed(path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive, path.open("rb") as file:
        for info in archive.infolist():
            if info.is_dir():
                continue
            file.seek(info.header_offset)
            header = file.read(_LOCAL.size)
            if len(header) < _LOCAL.size or not header.startswith(_LOCAL_MAGIC):
                continue
            n_name, n_extra = _LOCAL.unpack(header)[-2:]
            yield Member(
                name=info.filename,
                method=info.compress_type,
                start=info.header_offset + _LOCAL.size + n_name + n_extra,
                n_packed=info.compress_size,
                is_encrypted=bool(info.flag_bits & _ENCRYPTED),
            )


def _walked(path: Path) -> Iterator[Member]:
    """Walks from local header to local header; stops at the first that is not whole."""
    size = path.stat().st_size
    with path.open("rb") as file:
        at = 0
        while True:
            file.seek(at)
            header = file.read(_LOCAL.size)
            if len(header) < _LOCAL.size or not header.startswith(_LOCAL_MAGIC):
                return
            _, _, flags, method, _, _, _, n_packed, _, n_name, n_extra = _LOCAL.unpack(header)
            name = file.read(n_name).decode("utf-8", "replace")
            start = at + _LOCAL.size + n_name + n_extra
            if flags & _SIZES_FOLLOW or start + n_packed > size or n_packed == 0xFFFFFFFF:
                return
            yield Member(
                name=name,
                method=method,
                start=start,
                n_packed=n_packed,
                is_encrypted=bool(flags & _ENCRYPTED),
            )
            at = start + n_packed


def _unpacked(file: BinaryIO, member: Member) -> Iterator[bytes]:
    packed = _packed(file, member.n_packed)
    if member.method == _STORED:
        yield from packed
    elif member.method == _DEFLATED:
        yield from _inflated(packed)
    elif member.method == _ZSTD:
        unpack = zstandard.ZstdDecompressor().decompressobj()
        for piece in packed:
            # small inputs bound what one call can give: a bomb is met before it is whole
            for at in range(0, len(piece), _CHUNK // 64):
                yield unpack.decompress(piece[at : at + _CHUNK // 64])
                if unpack.eof:
                    return
        raise EOFError("the data ends too early")
    else:
        raise BadMember(f"compression method {member.method} is not known")


def _inflated(packed: Iterator[bytes]) -> Iterator[bytes]:
    unpack = zlib.decompressobj(-zlib.MAX_WBITS)
    for piece in packed:
        rest = piece
        while rest and not unpack.eof:
            yield unpack.decompress(rest, _CHUNK * 16)
            rest = unpack.unconsumed_tail
    yield unpack.flush(_CHUNK)
    if not unpack.eof:
        raise EOFError("the data ends too early")


def _packed(file: BinaryIO, n_packed: int) -> Iterator[bytes]:
    left = n_packed
    while left > 0:
        piece = file.read(min(_CHUNK, left))
        if not piece:
            raise EOFError("the data ends too early")
        left -= len(piece)
        yield piece


def _leads_out(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return (
        path.is_absolute()
        or ".." in path.parts
        or "\0" in name
        or ":" in name.split("/", maxsplit=1)[0]
    )
