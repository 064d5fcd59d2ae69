"""The report for programs: words, counts and numbers of each comparison as JSON."""

from collections import Counter
from typing import Any

import msgspec

from equipoise.records.codec import pretty
from equipoise.records.verdict import Word
from equipoise.stages.report.reading import Reading, Row
from equipoise.stages.report.sentences import missing_beside, needed, sentence

FORMAT = "equipoise.report/1"


def to_json(reading: Reading) -> bytes:
    """Gives report.json: format, what was compared, counts per word, every comparison."""
    file, terms = reading.result.file, reading.terms
    return pretty(
        {
            "format": FORMAT,
            "title": file.title,
            "tool_version": file.tool_version,
            "is_simulated": file.is_simulated,
            "is_exploratory": reading.is_exploratory,
            "baseline": terms.baseline,
            "arms": list(terms.arms),
            "criterion": terms.criterion,
            "direction": terms.direction,
            "margin": terms.margin,
            "equivalence": terms.equivalence,
            "rule": terms.rule,
            "level": terms.level,
            "heads": {s.name: s.head or reading.heads.get(s.archive, "") for s in file.sources},
            "counts": _counts(reading),
            "comparisons": [_comparison(reading, row) for row in reading.rows],
        }
    )


def _counts(reading: Reading) -> dict[str, Any]:
    def words(rows: tuple[Row, ...]) -> dict[str, int]:
        told = Counter(row.verdict.word for row in rows)
        return {word.value: told[word] for word in Word}

    listed = [row for row in reading.rows if row.verdict.is_listed]
    checks = reading.result.estimates.headlines
    return {
        "all": words(reading.rows),
        "headline": words(reading.headlines),
        "listed_regressions": sum(row.verdict.word is Word.WORSE for row in listed),
        "listed_improvements": sum(row.verdict.word is Word.BETTER for row in listed),
        "declared_figures_that_do_not_follow": sum(check.follows is False for check in checks),
    }


def _comparison(reading: Reading, row: Row) -> dict[str, Any]:
    comparison, verdict = row.comparison, row.verdict
    return {
        "id": comparison.id,
        "baseline": comparison.baseline,
        "arm": comparison.arm,
        "cell": comparison.cell.text,
        "word": verdict.word,
        "tags": list(verdict.tags),
        "is_listed": verdict.is_listed,
        "sentence": sentence(reading, row),
        "why": verdict.why,
        "needed": needed(row),
        "missing": missing_beside(row),
        "rule": verdict.rule,
        "level": verdict.level,
        "survives_missing": verdict.survives_missing,
        "delta": comparison.delta,
        "gain": comparison.gain,
        "interval": msgspec.to_builtins(comparison.interval),
        "interval_equivalence": msgspec.to_builtins(comparison.interval_equivalence),
        "fixed_interval": msgspec.to_builtins(comparison.fixed_interval),
        "mean_new": comparison.mean_new,
        "mean_base": comparison.mean_base,
        "n_units_new": comparison.n_units_new,
        "n_units_base": comparison.n_units_base,
        "n_pairs": comparison.n_pairs,
        "not_estimable": comparison.not_estimable,
        "anchor": f"index.html#{row.anchor}",
    }
