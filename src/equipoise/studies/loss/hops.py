"""Boundaries that the logs of a run show, held against those that the plan declares."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.records.plan import Plan

_LOG = ".jsonl"


class _Line(msgspec.Struct):
    """The one field of a log line that names the boundary it was written at."""

    hop: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenHop:
    """A boundary as the logs show it: in how many documents, and what those are called."""

    id: str
    n_documents: int
    names: frozenset[str]


def hops_seen(archive: Archive) -> dict[str, SeenHop]:
    """Gives every boundary named in the field ``hop`` of a line of an archived ``.jsonl`` document.

    Lines that are no JSON objects, or have no such field, show none.
    """
    return _seen(archive.path, archive.head)


def undeclared_hops(plan: Plan, archive: Archive) -> tuple[str, ...]:
    """Gives a sentence for each boundary that the logs show and the plan does not declare.

    Where the logs show none at all, nothing is said: they may have no such field.
    """
    declared = {hop.id for hop in plan.hops}
    seen = hops_seen(archive)
    return tuple(
        f"the plan is incomplete: the logs show the boundary {one.id!r} "
        f"({', '.join(sorted(one.names))} of {one.n_documents:,} trials), which is not among its "
        "hops; mend: declare it under hops with signal, correct, flake and error, in the next study"
        for one in sorted(seen.values(), key=lambda one: one.id)
        if one.id not in declared
    )


@lru_cache(maxsize=16)
def _seen(path: Path, head: str) -> dict[str, SeenHop]:
    """Reads the documents of an archive once for each head that it has."""
    archive = Archive.open(path)
    del head
    counts: Counter[str] = Counter()
    names: dict[str, set[str]] = {}
    for document in archive.read(Document):
        if document.name.endswith(_LOG):
            for hop in set(_hops(b"".join(archive.blobs.chunks(document.sha256)))):
                counts[hop] += 1
                names.setdefault(hop, set()).add(document.name.rpartition("/")[2])
    return {
        hop: SeenHop(id=hop, n_documents=n, names=frozenset(names[hop]))
        for hop, n in counts.items()
    }


def _hops(content: bytes) -> Iterator[str]:
    if b'"hop"' not in content:
        return
    for line in content.split(b"\n"):
        try:
            hop = _DECODER.decode(line).hop if line.startswith(b"{") else None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        if hop:
            yield hop


_DECODER = msgspec.json.Decoder(_Line)
