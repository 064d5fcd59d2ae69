"""Reads the figures that a source declares about itself: in the mapping, or in a file beside it."""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.table import fields
from equipoise.adapters.logs.table.mapping import HeadlineFile, Mapping
from equipoise.adapters.logs.table.rows import rows_of, table_format
from equipoise.errors import InputError
from equipoise.records.notice import Headline


def headlines_of(mapping: Mapping, source: Path, noticer: Noticer) -> Iterator[Headline]:
    """Yields the declared figures; NaN is null.

    A figure that holds for one repetition has the metric ``NAME@repetition=K``.

    Raises:
        InputError: the file with the figures cannot be read or lies outside the source's folder.
    """
    declared = mapping.headline
    if isinstance(declared, HeadlineFile):
        yield from _from_file(declared, source, noticer)
        return
    for name, value in declared.items():
        if isinstance(value, dict):
            for metric, figure in value.items():
                yield Headline(metric=metric, value=_finite(figure), arm=name, where="mapping")
        else:
            yield Headline(metric=name, value=_finite(value), where="mapping")


def _from_file(declared: HeadlineFile, source: Path, noticer: Noticer) -> Iterator[Headline]:
    folder = source.parent.resolve()
    path = folder.joinpath(declared.file).resolve()
    if not path.is_relative_to(folder):
        raise InputError(
            f"headline.file is {declared.file!r}",
            wanted="a file in the folder of the table",
            code="mapping",
        )
    arm_of = fields.getter(declared.arm) if declared.arm is not None else lambda _row: ""
    for line, row in rows_of(path, table_format(path), noticer):
        repetition = _repetition(declared, row)
        for metric, column in declared.metrics.items():
            value = fields.field(row, column)
            if value is None and column not in row:
                continue
            yield Headline(
                metric=f"{metric}{repetition}",
                value=_finite(value),
                arm=arm_of(row) or "",
                where=f"{path.name}:{line}",
            )


def _repetition(declared: HeadlineFile, row: dict[str, Any]) -> str:
    if declared.repetition is None:
        return ""
    value = fields.field(row, declared.repetition)
    number = fields.count(value)
    if number is None:  # "run3" is the third
        ending = re.search(r"\d+$", fields.text(value) or "")
        number = int(ending.group()) if ending else None
    return "" if number is None else f"@repetition={number}"


def _finite(value: Any) -> float | None:
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None
