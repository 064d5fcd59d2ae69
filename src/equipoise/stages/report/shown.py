"""One comparison, and the whole of them, in the words and places the page shows at its top."""

from collections import Counter
from dataclasses import dataclass

from equipoise.records.counted import counted
from equipoise.records.estimate import Comparison
from equipoise.records.verdict import Word
from equipoise.stages.report.forest import Axis, Bar, bar_of
from equipoise.stages.report.numbers import Span, count, p_value, percent, plain, span
from equipoise.stages.report.reading import Reading, Row
from equipoise.stages.report.sentences import (
    cell_name,
    is_paired,
    margins,
    missing_beside,
    needed,
    sentence,
)
from equipoise.stages.report.text import label

_GRAVEST_FIRST = (Word.WORSE, Word.BETTER, Word.EQUIVALENT, Word.CANNOT_TELL, Word.NOT_EVALUABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One comparison as the page shows it in the verdicts and in the forest plot."""

    row: Row
    cell: str
    arm: str
    sentence: str
    needed: str
    missing: str
    n_units: str
    met: str
    span: Span
    inner: Span
    p: str
    bar: Bar | None


def show(reading: Reading, row: Row, axis: Axis) -> Shown:
    """Gives the comparison with its sentence, its numbers in print and its bar on the axis."""
    comparison = row.comparison
    marks = margins(reading.terms)
    is_equivalent = row.verdict.word is Word.EQUIVALENT
    return Shown(
        row=row,
        cell=cell_name(row),
        arm=label(row.comparison.arm),
        sentence=sentence(reading, row),
        needed=needed(row),
        missing=missing_beside(row),
        n_units=_n_units(comparison),
        met=_met(comparison),
        span=span(comparison.delta, comparison.interval, marks=marks),
        inner=span(None, comparison.interval_equivalence if is_equivalent else None, marks=marks),
        p="" if comparison.adjusted_p is None else p_value(comparison.adjusted_p),
        bar=bar_of(reading, row, axis),
    )


def asked(reading: Reading) -> str:
    """Gives the terms in one line: margin, band, level, partitions, filters."""
    terms = reading.terms
    kept = ", ".join(f"{label(k)}={label(v)}" for k, v in sorted(terms.where.items()))
    parts = [
        f"margin {plain(terms.margin)}",
        f"equivalence band ±{plain(terms.equivalence)}",
        f"level {percent(terms.level)}",
    ]
    if terms.partitions:
        parts.append(f"partitions by {', '.join(label(p) for p in terms.partitions)}")
    if kept:
        parts.append(f"only {kept}")
    return "; ".join(parts)


def _n_units(comparison: Comparison) -> str:
    if is_paired(comparison):
        return count(comparison.n_pairs)
    return f"{count(comparison.n_units_base)} / {count(comparison.n_units_new)}"


def _met(comparison: Comparison) -> str:
    met = "paired" if is_paired(comparison) else "unpaired"
    clusters = comparison.n_clusters
    return f"{met}, {counted(clusters, 'cluster')}" if clusters else met


def tally(rows: tuple[Row, ...]) -> tuple[tuple[int, str], ...]:
    """Gives how often each word was said, gravest first."""
    told = Counter(row.verdict.word for row in rows)
    return tuple((told[word], word.value) for word in _GRAVEST_FIRST if told[word])


def title(reading: Reading) -> str:
    """Gives the comparison's own title, else one made of its arms."""
    given = reading.result.file.title
    if given:
        return label(given, 160)
    names = reading.terms.arms
    arms = label(names[0]) if len(names) == 1 else counted(len(names), "arm")
    return f"{arms} against {label(reading.terms.baseline)}"
