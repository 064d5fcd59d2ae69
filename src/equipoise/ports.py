"""What the stages need from outside, as protocols owned by those who call."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from equipoise.records.grade import Grade
from equipoise.records.notice import Attachment, Headline, Notice
from equipoise.records.terms import Direction
from equipoise.records.trial import Trial

Reading = Trial | Grade | Notice | Headline | Attachment
"""One thing a reader yields. A trial comes before its grades; an attachment before any evidence
that cites it."""


class LogReader(Protocol):
    """Reads the runs of one foreign format as a stream, in bounded memory.

    It never raises for bad content: what it cannot read becomes a `Notice` of severity `lost` or
    `refused`, and reading goes on. It raises `UnreadableSource` only when nothing can be read.
    """

    name: str

    def read(self, source: Path, options: dict[str, Any]) -> Iterator[Reading]:
        """Yields the readings of the source; `options` is the mapping of the user, checked here."""
        ...


@runtime_checkable
class DeclaresCriteria(Protocol):
    """A reader that knows from its options which way each criterion is better."""

    def directions(self, options: dict[str, Any]) -> dict[str, Direction]:
        """Gives criterion -> direction; a criterion left out counts as higher is better."""
        ...
