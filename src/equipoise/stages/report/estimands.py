"""The two questions side by side: this very set of units, and units like these."""

from equipoise.records.counted import counted
from equipoise.records.estimate import ArmEstimate, Interval
from equipoise.stages.report.numbers import percent, span
from equipoise.stages.report.reading import Reading, Row
from equipoise.stages.report.sentences import UNSAID, cell_name, margins
from equipoise.stages.report.tables import Cell, Section, named, table
from equipoise.stages.report.text import label


def estimands_section(reading: Reading) -> Section | None:
    """Gives both intervals of each mean and difference; None where there are no repetitions."""
    arms = [e for e in reading.result.estimates.arms if not e.cell.label]
    has_repetitions = any(e.missing.planned > e.n_units for e in arms)
    fixed = [row for row in reading.rows if row.comparison.fixed_interval]
    if not fixed and not has_repetitions:
        return None
    rows = [row for row in reading.rows if row.is_headline or row.comparison.fixed_interval]
    return Section(
        anchor="estimands",
        title="Two questions, two intervals",
        short="Two questions",
        leads=(
            (
                "This very set of units: would the same units, run again, show it? Only the noise "
                "between repetitions counts, so the interval is usually narrower."
            ),
            (
                "Units like these: would other units of the same kind show it? The difference "
                "between units counts as well. This is the question the verdicts answer."
            ),
        ),
        tables=(
            table(
                "Means and differences under both questions",
                ("What", "#Value", "#This very set of units", "#Units like these", "Rests on"),
                [_mean(e) for e in arms] + [_change(reading, row) for row in rows],
            ),
        ),
    )


def _mean(estimate: ArmEstimate) -> tuple[Cell, ...]:
    shown = span(estimate.mean, estimate.interval, sign=False)
    head = named(estimate.arm)
    return (
        Cell(text=f"mean of {head.text}", full=head.full),
        Cell(text=shown.value or UNSAID),
        _limits(estimate.fixed_interval, sign=False),
        _limits(estimate.interval, sign=False),
        Cell(text=f"{counted(estimate.n_units, 'unit')}, {counted(estimate.n_trials, 'trial')}"),
    )


def _change(reading: Reading, row: Row) -> tuple[Cell, ...]:
    comparison = row.comparison
    marks = margins(reading.terms)
    shown = span(comparison.delta, comparison.interval, marks=marks)
    name = f"{label(comparison.arm)} minus {label(comparison.baseline)}, {cell_name(row)}"
    return (
        Cell(text=name, href=f"#{row.anchor}"),
        Cell(text=shown.value or UNSAID),
        _limits(comparison.fixed_interval, marks=marks),
        _limits(comparison.interval, marks=marks),
        Cell(text=counted(comparison.n_pairs or comparison.n_units_new, "unit")),
    )


def _limits(interval: Interval | None, *, marks: tuple[float, ...] = (), sign: bool = True) -> Cell:
    if interval is None:
        return Cell(text=UNSAID)
    shown = span(None, interval, marks=marks, sign=sign)
    return Cell(text=f"{shown.lo} to {shown.hi}", note=percent(interval.level))
