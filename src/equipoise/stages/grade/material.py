"""What a check gets to see of one trial: its documents, its expectations, what was unavailable."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from equipoise.errors import NotEstimable
from equipoise.ports.suites import Suites
from equipoise.records.brief import Brief
from equipoise.records.codec import decode, digest, encode
from equipoise.records.holdout import Holdout
from equipoise.records.trial import Trial
from equipoise.stages.grade.programs import Programs

Head = TypeVar("Head")
Line = TypeVar("Line")

OUTPUT = "output"
"""The name under which a check finds what the system answered."""

RECORD = "trial.json"
"""The name under which the archived record of the trial itself is quoted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A stored document: its name within the trial, its hash, and how to read it."""

    name: str
    sha256: str
    read: Callable[[], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A document that has been read: its bytes, and its text with a byte for each odd byte.

    Bytes that are no UTF-8 stand in `text` as surrogates, so that places in it can be found again.
    """

    name: str
    sha256: str
    content: bytes
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """One trial as its checks see it.

    `outages` says why a probe could not be used for this trial: probe name -> reason. `followed`
    are the documents into which a probe puts at least one line of every trial that left any trace.
    `programs` are the study's own checks, `suites` run hidden tests; null = there are none. `pages`
    keeps what has been read, `made` the documents that checks made, to be stored with the grades.
    """

    trial: Trial
    documents: Mapping[str, Stored]
    brief: Brief | None = None
    holdout: Holdout | None = None
    outages: Mapping[str, str] = field(default_factory=dict)
    followed: frozenset[str] = frozenset()
    programs: Programs | None = None
    suites: Suites | None = None
    made: dict[str, Page] = field(default_factory=dict)
    pages: dict[str, Page] = field(default_factory=dict)
    cache: dict[tuple[str, str], Any] = field(default_factory=dict)


def page(material: Material, name: str) -> Page:
    """Gives the trial's document of that name.

    Raises:
        NotEstimable: the trial left no such document; says which probe was out, if one was.
        Tampered: it is not as it was stored.
    """
    found = material.pages.get(name)
    if found is None:
        stored = material.documents.get(name)
        if stored is None:
            told = "; ".join(f"probe {probe}: {why}" for probe, why in material.outages.items())
            why = f"no document {name}" + (f" ({told})" if told else "")
            raise NotEstimable(why, code="no_document")
        content = stored.read()
        text = content.decode("utf-8", "surrogateescape")
        found = Page(name=name, sha256=stored.sha256, content=content, text=text)
        material.pages[name] = found
    return found


def keep_lines(material: Material, name: str, records: Iterable[object]) -> Page:
    """Makes a document of the trial with a line for each record, to be stored with its grades."""
    content = b"".join(encode(record) + b"\n" for record in records)
    made = Page(name=name, sha256=digest(content), content=content, text=content.decode())
    material.made[name] = material.pages[name] = made
    return made


def read_lines(
    name: str, content: bytes, head: type[Head], line: type[Line]
) -> tuple[Head, tuple[Line, ...]]:
    """Reads a document that `keep_lines` made of one record and others of another kind after it.

    Raises:
        InputError: a line is none of its kind.
    """
    first, *rest = content.splitlines() or [b""]
    lines = tuple(decode(one, line, where=name) for one in rest)
    return decode(first, head, where=name), lines


def values(material: Material) -> dict[str, Any]:
    """Gives what the places of a check's texts may name."""
    trial = material.trial
    return {
        "expected": material.holdout.expected if material.holdout else {},
        "brief": material.brief.content if material.brief else {},
        "labels": trial.labels,
        "unit": trial.unit,
        "arm": trial.arm,
        "trial": trial.id,
        "repetition": trial.repetition,
    }
