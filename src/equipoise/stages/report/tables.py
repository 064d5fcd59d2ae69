"""A table as the pages show it: caption, columns, rows of cells that may lead somewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from equipoise.stages.report.text import NAME_LIMIT, label, visible

_WHOLE = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: its head, and whether its cells are numbers (set to the right)."""

    name: str
    is_number: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell: its text, where it leads, the full text of a shortened name, a verdict word.

    `lines` are quotes (or ids, where `is_code`), shown beneath each other as they were written.
    `is_whole` keeps a short name on one line, `is_again` repeats the head of the row above.
    """

    text: str = ""
    href: str = ""
    full: str = ""
    word: str = ""
    note: str = ""
    lines: tuple[str, ...] = ()
    is_whole: bool = False
    is_code: bool = False
    is_again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table; the first cell of a row is its head. `n_more` rows exist that are not shown."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_more: int = 0
    more_in: str = "estimates.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of the page: anchor, heading, sentences before its tables, notes after.

    `short` is its name in the contents.
    """

    anchor: str
    title: str
    short: str
    leads: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = field(default=())


def table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    """Makes a table; a column whose name starts with ``#`` holds numbers."""
    return Table(
        caption=caption,
        columns=tuple(
            Column(name=name.removeprefix("#"), is_number=name.startswith("#")) for name in columns
        ),
        rows=tuple(tuple(row) for row in rows),
    )


def named(text: str, *, href: str = "") -> Cell:
    """Gives the cell of an id or name: short to look at, in full on hovering."""
    shown = label(text)
    full = visible(text)
    return Cell(
        text=shown,
        href=href,
        full=full if len(full) > NAME_LIMIT else "",
        is_whole=len(shown) <= _WHOLE,
    )
