"""Keeps when keys were joined with answers: who reads a ranking is not blind any more."""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from equipoise.archive.durable import storage_errors, write_all
from equipoise.blind.keys import standing_answers
from equipoise.blind.private_files import read_private
from equipoise.records.codec import decode, encode
from equipoise.studies.rating.reading import CAMPAIGN, Gathered

UNBLINDED = "unblinded.jsonl"
"""The log in `campaign/`; lines are only ever added."""


class Unblinding(msgspec.Struct, frozen=True, kw_only=True):
    """Once that keys and answers were joined; `n_open` packets had no answer then."""

    at: str
    plan_sha256: str
    keys_sha256: str
    n_packets: int
    n_open: int


def note_unblinding(study: Path, given: Gathered, at: datetime) -> str:
    """Logs that keys were joined, and gives a remark where people or judges are still rating.

    Raises:
        StorageFull: the disk took no more.
    """
    said = {one.packet for one in standing_answers(given.answers)}
    said |= {one.packet for one in given.judgements}
    n_open = sum(key.packet not in said for key in given.keys)
    line = Unblinding(
        at=at.isoformat(timespec="seconds"),
        plan_sha256=given.plan_sha256,
        keys_sha256=given.keys_sha256,
        n_packets=len(given.keys),
        n_open=n_open,
    )
    path = study / CAMPAIGN / UNBLINDED
    with storage_errors(f"writing {UNBLINDED}"):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            write_all(handle, encode(line) + b"\n")
            os.fsync(handle)
        finally:
            os.close(handle)
    if not n_open:
        return ""
    return (
        f"{n_open:,} of {len(given.keys):,} packets have no answer yet: whoever has read this is "
        f"not blind any more; it is logged in {CAMPAIGN}/{UNBLINDED}"
    )


def is_unblinded(study: Path, plan_sha256: str) -> bool:
    """Says whether keys were joined under this plan; what an earlier one told is not its keys.

    Raises:
        InputError: others may read the log, or a line of it is none.
    """
    return any(one.plan_sha256 == plan_sha256 for one in unblindings(study))


def unblindings(study: Path) -> Sequence[Unblinding]:
    """Gives what is logged, first line first; empty where keys were never joined.

    Raises:
        InputError: others may read the log, or a line of it is none.
    """
    path = study / CAMPAIGN / UNBLINDED
    if not path.exists():
        return ()
    lines = read_private(path).splitlines()
    return tuple(
        decode(line, Unblinding, where=f"{UNBLINDED}:{number}")
        for number, line in enumerate(lines, 1)
    )
