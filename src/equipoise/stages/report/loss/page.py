"""The page of a loss comparison: verdict, cells drawn on one scale, findings, suites, promise."""

from dataclasses import dataclass

from equipoise.records.counted import counted
from equipoise.records.plan import Plan, SpreadSource, Stopping
from equipoise.records.suite import LossComparison, LossRow
from equipoise.stages.report.forest import Axis, Bar, scale
from equipoise.stages.report.frame import filled
from equipoise.stages.report.glossary import LOSS_WORDS, WORDS
from equipoise.stages.report.loss.cells import findings_section, guarded, others_section, shown
from equipoise.stages.report.loss.judges import judges_section
from equipoise.stages.report.loss.reading import LossReading, joint, name, word
from equipoise.stages.report.loss.suites import steadiness_section, suites_section
from equipoise.stages.report.numbers import Span, count, fixed, plain
from equipoise.stages.report.tables import Cell, Section, Table, named, table
from equipoise.stages.report.text import label

_MOST_DRAWN = 150
_TOO_SMALL = 3.0
_SPREAD_FROM = {
    SpreadSource.PILOT: "a pilot",
    SpreadSource.PREVIOUS: "an earlier run",
    SpreadSource.DEFAULT: "nothing: the default",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One cell as the forest plot shows it."""

    name: str
    word: str
    span: Span
    guarded: str
    bar: Bar | None
    n_units: str


def to_loss_page(reading: LossReading) -> bytes:
    """Gives index.html of a loss comparison; the bytes depend on what was compared alone."""
    axis = _axis(reading)
    rows = (*reading.regressions, *reading.improvements, *reading.unproven, *reading.others)
    sections = [
        section
        for section in (
            findings_section(reading),
            others_section(reading),
            suites_section(reading),
            steadiness_section(reading),
            judges_section(reading),
            _promise_section(reading),
        )
        if section
    ]
    comparison = reading.comparison
    return filled(
        "loss.html.j2",
        tool_version=reading.plan.tool_version,
        title=label(reading.plan.title, 160),
        question=label(reading.plan.question, 400),
        reading=reading,
        comparison=comparison,
        is_simulated=reading.base.is_simulated or reading.new.is_simulated,
        seal=reading.new.seal,
        reach=[*_stopped(comparison), *_reach(reading)],
        axis=axis,
        axis_text=_describe(reading, axis),
        bars=[_drawn(reading, row, axis) for row in rows[:_MOST_DRAWN]],
        n_beyond=max(0, len(rows) - _MOST_DRAWN),
        margin=plain(comparison.mde),
        sections=sections,
        sources=[(s.arm, s.run_id, s.results_sha256) for s in (reading.base, reading.new)],
        words=(*LOSS_WORDS, *WORDS),
        notes=[label(note, 400) for note in comparison.notes],
    )


def _axis(reading: LossReading) -> Axis:
    mde = reading.comparison.mde
    limits = [found for row in reading.comparison.rows if (found := joint(row))]
    listed = [found for row in reading.comparison.rows if row.is_listed and (found := joint(row))]
    kept = sorted(limits, key=lambda pair: pair[1] - pair[0])[: max(1, len(limits) * 7 // 10)]
    ends = [-mde, mde, *(end for pair in (*kept, *listed) for end in pair)]
    return scale(min(ends), max(ends), band=mde, margin=mde, is_less_better=True)


def _drawn(reading: LossReading, row: LossRow, axis: Axis) -> Drawn:
    said = shown(reading, row)
    return Drawn(
        name=label(name(row)),
        word=word(row).value,
        span=said,
        guarded=guarded(reading, row),
        bar=_bar(row, said, axis),
        n_units=f"{count(row.n_base)} / {count(row.n_new)}",
    )


def _bar(row: LossRow, said: Span, axis: Axis) -> Bar | None:
    limits = joint(row)
    if row.delta is None:
        return None
    lo, hi = limits or (row.delta, row.delta)
    literal = None
    if row.literal_lo is not None and row.literal_hi is not None and not row.is_flat:
        literal = (axis.at(row.literal_lo), axis.at(row.literal_hi))
    return Bar(
        lo=axis.at(lo),
        hi=axis.at(hi),
        inner=literal,
        point=axis.at(row.delta),
        has_interval=limits is not None,
        is_point_cut=not axis.lo <= row.delta <= axis.hi,
        is_cut_left=lo < axis.lo,
        is_cut_right=hi > axis.hi,
        text=f"difference {said.value}, interval {said.brackets}" if limits else said.value,
    )


def _describe(reading: LossReading, axis: Axis) -> str:
    return (
        f"Difference in loss, new minus base, from {fixed(axis.lo, 2)} to {fixed(axis.hi, 2)}. "
        "Left is better, right is worse. A solid line at 0, dashed lines at the margin "
        f"±{plain(reading.comparison.mde)}."
    )


def _stopped(comparison: LossComparison) -> list[tuple[str, str]]:
    """Gives what early stopping saved, and the limits that hold all the same; nothing if none."""
    look = comparison.look
    if look is None or not look.word:
        return []
    executed = f"{count(look.n_executed)} of {count(look.n_planned)} runs executed"
    saved = (
        f"{count(comparison.n_saved)} saved, and {count(comparison.n_saved_base)} of the baseline"
    )
    at = f"at look {look.number} of {look.looks} under {look.rule.value}"
    told = [("stopped early", f"{executed}: {saved}, {at}")]
    if look.delta is not None and look.lo is not None and look.hi is not None:
        delta, lo, hi = (fixed(value, 3, sign=True) for value in (look.delta, look.lo, look.hi))
        said = (
            f"{delta}, limits {lo} to {hi}: they hold at all looks together; a difference seen "
            "when a run stops early is on average too large"
        )
        told.append(("difference as a whole", said))
    return told


def _reach(reading: LossReading) -> list[tuple[str, str]]:
    """Gives margin, reportable and excludable, each in one sentence of its own."""
    comparison = reading.comparison
    reportable = [row.reportable for row in comparison.rows if row.reportable is not None]
    excludable = [row.excludable for row in comparison.rows if row.excludable is not None]
    told = [("margin", f"{plain(comparison.mde)}: the smallest change that counts (mde)")]
    if reportable:
        lo, hi = min(reportable), max(reportable)
        told.append(
            (
                "reportable",
                (
                    f"{fixed(lo, 3)} to {fixed(hi, 3)}, by cell: the smallest true change that "
                    "these runs list with 80 % probability"
                ),
            )
        )
        if lo > _TOO_SMALL * comparison.mde:
            told.append(
                (
                    "too small to clear anyone",
                    "reportable is above three times the margin in every cell",
                )
            )
    if excludable:
        told.append(
            (
                "excludable",
                f"{fixed(max(excludable), 3)}: the largest change that some cell still allows",
            )
        )
    return told


def _promise_section(reading: LossReading) -> Section:
    plan = reading.plan
    facts = [
        ("plan", reading.new.plan_sha256),
        ("seal", reading.new.seal or "none"),
        ("mode and provenance", f"{plan.arms[0].mode}, {plan.provenance}"),
        ("catalog", reading.comparison.catalog_version),
        ("rule", f"{plan.rule}: z = {fixed(reading.comparison.z, 3)} for k = {plan.k} cells"),
        ("pairing", "unit by unit" if plan.paired else "independent arms"),
        ("sample budget", counted(plan.sample_budget, "unit")),
        ("early stopping", _rule(plan)),
        ("looks so far", count(reading.comparison.looks)),
    ]
    amendments = [
        (named(one.at), Cell(text=label(one.field) or "remark"), Cell(text=label(one.reason, 300)))
        for one in reading.amendments
    ]
    tables = [
        table("The plan", ("What", "As promised"), [(Cell(text=a), named(b)) for a, b in facts]),
        _sizes(reading),
    ]
    if amendments:
        tables.append(table("Amendments after sealing", ("When", "Field", "Reason"), amendments))
    return Section(
        anchor="promise",
        title="What was promised",
        short="Plan",
        leads=(_amended(len(amendments)),),
        tables=tuple(tables),
    )


def _rule(plan: Plan) -> str:
    if plan.stopping is Stopping.NONE:
        return "none"
    return f"{plan.stopping.value}, {counted(plan.looks, 'look')}, alpha {plain(plan.alpha)}"


def _amended(n: int) -> str:
    if not n:
        return "No amendment was made after sealing."
    return f"{counted(n, 'amendment')} after sealing."


def _sizes(reading: LossReading) -> Table:
    columns = ("Partition", "#Frequency", "#Severity", "#Spread", "Spread from", "#n_min", "#Drawn")
    return table(
        "Partitions as planned",
        columns,
        [
            (
                named(part.text),
                Cell(text=plain(part.frequency)),
                Cell(text=plain(part.severity)),
                Cell(text=plain(part.s)),
                Cell(text=_SPREAD_FROM[part.s_source]),
                Cell(text=count(part.n_min)),
                Cell(text=count(part.n_drawn), note=f"of {count(part.n_available)}"),
            )
            for part in reading.plan.partitions
        ],
    )
