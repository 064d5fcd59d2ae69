"""The folder of a snapshot: it stands whole or not at all, whenever the process is killed."""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from equipoise.errors import Blocked, InputError

_FOLDER = "snapshot"
_PART = "snapshot.part"
_GONE = "snapshot.gone"
_RECORD = "snapshot.json"
_CONTENT = "content"


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What stands in a keep folder: of which state, and the sha256 that the state had.

    `is_absent`: the state did not exist yet when the snapshot was taken. `place` is where the
    content is, if it is not in the folder itself (the name of a database).
    """

    kind: str
    target: str
    sha256: str
    is_absent: bool = False
    place: str = ""


def standing(keep: Path, kind: str, target: str) -> Snapshot | None:
    """Gives the snapshot that stands in the folder, or none.

    Raises:
        InputError: what stands there is a snapshot of another state, or damaged.
    """
    return _read(keep / _FOLDER / _RECORD, kind, target)


def retired(keep: Path, kind: str, target: str) -> Snapshot | None:
    """Gives the snapshot that was retired and not yet removed, or none."""
    return _read(keep / _GONE / _RECORD, kind, target)


def content(keep: Path) -> Path:
    """Gives where the content of the standing snapshot is."""
    return keep / _FOLDER / _CONTENT


def take(keep: Path, fill: Callable[[Path], Snapshot]) -> Snapshot:
    """Takes a snapshot: `fill` writes the content to the path it is given and gives the record.

    Raises:
        Blocked: the disk takes no more, or something cannot be read.
    """
    part = keep / _PART
    try:
        keep.mkdir(parents=True, exist_ok=True)
        remove_tree(part)
        part.mkdir()
        taken = fill(part / _CONTENT)
        _write(part / _RECORD, msgspec.json.encode(taken))
        sync(part)
        part.rename(keep / _FOLDER)
        sync(keep)
    except OSError as error:
        with suppress(OSError):
            remove_tree(part)
        raise Blocked(f"no snapshot: {_said(error)}; mend: put that right, then again") from error
    return taken


def retire(keep: Path) -> None:
    """Takes the snapshot's name away: from now on none stands."""
    remove_tree(keep / _GONE)
    (keep / _FOLDER).rename(keep / _GONE)
    sync(keep)


def is_torn(keep: Path) -> bool:
    """Tells whether a killed process left a snapshot half taken."""
    return os.path.lexists(keep / _PART)


def remove_leftovers(keep: Path) -> None:
    """Removes what a killed process left half taken or half removed."""
    for name in (_PART, _GONE):
        remove_tree(keep / name)


def remove_tree(path: Path) -> None:
    """Removes a folder with all it holds, also what forbids writing; never follows a link."""
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return
    for folder, names, _ in os.walk(path):
        Path(folder).chmod(0o700)
        for name in names:
            inner = Path(folder, name)
            if not inner.is_symlink():
                inner.chmod(0o700)
    shutil.rmtree(path)


def sync(path: Path) -> None:
    """Makes a file or the names in a folder durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read(record: Path, kind: str, target: str) -> Snapshot | None:
    try:
        found = msgspec.json.decode(record.read_bytes(), type=Snapshot)
    except FileNotFoundError:
        return None
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise InputError(
            f"cannot be read: {error}",
            wanted="the record of a snapshot",
            mend="put the state right by hand, then remove the folder",
            where=str(record),
            code="snapshot_damaged",
        ) from error
    if (found.kind, found.target) != (kind, target):
        raise InputError(
            f"a snapshot of {found.kind} {found.target}",
            wanted=f"one of {kind} {target}",
            mend="use a keep folder of its own for each state",
            where=str(record.parent),
            code="snapshot_of_another_state",
        )
    return found


def _write(path: Path, text: bytes) -> None:
    with path.open("wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _said(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"
