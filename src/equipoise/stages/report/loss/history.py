"""`LOSS-HISTORY.md`: one row per suite, twelve columns, and below them where each row leads."""

from collections.abc import Sequence

from equipoise.records.suite import HistoryRow
from equipoise.stages.report.loss.files import escaped

HISTORY = "LOSS-HISTORY.md"
COLUMNS = (
    "datum",
    "catalog_version",
    "mode",
    "provenance",
    "suite_score",
    "completion",
    "coverage",
    "mde",
    "sample_budget",
    "n_zellen_unterbelegt",
    "befunde_über_schwelle",
    "top_regression_ci_low",
)


def to_history(rows: Sequence[HistoryRow], hashes: Sequence[str]) -> bytes:
    """Gives the file; `hashes` are those of the chained lines that the rows come from.

    A row is never altered by later ones; the list below the table leads from each row to its suite
    and holds the hash that the next line of the chain repeats.
    """
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"]
    lines += ["| " + " | ".join(map(escaped, _cells(row))) + " |" for row in rows]
    lines += ["", "Where the rows lead:", ""]
    for number, (row, sha256) in enumerate(zip(rows, hashes, strict=True), start=1):
        further = f", [comparison]({row.comparison}/report/index.html)" if row.comparison else ""
        lines.append(f"{number}. [suite]({row.suite}){further}, line {sha256}")
    return ("\n".join(lines) + "\n").encode()


def _cells(row: HistoryRow) -> tuple[str, ...]:
    return (
        row.datum,
        row.catalog_version,
        row.mode.value,
        row.provenance.value,
        _number(row.suite_score),
        _number(row.completion),
        _number(row.coverage),
        f"{row.mde:g}",
        str(row.sample_budget),
        str(row.n_unterbelegt),
        "" if row.befunde is None else str(row.befunde),
        _number(row.top_ci_low),
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"
