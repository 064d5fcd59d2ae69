"""People on one axis: their agreement, and each annotator's checks, times and self-agreement."""

from equipoise.records.counted import counted
from equipoise.records.ranking import AgreementShown, AnnotatorShown, AxisShown, Coefficient
from equipoise.stages.report.numbers import count, fixed, percent
from equipoise.stages.report.tables import Cell, Section, Table, named, table
from equipoise.stages.report.text import label

_UNSAID = "not estimable"


def people_section(axis: AxisShown) -> Section:
    """Gives agreement and annotators; in no-kappa mode no coefficient stands anywhere."""
    tables = [_annotators(axis)] if axis.annotators else []
    if axis.agreement:
        tables.insert(0, _agreement(axis.agreement))
    leads = [_mode(axis)] if axis.annotators else ["No person has rated this axis."]
    return Section(
        anchor=f"people-{_anchor(axis)}",
        title=f"People on {label(axis.axis)}",
        short=f"{label(axis.axis)}: agreement and annotators",
        leads=tuple(leads),
        tables=tuple(tables),
        notes=_left_out(axis),
    )


def _anchor(axis: AxisShown) -> str:
    return "".join(c if c.isascii() and c.isalnum() else f"-{ord(c):x}" for c in axis.axis)


def _mode(axis: AxisShown) -> str:
    if axis.mode == "no_kappa":
        return (
            f"no-κ mode: {axis.mode_said}. Agreement between people is not shown, and what they "
            "say is indicative only."
        )
    return (
        f"{axis.mode_said}. Agreement is over sets, and its limits come from sets drawn again. "
        "Beyond chance 1/m is the figure to read; coefficients over names of arms measure "
        "agreement beyond the ranking and go to 0 where one arm clearly wins."
    )


def _agreement(found: tuple[AgreementShown, ...]) -> Table:
    rows = []
    for one in found:
        rows.append(_coefficient(one, one.raw, f"chance {fixed(one.chance, 3)}"))
        rows.append(_coefficient(one, one.primary, "primary"))
        rows += [_coefficient(one, more, "secondary") for more in one.secondary]
    columns = ("Coefficient", "Choice", "#Value", "#95 % limits", "#Sets", "Standing")
    return table("Agreement between people", columns, rows)


def _coefficient(one: AgreementShown, shown: Coefficient, standing: str) -> tuple[Cell, ...]:
    known = shown.lo is not None and shown.hi is not None
    limits = f"{fixed(shown.lo or 0.0, 3)} to {fixed(shown.hi or 0.0, 3)}" if known else _UNSAID
    return (
        named(shown.name),
        Cell(text=one.choice),
        Cell(text=_UNSAID if shown.value is None else fixed(shown.value, 3)),
        Cell(text=limits, note=label(shown.why, 120) if shown.why else ""),
        Cell(text=count(one.n_sets)),
        Cell(text=standing),
    )


def _annotators(axis: AxisShown) -> Table:
    columns = (
        "Annotator",
        "#Sets",
        "#Silent checks",
        "#Loud checks",
        "#Same again",
        "#Seconds a set",
        "#Fast",
        "Kept",
    )
    return table("Annotators", columns, [_annotator(one) for one in axis.annotators])


def _annotator(one: AnnotatorShown) -> tuple[Cell, ...]:
    gone = [f"{count(one.n_skipped)} skipped"] if one.n_skipped else []
    gone += [f"{count(one.n_undone)} undone"] if one.n_undone else []
    return (
        Cell(
            text=label(one.annotator),
            note=f"believes: {label(one.guess, 120)}" if one.guess else "",
        ),
        Cell(text=count(one.n_answers), note=", ".join(gone)),
        Cell(
            text=_of(one.silent_right, one.silent_seen),
            note=f"copies told apart: {_of(one.copies_apart, one.copies_seen)}"
            if one.copies_seen
            else "",
        ),
        Cell(
            text=_of(one.loud_first_right, one.loud_seen),
            note="right at first" if one.loud_seen else "",
        ),
        _again(one),
        Cell(
            text="not measured" if one.seconds_median is None else fixed(one.seconds_median, 1),
            note=""
            if one.seconds_fast is None
            else f"one in twenty under {fixed(one.seconds_fast, 1)}",
        ),
        Cell(text=count(one.n_fast) if one.n_timed else ""),
        Cell(text=_kept(one), note=one.why),
    )


def _kept(one: AnnotatorShown) -> str:
    if one.is_excluded:
        return "left out"
    return "kept" if one.is_complete else "kept, checks not finished"


def _of(right: int, seen: int) -> str:
    return f"{count(right)} of {count(seen)}" if seen else "none"


def _again(one: AnnotatorShown) -> Cell:
    if not one.n_retest or one.retest_best is None:
        return Cell(text="none asked")
    worst = "" if one.retest_worst is None else f", worst {percent(round(one.retest_worst, 3))}"
    said = f"{counted(one.n_retest, 'set')}, own choices only{worst}"
    return Cell(text=f"best {percent(round(one.retest_best, 3))}", note=said)


def _left_out(axis: AxisShown) -> tuple[str, ...]:
    gone = [label(one.annotator) for one in axis.annotators if one.is_excluded]
    if not gone:
        return ()
    return (
        (
            f"Left out by the registered rule on checks: {', '.join(gone)}. The scores with "
            "everybody stand beside those without."
        ),
    )
