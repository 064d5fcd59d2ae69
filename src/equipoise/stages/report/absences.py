"""What is not there: units of one arm only, missing outcomes, and what these could change."""

from equipoise.records.estimate import ArmEstimate, UnitSets
from equipoise.records.trial import EndingKind
from equipoise.stages.report.numbers import count, fixed, percent
from equipoise.stages.report.reading import Reading, Row
from equipoise.stages.report.sentences import UNSAID, cell_name, text_of_cell
from equipoise.stages.report.tables import Cell, Section, named, table
from equipoise.stages.report.text import label

_IDS_NAMED = 12


def unit_sets_section(reading: Reading) -> Section:
    """Says which units the arms share; this is compared before anything else is said."""
    sets = reading.result.estimates.unit_sets
    differ = [s for s in sets if s.n_only_base or s.n_only_new]
    lead = (
        "The arms ran the same units."
        if sets and not differ
        else "The arms did not run the same units. Units that only one arm has cannot be paired; "
        "if they differ in difficulty, so do the means."
    )
    return Section(
        anchor="unit-sets",
        title="Units in both arms",
        short="Unit sets",
        leads=(lead,) if sets else ("The unit sets were not recorded.",),
        tables=(
            table(
                "Shared units and units of one arm only",
                ("Arm", "#In both", "#Only in the baseline", "#Only in the arm", "Which"),
                [_set_cells(s) for s in sets],
            ),
        )
        if sets
        else (),
    )


def missing_section(reading: Reading) -> Section:
    """Counts what is missing per arm, why, both denominators, and the worst-case bounds."""
    estimates = [
        e
        for e in reading.result.estimates.arms
        if not e.cell.label or e.missing.planned != e.missing.evaluable
    ]
    tables = [
        table(
            "Missing outcomes per arm",
            (
                "Arm",
                "Partition",
                "#Planned",
                "#With outcome",
                "#Missing",
                "Why",
                "#Units without any",
                "#Mean of those with outcome",
                "#Mean, missing counted as worst",
                "#Worst-case bounds of the mean",
            ),
            [_missing_cells(e) for e in estimates],
        )
    ]
    bounded = [row for row in reading.rows if _is_lacking(row) and row.comparison.delta is not None]
    if bounded:
        tables.append(
            table(
                "What the missing outcomes could do to the difference",
                ("Partition", "Arm", "#Worst-case bounds", "Verdict", "Holds whatever they were"),
                [_bound_cells(row) for row in bounded],
            )
        )
    return Section(
        anchor="missing",
        title="What is missing, and why",
        short="Missing",
        leads=(
            (
                "An outcome that is missing is not a zero. Failures of the system itself are "
                "outcomes; failures of the surroundings are missing data, counted here in "
                "repetitions of units."
            ),
        ),
        tables=tuple(tables),
    )


def _set_cells(sets: UnitSets) -> tuple[Cell, ...]:
    told = [
        text
        for text in (
            _ids("only in the baseline", sets.only_base, sets.n_only_base),
            _ids("only in the arm", sets.only_new, sets.n_only_new),
        )
        if text
    ]
    return (
        named(sets.arm),
        Cell(text=count(sets.n_shared)),
        Cell(text=count(sets.n_only_base)),
        Cell(text=count(sets.n_only_new)),
        Cell(text="; ".join(told) or "the same units"),
    )


def _ids(where: str, ids: tuple[str, ...], n: int) -> str:
    if not n:
        return ""
    shown = ids[:_IDS_NAMED]
    more = f" and {count(n - len(shown))} more" if n > len(shown) else ""
    return f"{where}: {', '.join(label(i, 40) for i in shown)}{more}"


def _missing_cells(estimate: ArmEstimate) -> tuple[Cell, ...]:
    missing = estimate.missing
    lacking = missing.planned - missing.evaluable
    share = f"{count(lacking)} ({percent(lacking / missing.planned)})" if missing.planned else "0"
    reasons = sorted(missing.reasons.items(), key=lambda item: (-item[1], item[0]))
    why = "; ".join(f"{count(n)} {_reason(reason)}" for reason, n in reasons)
    cell = estimate.cell
    return (
        named(estimate.arm),
        Cell(text=text_of_cell(cell)),
        Cell(text=count(missing.planned)),
        Cell(text=count(missing.evaluable)),
        Cell(text=share),
        Cell(text=why or ("nothing is missing" if not lacking else "no reason recorded")),
        Cell(text=count(missing.units_without)),
        Cell(text=UNSAID if estimate.mean is None else fixed(estimate.mean, 3)),
        Cell(text=UNSAID if missing.mean_as_failure is None else fixed(missing.mean_as_failure, 3)),
        Cell(text=_bounds(missing.worst_lo, missing.worst_hi, sign=False)),
    )


def _reason(reason: str) -> str:
    is_ending = reason in EndingKind.__members__.values()
    return reason.replace("_", " ") if is_ending else label(reason, 80)


def _is_lacking(row: Row) -> bool:
    return any(
        e is not None and e.missing.planned != e.missing.evaluable for e in (row.base, row.new)
    )


def _bound_cells(row: Row) -> tuple[Cell, ...]:
    holds = row.verdict.survives_missing
    return (
        Cell(text=cell_name(row), href=f"#{row.anchor}"),
        named(row.comparison.arm),
        Cell(text=_bounds(row.comparison.worst_lo, row.comparison.worst_hi, sign=True)),
        Cell(text=row.verdict.word, word=row.verdict.word),
        Cell(text="not applicable" if holds is None else "yes" if holds else "no"),
    )


def _bounds(lo: float | None, hi: float | None, *, sign: bool) -> str:
    if lo is None or hi is None:
        return UNSAID
    return f"{fixed(lo, 3, sign=sign)} to {fixed(hi, 3, sign=sign)}"
