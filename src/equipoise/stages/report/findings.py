"""The tables of findings and of partitions: what changed where, each mean with its interval."""

from equipoise.records.estimate import ArmEstimate
from equipoise.records.verdict import Word
from equipoise.stages.report.numbers import count, mean, span
from equipoise.stages.report.reading import Reading, Row
from equipoise.stages.report.sentences import (
    UNSAID,
    cell_name,
    criterion_name,
    difference,
    text_of_cell,
)
from equipoise.stages.report.tables import Cell, Section, Table, named, table
from equipoise.stages.report.text import label, quotation

_NO_QUOTE = "no quote recorded"
_FINDING_COLUMNS = (
    "Partition",
    "Arm",
    "Criterion",
    "#Difference",
    "#Low",
    "#High",
    "#n",
    "Run",
    "Quote",
)


def findings_section(reading: Reading) -> Section:
    """Gives regressions and improvements apart, each row with a run and a quote."""
    return Section(
        anchor="findings",
        title="Findings",
        short="Findings",
        leads=_leads(reading),
        tables=tuple(
            _found(reading, word, title)
            for word, title in (
                (Word.WORSE, "Regressions"),
                (Word.BETTER, "Improvements"),
            )
            if _rows(reading, word)
        ),
        notes=_notes(reading),
    )


def _leads(reading: Reading) -> tuple[str, ...]:
    lead = (
        "Regressions are sorted by the bound of their interval that is nearest to no change, not "
        "by the difference: what is surely worse stands first."
    )
    return (lead,) if _rows(reading, Word.WORSE) else ()


def _notes(reading: Reading) -> tuple[str, ...]:
    if all(row.verdict.word is Word.NOT_EVALUABLE for row in reading.rows):
        return ("No comparison could be evaluated, so nothing can be said of any change.",)
    return tuple(
        f"No demonstrable {noun}: no comparison cleared the rule. That is not a proof of none."
        for word, noun in ((Word.WORSE, "regression"), (Word.BETTER, "improvement"))
        if not _rows(reading, word)
    )


def partitions_section(reading: Reading) -> Section:
    """Gives every arm in every cell: units, trials, mean, spreads, missing, status."""
    estimates = sorted(
        reading.result.estimates.arms, key=lambda e: (bool(e.cell.label), _order(reading, e))
    )
    return Section(
        anchor="partitions",
        title="Every arm in every partition",
        short="Partitions",
        leads=(
            (
                "Means are over units; a unit's value is the mean of its repetitions. Between = "
                "standard deviation over units; within = mean standard deviation over "
                "repetitions of one unit."
            ),
        ),
        tables=(
            table(
                f"Mean of {criterion_name(reading.terms)} per partition and arm",
                (
                    "Partition",
                    "Arm",
                    "#Units",
                    "#Trials",
                    "#Mean",
                    "#95 % interval" if _is_95(estimates) else "#Interval",
                    "#Between",
                    "#Within",
                    "#Missing",
                    "Status",
                ),
                [
                    _estimate_cells(reading, e, is_again=i > 0 and estimates[i - 1].cell == e.cell)
                    for i, e in enumerate(estimates)
                ],
            ),
        ),
    )


def _rows(reading: Reading, word: Word) -> list[Row]:
    return [row for row in reading.rows if row.verdict.word is word]


def _found(reading: Reading, word: Word, title: str) -> Table:
    return table(title, _FINDING_COLUMNS, [_finding(reading, r) for r in _rows(reading, word)])


def _finding(reading: Reading, row: Row) -> tuple[Cell, ...]:
    shown = difference(reading, row)
    comparison = row.comparison
    quote = _quote(row)
    return (
        Cell(text=cell_name(row), href=f"#{row.anchor}"),
        named(comparison.arm),
        Cell(text=criterion_name(reading.terms).removeprefix("the ")),
        Cell(text=shown.value or UNSAID, href=f"#{row.anchor}"),
        Cell(text=shown.lo or UNSAID),
        Cell(text=shown.hi or UNSAID),
        Cell(text=count(comparison.n_pairs or comparison.n_units_new)),
        _run(reading, comparison.arm),
        Cell(lines=(quotation(quote, 240),)) if quote else Cell(text=_NO_QUOTE),
    )


def _quote(row: Row) -> str:
    """Gives the first quote; where there is one from the arm that fares worse, that one."""
    quotes = [quote for line in row.lines for quote in line.quotes]
    is_worse = row.verdict.word is Word.WORSE
    wanted = row.comparison.arm if is_worse else row.comparison.baseline
    return next((q for q in quotes if q.startswith(f"{wanted}: ")), quotes[0] if quotes else "")


def _run(reading: Reading, arm: str) -> Cell:
    run_id = reading.archive_of(arm)
    return named(run_id.rsplit("/", 1)[-1]) if run_id else Cell(text="not recorded")


def _order(reading: Reading, estimate: ArmEstimate) -> tuple[str, str, int]:
    arms = (reading.terms.baseline, *reading.terms.arms)
    place = arms.index(estimate.arm) if estimate.arm in arms else len(arms)
    return (estimate.cell.label, estimate.cell.value, place)


def _is_95(estimates: list[ArmEstimate]) -> bool:
    return {e.interval.level for e in estimates if e.interval} == {0.95}


def _estimate_cells(reading: Reading, estimate: ArmEstimate, *, is_again: bool) -> tuple[Cell, ...]:
    row = reading.row_of(estimate.arm, estimate.cell)
    href = f"#{row.anchor}" if row else ""
    shown = span(estimate.mean, estimate.interval, sign=False)
    cell = estimate.cell
    name = text_of_cell(cell)
    missing = estimate.missing
    return (
        Cell(text=name, is_again=is_again),
        named(estimate.arm),
        Cell(text=count(estimate.n_units)),
        Cell(text=count(estimate.n_trials)),
        Cell(text=shown.value or UNSAID, href=href if shown.value else ""),
        Cell(text=f"{shown.lo} to {shown.hi}" if shown.lo else UNSAID),
        _spread(estimate.stddev_between),
        _spread(estimate.stddev_within),
        Cell(text=f"{count(missing.planned - missing.evaluable)} of {count(missing.planned)}"),
        _status(reading, row, estimate),
    )


def _spread(value: float | None) -> Cell:
    return Cell(text=UNSAID if value is None else mean(value))


def _status(reading: Reading, row: Row | None, estimate: ArmEstimate) -> Cell:
    if estimate.not_estimable:
        return Cell(text=f"{UNSAID}: {label(estimate.not_estimable, 200)}")
    notes = ["all units equal"] if estimate.is_degenerate else []
    if estimate.n_attempts_beyond_first:
        notes.append(f"{count(estimate.n_attempts_beyond_first)} further attempts, not counted")
    note = "; ".join(notes)
    if estimate.arm == reading.terms.baseline or row is None:
        return Cell(text="baseline" if row else "estimated", note=note)
    return Cell(text=row.verdict.word, word=row.verdict.word, href=f"#{row.anchor}", note=note)
