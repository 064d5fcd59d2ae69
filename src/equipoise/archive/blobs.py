"""Content kept under its own hash: compressed, whole or not at all, checked on reading."""

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import zstandard

from equipoise.archive.durable import storage_errors, sync_folder
from equipoise.archive.manifest import Document
from equipoise.errors import InputError, Tampered

CHUNK = 1 << 20
MAX_CONTENT = 4 * 2**30
"""Largest content in bytes that is read back; a stored file that claims more is a bomb."""

_LEVEL = 3
_NAME = re.compile(r"[0-9a-f]{64}")


class Blobs:
    """The blobs of one archive."""

    def __init__(self, root: Path, *, is_durable: bool = True) -> None:
        """Looks at the folder `root`; it is made when the first blob is put.

        With `is_durable` false, `put` does not wait for the disk.
        """
        self.root = root
        self._is_durable = is_durable

    def put(self, chunks: Iterable[bytes], *, name: str) -> Document:
        """Stores the content and gives its document; the same content is stored once.

        The content streams: memory is bounded whatever its size.

        Raises:
            StorageFull: the disk took no more; nothing was stored.
        """
        with storage_errors(f"storing {name}"):
            self.root.mkdir(exist_ok=True)
            handle, part = tempfile.mkstemp(prefix=".", suffix=".part", dir=self.root)
            try:
                sha256, n_bytes, stored = _compress(handle, chunks, is_durable=self._is_durable)
                final = self._place(sha256)
                if final.exists():
                    stored = _hash_file(final)
                    Path(part).unlink()
                else:
                    final.parent.mkdir(exist_ok=True)
                    Path(part).replace(final)
                    if self._is_durable:
                        sync_folder(final.parent)
            except BaseException:
                with suppress(OSError):
                    Path(part).unlink(missing_ok=True)
                raise
        return Document(name=name, sha256=sha256, n_bytes=n_bytes, stored_sha256=stored)

    def chunks(self, sha256: str, *, limit: int = MAX_CONTENT) -> Iterator[bytes]:
        """Yields the content in chunks and checks its hash at the end.

        Args:
            sha256: name of the content, 64 hexadecimal digits.
            limit: most bytes of content that are given out.

        Raises:
            InputError: the name is no hash (and so could lead out of the archive).
            Tampered: the blob is missing, broken, larger than `limit`, or has other content.
        """
        place = self._place(sha256)
        seen, n_bytes = hashlib.sha256(), 0
        try:
            with place.open("rb") as file:
                reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
                    file, read_across_frames=False
                )
                while chunk := reader.read(CHUNK):
                    n_bytes += len(chunk)
                    if n_bytes > limit:
                        raise Tampered(f"blob {sha256[:16]}… holds more than {limit} bytes")
                    seen.update(chunk)
                    yield chunk
        except FileNotFoundError:
            raise Tampered(f"blob {sha256[:16]}… is missing at {place}") from None
        except zstandard.ZstdError as error:
            raise Tampered(f"blob {sha256[:16]}… cannot be decompressed: {error}") from error
        if seen.hexdigest() != sha256:
            raise Tampered(f"blob {sha256[:16]}… has other content: {seen.hexdigest()[:16]}…")

    def stored_sha256(self, sha256: str) -> str:
        """Gives the hash of the compressed file.

        Raises:
            Tampered: the blob is missing.
        """
        place = self._place(sha256)
        if not place.exists():
            raise Tampered(f"blob {sha256[:16]}… is missing at {place}")
        return _hash_file(place)

    def _place(self, sha256: str) -> Path:
        if not _NAME.fullmatch(sha256):
            raise InputError(
                f"{sha256[:80]!r} names no blob", wanted="64 hexadecimal digits", code="bad_blob"
            )
        return self.root / sha256[:2] / f"{sha256}.zst"


def _compress(handle: int, chunks: Iterable[bytes], *, is_durable: bool) -> tuple[str, int, str]:
    content, stored, n_bytes = hashlib.sha256(), hashlib.sha256(), 0
    packer = zstandard.ZstdCompressor(level=_LEVEL).compressobj()
    with os.fdopen(handle, "wb") as file:
        for chunk in chunks:
            content.update(chunk)
            n_bytes += len(chunk)
            packed = packer.compress(chunk)
            stored.update(packed)
            file.write(packed)
        packed = packer.flush()
        stored.update(packed)
        file.write(packed)
        file.flush()
        if is_durable:
            os.fsync(file.fileno())
        os.fchmod(file.fileno(), 0o644)
    return content.hexdigest(), n_bytes, stored.hexdigest()


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
