"""The two suites side by side: score, completion, partitions, what wavered, what broke."""

from equipoise.records.counted import counted
from equipoise.records.suite import PartitionScore, Suite, SuiteFlaky
from equipoise.stages.report.loss.reading import LossReading
from equipoise.stages.report.numbers import count, fixed, mean, percent, plain
from equipoise.stages.report.tables import Cell, Section, Table, named, table
from equipoise.stages.report.text import label

_MOST = 20
_MOST_WHYS = 3


def suites_section(reading: LossReading) -> Section:
    """Sets the suites beside each other, then each partition of each."""
    both = (reading.base, reading.new)
    facts = table(
        "The two suites",
        ("Suite", "#Score", "#Completed", "#Coverage", "#Weight scored", "Run"),
        [_suite(suite) for suite in both],
    )
    return Section(
        anchor="suites",
        title="Suites",
        short="Suites",
        leads=(
            (
                "A score is a mean loss over the scored partitions, 0 = nothing lost, weighted by "
                "frequency and severity. It is never read alone: the partitions stand below."
            ),
        ),
        tables=(facts, *(_partitions(suite) for suite in both)),
        notes=tuple(label(note, 400) for suite in both for note in suite.notes),
    )


def steadiness_section(reading: LossReading) -> Section | None:
    """Names flaky and incomplete units, differing anchors and harness errors; None without any."""
    both = (reading.base, reading.new)
    tables = [
        made
        for suite in both
        for made in (_flaky(suite), _broken(suite))
        if made is not None and made.rows
    ]
    notes = [note for suite in both for note in _unsteady(suite)]
    if not tables and not notes:
        return None
    return Section(
        anchor="steadiness",
        title="What wavered and what broke",
        short="Steadiness",
        leads=(
            (
                "A flaky unit counts once, with the mean of its repetitions. What the harness "
                "broke is missing, never a loss."
            ),
        ),
        tables=tuple(tables),
        notes=tuple(notes),
    )


def _suite(suite: Suite) -> tuple[Cell, ...]:
    score = (
        Cell(text="no score", note=label(suite.not_scored, 200))
        if suite.suite_score is None
        else Cell(
            text=mean(suite.suite_score, width=suite.se),
            note=f"se {fixed(suite.se, 4)}" if suite.se is not None else "",
        )
    )
    return (
        named(suite.arm),
        score,
        Cell(
            text=percent(suite.completion_rate),
            note=f"{count(suite.n_not_executed)} not executed: stopped at a look"
            if suite.n_not_executed
            else "",
        ),
        Cell(text=percent(suite.coverage)),
        Cell(text=percent(suite.covered_weight)),
        named(suite.run_id),
    )


def _partitions(suite: Suite) -> Table:
    columns = ("Partition", "#Weight", "#Units", "#Loss", "#Spread", "#Within", "#Coverage")
    return table(
        f"Partitions of {label(suite.arm)}",
        (*columns, "Status"),
        [_partition(part) for part in suite.partitions],
    )


def _partition(part: PartitionScore) -> tuple[Cell, ...]:
    text = " × ".join(f"{key}={value}" for key, value in part.labels.items())
    mde = part.achieved_mde
    return (
        named(text) if not part.is_adversarial else Cell(text=label(text), note="adversarial"),
        Cell(text="apart" if part.is_adversarial else percent(part.weight)),
        Cell(text=count(part.n), note=f"of {count(part.n_min)} needed"),
        Cell(
            text=_or_not(part.loss),
            note=f"se {fixed(part.se, 4)}" if part.se is not None else "",
        ),
        Cell(text=_or_not(part.stddev_between)),
        Cell(text=_or_not(part.stddev_within)),
        Cell(text=percent(part.coverage)),
        Cell(
            text=part.status,
            note=f"these units show {plain(round(mde, 3))}" if mde is not None else "",
        ),
    )


def _or_not(value: float | None) -> str:
    return "not estimable" if value is None else fixed(value, 3)


def _flaky(suite: Suite) -> Table | None:
    if not suite.flaky:
        return None
    worst = sorted(suite.flaky, key=lambda unit: (abs(unit.rate - 0.5), unit.unit))
    made = table(
        f"Flaky units of {label(suite.arm)}",
        ("Unit", "#Repetitions that lost", "#Repetitions", "Why"),
        [
            (
                named(one.unit),
                Cell(text=percent(one.rate)),
                Cell(text=count(one.n)),
                Cell(text=_why_flaky(suite, one)),
            )
            for one in worst[:_MOST]
        ],
    )
    return Table(
        caption=made.caption,
        columns=made.columns,
        rows=made.rows,
        n_more=max(0, len(worst) - _MOST),
        more_in="suite.json",
    )


def _why_flaky(suite: Suite, one: SuiteFlaky) -> str:
    if one.categories:
        shown = ", ".join(label(name, 30) for name in one.categories[:_MOST_WHYS])
        further = len(one.categories) - _MOST_WHYS
        return f"{shown} wavers" + (f" … and {further} more" if further > 0 else "")
    if one.unit in suite.anchors_differing:
        return "deterministic, and lost otherwise when executed again"
    return "no single category wavers"


def _broken(suite: Suite) -> Table | None:
    if not suite.harness_errors:
        return None
    return table(
        f"Executions of {label(suite.arm)} that gave nothing",
        ("What", "#Times"),
        [
            (named(what), Cell(text=count(times)))
            for what, times in sorted(suite.harness_errors.items(), key=lambda e: (-e[1], e[0]))
        ],
    )


def _unsteady(suite: Suite) -> list[str]:
    arm = label(suite.arm)
    notes = []
    if suite.incomplete_units:
        notes.append(
            f"{arm}: {counted(len(suite.incomplete_units), 'unit')} with fewer repetitions than "
            f"planned, such as {label(suite.incomplete_units[0])}."
        )
    if suite.anchors_differing:
        named_ones = ", ".join(label(unit) for unit in suite.anchors_differing[:5])
        notes.append(f"{arm}: deterministic anchors that differ when executed again: {named_ones}.")
    notes += [
        f"{arm}: {counted(times, 'raw value')} of {label(category)} above its maximum, clipped."
        for category, times in sorted(suite.clipped.items())
    ]
    return notes
