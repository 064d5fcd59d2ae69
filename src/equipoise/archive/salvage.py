"""After a process died in the middle: set torn tails aside, take up what was durable."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from equipoise.archive.chain import Break, read_bodies, walk
from equipoise.archive.durable import replace_file, storage_errors
from equipoise.archive.manifest import TORN, ChainHead, Head, Manifest, chains_of, genesis
from equipoise.errors import Tampered
from equipoise.records.codec import digest

_READ = 1 << 20
_DOCUMENTS, _TRIALS = "documents.jsonl", "trials.jsonl"


class _Trial(msgspec.Struct):
    id: str


class _Document(msgspec.Struct):
    name: str


def recover(path: Path, manifest: Manifest, head: Head) -> tuple[dict[str, ChainHead], list[str]]:
    """Gives the true end of every chained file, and one sentence for each thing that was done.

    An unterminated or broken last line beyond the committed end is moved to `torn/`; whole lines
    beyond the committed end are taken up. Documents of a run whose trial did not get so far are set
    aside too: the trial will be executed again, and what it left then is all that it left. The
    caller holds the lock.

    Raises:
        Tampered: anything else does not follow.
    """
    ends: dict[str, ChainHead] = {}
    done: list[str] = []
    for name in chains_of(manifest.kind):
        found, torn_from = _true_end(path / name, genesis(manifest, name), head.files[name])
        if torn_from:
            done.append(_set_aside(path / name, found))
        if found.n_lines > head.files[name].n_lines:
            n_new = found.n_lines - head.files[name].n_lines
            done.append(f"{name}: {n_new} whole lines written before the stop were taken up")
        ends[name] = found
    if manifest.kind == "run":
        done += _orphans_set_aside(path, manifest, head, ends)
    return ends, done


def _orphans_set_aside(
    path: Path, manifest: Manifest, head: Head, ends: dict[str, ChainHead]
) -> list[str]:
    """Cuts the last documents that no trial followed, as a kill between the two leaves them."""
    start, end = head.files[_DOCUMENTS], ends[_DOCUMENTS]
    if end.n_lines == start.n_lines:
        return []
    trials = {
        msgspec.json.decode(body, type=_Trial).id
        for body in read_bodies(path / _TRIALS, genesis(manifest, _TRIALS), ends[_TRIALS])
    }
    kept, n_cut = start, 0
    for step in walk(path / _DOCUMENTS, genesis(manifest, _DOCUMENTS)):
        if isinstance(step, Break) or step.number > end.n_lines:
            break
        trial, slash, _ = msgspec.json.decode(step.body, type=_Document).name.partition("/")
        n_cut += 1
        if step.number <= start.n_lines or not slash or trial in trials:
            kept, n_cut = ChainHead(n_lines=step.number, n_bytes=step.end, last=step.sha256), 0
    if not n_cut:
        return []
    ends[_DOCUMENTS] = kept
    what = f"{n_cut} documents of trials that were not recorded"
    return [_set_aside(path / _DOCUMENTS, kept, what)]


@contextmanager
def committed(path: Path, head: Head) -> Iterator[Path]:
    """Gives a folder whose chained files hold exactly the committed lines.

    Usually the archive itself; where a file goes beyond its committed end (a writer is at work, or
    died), a temporary folder with the committed part of each.
    """
    if all(_size(path / name) == end.n_bytes for name, end in head.files.items()):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="equipoise-") as folder:
        for name, end in head.files.items():
            _copy_start(path / name, Path(folder, name), end.n_bytes)
        yield Path(folder)


def _true_end(path: Path, first: str, end: ChainHead) -> tuple[ChainHead, bool]:
    found = ChainHead(n_lines=0, n_bytes=0, last=first)
    is_torn = False
    for step in walk(path, first):
        if isinstance(step, Break):
            if not step.is_torn or step.number <= end.n_lines:
                raise Tampered(
                    f"{path}:{step.accused}: {step.what}; expected {step.expected}, "
                    f"found {step.found}; mend: take the archive from a copy"
                )
            is_torn = True
            break
        found = ChainHead(n_lines=step.number, n_bytes=step.end, last=step.sha256)
        if step.number == end.n_lines and found != end:
            raise Tampered(f"{path}:{step.number}: not the line its head names")
    if found.n_lines < end.n_lines:
        raise Tampered(
            f"{path} ends at line {found.n_lines}, its head counts {end.n_lines}; "
            "mend: take the archive from a copy"
        )
    return found, is_torn


def _set_aside(path: Path, end: ChainHead, what: str = "") -> str:
    with storage_errors(f"setting aside the torn tail of {path.name}"):
        with path.open("rb") as file:
            file.seek(end.n_bytes)
            tail = file.read()
        folder = path.with_name(TORN)
        folder.mkdir(exist_ok=True)
        place = folder / f"{path.name}.{end.n_lines}.{digest(tail)[:12]}"
        replace_file(place, tail)
        os.truncate(path, end.n_bytes)
    what = what or f"a torn last line of {len(tail)} bytes"
    return f"{path.name}: set aside as torn/{place.name}: {what}"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _copy_start(path: Path, to: Path, n_bytes: int) -> None:
    with path.open("rb") as source, to.open("wb") as target:
        while n_bytes > 0 and (chunk := source.read(min(_READ, n_bytes))):
            target.write(chunk)
            n_bytes -= len(chunk)
