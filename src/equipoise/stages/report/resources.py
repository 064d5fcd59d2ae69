"""Cost, tokens and time: compared only where that is fair, else the reason why not."""

from equipoise.records.estimate import Resource
from equipoise.stages.report.numbers import MINUS, count, fixed, percent, quantity
from equipoise.stages.report.reading import Reading
from equipoise.stages.report.sentences import UNSAID
from equipoise.stages.report.tables import Cell, Section, named, table
from equipoise.stages.report.text import label


def resources_section(reading: Reading) -> Section | None:
    """Gives means per unit, totals, difference and ratio; None where nothing was recorded."""
    resources = reading.result.estimates.resources
    if not resources:
        return None
    return Section(
        anchor="resources",
        title="Cost, tokens and time",
        short="Cost and time",
        leads=(
            (
                "An arm that is worse can be as cheap as it likes: no comparison is drawn unless "
                "the arm was shown equivalent or better. A trial without the figure is left out "
                "and counted; it is never 0."
            ),
        ),
        tables=(
            table(
                "What the arms used",
                (
                    "What",
                    "Arm",
                    "#Baseline, per unit",
                    "#Arm, per unit",
                    "#Difference",
                    "#Ratio",
                    "#Trials without it, baseline / arm",
                    "Compared",
                ),
                [_cells(r) for r in resources],
            ),
        ),
    )


def _cells(resource: Resource) -> tuple[Cell, ...]:
    is_compared = not resource.not_comparable
    return (
        Cell(text=_what(resource)),
        named(resource.arm),
        _amount(resource.mean_base, resource.total_base),
        _amount(resource.mean_new, resource.total_new),
        _difference(resource) if is_compared else Cell(text="not compared"),
        _ratio(resource) if is_compared else Cell(text="not compared"),
        Cell(text=f"{count(resource.n_missing_base)} / {count(resource.n_missing_new)}"),
        Cell(text="yes" if is_compared else f"no: {label(resource.not_comparable, 300)}"),
    )


def _what(resource: Resource) -> str:
    if resource.unit in {"", resource.kind}:
        return label(resource.kind)
    return f"{label(resource.kind)} ({label(resource.unit)})"


def _amount(mean: float | None, total: float | None) -> Cell:
    unsaid = "not recorded" if total is None else "not compared"
    return Cell(
        text=unsaid if mean is None else quantity(mean),
        note="" if total is None else f"total {quantity(total)}",
    )


def _difference(resource: Resource) -> Cell:
    if resource.delta is None:
        return Cell(text=UNSAID)
    sign = "" if resource.delta <= 0 else "+"
    interval = resource.interval
    note = (
        f"{percent(interval.level)}: {quantity(interval.lo)} to {quantity(interval.hi)}"
        if interval
        else "no interval"
    )
    return Cell(text=f"{sign}{quantity(resource.delta)}".replace("-", MINUS), note=note)


def _ratio(resource: Resource) -> Cell:
    if resource.ratio is None:
        return Cell(text=UNSAID)
    interval = resource.ratio_interval
    note = (
        f"{percent(interval.level)}: {fixed(interval.lo, 2)} to {fixed(interval.hi, 2)}"
        if interval
        else "no interval"
    )
    return Cell(text=f"×{fixed(resource.ratio, 2)}", note=note)
