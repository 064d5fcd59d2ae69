"""Chained lines: each line of a file carries the hash of the line before it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from equipoise.archive.durable import storage_errors, write_all
from equipoise.archive.manifest import ChainHead
from equipoise.errors import InputError, Tampered
from equipoise.records.codec import digest

MAX_LINE = 8 * 2**20
"""Longest line in bytes; larger content belongs into a document."""

_MEND = "mend: take the archive from a copy; `equipoise verify` names every fault"
_FORM = re.compile(rb'\{"prev":"([0-9a-f]{64})","seq":([0-9]{1,18}),"body":\{')
_END = b"}\n"


class Link(NamedTuple):
    """One line that stands where it should: its number from 1, its record, where it ends."""

    number: int
    body: bytes
    end: int
    sha256: str


class Break(NamedTuple):
    """One place where the chain does not hold.

    `number` is the line's place in the file, `accused` the line that is probably wrong: where a
    line does not name the hash of the one before, the one before was changed. `is_torn`: the line
    is the last and no whole record, as a killed writer leaves it.
    """

    number: int
    accused: int
    what: str
    expected: str
    found: str
    is_torn: bool = False


class ChainWriter:
    """Appends chained lines to one file; lines are durable after `sync`, not before."""

    def __init__(self, path: Path, start: ChainHead, *, is_durable: bool = True) -> None:
        """Opens the file for appending after the given end (`start.last` = genesis when empty).

        With `is_durable` false, `sync` writes without waiting for the disk; who makes the file
        known under its final name has to wait for the disk then.
        """
        self.path = path
        self._is_durable = is_durable
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        self._prev = self._durable_prev = start.last
        self._seq = self._durable_seq = start.n_lines
        self._size = start.n_bytes
        self._pending: list[bytes] = []
        self.n_pending_bytes = 0

    def append(self, body: bytes) -> None:
        """Adds one record (canonical JSON) as the next line, in memory.

        Raises:
            InputError: the record is longer than `MAX_LINE`.
        """
        if len(body) > MAX_LINE - 200:
            raise InputError(
                f"a record of {len(body)} bytes",
                wanted=f"at most {MAX_LINE - 200} bytes a record",
                mend="keep large content in a document",
                where=self.path.name,
                code="record_too_long",
            )
        seq = self._seq + 1
        line = b"%b%b}" % (_start(self._prev, seq), body)
        self._seq, self._prev = seq, digest(line)
        self._pending += (line, b"\n")
        self.n_pending_bytes += len(line) + 1

    def sync(self) -> None:
        """Writes what is pending and makes it durable.

        Raises:
            StorageFull: the disk took no more. The file is cut back to the last durable line; the
                lines pending are dropped.
        """
        if not self._pending:
            return
        kept = f"{self._durable_seq} lines of {self.path.name}"
        with storage_errors(f"appending to {self.path.name}", kept=kept):
            try:
                write_all(self._handle, b"".join(self._pending))
                if self._is_durable:
                    os.fdatasync(self._handle)
            except BaseException:
                os.ftruncate(self._handle, self._size)
                self._seq, self._prev = self._durable_seq, self._durable_prev
                self._clear()
                raise
        self._size += self.n_pending_bytes
        self._durable_seq, self._durable_prev = self._seq, self._prev
        self._clear()

    @property
    def head(self) -> ChainHead:
        """How far the file goes durably."""
        return ChainHead(n_lines=self._durable_seq, n_bytes=self._size, last=self._durable_prev)

    def close(self) -> None:
        """Closes the file without writing what is pending."""
        os.close(self._handle)

    def _clear(self) -> None:
        self._pending.clear()
        self.n_pending_bytes = 0


def walk(path: Path, genesis: str) -> Iterator[Link | Break]:
    """Yields every line of a chained file: a `Link` where the chain holds, a `Break` where not.

    After a break the walk goes on from what the line itself claims, so that one fault is told once.
    Memory is bounded by the longest line allowed. A missing file is an empty one.

    Raises:
        ArchiveError: the system does not let us read it.
    """
    if not path.exists():
        return
    with storage_errors(f"reading {path}"), path.open("rb") as file:
        yield from _walk(file, genesis)


def read_bodies(path: Path, genesis: str, end: ChainHead) -> Iterator[bytes]:
    """Yields the records of a chained file up to its committed end, verified as they pass.

    Raises:
        Tampered: a line does not follow from the one before, or the file does not reach `end`.
    """
    last, number = genesis, 0
    if end.n_lines:
        for step in walk(path, genesis):
            if isinstance(step, Break):
                raise Tampered(_told(f"{path}:{step.accused}: {step.what}", step))
            last, number = step.sha256, step.number
            yield step.body
            if number == end.n_lines:
                break
    if (number, last) != (end.n_lines, end.last):
        raise Tampered(
            f"{path} ends at line {number} ({last[:16]}…), its head says line {end.n_lines} "
            f"({end.last[:16]}…); {_MEND}"
        )


def _told(what: str, step: Break) -> str:
    return f"{what}; expected {step.expected}, found {step.found}; {_MEND}"


def _walk(file: BinaryIO, genesis: str) -> Iterator[Link | Break]:
    prev, seq, number, start = genesis, 0, 0, 0
    line = file.readline(MAX_LINE + 1)
    while line:
        number += 1
        following = file.readline(MAX_LINE + 1)
        wanted = _start(prev, seq + 1)
        if line.startswith(wanted) and line.endswith(_END):
            prev, seq = digest(line[:-1]), seq + 1
            yield Link(number, line[len(wanted) : -len(_END)], start + len(line), prev)
        elif (parsed := _parse(line)) is not None:
            told = _misfit(number, *parsed, prev, seq)
            yield Break(number, *told)
            prev, seq = digest(line[:-1]), parsed[1]
        else:
            yield Break(number, number, *_unreadable(line), is_torn=not following)
            prev, seq = digest(line.rstrip(b"\n")), seq + 1
        start += len(line)
        line = following


def _start(prev: str, seq: int) -> bytes:
    return b'{"prev":"%b","seq":%d,"body":' % (prev.encode(), seq)


def _parse(line: bytes) -> tuple[str, int] | None:
    """Gives what a line claims (hash of the one before, number); None where it is no such line."""
    found = _FORM.match(line)
    if found is None or not line.endswith(_END):
        return None
    return found[1].decode(), int(found[2])


def _unreadable(line: bytes) -> tuple[str, str, str]:
    shown = repr(line[:60])[1:]
    if not line.endswith(b"\n"):
        if len(line) > MAX_LINE:
            return "the line is too long", f"at most {MAX_LINE} bytes", "more"
        return "the last line is torn", "a line ended by a newline", shown
    return "the line is no chained record", 'a line {"prev","seq","body"}', shown


def _misfit(number: int, claimed: str, at: int, prev: str, seq: int) -> tuple[int, str, str, str]:
    if at != seq + 1:
        what = "a line was removed, repeated, added or moved here"
        return number, what, f"seq {seq + 1}", f"seq {at}"
    shown = (f"prev {prev[:16]}…", f"prev {claimed[:16]}…")
    if number == 1:
        return 1, "the line was changed, or comes from another file or archive", *shown
    return number - 1, f"the line was changed, or what line {number} says of it", *shown
