"""The archive as columns: Parquet files that DuckDB derives from the lines, never the truth."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from equipoise.archive import columns_sql as sql
from equipoise.archive.durable import replace_file, storage_errors, sync_folder
from equipoise.errors import ArchiveError, InputError, StorageFull
from equipoise.records.codec import decode, pretty

if TYPE_CHECKING:
    import duckdb

RESULTS = "results.parquet"
EVIDENCE = "evidence.parquet"
FACTS = "columns.json"
LAYOUT = 2
COLUMN_FILES = (RESULTS, EVIDENCE)


class ColumnFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The file `columns.json`: which head the columns were derived from, and what is in them.

    `labels` gives the number of distinct values per label key; `files` the sha256 of each Parquet
    file, so that a changed cache is never read. `n_grades_repeated` counts grades after the first
    of a trial under one criterion, `n_grades_without_trial` those of a trial that is not there;
    neither is in the columns.
    """

    layout: int
    head: str
    n_trials: int
    arms: tuple[str, ...]
    criteria: tuple[str, ...]
    labels: dict[str, int]
    max_repetition: int
    max_attempt: int
    has_clusters: bool
    n_simulated: int
    n_grades_repeated: int
    n_grades_without_trial: int
    files: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Where the columns of an archive are, and what is in them."""

    results: Path
    evidence: Path
    facts: ColumnFacts


def load_columns(folder: Path, head: str) -> Columns | None:
    """Gives the columns in the folder, or None where they are not exactly those of this head."""
    try:
        facts = decode(folder.joinpath(FACTS).read_bytes(), ColumnFacts)
        if facts.layout != LAYOUT or facts.head != head:
            return None
        for name in COLUMN_FILES:
            if _hash_file(folder / name) != facts.files[name]:
                return None
    except (OSError, InputError, KeyError):
        return None
    return Columns(results=folder / RESULTS, evidence=folder / EVIDENCE, facts=facts)


def build_columns(chains: Path, folder: Path, head: str) -> Columns:
    """Derives the columns from the chained files in `chains` and puts them into `folder`.

    The caller has verified the lines. Each file replaces the old one whole; `columns.json` comes
    last, so that a half-made cache is never taken for one.

    Raises:
        StorageFull: the disk took no more; the old columns are as they were.
    """
    with storage_errors("writing the columns"):
        folder.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=".part-", dir=folder))
    try:
        with session(work) as database:
            facts = _derive(database, chains, work, head)
        with storage_errors("writing the columns"):
            folder.joinpath(FACTS).unlink(missing_ok=True)
            for name in COLUMN_FILES:
                work.joinpath(name).replace(folder / name)
            sync_folder(folder)
            replace_file(folder / FACTS, pretty(facts))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Columns(results=folder / RESULTS, evidence=folder / EVIDENCE, facts=facts)


def stamp_columns(columns: Columns, head: str) -> None:
    """Declares columns to be those of another head, for lines appended that are in no column."""
    facts = msgspec.structs.replace(columns.facts, head=head)
    replace_file(columns.results.with_name(FACTS), pretty(facts))


def drop_columns(folder: Path) -> None:
    """Makes columns in the folder, if any, no cache of anything; the Parquet files stay."""
    with storage_errors("dropping the columns"):
        folder.joinpath(FACTS).unlink(missing_ok=True)


def same_content(one: Columns, other: Columns) -> bool:
    """Says whether two sets of columns hold the same rows in the same order, and say so alike.

    Their files may differ in bytes (another version of the database wrote them), not in content.
    """
    if msgspec.structs.replace(one.facts, files=other.facts.files) != other.facts:
        return False
    if one.facts.files == other.facts.files:
        return True
    engine = import_module("duckdb")  # here, since who only runs a study needs none of it
    with engine.connect(":memory:") as database:
        for ours, theirs in ((one.results, other.results), (one.evidence, other.evidence)):
            query = sql.fill(
                sql.DIFFERENT, one=sql.literal(str(ours)), other=sql.literal(str(theirs))
            )
            try:
                if database.execute(query).fetchone() != (0,):
                    return False
            except engine.Error:
                return False
    return True


@contextmanager
def session(spill: Path) -> Iterator["duckdb.DuckDBPyConnection"]:
    """Opens a database in memory that spills into the folder, and gives its errors our names."""
    engine = import_module("duckdb")
    database = engine.connect(":memory:")
    try:
        database.execute("SET temp_directory = ?", [str(spill / "spill")])
        database.execute("SET memory_limit = '1500MB'")
        database.execute("SET threads = 2")
        yield database
    except engine.IOException as error:
        if "No space left" in str(error) or "File too large" in str(error):
            raise StorageFull(
                "disk full while deriving columns; kept: every line; mend: free space, then again"
            ) from error
        raise ArchiveError(f"columns cannot be derived: {error}") from error
    except engine.Error as error:
        raise ArchiveError(f"columns cannot be derived: {error}") from error
    finally:
        database.close()


def _derive(
    database: "duckdb.DuckDBPyConnection", chains: Path, work: Path, head: str
) -> ColumnFacts:
    for table, load in sql.LOAD.items():
        database.execute(sql.fill(load, rows=sql.rows(table, str(chains / f"{table}.jsonl"))))
    database.execute(sql.LAST_ROUND)
    labels = [key for (key,) in database.execute(sql.LABEL_KEYS).fetchall()]
    criteria = [name for (name,) in database.execute(sql.CRITERIA).fetchall()]
    database.execute(sql.FIRST_GRADES)
    results = sql.results_query(labels, criteria)
    for name, query in ((RESULTS, results), (EVIDENCE, sql.EVIDENCE_ROWS)):
        database.execute(sql.fill(sql.WRITE, query=query, file=sql.literal(str(work / name))))
    facts = database.execute(sql.FACTS).fetchone()
    assert facts is not None
    return ColumnFacts(
        layout=LAYOUT,
        head=head,
        n_trials=facts[0],
        arms=tuple(facts[1] or ()),
        criteria=tuple(criteria),
        labels=dict(database.execute(sql.LABEL_COUNTS).fetchall()),
        max_repetition=facts[2] or 0,
        max_attempt=facts[3] or 0,
        has_clusters=bool(facts[4]),
        n_simulated=facts[5] or 0,
        n_grades_repeated=facts[6],
        n_grades_without_trial=facts[7],
        files={name: _hash_file(work / name) for name in COLUMN_FILES},
    )


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
