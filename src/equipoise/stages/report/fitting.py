"""Fits tables into a page of limited size: fewer rows, no link into nothing, long names once."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from equipoise.stages.report.tables import Cell, Section, Table

_LATER = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a page may hold: comparisons drawn and detailed, rows a table, characters of units."""

    n_comparisons: int
    n_rows: int
    n_unit_characters: int
    n_name_characters: int


GENEROUS_TO_BARE = (
    Limits(n_comparisons=150, n_rows=200, n_unit_characters=300_000, n_name_characters=200_000),
    Limits(n_comparisons=80, n_rows=80, n_unit_characters=120_000, n_name_characters=60_000),
    Limits(n_comparisons=40, n_rows=30, n_unit_characters=40_000, n_name_characters=20_000),
    Limits(n_comparisons=15, n_rows=10, n_unit_characters=10_000, n_name_characters=0),
)
"""Tried in this order until the page is small enough."""


@dataclass(slots=True, kw_only=True)
class Fitting:
    """Fits the tables of one page.

    Args:
        limits: what the page may hold.
        targets: the links that lead somewhere on this page.
    """

    limits: Limits
    targets: Collection[str]
    _seen: set[str] = field(default_factory=set)
    _n_characters: int = 0

    def section(self, section: Section) -> Section:
        """Gives the section with each of its tables fitted."""
        return replace(section, tables=tuple(self.table(t) for t in section.tables))

    def table(self, table: Table) -> Table:
        """Gives the table with its first rows; what is cut off is counted."""
        kept = table.rows[: self.limits.n_rows]
        return replace(
            table,
            rows=tuple(tuple(self._cell(cell) for cell in row) for row in kept),
            n_more=table.n_more + len(table.rows) - len(kept),
        )

    def _cell(self, cell: Cell) -> Cell:
        if cell.href and cell.href not in self.targets:
            cell = replace(cell, href="")
        return replace(cell, full=self._name(cell.full)) if cell.full else cell

    def _name(self, full: str) -> str:
        """Gives a long name in full where it is met first, and while there is room."""
        is_new = full not in self._seen
        self._seen.add(full)
        if is_new and self._n_characters + len(full) <= self.limits.n_name_characters:
            self._n_characters += len(full)
            return full
        if len(full) <= _LATER:
            return full
        return f"{full[:_LATER]}… ({len(full):,} characters; in full in estimates.json)"
