"""The check `sql`: what a query counts in documents that hold rows, and in which lines."""

import math
import sqlite3
from collections.abc import Iterator
from typing import Any

from equipoise.errors import NotEstimable
from equipoise.records.grade import Evidence
from equipoise.stages.grade.check_specs import SqlSpec, TableSpec
from equipoise.stages.grade.finding import Found
from equipoise.stages.grade.json_places import json_of, span_of
from equipoise.stages.grade.material import Material, page, values
from equipoise.stages.grade.quoting import MOST_QUOTES, cited, line_quoted
from equipoise.stages.grade.row_tables import (
    LINE,
    Row,
    as_bound,
    parameters,
    tables,
    with_parameters,
)
from equipoise.stages.grade.templates import resolved

MOST_ROWS = 100_000
"""Most rows that a query may give."""


def check_sql(spec: SqlSpec, material: Material) -> Found:
    """Gives the sum over the first column of what the query gives; no row is 0.

    Raises:
        NotEstimable: a document is not there or holds no rows, the unit lacks what the query
            names, the query fails or takes too long, or its value is no number from 0 on.
    """
    held = {
        name: (table.columns, list(_rows(table, material))) for name, table in spec.tables.items()
    }
    known = values(material)
    bound = {
        name: as_bound(resolved(f"{{{place}}}", known))
        for name, place in parameters(spec.query).items()
    }
    try:
        with tables(held) as database:
            cursor = database.execute(with_parameters(spec.query), bound)
            names = [column[0] for column in cursor.description]
            rows = cursor.fetchmany(MOST_ROWS + 1)
    except (sqlite3.Error, OverflowError) as error:
        raise NotEstimable(f"the query failed: {error}", code="no_query") from error
    if len(rows) > MOST_ROWS:
        raise NotEstimable(f"the query gives more than {MOST_ROWS:,} rows", code="too_many")
    raw = math.fsum(_number(row[0]) for row in rows)
    if raw < 0 or not math.isfinite(raw):
        raise NotEstimable(f"the query gives {raw:g}, which is below 0", code="no_value")
    first = next(iter(spec.tables.values())).document
    at = names.index(LINE) if LINE in names else None
    lines = [row[at] for row in rows if row[0]] if at is not None else []
    places = tuple(
        place for line in lines[:MOST_QUOTES] for place in _quoted(material, first, line)
    )
    if raw == 0 or places:
        return Found(raw=raw, places=places)
    return Found(raw=raw, places=cited(material, spec.cite, first))


def _rows(table: TableSpec, material: Material) -> Iterator[tuple[int, Row]]:
    seen = page(material, table.document)
    if table.document.endswith(".jsonl"):
        numbers = [
            n for n, line in enumerate(seen.text.split("\n"), start=1) if line.strip(" \t\r")
        ]
        items = json_of(material, table.document)
    else:
        items = json_of(material, table.document)
        if not isinstance(items, list):
            raise NotEstimable(f"{table.document} is no list of objects", code="no_rows")
        numbers = [
            seen.text.count("\n", 0, span_of(seen, (number,))[0]) + 1
            for number in range(len(items))
        ]
    for number, item in zip(numbers, items, strict=True):
        if not isinstance(item, dict):
            raise NotEstimable(f"{table.document}:{number} is no object", code="no_rows")
        yield number, item


def _quoted(material: Material, document: str, line: Any) -> tuple[Evidence, ...]:
    return line_quoted(page(material, document), line) if isinstance(line, int) and line > 0 else ()


def _number(value: Any) -> float:
    if value is None:
        raise NotEstimable("the query gives null", code="no_value")
    if not isinstance(value, int | float):
        raise NotEstimable(f"the query gives {value!r}"[:200] + ", no number", code="no_value")
    return float(value)
