"""Turns the findings of a row into one grade per category, each with the quote that proves it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.adapters.logs.documents import Documents, cite
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.table import fields
from equipoise.adapters.logs.table.mapping import Findings
from equipoise.adapters.logs.table.words import read_value
from equipoise.records.grade import Evidence, Grade, How
from equipoise.records.notice import Attachment
from equipoise.records.trial import Trial

MAX_CATEGORIES = 1000
_UNIT_SCALE = (0.0, 1.0)


@dataclass(slots=True)
class _Gathered:
    value: float = 0.0
    why: str = ""
    evidence: list[Evidence] = field(default_factory=list)


class FindingReader:
    """Reads findings: lists of {category, value, log, line, quote}."""

    def __init__(
        self, spec: Findings, folder: Path, categories: tuple[str, ...], noticer: Noticer
    ) -> None:
        """Looks for the cited logs in `folder`; a category without a finding counts as 0."""
        self._spec = spec
        self._documents = Documents(folder)
        self._categories = categories
        self._noticer = noticer

    def readings(
        self, trial: Trial, row: dict[str, Any], where: str
    ) -> Iterator[Attachment | Grade]:
        """Yields the logs cited for the first time, then a grade for every category.

        Of several findings in one category the largest value counts. A finding whose quote does
        not stand in its log at its line proves nothing: its category has no value then.
        """
        listed = fields.field(row, self._spec.column)
        gathered = {category: _Gathered() for category in self._categories}
        if listed is not None and not isinstance(listed, list):
            self._noticer.refused("bad_findings", "the findings are no list", where)
            return
        for item in listed or []:
            category = category_of(item, self._spec)
            if category is None or category not in gathered:
                self._noticer.refused(
                    "bad_finding", "a finding without category, or of one not declared", where
                )
                continue
            yield from self._take(item, gathered[category], where)
        for category, found in gathered.items():
            yield Grade(
                trial=trial.id,
                criterion=category,
                value=None if found.why else found.value,
                not_evaluable=found.why,
                how=How(self._spec.how),
                evidence=tuple(found.evidence),
            )

    def _take(self, item: dict[str, Any], found: _Gathered, where: str) -> Iterator[Attachment]:
        raw = item.get(self._spec.value, True)
        value = read_value(raw, scale=_UNIT_SCALE, words={}, missing=frozenset())
        if value.value is None:
            found.why = value.why
            self._noticer.refused("bad_value", f"a finding: {value.why}", where)
            return
        quote, log = item.get(self._spec.quote), item.get(self._spec.log)
        if not isinstance(quote, str) or not isinstance(log, str):
            found.why = "a finding without citation"
            self._noticer.refused("no_citation", "a finding names no log or no quote", where)
            return
        document = self._documents.find(log)
        line = fields.count(item.get(self._spec.line))
        evidence = cite(document, quote, line) if document is not None else None
        if document is None or evidence is None:
            found.why = "the quote does not stand in its log"
            what = "is not in the source's folder" if document is None else "has no such quote"
            self._noticer.refused(
                "quote_not_found", f"a finding cites a log that {what} there; not counted", where
            )
            return
        if self._documents.is_new(document):
            yield document.attachment
        found.value = max(found.value, value.value)
        found.evidence.append(evidence)


def category_of(item: Any, spec: Findings) -> str | None:
    """Gives the category of a finding; None where it names none."""
    return fields.text(item.get(spec.category)) if isinstance(item, dict) else None


def categories_of(rows: Iterable[dict[str, Any]], spec: Findings) -> tuple[str, ...]:
    """Gives the categories that occur in the findings of the rows, sorted."""
    found: set[str] = set()
    for row in rows:
        listed = fields.field(row, spec.column)
        for item in listed if isinstance(listed, list) else []:
            category = category_of(item, spec)
            if category is not None and len(found) < MAX_CATEGORIES:
                found.add(category)
    return tuple(sorted(found))
