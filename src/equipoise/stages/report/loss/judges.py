"""The judges of a loss comparison held against people, and what people would find."""

from collections.abc import Iterable

from equipoise.records.judge_held import FoundShare, JudgeHeld
from equipoise.stages.report.loss.reading import LossReading
from equipoise.stages.report.numbers import count, fixed
from equipoise.stages.report.tables import Cell, Section, named, table
from equipoise.stages.report.text import label

_MISSING = "not known"
_LEAD = (
    "On outputs that people rated too: in how many of those that lose something, as most people "
    "see it, the judge finds something, how many others it spares, and both together less 1 "
    "(Youden's J, 0 for a judge that looks at nothing)."
)


def judges_section(reading: LossReading) -> Section | None:
    """Shows each judge beside people under each category; None where people rated nothing."""
    held = reading.comparison.judges
    if not held:
        return None
    columns = ("Judge", "Category", "Held", "#Units", "#Finds", "#Spares", "#J", "#People's J")
    found = [(one, share) for one in held for share in one.found]
    return Section(
        anchor="judges",
        title="Judges held against people",
        short="Judges",
        leads=(_LEAD,),
        tables=(
            table("Judges and people", columns, [_row(one) for one in held]),
            table(
                "What people would find",
                ("Arm", "Category", "Judge", "Of", "#Judge says", "#People would", "Limits"),
                [_found(one, share) for one, share in found],
            ),
        ),
        notes=tuple(_notes(held)),
    )


def _row(one: JudgeHeld) -> tuple[Cell, ...]:
    limit = f"at least {fixed(one.beyond_lo, 2)}" if one.beyond_lo is not None else ""
    return (
        named(one.judge),
        named(one.category),
        Cell(text="agrees with people" if one.passed else "not validated"),
        Cell(text=count(one.n_units), note=f"{count(one.n_lost)} outputs lose something"),
        Cell(text=_share(one.finds)),
        Cell(text=_share(one.spares)),
        Cell(text=_share(one.beyond), note=limit),
        Cell(text=_share(one.ceiling)),
    )


def _found(one: JudgeHeld, share: FoundShare) -> tuple[Cell, ...]:
    of = "units with a loss" if share.method == "Rogan-Gladen" else "mean share lost"
    limits = (
        f"{fixed(share.lo, 3)} to {fixed(share.hi, 3)}"
        if share.lo is not None and share.hi is not None
        else label(share.why, 160)
    )
    sizes = f"{count(share.n_judged)} judged alone, {count(share.n_labelled)} labelled"
    return (
        named(share.arm),
        named(one.category),
        named(one.judge),
        Cell(text=of, note=share.method),
        Cell(text=_share(share.naive)),
        Cell(text=_share(share.value), note=sizes),
        Cell(text=limits),
    )


def _share(value: float | None) -> str:
    return _MISSING if value is None else fixed(value, 2)


def _notes(held: Iterable[JudgeHeld]) -> Iterable[str]:
    for one in held:
        if one.failed:
            yield label(f"{one.judge} under {one.category}: {'; '.join(one.failed)}", 400)
    for rule in dict.fromkeys(one.rule for one in held):
        yield f"A judge agrees with people with {rule}."
    yield (
        "Corrections hold where the outputs that people rated are like the others: chosen by lot, "
        "and not for what stood in them."
    )
