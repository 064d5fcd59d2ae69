"""Removes a tree of files, however deep, unreadable or in the way its maker has made it."""

import ctypes
import itertools
import os
import secrets
from contextlib import suppress
from pathlib import Path

_MNT_DETACH = 2


def remove_all(path: Path) -> str:
    """Removes a file, socket, link or folder with all that is in it; gives why not, or nothing.

    No link is followed. What is mounted below it is taken off first, so that nothing of others is
    removed through a mount; where that is not possible, nothing is removed.
    """
    mounted = [place for place in _mounts() if place == path or path in place.parents]
    for place in sorted(mounted, key=lambda each: len(each.parts), reverse=True):
        if ctypes.CDLL(None, use_errno=True).umount2(str(place).encode(), _MNT_DETACH):
            return f"{place} is mounted and cannot be taken off: {os.strerror(ctypes.get_errno())}"
    try:
        if path.is_symlink() or not path.is_dir():
            path.unlink()
        else:
            _empty(path)
            path.rmdir()
    except FileNotFoundError:
        pass
    except OSError as error:
        return f"{path} cannot be removed: {error.strerror}"
    return ""


def _empty(top: Path) -> None:
    """Empties a folder by lifting what is deep to the top: no path gets long, nothing recurs."""
    names = (top / f".{secrets.token_hex(8)}-{n}" for n in itertools.count())  # nobody's else
    _open(top)
    while folders := _without_files(top):
        for folder in folders:
            _open(folder)
            for inner in _without_files(folder):
                _open(inner)  # a folder that is moved has to be writable itself
                inner.rename(next(names))
            folder.rmdir()


def _without_files(folder: Path) -> list[Path]:
    """Removes the files of a folder and gives the folders in it."""
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
            else:
                Path(entry.path).unlink(missing_ok=True)
    return folders


def _open(folder: Path) -> None:
    with suppress(OSError):
        folder.chmod(0o700)


def _mounts() -> list[Path]:
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return [Path(line.split(" ")[4].encode().decode("unicode_escape")) for line in lines]
