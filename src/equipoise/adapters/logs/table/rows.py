"""Yields the rows of a table, whatever file it stands in, one at a time."""

import csv
import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from equipoise.adapters.logs.json_stream import walk
from equipoise.adapters.logs.json_text import BadJson, decode
from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.opened import MAX_LINE, chunks, head_of, lines
from equipoise.errors import InputError, UnreadableSource
from equipoise.records.yaml_text import parse

Row = tuple[int, dict[str, Any]]
"""The line (or the position, from 1, where a format has no lines) and the columns."""

ROW_KEYS = ("results", "rows", "data", "samples", "trials", "instances", "items", "records")
"""Where the rows of a JSON object are looked for when nothing is said."""

_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
}
_BATCH = 4096


def table_format(path: Path) -> str:
    """Gives the format of the file, from its name and its first bytes.

    Raises:
        UnreadableSource: it cannot be opened, or is none of the formats.
    """
    head = head_of(path, 4096).lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"PAR1"):
        return "parquet"
    suffixes = [s.lower() for s in path.suffixes if s.lower() != ".gz"]
    named = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    if named not in {None, "json", "jsonl"}:
        return str(named)
    if head.startswith(b"["):
        return "json"
    if head.startswith(b"{"):
        return "jsonl" if named == "jsonl" or _is_json_line(head) else "json"
    if named:
        return named
    raise UnreadableSource(
        f"{path.name} is no table that is known",
        wanted="JSON Lines, CSV, TSV, Parquet, a JSON array or a YAML list, each also as .gz",
        mend="name it by its suffix, or give format: in the mapping",
        code="unknown_format",
    )


def rows_of(path: Path, form: str, noticer: Noticer, *, at: str | None = None) -> Iterator[Row]:
    """Yields the rows; what is broken is told to the noticer and reading goes on.

    Args:
        path: the file.
        form: one of the formats of `table_format`.
        noticer: is told of lines that cannot be read.
        at: dotted path of the array of rows inside a JSON object.

    Raises:
        UnreadableSource: nothing at all can be read.
    """
    if form == "jsonl":
        yield from _json_lines(path, noticer)
    elif form in {"csv", "tsv"}:
        yield from _separated(path, form, noticer)
    elif form == "parquet":
        yield from _parquet(path)
    elif form == "json":
        yield from _json(path, noticer, at)
    else:
        yield from _yaml(path, noticer)


def _is_json_line(head: bytes) -> bool:
    line, newline, _ = head.partition(b"\n")
    try:
        return bool(newline) and isinstance(decode(line).value, dict)
    except BadJson:
        return False


def _json_lines(path: Path, noticer: Noticer) -> Iterator[Row]:
    for number, line in lines(path, noticer):
        where = f"{path.name}:{number}"
        try:
            decoded = decode(line)
        except BadJson as error:
            noticer.lost("bad_json", f"no JSON: {_kind(error)}", where)
            continue
        if decoded.duplicate_keys:
            names = ", ".join(repr(k) for k in decoded.duplicate_keys[:3])
            noticer.refused("duplicate_keys", f"a JSON object has {names} twice", where)
            continue
        if not isinstance(decoded.value, dict):
            noticer.lost("no_object", "the line is no JSON object", where)
            continue
        yield number, decoded.value


def _kind(error: BadJson) -> str:
    """The fault without its place in the line, so that equal faults are counted together."""
    return str(error).split(":", maxsplit=1)[0].split(" at byte", maxsplit=1)[0]


def _separated(path: Path, form: str, noticer: Noticer) -> Iterator[Row]:
    number = 0

    def texts() -> Iterator[str]:
        nonlocal number
        for n, line in lines(path, noticer, keep_blank=True):
            number = n
            yield line.decode("utf-8", "surrogateescape") + "\n"

    source = texts()
    first = next(source, None)
    if first is None:
        raise UnreadableSource(f"{path.name} is empty", wanted="a header line", code="empty")
    delimiter = "\t" if form == "tsv" else _delimiter(first)
    header = _header(first, delimiter, path)
    old_limit = csv.field_size_limit(MAX_LINE)
    try:
        reader = csv.reader(source, delimiter=delimiter, strict=True)
        while True:
            start = number + 1
            try:
                fields = next(reader, None)
            except csv.Error as error:
                noticer.lost("bad_row", f"the row cannot be read: {error}", f"{path.name}:{start}")
                continue
            if fields is None:
                return
            row = _row(header, fields, f"{path.name}:{start}", noticer)
            if row is not None:
                yield start, row
    finally:
        csv.field_size_limit(old_limit)


def _row(
    header: list[str], fields: list[str], where: str, noticer: Noticer
) -> dict[str, Any] | None:
    if not any(fields):
        return None
    if len(fields) != len(header):
        noticer.lost("ragged_row", "the row has not as many fields as the header", where)
        return None
    try:
        "".join(fields).encode()
    except UnicodeEncodeError:
        noticer.lost("not_utf8", "invalid UTF-8 in the row", where)
        return None
    return dict(zip(header, fields, strict=True))


def _delimiter(first: str) -> str:
    return max(",;\t|", key=lambda mark: (first.count(mark), mark == ","))


def _header(first: str, delimiter: str, path: Path) -> list[str]:
    try:
        names = next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error as error:
        raise UnreadableSource(
            f"the header of {path.name} cannot be read: {error}",
            wanted="lines that end in LF or CR LF",
            code="bad_header",
        ) from error
    names = [name.strip().encode("utf-8", "replace").decode() for name in names]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not any(names):
        raise UnreadableSource(
            f"{path.name} has the column {twice[0]!r} twice" if twice else "the header is empty",
            wanted="a first line that names each column once",
            code="bad_header",
        )
    return names


def _parquet(path: Path) -> Iterator[Row]:
    try:
        with duckdb.connect() as connection:
            relation = connection.execute(
                "SELECT * FROM parquet_scan(?)", [str(path).replace("[", "[[]")]
            )
            names = [column[0] for column in relation.description or []]
            number = 0
            while batch := relation.fetchmany(_BATCH):
                for values in batch:
                    number += 1
                    yield number, dict(zip(names, map(_plain, values), strict=True))
    except duckdb.Error as error:
        fault = str(error).splitlines()[0][:160]
        raise UnreadableSource(
            f"{path.name} cannot be read as Parquet: {fault}", code="bad_parquet"
        ) from error


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str | dict | list):
        return value
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else str(value)


def _json(path: Path, noticer: Noticer, at: str | None) -> Iterator[Row]:
    keys = [tuple(at.split("."))] if at else [(), *((key,) for key in ROW_KEYS)]
    split = frozenset(keys)
    n_rows = 0
    try:
        for place, value in walk(chunks(path, noticer), split):
            if place[:-1] not in split or not isinstance(place[-1] if place else "", int):
                continue
            n_rows += 1
            if isinstance(value, dict):
                yield n_rows, value
            else:
                fault = str(value) if isinstance(value, BadJson) else "no JSON object"
                noticer.lost("no_object", f"an element: {fault}", f"{path.name}:{n_rows}")
    except BadJson as error:
        if not n_rows:
            raise UnreadableSource(
                f"{path.name} is no JSON: {error}", wanted="an array of objects", code="bad_json"
            ) from error
        noticer.lost(
            "bad_json", f"the JSON breaks off: {error}; what stood before was read", path.name
        )
    if not n_rows:
        noticer.warn("no_rows", "no array of rows was found in the JSON file", path.name)


def _yaml(path: Path, noticer: Noticer) -> Iterator[Row]:
    text = parse(b"".join(chunks(path, noticer)), name=path.name)
    if not isinstance(text.value, list):
        raise InputError(f"{path.name} is no list", wanted="a YAML list of rows", code="no_rows")
    for index, value in enumerate(text.value):
        line, _ = text.place((index,)) or (index + 1, 1)
        if isinstance(value, dict):
            yield line, value
        else:
            noticer.lost("no_object", "an element is no mapping", f"{path.name}:{line}")
