"""What stands in `archive.json` and `head.json`, and the names of the files of an archive."""

from typing import Any

import msgspec

from equipoise.records.answer import Answer
from equipoise.records.codec import digest, encode
from equipoise.records.event import Event, Rating
from equipoise.records.grade import Grade
from equipoise.records.judgement import Judgement
from equipoise.records.notice import Headline, Notice
from equipoise.records.terms import Direction
from equipoise.records.trial import Trial

FORMAT = 1
"""Version of the archive's layout; raised when an older reader could misread a newer archive."""

MANIFEST = "archive.json"
HEAD = "head.json"
LOCK = "lock"
PLAN = "plan.json"
"""The plan that a run follows, byte for byte as it was sealed."""
BLOBS = "blobs"
TORN = "torn"
COLUMNS = "columns"


class Document(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="record",
    tag="document",
):
    """A stored document: its name, its content's hash and size, the hash of the file it is in.

    `stored_sha256` covers the bytes on disk, so that a changed byte in the compressed file is found
    even where it would decompress to the same content.
    """

    name: str
    sha256: str
    n_bytes: int
    stored_sha256: str


CHAINS: dict[str, type[Any]] = {
    "events.jsonl": Event,
    "documents.jsonl": Document,
    "trials.jsonl": Trial,
    "ratings.jsonl": Rating,
    "answers.jsonl": Answer,
    "judgements.jsonl": Judgement,
    "grades.jsonl": Grade,
    "notices.jsonl": Notice,
    "headlines.jsonl": Headline,
}
"""Chained file -> the record its lines carry, in the order in which they are made durable."""

_OF_KIND = {
    "run": frozenset(CHAINS) - {"answers.jsonl", "judgements.jsonl"},
    "import": frozenset(CHAINS)
    - {"events.jsonl", "ratings.jsonl", "answers.jsonl", "judgements.jsonl"},
    "rating": frozenset({"events.jsonl", "documents.jsonl", "answers.jsonl", "judgements.jsonl"}),
}
"""Kind of archive -> its chained files: an imported one has no events, a rating one no trials."""


def chains_of(kind: str) -> tuple[str, ...]:
    """Gives the names of the chained files of an archive: ``run``, ``import`` or ``rating``."""
    kept = _OF_KIND.get(kind, _OF_KIND["import"])
    return tuple(name for name in CHAINS if name in kept)


class Criterion(msgspec.Struct, frozen=True, kw_only=True):
    """What is declared of one criterion."""

    direction: Direction = Direction.HIGHER


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where an import was read from.

    `sha256` covers the file's bytes, or for a folder the names and hashes of its files in order.
    `mapping` is what the user said about the source, complete, so that it can be read again.
    """

    name: str
    format: str
    sha256: str
    n_bytes: int
    n_files: int = 1
    mapping: dict[str, Any] = {}


class RunFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the manifest of a run: the plan it follows, and whose runs these are."""

    plan_sha256: str
    arm: str
    mode: str
    provenance: str
    seal: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The file `archive.json`: what the archive is and where its runs come from."""

    run_id: str
    kind: str
    tool_version: str
    format: int = FORMAT
    source: Source | None = None
    criteria: dict[str, Criterion] = {}
    is_simulated: bool = False
    run: RunFacts | msgspec.UnsetType = msgspec.UNSET


class ChainHead(msgspec.Struct, frozen=True, kw_only=True):
    """How far one chained file goes: lines, bytes, and the sha256 of its last line."""

    n_lines: int
    n_bytes: int
    last: str


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The file `head.json`: everything the archive holds, in one hash."""

    archive: str
    files: dict[str, ChainHead]
    head: str


def genesis(manifest: Manifest, file_name: str) -> str:
    """Gives the hash that the first line of a chained file carries as the one before it.

    It holds the archive's kind and run id and the file's name, so that lines cannot move between
    files or archives unnoticed.
    """
    return digest(encode(["equipoise", manifest.kind, manifest.run_id, file_name]))


def head_of(archive: str, files: dict[str, ChainHead]) -> Head:
    """Gives the head of an archive: `archive` is the sha256 of its `archive.json`."""
    return Head(archive=archive, files=files, head=digest(encode(["head", archive, files])))
