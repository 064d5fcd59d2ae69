"""Reads promptfoo results (``promptfoo eval -o x.json``): rows are counted, totals not trusted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from equipoise.adapters.logs.cell_names import CellNames
from equipoise.adapters.logs.json_stream import walk
from equipoise.adapters.logs.json_text import BadJson, decode
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.opened import chunks, lines
from equipoise.adapters.logs.options import Options
from equipoise.adapters.logs.promptfoo.columns import Columns, columns_of
from equipoise.adapters.logs.promptfoo.rows import RowReader
from equipoise.adapters.logs.table.fields import field
from equipoise.errors import UnreadableSource
from equipoise.ports import Reading
from equipoise.records.notice import Headline
from equipoise.records.terms import Direction

_KEYS = ("arm", "unit")
_ROWS = frozenset({("results", "results"), ("results",)})
_KEPT = frozenset(
    {("results", "prompts"), ("results", "stats"), ("prompts",), ("stats",), ("evalId",)}
)
_METRICS = {"successes": "n_passed", "failures": "n_failed", "errors": "n_errors"}


class PromptfooReader:
    """The reader of promptfoo results.

    Options: ``arm`` (else what differs between the columns), ``unit`` (dotted path in a row, such
    as ``vars.id``; else description and variables). Repeats of a test are its repetitions.
    """

    name = "promptfoo"

    def directions(self, options: dict[str, Any]) -> dict[str, Direction]:
        """Gives the direction of the outcome: passing is better."""
        return Options(options, _KEYS).directions()

    def read(self, source: Path, options: dict[str, Any]) -> Iterator[Reading]:
        """Yields the readings of one results file.

        Raises:
            InputError: an option is wrong.
            UnreadableSource: it holds no result row.
        """
        chosen = Options(options, _KEYS)
        noticer = Noticer()
        head = _head(source)
        columns = columns_of(head.get("prompts"))
        reader = RowReader(
            columns,
            {"arm": chosen.text("arm"), "unit": chosen.text("unit")},
            noticer,
            CellNames(noticer),
        )
        yield from _headlines(columns, head.get("stats"), chosen.text("arm"), source)
        n_rows = 0
        for where, row in _rows(source, noticer):
            n_rows += 1
            yield from reader.readings(row, where)
        if not n_rows:
            raise UnreadableSource(
                f"{source.name} holds no result row of promptfoo",
                wanted="the output of `promptfoo eval -o results.json`",
                code="no_promptfoo",
            )
        _check(columns, head.get("stats"), reader, source, noticer)
        yield from noticer.flush()


def _is_lines(source: Path) -> bool:
    """Whether the file holds one row per line."""
    for _, line in lines(source, Noticer()):
        try:
            value = decode(line).value
        except BadJson:
            return False
        return isinstance(value, dict) and "results" not in value
    return False


def _head(source: Path) -> dict[str, Any]:
    """What stands around the rows."""
    found: dict[str, Any] = {}
    if _is_lines(source):
        return found
    try:
        for place, value in walk(chunks(source, Noticer()), _ROWS):
            if place in _KEPT:
                found[str(place[-1])] = value
    except BadJson:
        return found
    return found


def _rows(source: Path, noticer: Noticer) -> Iterator[tuple[str, dict[str, Any]]]:
    if _is_lines(source):
        yield from _line_rows(source, noticer)
        return
    try:
        for place, value in walk(chunks(source, noticer), _ROWS):
            if place[:-1] not in _ROWS or not isinstance(place[-1], int):
                continue
            where = f"{source.name}:results[{place[-1]}]"
            if isinstance(value, dict):
                yield where, value
            else:
                fault = str(value) if isinstance(value, BadJson) else "no JSON object"
                noticer.lost("no_object", f"a row: {fault}", where)
    except BadJson as error:
        noticer.lost(
            "bad_json", f"the JSON breaks off: {error}; what stood before was read", source.name
        )


def _line_rows(source: Path, noticer: Noticer) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in lines(source, noticer):
        where = f"{source.name}:{number}"
        try:
            value = decode(line).value
        except BadJson:
            noticer.lost("bad_json", "no JSON", where)
            continue
        if isinstance(value, dict) and ("success" in value or "testIdx" in value):
            yield where, value
        else:
            noticer.lost("no_row", "the line is no result row", where)


def _headlines(columns: Columns, stats: Any, arm: str, source: Path) -> Iterator[Headline]:
    for name, counts in columns.declared.items():
        for key, count in counts.items():
            yield Headline(
                metric=_METRICS[key], value=float(count), arm=arm or name, where=source.name
            )
    for key, count in _stats(stats).items():
        yield Headline(metric=_METRICS[key], value=float(count), where=f"{source.name}: stats")


def _check(columns: Columns, stats: Any, reader: RowReader, source: Path, noticer: Noticer) -> None:
    """Tells where totals do not follow from the rows."""
    total = {key: sum(c[key] for c in reader.counted.values()) for key in _METRICS}
    n_rows = sum(total.values())
    n_declared = sum(_stats(stats).values())
    if n_declared and n_declared != n_rows:
        noticer.warn(
            "headline_does_not_follow",
            f"its stats count {n_declared} results, the file holds {n_rows} rows",
            f"{source.name}: stats",
        )
    for key, count in _stats(stats).items():
        if count != total[key]:
            noticer.warn(
                "headline_does_not_follow",
                f"its stats declare {key}={count}, its rows give {total[key]}",
                f"{source.name}: stats",
            )
    for name, counts in columns.declared.items():
        counted = reader.counted.get(name, {})
        for key, count in counts.items():
            if counted and count != counted[key]:
                noticer.warn(
                    "headline_does_not_follow",
                    f"column {name!r} declares {key}={count}, its rows give {counted[key]}",
                    source.name,
                )


def _stats(stats: Any) -> dict[str, int]:
    if not isinstance(stats, dict):
        return {}
    found = {key: field(stats, key) for key in _METRICS}
    return {k: v for k, v in found.items() if isinstance(v, int) and not isinstance(v, bool)}
