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

    A row is never altered by later ones; the list below the table leads from each row to its suite,
    names the version of the program that executed it, says where a row cannot be compared with the
    one before, and holds the hash that the next line of the chain repeats.
    """
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"]
    lines += ["| " + " | ".join(map(escaped, _cells(row))) + " |" for row in rows]
    lines += ["", "Where the rows lead:", ""]
    for number, (row, sha256) in enumerate(zip(rows, hashes, strict=True), start=1):
        further = f", [comparison]({row.comparison}/report/index.html)" if row.comparison else ""
        made = f", runs by Equipoise {escaped(row.harness_version)}" if row.harness_version else ""
        broken = _broken(rows[number - 2], row) if number > 1 else ""
        lines.append(f"{number}. [suite]({row.suite}){further}{made}{broken}, line {sha256}")
    return ("\n".join(lines) + "\n").encode()


def _broken(before: HistoryRow, row: HistoryRow) -> str:
    """What forbids to compare a row with the one before; rows of old say nothing and keep that."""
    if not row.harness_version:
        return ""
    pairs = (
        ("catalog", before.catalog_version, row.catalog_version),
        ("mode", before.mode.value, row.mode.value),
        ("provenance", before.provenance.value, row.provenance.value),
        ("version", before.harness_version or "unknown", row.harness_version),
    )
    changed = [f"{what} {escaped(a)} -> {escaped(b)}" for what, a, b in pairs if a != b]
    return f", not comparable with the row before: {'; '.join(changed)}" if changed else ""


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
