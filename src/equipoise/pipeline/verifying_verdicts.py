"""Reads verdicts of judges again from the answers that are kept."""

from collections.abc import Iterator, Mapping

import msgspec

from equipoise.adapters.models.forms import FORMS
from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.gateway.exchange import unpack
from equipoise.gateway.wire.facts import Api, mapping
from equipoise.pipeline.faults import Fault
from equipoise.records.judgement import Judgement, ReadState
from equipoise.records.packet import Packet
from equipoise.stages.grade.judges.reading import Unreadable, read


def check_verdicts(archive: Archive, packets: Mapping[str, Packet], file: str) -> Iterator[Fault]:
    """Yields a fault for each verdict that does not follow from the answer that is kept of it.

    Args:
        archive: with judgements and documents.
        packets: packet id -> packet; judgements of others are left out.
        file: the name of the judgements, for messages.
    """
    documents = {one.sha256 for one in archive.read(Document)}
    for number, one in enumerate(archive.read(Judgement), start=1):
        if one.packet not in packets or one.state is not ReadState.READ:
            continue
        why = "its answer is missing"
        if one.raw in documents:
            why = _why_not(one, archive, packets[one.packet])
        if why:
            what = "the verdict does not follow from the answer"
            yield Fault(file=file, line=number, what=what, found=why)


def _why_not(one: Judgement, archive: Archive, packet: Packet) -> str:
    """Says why the kept answer does not give the verdict; empty where it does."""
    content = b"".join(archive.blobs.chunks(one.raw))
    exchange = unpack(content, where=one.raw)
    form = FORMS[Api(exchange.call.api)]
    try:
        found = read(form.text(mapping(msgspec.json.decode(exchange.answer))), packet)
    except Unreadable as error:
        return str(error)
    seen = (found.best, found.worst, found.is_tie, found.scores, found.quotes, found.covers)
    told = (one.best, one.worst, one.is_tie, one.scores, one.quotes, one.covers)
    is_same = seen == told
    return "" if is_same else "another verdict"
