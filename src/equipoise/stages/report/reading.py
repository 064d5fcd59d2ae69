"""Puts a result in reading order: each comparison with its verdict, its arms and its units."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from equipoise.records.estimate import ArmEstimate, CellKey, Comparison, UnitLine
from equipoise.records.result import Result
from equipoise.records.terms import Direction, Terms
from equipoise.records.verdict import Tag, Verdict, Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One comparison as it is read: the anchor of its section, its verdict, what stands behind it.

    `lines` are the units that moved most, `n_more` how many the result holds no line for.
    """

    anchor: str
    comparison: Comparison
    verdict: Verdict
    base: ArmEstimate | None
    new: ArmEstimate | None
    lines: tuple[UnitLine, ...]
    n_more: int

    @property
    def is_headline(self) -> bool:
        """Whether this is the comparison over all units."""
        return not self.comparison.cell.label

    @property
    def is_finding(self) -> bool:
        """Whether the verdict names a change for better or worse."""
        return self.verdict.word in {Word.BETTER, Word.WORSE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A result in reading order, with the archive heads it was derived from.

    `rows` are sorted as a reader needs them: over all units first, then listed regressions by the
    lower bound of the loss (never by the difference), then improvements likewise, then the others
    in the order of the decision stage. `headlines` are those over all units, in the order of arms.
    """

    result: Result
    rows: tuple[Row, ...]
    headlines: tuple[Row, ...]
    heads: Mapping[str, str]

    @property
    def terms(self) -> Terms:
        """Gives the terms of the comparison."""
        return self.result.file.terms

    @property
    def is_lower_better(self) -> bool:
        """Whether less of the criterion is better."""
        return self.terms.direction is Direction.LOWER

    @property
    def has_many_arms(self) -> bool:
        """Whether more than one arm is set against the baseline."""
        return len(self.terms.arms) > 1

    @property
    def is_exploratory(self) -> bool:
        """Whether the terms were not sealed before the runs."""
        return not self.terms.is_sealed or any(
            Tag.EXPLORATORY in row.verdict.tags for row in self.rows
        )

    def row_of(self, arm: str, cell: CellKey) -> Row | None:
        """Gives the comparison that leads to the trials of an arm in a cell.

        For the baseline it is the first comparison in that cell.
        """
        for row in self.rows:
            if row.comparison.cell == cell and arm in {row.comparison.arm, row.comparison.baseline}:
                return row
        return None

    def archive_of(self, arm: str) -> str:
        """Gives the run id of the archive an arm comes from; empty when it is not recorded."""
        return next((s.archive for s in self.result.file.sources if s.name == arm), "")


def read(result: Result, heads: Mapping[str, str]) -> Reading:
    """Puts the result in reading order.

    A comparison without a verdict is read as not evaluable and says so; a verdict without a
    comparison is left out, as there is nothing to show under it.
    """
    verdicts = {verdict.comparison: verdict for verdict in result.verdicts}
    place = {verdict.comparison: i for i, verdict in enumerate(result.verdicts)}
    arms = {(e.arm, e.cell): e for e in result.estimates.arms}
    lines = {entry.comparison: entry for entry in result.estimates.lines}
    last = len(place)
    decided = sorted(result.estimates.comparisons, key=lambda c: place.get(c.id, last))
    rows = []
    for comparison in decided:
        entry = lines.get(comparison.id)
        rows.append(
            Row(
                anchor="",
                comparison=comparison,
                verdict=verdicts.get(comparison.id) or _no_verdict(comparison, result),
                base=arms.get((comparison.baseline, comparison.cell)),
                new=arms.get((comparison.arm, comparison.cell)),
                lines=entry.lines if entry else (),
                n_more=entry.n_more if entry else 0,
            )
        )
    is_lower_better = result.file.terms.direction is Direction.LOWER
    rows.sort(key=lambda row: _rank(row, is_lower_better=is_lower_better))
    rows = [replace(row, anchor=f"comparison-{n}") for n, row in enumerate(rows, start=1)]
    order = {arm: i for i, arm in enumerate(result.file.terms.arms)}
    headlines = sorted(
        (row for row in rows if row.is_headline),
        key=lambda row: order.get(row.comparison.arm, len(order)),
    )
    return Reading(result=result, rows=tuple(rows), headlines=tuple(headlines), heads=dict(heads))


def _rank(row: Row, *, is_lower_better: bool) -> tuple[int, float]:
    if row.is_headline or not row.is_finding:
        return (0 if row.is_headline else 3, 0.0)
    interval, is_worse = row.comparison.interval, row.verdict.word is Word.WORSE
    group = 1 if is_worse else 2
    if interval is None:
        return (group, row.comparison.adjusted_p or 0.0)
    is_upward = is_worse == is_lower_better
    return (group, -interval.lo if is_upward else interval.hi)


def _no_verdict(comparison: Comparison, result: Result) -> Verdict:
    return Verdict(
        comparison=comparison.id,
        word=Word.NOT_EVALUABLE,
        rule=result.file.terms.rule,
        level=result.file.terms.level,
        why="no verdict was recorded for this comparison",
    )
