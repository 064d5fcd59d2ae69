"""The tables of pass rates and costs: parts beside each other, a tag on each figure."""

from equipoise.records.counted import counted
from equipoise.records.hypothesis import Aim
from equipoise.records.outcome_plan import Control
from equipoise.records.outcome_report import Answer, ArmOutcome, RateOf
from equipoise.stages.report.numbers import count, fixed
from equipoise.stages.report.outcome.reading import AUTHOR_BIAS, CRITERIA, OutcomeReading, rate_of
from equipoise.stages.report.tables import Cell, Section, Table, named, table
from equipoise.stages.report.text import label

_PARTS = ("hidden_explicit", "hidden_implicit", "regression", "artifact")
_NONE = "not recorded"
_UNSEEN = ("hidden", "main")


def parts_section(reading: OutcomeReading) -> Section:
    """Gives what each arm reached, part by part, as a whole and by tier."""
    arms = reading.pair
    rows = []
    for name in [*_criteria(arms), "main"]:
        for place, arm in enumerate(arms):
            rate = arm.main if name == "main" else rate_of(arm, name)
            head = Cell(text=CRITERIA.get(name, name), is_again=place > 0)
            rows.append((head, *_figures(arm, rate)))
    caption = "Pass rates: the mean over scenarios of their repetitions"
    tables = [table(caption, ("Criterion", *_COLUMNS), rows)]
    if tiers := _tiers(arms):
        tables.append(_by_tier(arms, tiers))
    return Section(
        anchor="parts",
        title="What was delivered",
        short="Pass rates",
        leads=(
            (
                "A pass rate is the share that passed, 1 = everything. Hidden tests, the seed's "
                "own suite and the contracts of documents are three parts of one outcome; they "
                "stand beside whatever joins them. The main metric is that of each scenario's "
                "kind: hidden tests, the end state where stopping is right, the coverage of a "
                "decomposition."
            ),
            AUTHOR_BIAS,
        ),
        tables=tuple(tables),
    )


def _criteria(arms: tuple[ArmOutcome, ...]) -> list[str]:
    found = dict.fromkeys(_PARTS)
    found |= dict.fromkeys(rate.criterion for arm in arms for rate in arm.rates if not rate.tier)
    return [name for name in found if name not in _UNSEEN]


def _tiers(arms: tuple[ArmOutcome, ...]) -> list[str]:
    return list(dict.fromkeys(rate.tier for arm in arms for rate in arm.rates if rate.tier))


def _by_tier(arms: tuple[ArmOutcome, ...], tiers: list[str]) -> Table:
    names = ("hidden_explicit", "hidden_implicit", "regression", "main")
    rows = []
    for tier in tiers:
        for place, (name, arm) in enumerate((name, arm) for name in names for arm in arms):
            head = Cell(text=tier, is_again=place > 0)
            rows.append((head, Cell(text=CRITERIA[name]), *_figures(arm, rate_of(arm, name, tier))))
    return table("By tier of difficulty", ("Tier", "Criterion", *_COLUMNS), rows)


_COLUMNS = ("Arm", "#Pass rate", "#95 % interval", "#Tests", "Measured in", "Tags")


def tagged(tags: tuple[str, ...]) -> str:
    """Gives tags as they stand beside a figure."""
    return " ".join(f"[{tag}]" for tag in tags)


def _figures(arm: ArmOutcome, rate: RateOf | None) -> tuple[Cell, ...]:
    none = Cell(text="n/a")
    if rate is None or rate.value is None:
        why = "no scenario asks for it" if rate is None else label(rate.why, 120) or "not measured"
        return (named(arm.arm), none, none, none, Cell(text=why), Cell(text="none"))
    has_limits = rate.lo is not None and rate.hi is not None
    limits = f"{fixed(rate.lo or 0.0, 2)} to {fixed(rate.hi or 0.0, 2)}" if has_limits else "n/a"
    tests = None if rate.tier else arm.tests.get(rate.criterion)
    seen = f"{rate.n_cells} of {counted(rate.n_planned, 'cell')}"
    return (
        named(arm.arm),
        Cell(text=fixed(rate.value, 3)),
        Cell(text=limits, is_whole=True),
        Cell(text=f"{count(tests[0])} of {count(tests[1])}", is_whole=True) if tests else none,
        Cell(text=seen, note=counted(rate.n_scenarios, "scenario")),
        Cell(text=tagged(rate.tags)),
    )


def cost_section(reading: OutcomeReading) -> Section:
    """Gives what a cell of each arm costs, with who counted."""
    columns = ("Arm", "#Tokens in", "#Tokens out", "#Turns", "#Wall time", "#US dollars", "Cells")
    rows = []
    for arm in reading.pair:
        cost = arm.cost
        by = "estimated" if cost.is_estimated else "measured"
        tag = "[soft]" if cost.is_estimated else "[measured]"
        rows.append(
            (
                named(arm.arm),
                _number(cost.tokens_in, f"{tag} {by}"),
                _number(cost.tokens_out, f"{tag} {by}"),
                _number(cost.turns, "[measured]", places=1),
                _time(cost.wall_ms),
                _number(cost.usd, "[measured]", places=4),
                Cell(
                    text=count(cost.n_cells),
                    note=f"{cost.n_with_tokens} tell tokens, {cost.n_with_usd} tell money",
                ),
            )
        )
    return Section(
        anchor="cost",
        title="What it cost",
        short="Cost",
        leads=(
            "Means over the cells that tell; tokens in count cached ones too.",
            *([value_for_money(reading)] if reading.file.control is Control.L3 else []),
        ),
        tables=(
            table("Cost of one cell, by arm", columns, rows),
            _endings(reading),
            *_times(reading),
        ),
    )


def _times(reading: OutcomeReading) -> tuple[Table, ...]:
    """Gives the cells whose times contradict the limits that they had; none is as it should be."""
    rows = [
        (
            Cell(text=label(f"{one.scenario} {one.repetition}"), note=label(one.arm)),
            Cell(text=label(told, 200)),
        )
        for one in reading.results
        for told in one.times
    ]
    caption = "Times that contradict their limits: each cell waits for a label"
    return (table(caption, ("Cell", "What cannot be"), rows),) if rows else ()


def _endings(reading: OutcomeReading) -> Table:
    """Gives how the cells of each arm ended, and how many answers met a token limit."""
    rows = []
    for arm in reading.pair:
        n_cut, n_silent = arm.truncated
        ended = ", ".join(f"{n} {ending}" for ending, n in sorted(arm.endings.items()))
        silent = f"{n_silent} of {arm.cost.n_cells} do not tell" if n_silent else "all tell"
        rows.append((named(arm.arm), Cell(text=ended), Cell(text=count(n_cut), note=silent)))
    return table("How cells ended, by arm", ("Arm", "Endings", "Cut at a token limit"), rows)


def value_for_money(reading: OutcomeReading) -> str:
    """Gives what a cheap arm with a skill reaches beside a dear one without, in one sentence."""
    said = []
    for arm in reading.pair[:2]:
        main = (
            "no main metric"
            if arm.main is None or arm.main.value is None
            else (f"{fixed(arm.main.value, 3)} of the main metric {tagged(arm.main.tags)}")
        )
        usd = (
            "money not recorded"
            if arm.cost.usd is None
            else (f"{fixed(arm.cost.usd, 4)} US dollars a cell [measured]")
        )
        said.append(f"{label(arm.arm)} reaches {main} for {usd}")
    pair = {reading.file.new_arm, reading.file.base_arm}
    claims = [
        one
        for one in reading.file.hypotheses
        if one.aim in {Aim.EQUIVALENT, Aim.NOT_WORSE} and {one.new, one.base} == pair
    ]
    shown = [one.id for one in claims if one.answer is Answer.CONFIRMED]
    if shown:
        word = f"Shown by {', '.join(shown)}"
    else:
        word = "Claimed, and not shown" if claims else "Claimed by no hypothesis, so not shown"
    return f"Value for money: {'; '.join(said)}. That the outcomes are equivalent: {word}."


def _number(value: float | None, tag: str, *, places: int = 0) -> Cell:
    return Cell(text=_NONE) if value is None else Cell(text=fixed(value, places), note=tag)


def _time(wall_ms: float | None) -> Cell:
    if wall_ms is None:
        return Cell(text=_NONE)
    return Cell(text=f"{fixed(wall_ms / 1000, 2)} s", note="[measured]")
