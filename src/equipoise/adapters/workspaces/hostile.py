"""Reads a folder that somebody else wrote: nothing is followed, executed or waited for."""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_CHUNK = 1 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFBLK: "a block device",
    stat.S_IFCHR: "a character device",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of a workspace is read; what is more is named, not kept.

    A path beyond `path_bytes` could not be made again below another folder: PATH_MAX is 4,096.
    """

    file_bytes: int = 16 * 2**20
    kept_bytes: int = 256 * 2**20
    hashed_bytes: int = 4 * 2**30
    n_entries: int = 100_000
    depth: int = 100
    path_bytes: int = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file or a link; `content` is null where it could not be read, and `why` says why.

    `sha256` is there for each file whose bytes were seen, kept or not. `others` counts the hard
    links of a file beside this name.
    """

    path: bytes
    mode: str
    content: bytes | None
    sha256: str = ""
    inode: tuple[int, int] = (0, 0)
    others: int = 0
    why: str = ""


@dataclass(slots=True)
class Walk:
    """One reading of a folder; `notes` say what stopped it from being whole."""

    root: Path
    limits: Limits = field(default_factory=Limits)
    notes: list[str] = field(default_factory=list)
    is_whole: bool = True
    _n_entries: int = 0
    _n_hashed: int = 0
    _is_over: bool = False

    def entries(self) -> Iterator[Entry]:
        """Yields what is no folder, in order of names; `.git` at any depth is left out."""
        try:
            top = os.open(self.root, _FOLDER)
        except OSError as error:
            self._stop(f"the workspace cannot be read: {error.strerror}")
            return
        yield from self._folder(top, b"", 0)

    def _stop(self, why: str) -> None:
        self.notes.append(why)
        self.is_whole = False

    def _folder(self, handle: int, path: bytes, depth: int) -> Iterator[Entry]:
        """Yields what is in an open folder, and closes it."""
        try:
            with os.scandir(handle) as found:
                names = self._names(found)
            for name in names:
                if self._is_over:
                    return
                where = path + b"/" + name if path else name
                if name.lower() == b".git":
                    if path:
                        self.notes.append(f"{shown(where)}: a repository inside the workspace")
                    continue
                yield from self._one(handle, name, where, depth)
        except OSError as error:
            self._stop(f"{shown(path)}: cannot be listed: {error.strerror}")
        finally:
            os.close(handle)

    def _names(self, found: Iterator[os.DirEntry[str]]) -> list[bytes]:
        names: list[bytes] = []
        for entry in found:
            self._n_entries += 1
            if self._n_entries > self.limits.n_entries:
                self._stop(f"more than {self.limits.n_entries} entries; the rest is unread")
                self._is_over = True
                return []
            names.append(os.fsencode(entry.name))
        return sorted(names)

    def _one(self, folder: int, name: bytes, path: bytes, depth: int) -> Iterator[Entry]:
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                if depth >= self.limits.depth:
                    self._stop(f"{shown(path)}: deeper than {depth} folders; unread")
                    return
                yield from self._folder(os.open(name, _FOLDER, dir_fd=folder), path, depth + 1)
            elif len(path) > self.limits.path_bytes:
                why = f"a path of {len(path)} bytes: too long to be kept"
                yield Entry(path=path, mode="", content=None, why=why)
            elif stat.S_ISLNK(status.st_mode):
                target = os.readlink(name, dir_fd=folder)
                yield Entry(path=path, mode="120000", content=target, sha256=_sha256(target))
            elif stat.S_ISREG(status.st_mode):
                yield self._file(folder, name, path)
            else:
                what = _KINDS.get(stat.S_IFMT(status.st_mode), "no file")
                yield Entry(path=path, mode="", content=None, why=what)
        except OSError as error:
            yield Entry(path=path, mode="", content=None, why=f"unreadable: {error.strerror}")

    def _file(self, folder: int, name: bytes, path: bytes) -> Entry:
        handle = os.open(name, _FILE, dir_fd=folder)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                return Entry(path=path, mode="", content=None, why="changed while it was read")
            mode = "100755" if status.st_mode & stat.S_IXUSR else "100644"
            sha256, content = self._read(handle, status.st_size)
            return Entry(
                path=path,
                mode=mode,
                content=content,
                sha256=sha256,
                inode=(status.st_dev, status.st_ino),
                others=status.st_nlink - 1,
                why="" if content is not None else f"{status.st_size} bytes: too large to be kept",
            )
        finally:
            os.close(handle)

    def _read(self, handle: int, size: int) -> tuple[str, bytes | None]:
        """Gives the hash and the content, each where the limits allow it."""
        if self._n_hashed + size > self.limits.hashed_bytes:
            return "", None
        self._n_hashed += size
        hasher = hashlib.sha256()
        kept: list[bytes] | None = [] if size <= self.limits.file_bytes else None
        left = size
        while left > 0 and (block := os.read(handle, min(_CHUNK, left))):
            left -= len(block)
            hasher.update(block)
            if kept is not None:
                kept.append(block)
        return hasher.hexdigest(), None if kept is None else b"".join(kept)


def read_inside(root: Path, path: str, limit: int) -> bytes | None:
    """Gives a small regular file below a folder, reached without any link; else null."""
    *folders, name = path.split("/")
    handle = -1
    try:
        handle = os.open(root, _FOLDER)
        for folder in folders:
            inner = os.open(folder, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = inner
        file = os.open(name, _FILE, dir_fd=handle)
        with os.fdopen(file, "rb") as opened:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
                return None
            return opened.read(limit)
    except OSError:
        return None
    finally:
        if handle >= 0:
            os.close(handle)


def shown(path: bytes) -> str:
    """Gives a path as text; what is no UTF-8, or would move a terminal, is escaped.

    Two paths never have one text.
    """
    text = path.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
