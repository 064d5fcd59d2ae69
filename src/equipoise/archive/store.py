"""One archive: a folder of chained lines and blobs, written by one process, read by any."""

import os
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from equipoise.archive.blobs import Blobs
from equipoise.archive.chain import ChainWriter, read_bodies
from equipoise.archive.columns import Columns, build_columns, drop_columns, load_columns
from equipoise.archive.durable import remove_parts, replace_file, storage_errors, sync_folder
from equipoise.archive.lock import Lock
from equipoise.archive.manifest import (
    BLOBS,
    CHAINS,
    COLUMNS,
    FORMAT,
    HEAD,
    MANIFEST,
    ChainHead,
    Document,
    Head,
    Manifest,
    chains_of,
    genesis,
    head_of,
)
from equipoise.archive.salvage import committed, recover
from equipoise.errors import ArchiveError, InputError, Tampered
from equipoise.records.codec import decode, digest, encode, pretty

T = TypeVar("T")

BATCH_BYTES = 1 << 20
_FILE_OF = {kind: name for name, kind in CHAINS.items()}


class Archive:
    """An open archive. Make one with `create`, `open` or `append_to`; close it when done.

    Records appended are durable, and part of the head, after `commit` (or `close`). A process that
    dies in between loses at most what was not yet durable; the next `append_to` takes up what was.
    """

    def __init__(
        self,
        path: Path,
        manifest: Manifest,
        head: Head,
        lock: Lock | None,
        *,
        is_durable: bool = True,
    ) -> None:
        """Is called by the class methods."""
        self.path = path
        self.manifest = manifest
        self.blobs = Blobs(path / BLOBS, is_durable=is_durable)
        self._is_durable = is_durable
        self.salvaged: tuple[str, ...] = ()
        self._head = head
        self._lock = lock
        self._writers: dict[str, ChainWriter] = {}
        self._n_pending = 0

    @classmethod
    def create(cls, path: Path, manifest: Manifest, *, is_durable: bool = True) -> Self:
        """Makes a new, empty archive and opens it for appending.

        With `is_durable` false nothing waits for the disk; who gives the archive its final name
        has to.

        Raises:
            InputError: something stands at the path already; nothing is ever overwritten.
        """
        with storage_errors(f"making {path}"):
            try:
                path.mkdir(parents=True)
            except FileExistsError:
                if any(path.iterdir()) if path.is_dir() else True:
                    raise InputError(
                        f"{path} exists already",
                        wanted="a new place; an archive is never overwritten",
                        mend="choose another folder with -o, or move the old one away",
                        code="exists",
                    ) from None
        lock = Lock(path)
        names = chains_of(manifest.kind)
        starts = {name: ChainHead(n_lines=0, n_bytes=0, last="") for name in names}
        archive = cls(path, manifest, head_of("", starts), lock, is_durable=is_durable)
        archive._begin(
            {name: ChainHead(n_lines=0, n_bytes=0, last=genesis(manifest, name)) for name in names}
        )
        archive.declare(manifest)
        return archive

    @classmethod
    def open(cls, path: Path) -> Self:
        """Opens an archive for reading. Takes no lock: a reader never disturbs a writer.

        Raises:
            InputError: there is no archive.
            Tampered: `archive.json` or the length of a file does not agree with `head.json`.
        """
        manifest = _read_manifest(path)
        head = _read_head(path, manifest.kind)
        found = head_of(digest(pretty(manifest)), head.files)
        if found.archive != head.archive or found.head != head.head:
            raise Tampered(
                f"{path / HEAD} does not follow from archive.json; "
                "mend: take the archive from a copy; `equipoise verify` names every fault"
            )
        for name, end in head.files.items():
            size = path.joinpath(name).stat().st_size if path.joinpath(name).exists() else 0
            if size < end.n_bytes:
                raise Tampered(
                    f"{path / name} has {size} bytes and had {end.n_bytes} when it was closed; "
                    "mend: take the archive from a copy"
                )
        return cls(path, manifest, head, None)

    @classmethod
    def append_to(cls, path: Path) -> Self:
        """Opens an archive for appending: takes the lock, sets torn tails aside, goes on.

        `salvaged` then says what was set aside or taken up after a process had died.

        Raises:
            ArchiveLocked: another process writes to it.
            Tampered: a line in the middle does not follow from the one before.
        """
        manifest = _read_manifest(path)
        lock = Lock(path)
        try:
            head = _read_head(path, manifest.kind)
            remove_parts(path, path / BLOBS)
            starts, salvaged = recover(path, manifest, head)
            archive = cls(path, manifest, head, lock)
            archive.salvaged = tuple(salvaged)
            archive._begin(starts)
            if salvaged:
                archive.commit()
        except BaseException:
            lock.release()
            raise
        return archive

    @property
    def head(self) -> str:
        """The hash that stands for everything the archive holds, as of the last commit."""
        return self._head.head

    def append(self, record: object) -> None:
        """Adds one record (Trial, Grade, Notice, Headline, Document) to its file.

        Raises:
            InputError: the record cannot be written as UTF-8 JSON, or is too long.
            StorageFull: the disk took no more; see `ChainWriter.sync`.
        """
        try:
            body = encode(record)
        except UnicodeEncodeError as error:
            raise InputError(
                f"text that is no Unicode: {error.reason}", wanted="UTF-8", code="bad_text"
            ) from error
        writer = self._writers[_FILE_OF[type(record)]]
        before = writer.n_pending_bytes
        writer.append(body)
        self._n_pending += writer.n_pending_bytes - before
        if self._n_pending >= BATCH_BYTES:
            self.sync()

    def attach(self, name: str, chunks: Iterable[bytes]) -> Document:
        """Stores a document's content as a blob and adds its line."""
        document = self.blobs.put(chunks, name=name)
        self.append(document)
        return document

    def attach_later(self, name: str, content: bytes) -> Document:
        """Stores a document with the next `sync`: for many small ones, which then cost little."""
        document = self.blobs.put_later(content, name=name)
        self.append(document)
        return document

    def sync(self) -> None:
        """Makes what was appended durable, in an order in which no record precedes its object."""
        self.blobs.settle()
        for writer in self._writers.values():
            writer.sync()
        self._n_pending = 0

    def commit(self) -> str:
        """Makes everything durable, writes the head, and gives its hash.

        Columns of another head go, so that a cache that does not fit is never an honest sight.
        """
        self.sync()
        files = {name: writer.head for name, writer in self._writers.items()}
        before, self._head = self._head, head_of(digest(pretty(self.manifest)), files)
        if before.head != self.head:
            drop_columns(self.path / COLUMNS)
        replace_file(self.path / HEAD, pretty(self._head))
        return self.head

    def declare(self, manifest: Manifest) -> None:
        """Replaces `archive.json`; the run id and kind stay as they were."""
        assert (manifest.run_id, manifest.kind) == (self.manifest.run_id, self.manifest.kind)
        self.manifest = manifest
        replace_file(self.path / MANIFEST, pretty(manifest))
        self.commit()

    def close(self) -> None:
        """Commits what is pending and gives the lock back."""
        if self._lock is None:
            return
        try:
            self.commit()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Gives the lock back without writing what is pending."""
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def read(self, kind: type[T]) -> Iterator[T]:
        """Yields the committed records of a kind in order, each line verified as it passes.

        Raises:
            Tampered: a line does not follow from the one before it.
        """
        name = _FILE_OF[kind]
        if name not in self._head.files:
            return
        path = str(self.path / name)
        for number, body in enumerate(self._bodies(name), start=1):
            yield decode(body, kind, where=f"{path}:{number}")

    def n_lines(self, kind: type[object]) -> int:
        """Gives how many records of a kind are committed."""
        end = self._head.files.get(_FILE_OF[kind])
        return end.n_lines if end else 0

    def columns(self) -> Columns:
        """Gives the columns of this head; derives them again where the cache is not exactly that.

        Where the folder cannot be written to, they are derived into a temporary folder.
        """
        folder = self.path / COLUMNS
        cached = load_columns(folder, self.head)
        if cached is not None:
            return cached
        if not os.access(self.path, os.W_OK):
            folder = Path(tempfile.mkdtemp(prefix="equipoise-"))
        return self.derive_columns(folder)

    def derive_columns(self, folder: Path) -> Columns:
        """Derives the columns anew into a folder, from lines that are verified on the way.

        A writer trusts the lines that it has just written itself.

        Raises:
            Tampered: the lines are not those that the head names.
        """
        if not self._writers:
            for name in self._head.files:
                deque(self._bodies(name), maxlen=0)
        with storage_errors("deriving the columns"), committed(self.path, self._head) as chains:
            return build_columns(chains, folder, self.head)

    def _bodies(self, name: str) -> Iterator[bytes]:
        return read_bodies(self.path / name, genesis(self.manifest, name), self._head.files[name])

    def _begin(self, starts: dict[str, ChainHead]) -> None:
        with storage_errors(f"opening {self.path}"):
            self._writers = {
                name: ChainWriter(self.path / name, starts[name], is_durable=self._is_durable)
                for name in starts
            }
            sync_folder(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close() if error is None else self.abandon()


def _read_manifest(path: Path) -> Manifest:
    try:
        content = path.joinpath(MANIFEST).read_bytes()
    except OSError as error:
        raise InputError(
            f"{path} is no archive: {error.strerror} for {MANIFEST}",
            wanted="a folder made by `equipoise import`",
            code="no_archive",
        ) from error
    manifest = decode(content, Manifest, where=str(path / MANIFEST))
    if manifest.format > FORMAT:
        raise ArchiveError(
            f"{path} has format {manifest.format}, this version reads up to {FORMAT}; "
            f"mend: use equipoise {manifest.tool_version} or later"
        )
    if content != pretty(manifest):
        raise Tampered(f"{path / MANIFEST} is not as it was written; mend: take it from a copy")
    return manifest


def _read_head(path: Path, kind: str) -> Head:
    try:
        head = decode(path.joinpath(HEAD).read_bytes(), Head, where=str(path / HEAD))
    except OSError as error:
        raise Tampered(
            f"{path / HEAD} cannot be read: {error.strerror}; mend: take it from a copy, or import "
            "the source again"
        ) from error
    if set(head.files) != set(chains_of(kind)):
        raise Tampered(f"{path / HEAD} does not name the files of an archive")
    return head
