"""Boundaries that the logs of a run show, held against those that the plan declares."""

from collections.abc import Iterator
from dataclasses import dataclass

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
    """A boundary as the logs show it: in how many documents, and where first."""

    id: str
    n_documents: int
    document: str
    line: int


def hops_seen(archive: Archive) -> dict[str, SeenHop]:
    """Gives every boundary named in the field ``hop`` of a line of an archived ``.jsonl`` document.

    Lines that are no JSON objects, or have no such field, show none.
    """
    found: dict[str, SeenHop] = {}
    for document in archive.read(Document):
        if not document.name.endswith(_LOG):
            continue
        for hop, line in _first_lines(archive, document).items():
            before = found.get(hop)
            found[hop] = SeenHop(
                id=hop,
                n_documents=before.n_documents + 1 if before else 1,
                document=before.document if before else document.name,
                line=before.line if before else line,
            )
    return found


def undeclared_hops(plan: Plan, archive: Archive) -> tuple[str, ...]:
    """Gives a sentence for each boundary that the logs show and the plan does not declare.

    Where the logs show none at all, nothing is said: they may have no such field.
    """
    declared = {hop.id for hop in plan.hops}
    seen = hops_seen(archive)
    return tuple(
        f"the plan is incomplete: the logs show the boundary {one.id!r} ({one.n_documents:,} "
        f"documents, first in {one.document}:{one.line}), which is not among its hops; mend: "
        "declare it under hops with signal, correct, flake and error, in the next study"
        for one in sorted(seen.values(), key=lambda one: one.id)
        if one.id not in declared
    )


def _first_lines(archive: Archive, document: Document) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, hop in _hops(b"".join(archive.blobs.chunks(document.sha256))):
        found.setdefault(hop, number)
    return found


def _hops(content: bytes) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(content.split(b"\n"), start=1):
        try:
            hop = _DECODER.decode(line).hop if line.startswith(b"{") else None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        if hop:
            yield number, hop


_DECODER = msgspec.json.Decoder(_Line)
