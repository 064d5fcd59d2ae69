"""Judges on one axis: steadiness, leanings, what people make of them, the panel, the threshold."""

from equipoise.records.counted import counted
from equipoise.records.ranking import AxisShown
from equipoise.records.validation import (
    CorrectedShare,
    JudgeShown,
    LockedThreshold,
    PanelShown,
    Validation,
)
from equipoise.stages.report.numbers import count, fixed, p_value, percent, plain
from equipoise.stages.report.tables import Cell, Section, Table, named, table
from equipoise.stages.report.text import label

UNSAID = "not estimable"


def judges_section(axis: AxisShown, anchor: str) -> Section | None:
    """Gives everything about the judges of an axis; None where none was asked."""
    if not axis.judges:
        return None
    tables = [_steadiness(axis.judges)]
    if any(one.unreadable for one in axis.judges):
        tables.append(_unreadable(axis.judges))
    held = [one.validation for one in axis.judges if one.validation is not None]
    if axis.panel is not None and axis.panel.validation is not None:
        held.append(axis.panel.validation)
    if any(one.n_sets for one in held):
        tables += [_validation(axis, held), _beside(held)]
    rates = [rate for one in held for rate in one.corrections]
    if any(rate.n_judged for rate in rates):
        tables.append(_corrected(held))
    notes = [note for one in axis.judges for note in _judge_notes(one)]
    if rates and not any(rate.n_judged for rate in rates):
        notes.append(
            "Every set that judges judged was rated by people too: there is no rate of theirs to "
            "correct."
        )
    if held and not any(one.n_sets for one in held):
        notes.append("No set was rated by people too: judge not validated.")
    notes += dict.fromkeys(note for one in held for note in _held_notes(one))
    if axis.panel is not None:
        notes += _panel_notes(axis.panel)
    return Section(
        anchor=anchor,
        title=f"Judges on {label(axis.axis)}",
        short=f"{label(axis.axis)}: steadiness of judges",
        leads=(
            (
                "A judge is asked again and again, in every order equally often. Its verdict on a "
                "set weighs the orders alike, so that what it takes for its place alone cancels "
                "out. An answer that cannot be read is no verdict: no tie, no loss. What twice the "
                "length is worth to a judge is in logits, beside the arms."
            ),
        ),
        tables=tuple(tables),
        notes=tuple(notes),
    )


def _steadiness(judges: tuple[JudgeShown, ...]) -> Table:
    columns = (
        "Judge",
        "#Read",
        "#Repeats that flip",
        "#Orders that flip",
        "#No majority",
        "#First place",
        "#Names the longest",
        "#Twice the length",
        "Used",
    )
    return table("Judges and their steadiness", columns, [_judge(one) for one in judges])


def _judge(one: JudgeShown) -> tuple[Cell, ...]:
    models = ", ".join(label(model) for model in one.models)
    below = f", {counted(one.n_below_quorum, 'set')} below the quorum" if one.n_below_quorum else ""
    limits = ""
    if one.first_place_lo is not None and one.first_place_hi is not None:
        limits = f"{share(one.first_place_lo)} to {share(one.first_place_hi)}"
    why = [f"position-biased: even is {share(one.first_place_even)}"]
    why = [*(why if one.is_position_biased else []), *([one.why_not] if one.why_not else [])]
    return (
        Cell(text=label(one.judge), note=f"{label(one.family)}: {models}"),
        Cell(
            text=f"{count(one.n_read)} of {count(one.n_asked)}",
            note=f"{counted(one.n_sets, 'set')}{below}",
        ),
        Cell(text=share(one.repeat_flips)),
        Cell(text=share(one.order_flips)),
        Cell(text=share(one.no_majority)),
        Cell(text=share(one.first_place), note=limits),
        Cell(text=share(one.longer)),
        _length(one),
        Cell(text="used" if one.is_used else "not used", note="; ".join(why)),
    )


def _length(one: JudgeShown) -> Cell:
    if one.length_effect is None or one.length_effect_lo is None or one.length_effect_hi is None:
        return Cell(text=UNSAID)
    lo, hi = (fixed(x, 2, sign=True) for x in (one.length_effect_lo, one.length_effect_hi))
    return Cell(text=fixed(one.length_effect, 2, sign=True), note=f"{lo} to {hi}")


def share(value: float | None) -> str:
    """Prints a share in percent; what could not be measured is said."""
    return UNSAID if value is None else percent(round(value, 3))


def _unreadable(judges: tuple[JudgeShown, ...]) -> Table:
    rows = [
        (
            named(one.judge),
            Cell(text=", ".join(f"{count(n)} {state}" for state, n in one.unreadable.items())),
            Cell(
                text=", ".join(f"{label(a)} {share(x)}" for a, x in one.unreadable_by_arm.items()),
                note="differs by arm: suspect" if one.is_unreadable_uneven else "",
            ),
        )
        for one in judges
        if one.unreadable
    ]
    columns = ("Judge", "Answers without a verdict", "Share among packets that show the arm")
    return table("Answers without a verdict", columns, rows)


def _validation(axis: AxisShown, held: list[Validation]) -> Table:
    """Gives the sources beside each other, and what picking the longest text would earn."""
    rows: list[tuple[Cell, ...]] = [_held(one) for one in held]
    if axis.panel is not None and axis.panel.longer_top1 is not None:
        blank = Cell(text="")
        longest = (
            Cell(text="picking the longest"),
            blank,
            Cell(text=share(axis.panel.longer_top1)),
        )
        rows.append((*longest, *[blank] * 5))
    columns = (
        "Source",
        "#Sets with people",
        "#Top choice",
        "#Chance",
        "#One person",
        "#Beyond chance",
        "#People's",
        "Result",
    )
    return table("Held against people, inside the same sets", columns, rows)


def _held(one: Validation) -> tuple[Cell, ...]:
    limits = ""
    if one.lo is not None and one.hi is not None:
        limits = f"{share(one.lo)} to {share(one.hi)}"
    return (
        named(one.source),
        Cell(text=count(one.n_sets), note=counted(one.n_clusters, "cluster")),
        Cell(text=share(one.top1), note=limits),
        Cell(text=share(one.random)),
        Cell(text=share(one.ceiling)),
        Cell(text=_number(one.beyond)),
        Cell(text=_number(one.ceiling_beyond)),
        Cell(
            text="validated" if one.passed else "judge not validated",
            note="; ".join(one.failed),
        ),
    )


def _beside(held: list[Validation]) -> Table:
    """Gives the secondary figures."""
    rows: list[tuple[Cell, ...]] = [
        (
            named(one.source),
            Cell(text=share(one.strict)),
            Cell(text=share(one.tie_rate), note=f"people {share(one.human_tie_rate)}"),
            Cell(text=_number(one.kappa)),
            Cell(text=_number(one.tau)),
            Cell(text=_number(one.overall)),
            Cell(text="" if one.position_p is None else p_value(one.position_p)),
        )
        for one in held
    ]
    columns = (
        "Source",
        "#Exactly the same best",
        "#Sets without a winner",
        "#Cohen's kappa",
        "#Tau within sets",
        "#Correlation over all",
        "#Places even",
    )
    return table("Secondary figures; the correlation over all never decides", columns, rows)


def _number(value: float | None) -> str:
    return UNSAID if value is None else fixed(value, 3)


def _corrected(held: list[Validation]) -> Table:
    rows = [_rate(one.source, rate) for one in held for rate in one.corrections]
    columns = ("Source", "Arm", "Method", "#Judge says", "#People would say", "#Sets")
    return table("How often people would prefer the arm to the baseline", columns, rows)


def _rate(source: str, rate: CorrectedShare) -> tuple[Cell, ...]:
    known = rate.lo is not None and rate.hi is not None
    limits = f"{share(rate.lo)} to {share(rate.hi)}" if known else label(rate.why, 160)
    return (
        named(source),
        named(rate.arm),
        Cell(text=rate.method),
        Cell(text=share(rate.naive)),
        Cell(text=share(rate.value), note=limits),
        Cell(text=f"{count(rate.n_judged)} judged", note=f"{count(rate.n_labelled)} labelled"),
    )


def _judge_notes(one: JudgeShown) -> list[str]:
    notes = []
    if one.n_cached:
        notes.append(
            f"{label(one.judge)}: {counted(one.n_cached, 'answer')} were read again from an "
            "earlier run of the same repeat; none counts twice."
        )
    if one.templates:
        told = ", ".join(f"{label(name)} {share(x)}" for name, x in one.templates.items())
        notes.append(f"{label(one.judge)}: read by wording: {told}.")
    return notes


def _held_notes(one: Validation) -> list[str]:
    notes = [f"A judge is validated by: {one.rule}."]
    if one.unvalidated_languages:
        notes.append(
            f"{label(one.source)} is not human-validated on "
            f"{', '.join(label(x) for x in one.unvalidated_languages)}: nobody rated these units."
        )
    return notes


def _panel_notes(panel: PanelShown) -> list[str]:
    notes = []
    if panel.effective is not None and panel.error_correlation is not None:
        notes.append(
            f"{counted(len(panel.judges), 'judge')} are worth {fixed(panel.effective, 2)} "
            f"independent ones (their errors correlate by {fixed(panel.error_correlation, 3)})."
        )
    elif len(panel.judges) > 1:
        notes.append(f"How many independent votes the judges are worth is {label(panel.why, 300)}.")
    if panel.best_single_top1 is not None and panel.panel_top1 is not None:
        notes.append(
            f"Best single judge: {label(panel.best_single)} with top choice "
            f"{share(panel.best_single_top1)}; the panel {share(panel.panel_top1)}."
        )
    return notes


def threshold_section(found: LockedThreshold | None, anchor: str) -> Section | None:
    """Gives s* and what people say of what it accepts; None where none was asked for."""
    if found is None:
        return None
    grid = ", ".join(plain(s) for s in found.grid)
    rows = [
        ("s*", "none found" if found.s is None else plain(found.s)),
        ("judge", label(found.judge)),
        ("method", found.method),
        ("thresholds tried", grid),
        ("promised win rate", "none" if found.target is None else share(found.target)),
        ("calibration half", counted(found.n_calibration, "cluster")),
        ("win rate there, too high by the choice", share(found.calibration_rate)),
        (
            "other half",
            (
                f"{counted(found.n_final, 'cluster')}, something accepted in "
                f"{count(found.n_accepted)}"
            ),
        ),
    ]
    rate = share(found.final_rate)
    if found.final_lo is not None and found.final_hi is not None:
        rate += f" ({share(found.final_lo)} to {share(found.final_hi)})"
    rows.append(("win rate there", rate))
    if found.why:
        rows.append(("why", label(found.why, 300)))
    return Section(
        anchor=anchor,
        title="Threshold s*",
        short="Threshold",
        leads=(
            (
                "From this share of the judge's verdicts on an arm is taken instead of the "
                "baseline. It was chosen on one half of the units and is reported on the other; "
                "no unit is in both. Once chosen it is locked in threshold.json."
            ),
        ),
        tables=(table("s*", ("What", "Value"), [(Cell(text=a), Cell(text=b)) for a, b in rows]),),
        notes=found.notes,
    )
