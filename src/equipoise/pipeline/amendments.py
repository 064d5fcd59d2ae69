"""The amendments of a sealed study, as lines chained to its plan."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from equipoise.archive.chain import Break, ChainWriter, walk
from equipoise.archive.durable import sync_folder
from equipoise.archive.manifest import ChainHead
from equipoise.errors import Tampered
from equipoise.records.codec import decode, encode
from equipoise.records.event import Amendment

AMENDMENTS = "amendments.jsonl"


def read_amendments(study: Path, plan_sha256: str) -> tuple[Amendment, ...]:
    """Gives the amendments in order; none where there is no file.

    Raises:
        Tampered: a line does not follow from the one before, the first from the plan's hash.
    """
    return tuple(amendment for amendment, _ in _walked(study, plan_sha256))


def append_amendments(study: Path, plan_sha256: str, amendments: Iterable[Amendment]) -> None:
    """Adds amendments after those that stand there; they are durable afterwards.

    Raises:
        Tampered: what stands there was changed.
        StorageFull: the disk took no more; what stood there is kept.
    """
    start = ChainHead(n_lines=0, n_bytes=0, last=plan_sha256)
    heads = [start, *(head for _, head in _walked(study, plan_sha256))]
    writer = ChainWriter(study / AMENDMENTS, heads[-1])
    try:
        for amendment in amendments:
            writer.append(encode(amendment))
        writer.sync()
    finally:
        writer.close()
    sync_folder(study)


def _walked(study: Path, plan_sha256: str) -> Iterator[tuple[Amendment, ChainHead]]:
    for step in walk(study / AMENDMENTS, plan_sha256):
        if isinstance(step, Break):
            raise Tampered(
                f"{AMENDMENTS}:{step.accused}: {step.what}; expected {step.expected}, found "
                f"{step.found}; mend: put the lines back that stood there"
            )
        where = f"{AMENDMENTS}:{step.number}"
        head = ChainHead(n_lines=step.number, n_bytes=step.end, last=step.sha256)
        yield decode(step.body, Amendment, where=where), head
