"""What an archive holds, counted from its columns: for the importer's summary and its notices."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import msgspec

from equipoise.archive.columns import ColumnFacts, Columns
from equipoise.archive.columns_sql import fill, literal, name
from equipoise.archive.manifest import Document, Source
from equipoise.archive.store import Archive
from equipoise.records.notice import Headline, Notice, Severity

_MAX_NOTICES = 50
_PLACES = 3


class CriterionTally(msgspec.Struct, frozen=True, kw_only=True):
    """How many trials have a value under a criterion, and why the others have none."""

    direction: str
    n_values: int
    missing: dict[str, int]


class ImportSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What was read, what could not be read and why, and where it is now.

    `arms`, `endings` count trials; `n_attempts_beyond_first` are retries, which are no further
    repetitions; `notices` are the first ones, `n_notices` counts all by severity.
    """

    run_id: str
    path: str
    head: str
    is_reused: bool
    source: Source | None
    n_trials: int
    n_units: int
    arms: dict[str, int]
    max_repetition: int
    n_attempts_beyond_first: int
    endings: dict[str, int]
    criteria: dict[str, CriterionTally]
    labels: dict[str, int]
    n_documents: int
    n_headlines: int
    is_simulated: bool
    n_notices: dict[str, int]
    notices: tuple[Notice, ...]


def summarise(path: Path, *, is_reused: bool) -> ImportSummary:
    """Gives the summary of an archive from its columns and notices."""
    archive = Archive.open(path)
    columns = archive.columns()
    notices = sorted(archive.read(Notice), key=lambda n: _ORDER[n.severity])
    with _results(columns) as database:
        n_trials, n_units, n_retries = database.execute(_TOTALS).fetchall()[0]
        return ImportSummary(
            run_id=archive.manifest.run_id,
            path=str(path),
            head=archive.head,
            is_reused=is_reused,
            source=archive.manifest.source,
            n_trials=n_trials,
            n_units=n_units,
            arms=_counts(database, "arm"),
            max_repetition=columns.facts.max_repetition,
            n_attempts_beyond_first=n_retries,
            endings=_counts(database, "ending"),
            criteria=_criteria(database, archive, columns),
            labels=columns.facts.labels,
            n_documents=archive.n_lines(Document),
            n_headlines=archive.n_lines(Headline),
            is_simulated=archive.manifest.is_simulated,
            n_notices=_by_severity(notices),
            notices=tuple(notices[:_MAX_NOTICES]),
        )


def oddities(columns: Columns) -> Iterator[Notice]:
    """Yields what is odd about the trials as a whole: units that contradict themselves, and such.

    A unit is one thing measured: its labels and its cluster are the same in all its trials.
    """
    facts = columns.facts
    places = [f"label:{key}" for key in facts.labels] + ["cluster"] * facts.has_clusters
    with _results(columns) as database:
        for place in _contradicted(database, places):
            query = fill(_CONTRADICTING, column=name(place))
            units = [unit for (unit,) in database.execute(query).fetchall()]
            if units:
                yield Notice(
                    code="inconsistent_labels",
                    message=f"{len(units)} units have more than one {place.replace(':', ' ')} "
                    "in their trials; wanted: the same in all trials of a unit; mend: correct "
                    "the source, or make the unit id tell them apart",
                    where=", ".join(f"unit {unit[:80]!r}" for unit in units[:_PLACES]),
                    count=len(units),
                )
    yield from _grade_oddities(facts)


def _contradicted(database: duckdb.DuckDBPyConnection, places: list[str]) -> list[str]:
    """Gives those of the columns that differ between trials of any unit, in one pass."""
    if not places:
        return []
    tests = ", ".join(
        fill(_DIFFERS, column=name(place), alias=f"p{n}") for n, place in enumerate(places)
    )
    flags = ", ".join(f"bool_or(p{n})" for n in range(len(places)))
    found = database.execute(fill(_ANY_DIFFERS, tests=tests, flags=flags)).fetchall()[0]
    return [place for place, differs in zip(places, found, strict=True) if differs]


def _grade_oddities(facts: ColumnFacts) -> Iterator[Notice]:
    if facts.n_grades_repeated:
        yield Notice(
            code="duplicate_grade",
            message="a trial was graded more than once under one criterion; the first counts",
            severity=Severity.REFUSED,
            count=facts.n_grades_repeated,
        )
    if facts.n_grades_without_trial:
        yield Notice(
            code="grade_without_trial",
            message="a grade belongs to a trial that is not in the source; it counts nowhere",
            severity=Severity.LOST,
            count=facts.n_grades_without_trial,
        )


_ORDER = {Severity.LOST: 0, Severity.REFUSED: 1, Severity.WARNING: 2, Severity.INFO: 3}
_TOTALS = "SELECT count(*), count(DISTINCT unit), count(*) FILTER (attempt > 1) FROM r"
_COUNTS = "SELECT $column, count(*) FROM r GROUP BY 1 ORDER BY 1"
_REASONS = (
    "SELECT criterion, why, count(*) FROM (SELECT COLUMNS('^why:') FROM r) "
    "UNPIVOT INCLUDE NULLS (why FOR criterion IN (COLUMNS(*))) GROUP BY ALL ORDER BY ALL"
)
_DIFFERS = (
    "min($column) IS DISTINCT FROM max($column) OR count($column) NOT IN (0, count(*)) AS $alias"
)
_ANY_DIFFERS = "SELECT $flags FROM (SELECT $tests FROM r GROUP BY unit)"
_CONTRADICTING = (
    "SELECT unit FROM r GROUP BY unit HAVING min($column) IS DISTINCT FROM max($column) "
    "OR count($column) NOT IN (0, count(*)) ORDER BY unit"
)


@contextmanager
def _results(columns: Columns) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as database:
        view = "CREATE VIEW r AS FROM read_parquet($file)"
        database.execute(fill(view, file=literal(str(columns.results))))
        yield database


def _counts(database: duckdb.DuckDBPyConnection, column: str) -> dict[str, int]:
    return dict(database.execute(fill(_COUNTS, column=name(column))).fetchall())


def _criteria(
    database: duckdb.DuckDBPyConnection, archive: Archive, columns: Columns
) -> dict[str, CriterionTally]:
    if not columns.facts.criteria:
        return {}
    missing: dict[str, dict[str, int]] = {f"why:{name}": {} for name in columns.facts.criteria}
    with_value = dict.fromkeys(missing, 0)
    for column, why, count in database.execute(_REASONS).fetchall():
        if why is None:
            with_value[column] = count
        else:
            missing[column][why] = count
    return {
        criterion: CriterionTally(
            direction=archive.manifest.criteria[criterion].direction.value,
            n_values=with_value[f"why:{criterion}"],
            missing=missing[f"why:{criterion}"],
        )
        for criterion in columns.facts.criteria
    }


def _by_severity(notices: list[Notice]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for notice in notices:
        counts[notice.severity.value] = counts.get(notice.severity.value, 0) + notice.count
    return counts
