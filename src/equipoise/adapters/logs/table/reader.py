"""Reads runs out of a table: JSON Lines, CSV, TSV, Parquet, a JSON array or a YAML list."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from equipoise.adapters.logs.noticing import Noticer
from equipoise.adapters.logs.table.aggregate import AggregateProjector
from equipoise.adapters.logs.table.columns import check_columns
from equipoise.adapters.logs.table.fields import count, getter
from equipoise.adapters.logs.table.finding import FindingReader, categories_of
from equipoise.adapters.logs.table.guess import guess
from equipoise.adapters.logs.table.headlines import headlines_of
from equipoise.adapters.logs.table.mapping import Column, Mapping, check, load_mapping
from equipoise.adapters.logs.table.project import Projector, directions_of
from equipoise.adapters.logs.table.rows import Row, rows_of, table_format
from equipoise.errors import InputError, UnreadableSource
from equipoise.ports import Reading
from equipoise.records.terms import Direction

_SAMPLE = 200
_BASE_SAMPLE = 1000
_SUFFIXES = frozenset(
    {".gz", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".tab", ".parquet", ".pq", ".yaml"}
    | {".yml", ".xml", ".log", ".eval", ".txt"}
)
_OUTCOMES = frozenset({"value", "outcome", "loss", "criteria", "findings"})


class TableReader:
    """The reader of tables; its options are the mapping (see `Mapping`), or nothing.

    Where unit or outcome are not mapped, the columns are guessed from their names, what was said
    stands, and a notice says how. The option ``mapping`` names a mapping file; other options then
    stand above what the file says.
    """

    name = "table"

    def __init__(self) -> None:
        """Knows no direction before the first reading."""
        self._directions: dict[str, Direction] = {}

    def directions(self, options: dict[str, Any]) -> dict[str, Direction]:
        """Gives which way each criterion is better, as read last or as the options say."""
        if self._directions or not _is_whole(options):
            return self._directions
        return directions_of(_checked(options))

    def read(self, source: Path, options: dict[str, Any]) -> Iterator[Reading]:
        """Yields the readings of one file.

        Raises:
            InputError: the mapping is wrong, or is needed and not given.
            UnreadableSource: nothing can be read.
        """
        noticer = Noticer()
        said = options.get("format")
        form = str(said) if said and said != self.name else table_format(source)
        mapping = self._mapping(source, form, options, noticer)
        check_columns(mapping, self._rows(source, form, mapping.rows, Noticer()), source.name)
        mapping = _with_bases(mapping, self._rows(source, form, mapping.rows, Noticer()))
        mapping = self._with_categories(mapping, source, form, noticer)
        self._directions = directions_of(mapping)
        yield from headlines_of(mapping, source, noticer)
        projector = self._projector(mapping, source, noticer)
        n_rows = 0
        for line, row in self._rows(source, form, mapping.rows, noticer):
            n_rows += 1
            yield from projector.readings(line, row)
        projector.finish()
        if not n_rows:
            noticer.warn("no_rows", "the table has no rows that can be read", source.name)
        yield from noticer.flush()

    def _mapping(
        self, source: Path, form: str, options: dict[str, Any], noticer: Noticer
    ) -> Mapping:
        if _is_whole(options):
            return _checked(options)
        rows = self._rows(source, form, options.get("rows"), Noticer())
        sample = [row for _, row in itertools.islice(rows, _SAMPLE)]
        if not sample:
            raise UnreadableSource(
                f"{source.name} has no row that can be read",
                wanted="at least one row",
                code="empty",
            )
        guessed = guess(sample, name=source.name, said=options)
        noticer.info("columns_taken", guessed.sentence, source.name)
        return check(guessed.options, name=source.name)

    def _with_categories(
        self, mapping: Mapping, source: Path, form: str, noticer: Noticer
    ) -> Mapping:
        """Finds the categories of the findings, where they are not declared, in a first pass."""
        spec = mapping.findings
        if spec is None or spec.categories:
            return mapping
        rows = self._rows(source, form, mapping.rows, Noticer())
        categories = categories_of((row for _, row in rows), spec)
        noticer.info(
            "categories_taken",
            f"the categories that occur were taken for all there are: {', '.join(categories)}",
            source.name,
        )
        changed = spec.model_copy(update={"categories": categories})
        return mapping.model_copy(update={"findings": changed})

    def _projector(
        self, mapping: Mapping, source: Path, noticer: Noticer
    ) -> Projector | AggregateProjector:
        if mapping.aggregate is not None:
            return AggregateProjector(mapping, mapping.aggregate, source=source, noticer=noticer)
        spec = mapping.findings
        findings = (
            FindingReader(spec, source.parent, spec.categories, noticer)
            if spec is not None
            else None
        )
        return Projector(
            mapping,
            name=source.name,
            stem=stem_of(source),
            noticer=noticer,
            findings=findings,
        )

    def _rows(self, source: Path, form: str, at: str | None, noticer: Noticer) -> Iterator[Row]:
        if form not in {"jsonl", "csv", "tsv", "parquet", "json", "yaml"}:
            raise InputError(
                f"format {form!r} is not known",
                wanted="jsonl, csv, tsv, parquet, json or yaml",
                code="mapping",
            )
        return rows_of(source, form, noticer, at=at)


def _is_whole(options: dict[str, Any]) -> bool:
    """Whether the options are all there is to say: no further column is taken by its name.

    They are, where they name unit and outcome or a mapping file, unless they say ``recognise``.
    """
    arm = options.get("arm")
    is_wide = isinstance(arm, dict) and "wide" in arm
    if {"mapping", "aggregate"} & options.keys() or is_wide:
        return True
    has_outcome = bool(_OUTCOMES & options.keys()) or _has_answers_alone(options)
    is_asked = options.get("recognise") and not _has_answers_alone(options)
    return "unit" in options and has_outcome and not is_asked


def _has_answers_alone(options: dict[str, Any]) -> bool:
    """Whether the answers are all that is wanted of the table: who reads it grades them."""
    return "output" in options and str(options.get("recognise")).lower() == "false"


def _checked(options: dict[str, Any]) -> Mapping:
    options = dict(options)
    named = options.pop("mapping", None)
    if named is None:
        return check(options, name="mapping")
    return check(load_mapping(Path(named)) | options, name=Path(named).name)


def stem_of(source: Path) -> str:
    """Gives the file's name without its suffixes (``runs.jsonl.gz`` gives ``runs``)."""
    name = source.name
    for suffix in reversed(source.suffixes):
        if suffix.lower() not in _SUFFIXES:
            break
        name = name.removesuffix(suffix)
    return name or source.name


def _with_bases(mapping: Mapping, rows: Iterator[Row]) -> Mapping:
    """Finds out whether repetitions and attempts are counted from 0, where that is not said."""
    open_columns = {
        what: column
        for what, column in (("repetition", mapping.repetition), ("attempt", mapping.attempt))
        if column is not None and column.base is None
    }
    if not open_columns:
        return mapping
    bases: dict[str, Literal[0, 1]] = dict.fromkeys(open_columns, 1)
    reads = {what: getter(column) for what, column in open_columns.items()}
    for _, row in itertools.islice(rows, _BASE_SAMPLE):
        for what, read in reads.items():
            if count(read(row)) == 0:
                bases[what] = 0
    changes: dict[str, Column] = {
        what: column.model_copy(update={"base": bases[what]})
        for what, column in open_columns.items()
    }
    return mapping.model_copy(update=changes)
