"""What a foreign source is: its bytes, and the run id that follows from them alone."""

import hashlib
import re
from pathlib import Path
from typing import Any

from equipoise.archive.manifest import Source
from equipoise.errors import InputError, UnreadableSource
from equipoise.records.codec import digest, encode

_STEM = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_STEM = 60


def describe(path: Path, format_name: str, mapping: dict[str, Any]) -> Source:
    """Gives the source's name, size and hash; of a folder those of all files in it, in order.

    Raises:
        UnreadableSource: there is nothing at the path, or it cannot be read.
        InputError: the mapping holds something that is no JSON.
    """
    try:
        files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
        hashes = [_hash_file(file) for file in files]
        sizes = [file.stat().st_size for file in files]
    except OSError as error:
        raise UnreadableSource(
            f"{path} cannot be read: {error.strerror}", wanted="a readable file or folder"
        ) from error
    if not files:
        raise UnreadableSource(
            f"{path} holds no file" if path.is_dir() else f"{path} does not exist",
            wanted="a file or folder with runs",
            mend="check the path",
        )
    names = [file.relative_to(path).as_posix() for file in files] if path.is_dir() else []
    sha256 = hashes[0] if path.is_file() else digest(_encoded([names, hashes]))
    return Source(
        name=path.resolve().name,
        format=format_name,
        sha256=sha256,
        n_bytes=sum(sizes),
        n_files=len(files),
        mapping=mapping,
    )


def run_id(source: Source) -> str:
    """Gives ``<stem>-<12 hex>``: what was read and how, without clock or chance.

    Two imports at the same moment get the same id only where they read the same in the same way.
    """
    content = digest(_encoded([source.sha256, source.format, source.mapping]))
    stem = _STEM.sub("-", source.name.split(".")[0]).strip("-.")[:_MAX_STEM]
    return f"{stem or 'runs'}-{content[:12]}"


def _encoded(parts: list[Any]) -> bytes:
    try:
        return encode(parts)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"the mapping or a file name cannot be kept: {error}", wanted="plain text and numbers"
        ) from error


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
