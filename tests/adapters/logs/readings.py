"""Sorts what a reader yields, so that tests can ask for it by kind."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from equipoise.adapters.logs.table.reader import TableReader
from equipoise.ports import Reading
from equipoise.records.grade import Grade
from equipoise.records.notice import Attachment, Headline, Notice
from equipoise.records.trial import Trial


class Readings:
    """All that a reader yielded, by kind."""

    def __init__(self, readings: Iterable[Reading]) -> None:
        self.all = list(readings)
        self.trials = [r for r in self.all if isinstance(r, Trial)]
        self.grades = [r for r in self.all if isinstance(r, Grade)]
        self.notices = [r for r in self.all if isinstance(r, Notice)]
        self.headlines = [r for r in self.all if isinstance(r, Headline)]
        self.attachments = [r for r in self.all if isinstance(r, Attachment)]

    @property
    def codes(self) -> dict[str, int]:
        """Notice code -> how often it was met."""
        found: dict[str, int] = {}
        for notice in self.notices:
            found[notice.code] = found.get(notice.code, 0) + notice.count
        return found

    def notice(self, code: str) -> Notice:
        """The first notice of that code."""
        return next(n for n in self.notices if n.code == code)

    def values(self, criterion: str = "outcome") -> dict[str, float | None]:
        """Trial id -> value."""
        return {g.trial: g.value for g in self.grades if g.criterion == criterion}


def json_lines(path: Path, rows: Iterable[object]) -> Path:
    """Writes one JSON line per row."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read_table(path: Path, **options: Any) -> Readings:
    """Reads a table with a mapping, or with none."""
    return Readings(TableReader().read(path, options))
