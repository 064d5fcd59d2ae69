"""Says a verdict in one sentence, what would be needed to tell, and what is missing beside it."""

from equipoise.records.counted import counted
from equipoise.records.estimate import ArmEstimate, CellKey, Comparison, Missing
from equipoise.records.grade import OUTCOME
from equipoise.records.terms import Direction, Pairing, Rule, Terms
from equipoise.records.verdict import Word
from equipoise.stages.report.numbers import (
    Span,
    count,
    fixed,
    p_value,
    percent,
    places_of,
    plain,
    span,
)
from equipoise.stages.report.reading import Reading, Row
from equipoise.stages.report.text import label

UNSAID = "not estimable"


def criterion_name(terms: Terms) -> str:
    """Gives the criterion as it is named in a sentence."""
    return "the outcome" if terms.criterion == OUTCOME else label(terms.criterion)


def subject(row: Row) -> str:
    """Gives ``release-2 against release-1``, with the cell where it is not the whole."""
    pair = f"{label(row.comparison.arm)} against {label(row.comparison.baseline)}"
    return pair if row.is_headline else f"{cell_name(row)}: {pair}"


def cell_name(row: Row) -> str:
    """Gives the name of the comparison's cell (see `text_of_cell`)."""
    return text_of_cell(row.comparison.cell)


def text_of_cell(cell: CellKey) -> str:
    """Gives the name of a cell: ``overall``, ``intent=refund``, crossed ``refund × de``."""
    if "×" in cell.label:
        return label(cell.value)
    return f"{label(cell.label)}={label(cell.value)}" if cell.label else "overall"


def sentence(reading: Reading, row: Row) -> str:
    """Gives the verdict in one sentence with its difference, interval and number of units."""
    terms, comparison, word = reading.terms, row.comparison, row.verdict.word
    new, base = label(comparison.arm), label(comparison.baseline)
    where = "" if row.is_headline else f"In {cell_name(row)}, "
    if word is Word.NOT_EVALUABLE:
        why = comparison.not_estimable or row.verdict.why or "no reason was recorded"
        return full_stop(f"{where}{new} against {base} is not evaluable: {label(why, 400)}")
    shown = difference(reading, row)
    interval = _interval_clause(reading, row)
    if word in {Word.BETTER, Word.WORSE}:
        said = (
            f"{new} is {word} than {base}: {criterion_name(terms)} is {_moved(comparison)}, "
            f"{interval}"
        )
    elif word is Word.EQUIVALENT:
        said = (
            f"{new} and {base} are equivalent: {criterion_name(terms)} differs by "
            f"{shown.value or UNSAID}, {interval} lies inside ±{plain(terms.equivalence)}"
        )
    else:
        said = (
            f"the runs cannot tell whether {new} is better or worse than {base}: the difference in "
            f"{criterion_name(terms)} is {shown.value or UNSAID}, {interval}"
        )
    return full_stop(_capital(f"{where}{said}, {sample(comparison)}", is_name=not where))


def difference(reading: Reading, row: Row) -> Span:
    """Prints the difference (new minus base) with the interval that decided.

    Where the word is `equivalent`, that is the interval of the equivalence test.
    """
    comparison = row.comparison
    interval = comparison.interval
    if row.verdict.word is Word.EQUIVALENT and comparison.interval_equivalence is not None:
        interval = comparison.interval_equivalence
    return span(comparison.delta, interval, marks=margins(reading.terms))


def margins(terms: Terms) -> tuple[float, ...]:
    """Gives the margins as limits of the difference: superiority on both sides, equivalence too."""
    return (-terms.margin, terms.margin, -terms.equivalence, terms.equivalence)


def sample(comparison: Comparison) -> str:
    """Gives what the comparison rests on: ``1,000 paired units``, ``40 units against 58``."""
    new, base = comparison.n_units_new, comparison.n_units_base
    if is_paired(comparison):
        text = counted(comparison.n_pairs, "paired unit")
    else:
        text = f"{counted(new, 'unit')} against {count(base)}, unpaired"
    if comparison.n_clusters:
        text += f" in {counted(comparison.n_clusters, 'cluster')}"
    return text


def is_paired(comparison: Comparison) -> bool:
    """Whether the units were matched by their ids."""
    return comparison.n_pairs > 0 and comparison.pairing != Pairing.UNPAIRED


def missing_beside(row: Row) -> str:
    """Gives the count of missing outcomes of both arms, to stand beside the verdict."""
    told = [
        f"{label(estimate.arm)} {_missing_of(estimate.missing)}"
        for estimate in (row.base, row.new)
        if estimate is not None
    ]
    if not told:
        return "Whether outcomes are missing was not recorded."
    estimates = [e for e in (row.base, row.new) if e is not None]
    if all(e.missing.planned == e.missing.evaluable for e in estimates):
        return f"Nothing is missing: {_all_present(estimates)}."
    return f"Outcomes missing: {'; '.join(told)}.{_survival(row)}"


def needed(row: Row) -> str:
    """Gives what would be needed to tell; empty where the word is decided."""
    if row.verdict.needed:
        text = label(row.verdict.needed, 600)
        return full_stop(text[:1].upper() + text[1:])
    if row.verdict.word is not Word.CANNOT_TELL:
        return ""
    comparison = row.comparison
    parts = []
    if comparison.units_to_show:
        parts.append(
            f"{count(comparison.units_to_show)} more units to show a difference of this size"
        )
    if comparison.units_to_equate:
        parts.append(f"{count(comparison.units_to_equate)} more units to show equivalence")
    if not parts:
        return "How many more units would tell is not estimable from these runs."
    return f"To tell, it would take about {', or '.join(parts)}."


def full_stop(text: str) -> str:
    """Gives the text ended by one full stop, unless it ends a sentence already."""
    text = text.rstrip()
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def better_side(terms: Terms) -> str:
    """Gives ``lower is better`` or ``higher is better``."""
    return f"{'lower' if terms.direction is Direction.LOWER else 'higher'} is better"


def _moved(comparison: Comparison) -> str:
    if comparison.delta is None:
        return f"changed ({UNSAID} by how much)"
    interval = comparison.interval
    places = places_of((interval.hi - interval.lo) / 2) if interval else 3
    size = fixed(abs(comparison.delta), places)
    return f"{size} {'higher' if comparison.delta > 0 else 'lower'}"


def _interval_clause(reading: Reading, row: Row) -> str:
    shown = difference(reading, row)
    if not shown.level:
        p = row.comparison.adjusted_p
        return f"adjusted {p_value(p)}" if p is not None else f"its interval {UNSAID}"
    level = row.comparison.adjusted_level
    is_adjusted = row.comparison.family_size > 1 and row.verdict.word is not Word.EQUIVALENT
    if is_adjusted and reading.terms.rule is Rule.SEED and row.comparison.critical_z is not None:
        return f"{shown.level} interval (z = {row.comparison.critical_z:.2f}) {shown.brackets}"
    if is_adjusted and level is not None:
        return f"simultaneous {percent(reading.terms.level)} interval {shown.brackets}"
    return f"{shown.level} interval {shown.brackets}"


def _capital(text: str, *, is_name: bool) -> str:
    """Gives the text with a capital first letter, unless it starts with an arm's own name."""
    starts_with_name = is_name and not text.startswith("the runs")
    return text if starts_with_name else text[:1].upper() + text[1:]


def _missing_of(missing: Missing) -> str:
    lacking = missing.planned - missing.evaluable
    share = f" ({percent(lacking / missing.planned)})" if missing.planned else ""
    return f"{count(lacking)} of {count(missing.planned)}{share}"


def _all_present(estimates: list[ArmEstimate]) -> str:
    planned = {e.missing.planned for e in estimates}
    if len(estimates) == 2 and len(planned) == 1:
        return f"both arms have all {counted(planned.pop(), 'outcome')}"
    return " and ".join(
        f"{label(e.arm)} has all {counted(e.missing.planned, 'outcome')}" for e in estimates
    )


def _survival(row: Row) -> str:
    if row.verdict.survives_missing is None:
        return ""
    if row.verdict.survives_missing:
        return " The verdict holds whatever the missing outcomes were."
    return " Some assignment of the missing outcomes would change the verdict."
