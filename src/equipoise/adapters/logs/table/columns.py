"""Checks that the columns a mapping names are there; a slip of the pen is no missing data."""

from collections.abc import Iterable, Iterator
from itertools import islice

from equipoise.adapters.logs.table.mapping import Column, Mapping
from equipoise.adapters.logs.table.rows import Row
from equipoise.errors import InputError, nearest

_SAMPLE = 200


def check_columns(mapping: Mapping, rows: Iterable[Row], name: str) -> None:
    """Checks the columns of unit, arm, repetition, outcome and labels against the first rows.

    Columns that only some rows have (costs, errors, further criteria) are not looked for.

    Raises:
        InputError: none of the first rows has the column; names the nearest.
    """
    held: dict[str, None] = {}
    for _, row in islice(rows, _SAMPLE):
        held |= dict.fromkeys(row)
    if not held:
        return
    for key, column in _named(mapping):
        if column not in held and column.partition(".")[0] not in held:
            listed = ", ".join(repr(c) for c in held)
            raise InputError(
                f"{key}: there is no column {column!r}",
                wanted=f"one of {listed}",
                mend=nearest(column, list(held)) or f"name the column of the {key}",
                where=name,
                code="no_column",
            )


def _named(mapping: Mapping) -> Iterator[tuple[str, str]]:
    for key in ("unit", "arm", "repetition"):
        source: Column | None = getattr(mapping, key)
        if source is not None:
            columns = [*source.columns, *([source.column] if source.column else [])]
            yield from ((key, column) for column in columns)
    for key in ("value", "outcome", "loss"):
        graded = getattr(mapping, key)
        if graded is not None:
            yield key, graded.column
    yield from (("label", column) for column in mapping.labels.values())
