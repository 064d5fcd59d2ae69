"""The registered cells as tables: regressions, improvements, and all that is no finding."""

from equipoise.records.counted import counted
from equipoise.records.estimate import Interval
from equipoise.records.suite import LossCitation, LossRow
from equipoise.stages.report.loss.reading import LossReading, name
from equipoise.stages.report.numbers import Span, count, fixed, plain, span
from equipoise.stages.report.tables import Cell, Section, Table, named, table
from equipoise.stages.report.text import label, quotation

_FAILED = {
    "literal": "literal bound not above the margin",
    "guarded": "guarded bound not above the margin",
    "n_min": "fewer units than n_min",
    "citation": "no valid citation",
    "registered": "not on the plan's list of cells",
    "not evaluable": "not evaluable",
}
_FINDING = ("Cell", "#Difference", "#Interval", "#Units", "Evidence")


def findings_section(reading: LossReading) -> Section:
    """Lists regressions and improvements, each with the quote that stands behind it."""
    worse, better, unproven = reading.regressions, reading.improvements, reading.unproven
    tables = [
        table(caption, _FINDING, [_finding(reading, row) for row in rows])
        for caption, rows in (
            ("Regressions, surest first", worse),
            ("Improvements, surest first", better),
            ("Missing evidence: the rule is met, but no valid citation stands behind it", unproven),
        )
        if rows
    ]
    mde, k = plain(reading.comparison.mde), reading.comparison.k
    return Section(
        anchor="findings",
        title="Findings",
        short="Findings",
        leads=(
            (
                f"{_how_many(len(worse), 'demonstrable regression')}, "
                f"{_how_many(len(better), 'demonstrable improvement').lower()} among {count(k)} "
                f"registered cells. A cell is listed only if its literal and its guarded lower "
                f"bound both lie above the margin {mde}, both arms have their minimum of units, "
                "and a quote stands behind it. Literal limits are the difference and z standard "
                "errors either way, guarded ones follow from limits of each arm's loss that stay "
                "between 0 and 1: near an end those reach farther towards the middle, so that the "
                "guarded interval lies shifted and need not contain the literal one."
            ),
        ),
        tables=tuple(tables),
    )


def others_section(reading: LossReading) -> Section | None:
    """Shows the cells that are no finding, with their interval and what each could have shown."""
    rows = reading.others
    if not rows:
        return None
    return Section(
        anchor="unlisted",
        title="Not listed",
        short="Not listed",
        leads=(
            (
                "Differences the rule does not list. They are no findings: the interval says what "
                "is still possible, reportable the smallest true change that these runs would list "
                "with 80 % probability, excludable the largest that they still allow."
            ),
        ),
        tables=(_others(reading, rows),),
    )


def shown(reading: LossReading, row: LossRow) -> Span:
    """Prints the difference of a cell with its limits, as the tables of the study do."""
    lo, hi = row.limits or (None, None)
    return _span(reading, row, lo, hi)


def guarded(reading: LossReading, row: LossRow) -> str:
    """Prints the guarded limits of a cell, to stand beside the literal ones; empty without any.

    Where no spread was seen they are the interval printed, and that is said in their place.
    """
    if row.is_flat:
        return "guarded alone: no spread was seen, which is no certainty"
    said = _span(reading, row, row.guarded_lo, row.guarded_hi)
    return f"guarded {said.lo} to {said.hi}" if said.lo else ""


def _span(reading: LossReading, row: LossRow, lo: float | None, hi: float | None) -> Span:
    mde = reading.comparison.mde
    known = lo is not None and hi is not None
    interval = Interval(lo=lo or 0.0, hi=hi or 0.0, level=0.95, method="z") if known else None
    return span(row.delta, interval, marks=(mde, -mde))


def _how_many(n: int, noun: str) -> str:
    return counted(n, noun) if n else f"No {noun}"


def _finding(reading: LossReading, row: LossRow) -> tuple[Cell, ...]:
    said = shown(reading, row)
    return (
        named(name(row)),
        Cell(text=said.value),
        Cell(text=f"{said.lo} to {said.hi}", note=guarded(reading, row)),
        Cell(text=f"{count(row.n_base)} / {count(row.n_new)}"),
        _evidence(row.citation),
    )


def _evidence(citation: LossCitation | None) -> Cell:
    if citation is None:
        return Cell(text="no quote recorded")
    place = f"{citation.name}:{citation.line}" if citation.line else citation.name
    further = f", {counted(citation.n_further, 'further citation')}" if citation.n_further else ""
    return Cell(
        lines=(quotation(citation.quote),),
        note=f"unit {label(citation.unit)}, {label(place)}{further}",
    )


def _others(reading: LossReading, rows: tuple[LossRow, ...]) -> Table:
    columns = ("Cell", "#Difference", "#Interval", "#Units", "#Reportable", "#Excludable", "Why")
    return table(
        "Registered cells that are no finding",
        columns,
        [_other(reading, row) for row in rows],
    )


def _other(reading: LossReading, row: LossRow) -> tuple[Cell, ...]:
    said = shown(reading, row)
    short = row.n_new < row.n_min or row.n_base < row.n_min
    return (
        named(name(row)),
        Cell(text=said.value or "not estimable"),
        Cell(
            text=f"{said.lo} to {said.hi}" if said.lo else "not estimable",
            note=guarded(reading, row),
        ),
        Cell(
            text=f"{count(row.n_base)} / {count(row.n_new)}",
            note=f"of {count(row.n_min)} needed" if short else "",
        ),
        Cell(text=_reach(row.reportable), note=_unreached(row)),
        Cell(text=_reach(row.excludable)),
        Cell(text="; ".join(_FAILED.get(reason, label(reason)) for reason in row.failed)),
    )


def _unreached(row: LossRow) -> str:
    """Says why there is no reportable change."""
    if row.reportable is not None or row.delta is None:
        return ""
    if row.se_delta is None:
        return "an arm has fewer than two units"
    return "at this baseline no change up to a loss of 1 would be listed so surely"


def _reach(value: float | None) -> str:
    return "not estimable" if value is None else fixed(value, 3)
