"""Content kept under its own hash: compressed, whole or not at all, checked on reading."""

import hashlib
import os
import re
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

import zstandard

from equipoise.archive.durable import storage_errors, sync_file, sync_folder, write_all
from equipoise.archive.manifest import Document
from equipoise.errors import InputError, Tampered
from equipoise.records.codec import digest

CHUNK = 1 << 20
MAX_CONTENT = 4 * 2**30
"""Largest content in bytes that is read back; a stored file that claims more is a bomb."""

_LEVEL = 3
_NAME = re.compile(r"[0-9a-f]{64}")
_WRITERS = 8
_REMEMBERED = 4096


class _Waiting(NamedTuple):
    """Content written to a part file that has no name yet, where it goes, its stored hash."""

    part: str
    final: str
    stored_sha256: str


class Blobs:
    """The blobs of one archive."""

    def __init__(self, root: Path, *, is_durable: bool = True) -> None:
        """Looks at the folder `root`; it is made when the first blob is put.

        With `is_durable` false, `put` does not wait for the disk.
        """
        self.root = root
        self._is_durable = is_durable
        self._waiting: dict[str, _Waiting] = {}
        self._stored: dict[str, str] = {}
        self._folder = str(root)
        self._parts = f"{root}/.{os.getpid()}-{token_hex(8)}-"
        self._n_parts = 0

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

    def put_later(self, content: bytes, *, name: str) -> Document:
        """Takes content that is stored, together with all that waits, by the next `settle`.

        Until then no blob of that name is there; no line that cites it may be made durable.

        Raises:
            StorageFull: the disk took no more; what waits is dropped.
        """
        sha256 = digest(content)
        waiting = self._waiting.get(sha256)
        if waiting is None:
            final = self._path(sha256)
            stored = self._stored.get(sha256)
            if stored or os.path.exists(final):  # noqa: PTH110  a Path for each blob costs
                stored = stored or self.put([content], name=name).stored_sha256
                self._remember(sha256, stored)
                return Document(
                    name=name, sha256=sha256, n_bytes=len(content), stored_sha256=stored
                )
            with storage_errors(f"storing {name}"):
                try:
                    waiting = self._waiting[sha256] = self._written(content, final)
                except BaseException:
                    self.drop()
                    raise
        return Document(
            name=name, sha256=sha256, n_bytes=len(content), stored_sha256=waiting.stored_sha256
        )

    def settle(self) -> None:
        """Makes everything that waits durable, under its name: many at once cost little more.

        Raises:
            StorageFull: the disk took no more; what waits is dropped.
        """
        if not self._waiting:
            return
        with storage_errors(f"storing {len(self._waiting)} documents"):
            try:
                if self._is_durable:
                    with ThreadPoolExecutor(_WRITERS) as pool:
                        deque(pool.map(sync_file, (w.part for w in self._waiting.values())), 0)
                finals = [one.final for one in self._waiting.values()]
                folders = sorted({os.path.dirname(one) for one in finals})  # noqa: PTH120  as above
                for folder in folders:
                    Path(folder).mkdir(exist_ok=True)
                for one in self._waiting.values():
                    os.replace(one.part, one.final)  # noqa: PTH105  as above
                if self._is_durable:
                    for folder in (*folders, self._folder):
                        sync_folder(folder)
                for sha256, one in self._waiting.items():
                    self._remember(sha256, one.stored_sha256)
            except BaseException:
                self.drop()
                raise
        self._waiting.clear()

    def _remember(self, sha256: str, stored_sha256: str) -> None:
        """Keeps in mind what is stored, so that content that comes often costs nothing."""
        if len(self._stored) >= _REMEMBERED:
            self._stored.clear()
        self._stored[sha256] = stored_sha256

    def drop(self) -> None:
        """Forgets what waits."""
        for waiting in self._waiting.values():
            with suppress(OSError):
                os.unlink(waiting.part)  # noqa: PTH108  as above
        self._waiting.clear()

    def _written(self, content: bytes, final: str) -> "_Waiting":
        """Writes a part file; by plain system calls, since runs write one for every trial."""
        packed = zstandard.ZstdCompressor(level=_LEVEL).compress(content)
        self._n_parts += 1
        part = f"{self._parts}{self._n_parts}.part"
        if self._n_parts == 1:
            self.root.mkdir(exist_ok=True)
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            write_all(handle, packed)
            os.fchmod(handle, 0o644)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)  # noqa: PTH108  as above
            raise
        finally:
            os.close(handle)
        return _Waiting(part, final, digest(packed))

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
        return Path(self._path(sha256))

    def _path(self, sha256: str) -> str:
        return f"{self._folder}/{sha256[:2]}/{sha256}.zst"


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
