"""What stands behind each comparison: all its numbers, the units that moved, their quotes."""

from dataclasses import dataclass

from equipoise.records.counted import counted
from equipoise.records.estimate import Comparison, Interval, UnitLine
from equipoise.records.terms import Rule
from equipoise.records.verdict import Word
from equipoise.stages.report.fitting import Fitting
from equipoise.stages.report.numbers import compact, count, fixed, p_value, percent, span
from equipoise.stages.report.reading import Reading, Row
from equipoise.stages.report.sentences import full_stop, margins, sentence, subject
from equipoise.stages.report.tables import Cell, Table, named, table
from equipoise.stages.report.text import label, quotation

_MOST_LINES = 25
_MOST_QUOTES = 3
_MOST_TRIALS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """The section of one comparison: its sentence, its numbers by name, its units."""

    anchor: str
    title: str
    word: str
    is_open: bool
    sentence: str
    facts: tuple[tuple[str, str], ...]
    units: Table | None
    note: str


def details_of(reading: Reading, fitting: Fitting) -> tuple[Detail, ...]:
    """Gives the section of each comparison that has room on the page, in reading order.

    What finds no room is counted in the note of its section.
    """
    room = fitting.limits.n_unit_characters
    details = []
    for row in reading.rows[: fitting.limits.n_comparisons]:
        detail, used = _detail(reading, row, fitting, room)
        room -= used
        details.append(detail)
    return tuple(details)


def _detail(reading: Reading, row: Row, fitting: Fitting, room: int) -> tuple[Detail, int]:
    shown: list[tuple[Cell, ...]] = []
    used = 0
    for line in row.lines[:_MOST_LINES]:
        cells = _line_cells(line)
        size = sum(len(c.text) + sum(map(len, c.lines)) for c in cells)
        if used + size > room:
            break
        used += size
        shown.append(cells)
    n_more = row.n_more + len(row.lines) - len(shown)
    units = table(
        f"Units that moved most, {subject(row)}",
        ("Unit", "#Baseline", "#Arm", "#Change", "Trials", "Quotes"),
        shown,
    )
    return (
        Detail(
            anchor=row.anchor,
            title=subject(row),
            word=row.verdict.word,
            is_open=row.is_headline,
            sentence=sentence(reading, row),
            facts=tuple(_facts(reading, row)),
            units=fitting.table(units) if shown else None,
            note=_note(len(shown), n_more),
        ),
        used,
    )


def _note(n_shown: int, n_more: int) -> str:
    if n_more:
        return (
            f"{counted(n_more, 'more unit')} moved and {'is' if n_more == 1 else 'are'} not shown: "
            "see columns/results.parquet in the archive of each arm."
        )
    return "All units that moved are shown." if n_shown else "No unit that moved is recorded."


def _line_cells(line: UnitLine) -> tuple[Cell, ...]:
    name = named(line.unit)
    labels = ", ".join(f"{label(k, 24)}={label(v, 40)}" for k, v in sorted(line.labels.items()))
    note = "; ".join(part for part in (labels, label(line.note, 200) if line.note else "") if part)
    trials = [label(trial, 80) for trial in line.trials[:_MOST_TRIALS]]
    if len(line.trials) > _MOST_TRIALS:
        trials.append(f"{count(len(line.trials) - _MOST_TRIALS)} more")
    quotes = [quotation(quote) for quote in line.quotes[:_MOST_QUOTES]]
    if len(line.quotes) > _MOST_QUOTES:
        n_more = len(line.quotes) - _MOST_QUOTES
        quotes.append(f"{counted(n_more, 'more quote')} in estimates.json")
    return (
        Cell(text=name.text, full=name.full, note=note),
        _value(line.base),
        _value(line.new),
        _change(line),
        Cell(lines=tuple(trials), is_code=True) if trials else Cell(text="not recorded"),
        Cell(lines=tuple(quotes)) if quotes else Cell(text="no quote recorded"),
    )


def _value(value: float | None) -> Cell:
    return Cell(text="no outcome" if value is None else compact(value))


def _change(line: UnitLine) -> Cell:
    if line.base is None or line.new is None:
        return Cell(text="one arm only")
    return Cell(text=compact(line.new - line.base, sign=True))


def _facts(reading: Reading, row: Row) -> list[tuple[str, str]]:
    comparison, verdict = row.comparison, row.verdict
    facts = [
        *([("Why", _sentence(verdict.why))] if verdict.why else []),
        ("Rule", f"{label(verdict.rule, 200)}, level {percent(verdict.level)}"),
        ("Compared as", label(comparison.pairing)),
        *_interval_facts(reading, comparison),
    ]
    if comparison.not_estimable:
        facts.append(("Not estimable", label(comparison.not_estimable, 400)))
    facts += [(p.test, _p_text(p.p, p.n, p.note)) for p in comparison.p_values]
    if comparison.adjusted_p is not None:
        facts.append(("Adjusted p", p_value(comparison.adjusted_p)))
    if comparison.n_better is not None:
        facts.append(
            (
                "Units better / worse / same",
                (
                    f"{count(comparison.n_better)} / {count(comparison.n_worse or 0)} / "
                    f"{count(comparison.n_same or 0)}"
                ),
            )
        )
    facts += _size_facts(comparison, is_seed_rule=reading.terms.rule is Rule.SEED)
    return facts + _needed_facts(comparison) if verdict.word is Word.CANNOT_TELL else facts


def _interval_facts(reading: Reading, comparison: Comparison) -> list[tuple[str, str]]:
    marks = margins(reading.terms)
    named_intervals = (
        ("Deciding interval", comparison.interval),
        ("Interval for who looks at this cell alone", comparison.interval_single),
        ("Interval of the equivalence test", comparison.interval_equivalence),
        ("Interval for this very set of units", comparison.fixed_interval),
    )
    is_alone = comparison.interval_single in {None, comparison.interval}
    return [
        (name, _limits(i, marks))
        for name, i in named_intervals
        if i is not None and not (is_alone and i is comparison.interval_single)
    ]


def _limits(interval: Interval, marks: tuple[float, ...]) -> str:
    shown = span(None, interval, marks=marks)
    return f"{shown.lo} to {shown.hi} ({shown.level}, {label(interval.method, 120)})"


def _p_text(p: float, n: int, note: str) -> str:
    return f"{p_value(p)} over {count(n)}{f'; {label(note, 200)}' if note else ''}"


def _sentence(text: str) -> str:
    shown = label(text, 600)
    return full_stop(shown[:1].upper() + shown[1:])


def _size_facts(comparison: Comparison, *, is_seed_rule: bool) -> list[tuple[str, str]]:
    numbers = (
        ("Correlation of matched units", comparison.correlation),
        *(
            (
                ("Literal lower bound of the loss increase", comparison.literal_lo),
                ("Guarded lower bound of the loss increase", comparison.guarded_lo),
            )
            if is_seed_rule
            else ()
        ),
        ("Smallest change these runs would show (80 %)", comparison.reportable),
        ("Largest change still allowed", comparison.excludable),
    )
    facts = [(name, fixed(value, 3)) for name, value in numbers if value is not None]
    if comparison.worst_lo is not None and comparison.worst_hi is not None:
        bounds = f"{fixed(comparison.worst_lo, 3, sign=True)} to "
        facts.append(
            (
                "Whatever the missing outcomes were",
                bounds + fixed(comparison.worst_hi, 3, sign=True),
            )
        )
    return facts


def _needed_facts(comparison: Comparison) -> list[tuple[str, str]]:
    facts = []
    for name, n in (
        ("More units to show a difference of this size", comparison.units_to_show),
        ("More units to show equivalence", comparison.units_to_equate),
    ):
        if n is not None:
            facts.append((name, count(n)))
    return facts
