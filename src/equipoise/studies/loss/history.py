"""The history of a study: chained lines that are only appended to, and the table made of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from equipoise.archive.chain import Break, ChainWriter, walk
from equipoise.archive.durable import replace_file
from equipoise.archive.manifest import ChainHead
from equipoise.errors import Tampered
from equipoise.records.codec import decode, digest, encode, pretty
from equipoise.records.suite import HistoryRow, LossComparison, Suite
from equipoise.stages.report.loss.history import HISTORY, to_history

LINES = "history.jsonl"
_AT_ONCE = 2
"""Lines that one comparison adds at most: its baseline's and its own."""
_GENESIS = digest(b"LOSS-HISTORY")


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The rows of a history in order, and the hash of each one's line."""

    rows: tuple[HistoryRow, ...]
    hashes: tuple[str, ...]
    n_bytes: int

    def looks(self, comparison: str) -> int:
        """Counts the comparisons up to and including this one (a path relative to the study)."""
        seen = list(dict.fromkeys(row.comparison for row in self.rows if row.comparison))
        return (seen.index(comparison) if comparison in seen else len(seen)) + 1


def read_history(study: Path) -> History:
    """Reads the history of a study; empty where there is none.

    Raises:
        Tampered: a line does not follow from the one before, or the table is not what the lines
            give: an earlier row was altered.
    """
    path = study / LINES
    rows, hashes, n_bytes = [], [], 0
    for step in walk(path, _GENESIS):
        if isinstance(step, Break):
            raise Tampered(
                f"{path}:{step.accused}: {step.what}; expected {step.expected}, found "
                f"{step.found}; mend: take the history from a copy"
            )
        rows.append(decode(step.body, HistoryRow, where=f"{path}:{step.number}"))
        hashes.append(step.sha256)
        n_bytes = step.end
    found = History(rows=tuple(rows), hashes=tuple(hashes), n_bytes=n_bytes)
    table = study / HISTORY
    if table.is_file() and table.read_bytes() not in _tables(found):
        raise Tampered(
            f"{table} is not what {LINES} gives: a row was altered, added or removed; mend: take "
            "it from a copy, or delete it: it is written again from its lines"
        )
    return found


def _tables(found: History) -> Iterator[bytes]:
    """Yields the table, and those before its last lines were added (a writer may have died)."""
    for n in range(len(found.rows), max(-1, len(found.rows) - 1 - _AT_ONCE), -1):
        yield to_history(found.rows[:n], found.hashes[:n])


def remember(study: Path, rows: list[HistoryRow]) -> History:
    """Appends the rows that are not there yet, writes the table, and gives the history.

    Raises:
        Tampered: the history was altered.
        StorageFull: the disk took no more.
    """
    before = read_history(study)
    fresh = [row for row in rows if not {row, of_old(row)} & set(before.rows)]
    last = before.hashes[-1] if before.hashes else _GENESIS
    start = ChainHead(n_lines=len(before.rows), n_bytes=before.n_bytes, last=last)
    if fresh:
        writer = ChainWriter(study / LINES, start)
        try:
            for row in fresh:
                writer.append(encode(row))
            writer.sync()
        finally:
            writer.close()
    after = read_history(study) if fresh else before
    replace_file(study / HISTORY, to_history(after.rows, after.hashes))
    return after


def of_old(row: HistoryRow) -> HistoryRow:
    """The row as it was written when rows did not name the version."""
    return msgspec.structs.replace(row, harness_version="")


def row_of(
    suite: Suite, path: str, comparison: LossComparison | None = None, folder: str = ""
) -> HistoryRow:
    """Gives the row of a suite, with what its comparison found.

    Args:
        suite: the suite.
        path: of its file, relative to the study.
        comparison: in which it was the new side; null for a baseline.
        folder: of the comparison, relative to the study.
    """
    listed = [
        row
        for row in (comparison.rows if comparison else ())
        if row.is_listed and not row.is_improvement
    ]
    is_void = comparison is None or suite.suite_score is None
    return HistoryRow(
        datum=suite.created_at[:10],
        catalog_version=suite.catalog_version,
        mode=suite.mode,
        provenance=suite.provenance,
        suite_score=suite.suite_score,
        completion=suite.completion_rate,
        coverage=suite.coverage,
        mde=suite.mde,
        sample_budget=suite.sample_budget,
        n_unterbelegt=_few(suite, comparison),
        befunde=None if is_void else len(listed),
        top_ci_low=max(((row.limits or (0.0, 0.0))[0] for row in listed), default=None),
        suite=path,
        suite_sha256=digest(pretty(suite)),
        comparison=folder,
        harness_version=suite.harness_version,
    )


def _few(suite: Suite, comparison: LossComparison | None) -> int:
    """Counts the registered cells with too few units; of a baseline alone, its partitions."""
    if comparison is not None and comparison.rows:
        return sum(min(row.n_new, row.n_base) < row.n_min for row in comparison.rows)
    return sum(row.status == "unterbelegt" for row in suite.partitions if not row.is_adversarial)
