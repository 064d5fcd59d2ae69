"""Folders copied, hashed and made equal, as they are: links stay links, modes and times stay."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from equipoise.adapters.state.standing import remove_tree, sync
from equipoise.errors import InputError

_CHUNK = 1 << 20
_NEW = ".equipoise-new"
_KINDS = {stat.S_IFREG: "f", stat.S_IFDIR: "d", stat.S_IFLNK: "l", stat.S_IFIFO: "p"}


def digest(root: Path) -> str:
    """Gives the sha256 over names, kinds, modes and contents; times and owners do not count."""
    hasher = hashlib.sha256()
    for name, path in _entries(root):
        status = path.lstat()
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "?")
        mode = 0 if kind == "l" else stat.S_IMODE(status.st_mode)
        hasher.update(f"{kind}{mode:05o}{_held(path, kind)}".encode() + os.fsencode(name) + b"\0")
    return hasher.hexdigest()


def copy(source: Path, target: Path) -> None:
    """Copies a folder to a new place and makes the copy durable.

    Raises:
        InputError: the folder holds a socket or a device, which nobody can copy.
    """
    for name, path in _entries(source):
        kind = _KINDS.get(stat.S_IFMT(path.lstat().st_mode))
        if kind is None:
            raise InputError(
                f"{path} is a socket or a device",
                wanted="files, folders and links",
                mend="stop what made it, or move it out of the state",
                code="state_not_copyable",
            )
        _put(path, target / name if name else target, kind)
    _finish(source, target, durable=True)


def mirror(source: Path, target: Path) -> None:
    """Makes `target` equal to `source`; what was made equal before a kill stays so.

    Nothing is written through: a changed file is replaced by a new one, so that a hard link to it
    from elsewhere keeps what it has, and a link in the way is removed, never followed.
    """
    _clear_way(target, "d")
    wanted = dict(_entries(source))
    for name, path in wanted.items():
        kind = _KINDS[stat.S_IFMT(path.lstat().st_mode)]
        there = target / name if name else target
        if kind == "d":
            _clear_way(there, "d")
            there.mkdir(exist_ok=True)
            _let_write(there)
            _remove_others(there, path)
        elif not _is_equal(path, there, kind):
            _put(path, there, kind)
    _finish(source, target, durable=False)


def _entries(root: Path) -> Iterator[tuple[str, Path]]:
    """Yields the folder itself and all below it, parents before children, in order of names."""
    left = [""]
    while left:
        name = left.pop()
        path = root / name if name else root
        yield name, path
        if path.is_dir() and not path.is_symlink():
            inner = sorted(os.listdir(path), key=os.fsencode, reverse=True)  # noqa: PTH208 names only
            left += [f"{name}/{one}" if name else one for one in inner]


def _held(path: Path, kind: str) -> str:
    if kind == "f":
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    if kind == "l":
        return hashlib.sha256(os.fsencode(path.readlink())).hexdigest()
    return "-"


def _put(source: Path, target: Path, kind: str) -> None:
    """Puts one entry at a place; there it is whole or not at all."""
    if kind == "d":
        target.mkdir()
        target.chmod(0o700)
        return
    part = target.with_name(target.name[:200] + _NEW)
    remove_tree(part)
    if kind == "l":
        part.symlink_to(source.readlink())
    elif kind == "p":
        os.mkfifo(part)
    else:
        shutil.copyfile(source, part, follow_symlinks=False)
    _take_stat(source, part)
    _clear_way(target, kind)
    part.replace(target)


def _clear_way(path: Path, kind: str) -> None:
    """Removes what stands at a place and is of another kind."""
    if os.path.lexists(path) and _KINDS.get(stat.S_IFMT(path.lstat().st_mode)) != kind:
        remove_tree(path)


def _remove_others(target: Path, source: Path) -> None:
    wanted = set(os.listdir(source))  # noqa: PTH208 names only
    for name in os.listdir(target):  # noqa: PTH208 names only
        if name not in wanted:
            remove_tree(target / name)


def _is_equal(source: Path, target: Path, kind: str) -> bool:
    """Tells whether the content is equal; a mode or time that differs is mended at the end."""
    try:
        there = target.lstat()
    except OSError:
        return False
    if _KINDS.get(stat.S_IFMT(there.st_mode)) != kind:
        return False
    if kind == "l":
        return source.readlink() == target.readlink()
    if kind == "p":
        return True
    return source.lstat().st_size == there.st_size and _same_bytes(source, target)


def _same_bytes(source: Path, target: Path) -> bool:
    try:
        with source.open("rb") as one, target.open("rb") as other:
            while block := one.read(_CHUNK):
                if block != other.read(_CHUNK):
                    return False
    except PermissionError:
        return False
    return True


def _let_write(folder: Path) -> None:
    mode = stat.S_IMODE(folder.lstat().st_mode)
    if mode & 0o700 != 0o700:
        folder.chmod(mode | 0o700)


def _finish(source: Path, target: Path, *, durable: bool) -> None:
    """Gives all copies mode, time and owner of the originals, the innermost first."""
    for name, path in reversed(list(_entries(source))):
        there = target / name if name else target
        if durable and stat.S_ISREG(there.lstat().st_mode):
            sync(there)
        if durable and stat.S_ISDIR(there.lstat().st_mode):
            sync(there)
        if not _same_stat(path, there):
            _take_stat(path, there)


def _same_stat(source: Path, target: Path) -> bool:
    one, other = source.lstat(), target.lstat()
    return (one.st_mode, one.st_mtime_ns, one.st_uid, one.st_gid) == (
        other.st_mode,
        other.st_mtime_ns,
        other.st_uid,
        other.st_gid,
    )


def _take_stat(source: Path, target: Path) -> None:
    status = source.lstat()
    with suppress(PermissionError):
        os.chown(target, status.st_uid, status.st_gid, follow_symlinks=False)
    shutil.copystat(source, target, follow_symlinks=False)
