"""Units whose repetitions disagree, with their rates, and what k tries would give."""

from dataclasses import replace

from equipoise.records.counted import counted
from equipoise.records.estimate import ArmEstimate, Flaky
from equipoise.stages.report.numbers import count, fixed
from equipoise.stages.report.reading import Reading
from equipoise.stages.report.tables import Cell, Section, Table, named, table
from equipoise.stages.report.text import label


def steadiness_section(reading: Reading) -> Section | None:
    """Lists flaky units under each named reducer; None where no unit has repetitions."""
    estimates = reading.result.estimates
    arms = [e for e in estimates.arms if not e.cell.label]
    has_repetitions = any(e.n_trials > e.n_units for e in arms)
    if not estimates.flaky and not has_repetitions:
        return None
    tables = [_flaky_table(reading)] if estimates.flaky else []
    if any(e.pass_k for e in arms):
        tables.append(_pass_table(arms))
    told = ", ".join(f"{label(e.arm)} {count(e.n_flaky)} of {count(e.n_units)}" for e in arms)
    return Section(
        anchor="flaky",
        title="Units that do not answer the same twice",
        short="Flaky units",
        leads=_leads(reading, told),
        tables=tuple(tables),
    )


def _leads(reading: Reading, told: str) -> tuple[str, ...]:
    counted_up = f"Units whose repetitions disagree: {told}." if told else ""
    if not _has_reducers(reading):
        return (counted_up,)
    return (
        counted_up,
        (
            "Four ways to reduce the repetitions of a unit to one value give four different "
            "rates, so each is named: mean (used for every mean and verdict here), modal "
            "(the most frequent outcome), any (at least one passed), all (every one passed)."
        ),
    )


def _has_reducers(reading: Reading) -> bool:
    """Whether outcomes are pass or fail, so that modal, any and all mean something."""
    return any(f.any_pass is not None for f in reading.result.estimates.flaky)


def _flaky_table(reading: Reading) -> Table:
    estimates = reading.result.estimates
    has_reducers = _has_reducers(reading)
    shown = table(
        "Flaky units",
        (
            "Unit",
            "Arm",
            "#Repetitions",
            "#Mean",
            *(("Modal", "Any", "All") if has_reducers else ()),
        ),
        [_flaky_cells(flaky, has_reducers=has_reducers) for flaky in estimates.flaky],
    )
    return replace(
        shown,
        n_more=estimates.n_flaky_beyond,
        more_in="columns/results.parquet of the archive",
    )


def _flaky_cells(flaky: Flaky, *, has_reducers: bool) -> tuple[Cell, ...]:
    cells = (
        named(flaky.unit),
        named(flaky.arm),
        Cell(text=count(flaky.n)),
        Cell(text=fixed(flaky.rate, 2)),
    )
    if not has_reducers:
        return cells
    modal = Cell(text=label(flaky.modal) if flaky.modal else "no single one")
    return (*cells, modal, _passed(flaky.any_pass), _passed(flaky.all_pass))


def _passed(value: bool | None) -> Cell:
    return Cell(text="not pass or fail" if value is None else "pass" if value else "fail")


def _pass_table(arms: list[ArmEstimate]) -> Table:
    return table(
        "Chance that k repetitions of a unit pass, averaged over units",
        ("Arm", "#k", "#At least one (pass@k)", "#Every one (pass^k)", "Rests on"),
        [
            (
                named(e.arm),
                Cell(text=count(entry.k)),
                Cell(text=fixed(entry.at, 3)),
                Cell(text=fixed(entry.hat, 3)),
                Cell(text=counted(entry.n_units, "unit")),
            )
            for e in arms
            for entry in e.pass_k
        ],
    )
