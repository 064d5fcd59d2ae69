"""Keeps the cells apart: repetitions, attempts, doubles, and answers that came out of a cache."""

from equipoise.adapters.logs.cell_names import Cell, CellNames
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.seen import Seen
from equipoise.adapters.logs.table.fields import Row, count, field, getter, is_set, text
from equipoise.adapters.logs.table.mapping import Mapping
from equipoise.records.codec import identity_of


class CellCounter:
    """Places each row in its cell; memory grows by sixteen bytes a row."""

    def __init__(self, mapping: Mapping, noticer: Noticer) -> None:
        """Notes which columns count."""
        self._noticer = noticer
        self._mapping = mapping
        self._cells = CellNames(noticer)
        self._outputs = Seen()
        self._names: dict[str, int] = {}
        self._counted = {
            what: (getter(column), 1 if column.base is None else column.base)
            for what, column in (("repetition", mapping.repetition), ("attempt", mapping.attempt))
            if column is not None
        }

    def place(self, row: Row, where: str) -> tuple[int, int] | None:
        """Gives the repetition and the attempt that the row names, from 1; None where it cannot."""
        repetition = self._number("repetition", row, where)
        attempt = self._number("attempt", row, where)
        return (repetition, attempt) if repetition and attempt else None

    def admit(self, cell: Cell, place: tuple[int, int], where: str) -> tuple[str, int] | None:
        """Gives the trial's id and repetition; None for a double, which is refused.

        Without a column for repetitions, further rows of one cell are numbered in file order.
        """
        if self._counted:
            name = self._cells.admit(cell, place, where)
            return None if name is None else (name, place[0])
        return self._cells.number(
            cell,
            where,
            why="a unit occurs again in its arm and no column names the repetition: numbered in "
            "the order of the file; mend: repetition: COLUMN, or a unit of several columns",
        )

    def is_cached(self, row: Row, cell: Cell, repetition: int, duration_ms: float | None) -> bool:
        """Whether the row repeats an output of its cell without having been executed."""
        mapping = self._mapping
        column = mapping.output_sha256 or mapping.output
        if mapping.cached is None and column is None:
            return False
        is_flagged = mapping.cached is not None and is_set(field(row, mapping.cached))
        output = text(field(row, column)) if column is not None else None
        if output is None:
            return is_flagged and repetition > 1
        is_known = self._outputs.add(int(identity_of(*cell, output), 16))
        return is_known and (is_flagged or duration_ms == 0)

    def _number(self, what: str, row: Row, where: str) -> int | None:
        column = self._counted.get(what)
        if column is None:
            return 1
        read, base = column
        value = read(row)
        number = count(value)
        if number is None:
            return self._named(value, where, what)
        if number + 1 - base >= 1:
            return number + 1 - base
        self._noticer.refused(
            f"{what}_zero",
            f"{what} 0 where counting begins at 1; mend: {what}: {{column: NAME, base: 0}}",
            where,
        )
        return None

    def _named(self, value: str | None, where: str, what: str) -> int:
        if value is None:
            self._noticer.warn(f"no_{what}", f"the row names no {what}; taken as the first", where)
            return 1
        number = self._names.setdefault(f"{what} {value}", len(self._names) + 1)
        self._noticer.info(f"{what}_named", f"{what} {value[:40]!r} is numbered {number}", where)
        return number
