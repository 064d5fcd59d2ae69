"""Opens the logs that a source cites, inside its folder only, and finds quotes in them."""

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from equipoise.records.grade import Evidence
from equipoise.records.notice import Attachment
from equipoise.records.quote import place_of

MAX_DOCUMENT = 256 * 1024 * 1024
"""Bytes of the longest log that is cited from."""

_KEPT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A log: its name inside the folder, its bytes and their sha256."""

    name: str
    content: bytes
    sha256: str

    @property
    def attachment(self) -> Attachment:
        """The record by which the archive takes the log in."""
        return Attachment(
            name=self.name, sha256=self.sha256, n_bytes=len(self.content), path=self.name
        )


class Documents:
    """The logs of one folder; the last few stay in memory."""

    def __init__(self, folder: Path) -> None:
        """Nothing outside `folder` is ever opened, also not by way of a link."""
        self._folder = folder.resolve()
        self._kept: OrderedDict[str, Document] = OrderedDict()
        self._told: set[str] = set()

    def find(self, name: str) -> Document | None:
        """Gives the log of that name, relative to the folder; None where there is none to read."""
        if name in self._kept:
            self._kept.move_to_end(name)
            return self._kept[name]
        try:
            path = self._folder.joinpath(name).resolve()
            if not path.is_relative_to(self._folder) or path.stat().st_size > MAX_DOCUMENT:
                return None
            content = path.read_bytes()
        except (OSError, ValueError):
            return None
        document = Document(
            name=path.relative_to(self._folder).as_posix(),
            content=content,
            sha256=hashlib.sha256(content).hexdigest(),
        )
        self._kept[name] = document
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return document

    def is_new(self, document: Document) -> bool:
        """Whether the document is asked about for the first time."""
        if document.sha256 in self._told:
            return False
        self._told.add(document.sha256)
        return True


def cite(document: Document, quote: str, line: int | None) -> Evidence | None:
    """Gives the place of a quote in a document; None where it does not stand verbatim there.

    With a line (from 1) the quote must begin in that line; without one its first place is taken.
    """
    place = place_of(document.content, quote, line)
    if place is None:
        return None
    start, end, number = place
    return Evidence(
        document=document.sha256, start=start, end=end, quote=quote, name=document.name, line=number
    )
