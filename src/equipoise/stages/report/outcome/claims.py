"""The section of hypotheses: what was claimed beforehand, and what became of each claim."""

from equipoise.records.hypothesis import RESOURCES, Aim
from equipoise.records.outcome_report import HypothesisVerdict
from equipoise.stages.report.numbers import fixed
from equipoise.stages.report.outcome.parts import tagged
from equipoise.stages.report.outcome.reading import CRITERIA, OutcomeReading
from equipoise.stages.report.tables import Cell, Section, Table, table
from equipoise.stages.report.text import label

_COLUMNS = ("Hypothesis", "Answer", "Claim", "Gain", "Interval", "p", "Scenarios", "Tags")


def hypotheses_section(reading: OutcomeReading) -> Section:
    """Gives every registered hypothesis with its answer; says so where there is none."""
    found = reading.file.hypotheses
    if not found:
        lead = (
            "None was registered before the runs: the study is exploratory. What its figures show "
            "is a lead for hypotheses of a study to come."
        )
        return Section(anchor="claims", title="Hypotheses", short="Hypotheses", leads=(lead,))
    primary = [one for one in found if one.primary]
    others = [one for one in found if not one.primary]
    tables = []
    if primary:
        rule = f"one family by {primary[0].rule}" if len(primary) > 1 else "alone in its family"
        tables.append(_table(f"Primary: {rule}", primary))
    if others:
        tables.append(_table("Secondary: told, and deciding nothing", others))
    return Section(
        anchor="claims",
        title="Hypotheses",
        short="Hypotheses",
        leads=(
            (
                "Registered with the seal, before anything was run. A scenario is the unit and "
                "its repetitions lie inside it. Confirmed or rejected is said where the interval "
                "lies beyond the bound and the exact sign-flip test agrees; all else is null: the "
                "runs cannot tell. So many scenarios can give no smaller p than the one beside it."
            ),
        ),
        tables=tuple(tables),
        notes=tuple(f"{one.id}: {one.why}." for one in found),
    )


def _table(caption: str, found: list[HypothesisVerdict]) -> Table:
    return table(caption, _COLUMNS, [_row(one) for one in found])


def _row(one: HypothesisVerdict) -> tuple[Cell, ...]:
    none = Cell(text="n/a")
    has_limits = one.lo is not None and one.hi is not None
    limits = f"{fixed(one.lo or 0.0, 2, sign=True)} to {fixed(one.hi or 0.0, 2, sign=True)}"
    p = f"by the rule {_p(one.adjusted_p)}; smallest possible {_p(one.smallest_p)}"
    return (
        Cell(text=label(one.id), note=label(one.statement, 200)),
        Cell(text=one.answer.value.upper(), is_whole=True),
        Cell(text=_claim(one)),
        none if one.gain is None else Cell(text=fixed(one.gain, 3, sign=True), note=_arms(one)),
        Cell(text=limits, note=f"{one.level:.0%}", is_whole=True) if has_limits else none,
        Cell(text=_p(one.p), note=p),
        Cell(text=f"{one.n_scenarios} of {one.n_planned}"),
        Cell(text=tagged(one.tags)),
    )


def _claim(one: HypothesisVerdict) -> str:
    metric = CRITERIA.get(one.metric, one.metric)
    of = f"of {label(one.new)} over {label(one.base)}"
    what = f"share of {metric} saved" if one.metric in RESOURCES else f"gain in {metric}"
    bound = fixed(one.bound, 2)
    below = fixed(-one.bound, 2) if one.bound else bound
    said = {
        Aim.BETTER: f"above {bound}",
        Aim.WORSE: f"below {below}",
        Aim.NOT_WORSE: f"above {below}",
        Aim.EQUIVALENT: f"within \u00b1{bound}",
    }
    return f"{what} {of} {said[one.aim]}"


def _arms(one: HypothesisVerdict) -> str:
    if one.new_value is None or one.base_value is None:
        return ""
    places = 0 if one.metric in {"tokens", "wall_ms"} else 3
    new, base = fixed(one.new_value, places), fixed(one.base_value, places)
    return f"{label(one.new)} {new}, {label(one.base)} {base}"


def _p(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3g}"
