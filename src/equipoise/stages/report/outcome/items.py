"""The tables of item analysis and of what agents did amiss."""

from equipoise.records.outcome_report import Item
from equipoise.stages.report.numbers import fixed
from equipoise.stages.report.outcome.reading import OutcomeReading
from equipoise.stages.report.tables import Cell, Section, Table, named, table
from equipoise.stages.report.text import label

_MOST = 200


def items_section(reading: OutcomeReading) -> Section | None:
    """Gives each hidden test with what it can tell; null where none was run."""
    items = reading.file.items
    if not items:
        return None
    arms = [arm.arm for arm in reading.pair]
    columns = ("Hidden test", "Group", "Proof", *(f"#{label(arm)}" for arm in arms))
    columns += ("Discrimination", "Between arms", "Flags")
    rows = [_row(item, arms) for item in items[:_MOST]]
    shown = table("Hidden tests, and what they can tell", columns, rows)
    tables = [shown]
    if reading.file.alarms:
        tables.insert(0, _alarms(reading))
    return Section(
        anchor="items",
        title="What the hidden tests can tell",
        short="Items",
        leads=(
            (
                "A test that every cell passes, or none, tells nobody apart; it may stay as an "
                "anchor, and should not be most of a group. Discrimination is the correlation of a "
                "test with the other tests of its scenario over cells. With so few cells both "
                "columns are leads about the pack, and no findings about the arms."
            ),
        ),
        tables=tuple(tables),
        notes=(f"{len(items) - _MOST} more in outcome.json.",) if len(items) > _MOST else (),
    )


def _row(item: Item, arms: list[str]) -> tuple[Cell, ...]:
    proof = ", ".join(
        word
        for word, is_so in (("red before", item.red), ("green by reference", item.green))
        if is_so
    )
    file, _, test = item.test.partition("::")
    found = item.discrimination
    why = item.why or "not estimable"
    return (
        Cell(text=label(test or file, 100), full=item.test, note=label(item.scenario)),
        Cell(text=item.group),
        Cell(text=proof or "not proved"),
        *(_passed(item, arm) for arm in arms),
        Cell(text="n/a", note=why) if found is None else _figure(found, item),
        Cell(text="n/a") if item.between is None else _figure(item.between, item),
        Cell(text=", ".join(flag.value for flag in item.flags) or "none"),
    )


def _figure(value: float, item: Item) -> Cell:
    return Cell(
        text=fixed(value, 2, sign=True), note=f"[measured] [underpowered], {item.n_cells} cells"
    )


def _passed(item: Item, arm: str) -> Cell:
    passed = item.passed.get(arm)
    if passed is None:
        return Cell(text="not recorded")
    return Cell(text=f"{passed[0]} of {passed[1]}", note="[measured]")


def _alarms(reading: OutcomeReading) -> Table:
    rows = [
        (named(one.scenario), Cell(text=one.group), Cell(text=one.what), _tests(one.tests))
        for one in reading.file.alarms
    ]
    return table("Groups to look at", ("Scenario", "Group", "What", "Tests"), rows)


def _tests(tests: tuple[str, ...]) -> Cell:
    return Cell(lines=tuple(label(one, 100) for one in tests[:6]), is_code=True)
