"""An outlook told in the terminal: what the study can tell, what it takes, why it might not."""

from collections.abc import Iterator

from equipoise.records.counted import counted
from equipoise.stages.plan.budget import told_choice
from equipoise.stages.plan.outlook import ArmOutlook, CellOutlook, JudgeOutlook, Outlook

_CELLS = 12
_CHOICES = 10
_NAMED = 3


def told(outlook: Outlook) -> str:
    """Gives the text that `equipoise plan` prints."""
    return "\n".join(_lines(outlook)) + "\n"


def _lines(outlook: Outlook) -> Iterator[str]:
    modes = " and ".join(mode.value for mode in outlook.modes)
    yield f"plan {outlook.plan_sha256}"
    yield f"  {outlook.title}"
    yield f"  mode {modes}, {outlook.provenance}; declared: {outlook.sentence}"
    yield f"  {outlook.can_tell}"
    yield (
        f"  units {outlook.n_units:,} of {outlook.sample_budget:,} needed"
        f"{f', {outlook.n_adversarial:,} adversarial apart' if outlook.n_adversarial else ''}; "
        f"{outlook.n_executions:,} executions"
    )
    yield f"  rule {outlook.rule_text}"
    yield "partitions"
    for one in outlook.partitions:
        chance = "" if one.draw_probability is None else f", each with {one.draw_probability:.3f}"
        yield (
            f"  {one.text}: weight {one.weight:.3f}, s {one.s:g} ({one.s_source.value}), n_min "
            f"{one.n_min:,}, drawn {one.n_drawn:,} of {one.n_available:,}{chance}"
        )
    yield "cells: margin / reportable (at worst) / excludable"
    alike: dict[str, list[str]] = {}
    for cell in outlook.cells:
        alike.setdefault(_numbers(cell), []).append(_name(cell))
    for numbers, names in [*alike.items()][:_CELLS]:
        yield f"  {_names(names)}: {numbers}"
    if further := sum(len(names) for names in [*alike.values()][_CELLS:]):
        yield f"  … {further:,} more in E2E-PLAN.md"
    yield "takes"
    for arm in outlook.arms:
        yield f"  {_arm(arm, outlook)}"
    for judge in outlook.judges:
        yield f"  {told_judge(judge)}"
    if outlook.doubts:
        yield "why it might not decide"
        yield from (f"  - {doubt}" for doubt in outlook.doubts)
    yield from (f"note: {remark}" for remark in outlook.remarks)
    if any(one.n_drawn < one.n_min for one in outlook.partitions):
        yield "what else could be planned"
        yield from (f"  {told_choice(one)}" for one in outlook.choices[:_CHOICES])


def _name(cell: CellOutlook) -> str:
    return f"{cell.partition} / {cell.category}" if cell.category else cell.partition


def _names(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    further = f" … and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{len(names):,} cells ({', '.join(names[:_NAMED])}{further})"


def _numbers(cell: CellOutlook) -> str:
    advised = "no n is enough" if cell.advisory_n is None else f"advisory n {cell.advisory_n:,}"
    return (
        f"{cell.margin:g} / {_number(cell.reportable)} "
        f"({_number(cell.reportable_at_worst)}) / {_number(cell.excludable)}; achieved mde "
        f"{_number(cell.achieved_mde)}, {advised}{'; too small' if cell.is_too_small else ''}"
    )


def _arm(arm: ArmOutlook, outlook: Outlook) -> str:
    if not arm.n_executions:
        return f"{arm.arm}: nothing is executed (frozen logs)"
    at_most = f"at most {arm.minutes_at_most:,.0f} min" if arm.minutes_at_most is not None else ""
    source = f" as in {outlook.measured.source}" if outlook.measured else ""
    time = (
        f"time unknown (no earlier run), {at_most}"
        if arm.minutes is None
        else f"about {arm.minutes:,.1f} min{source}, {at_most}"
    )
    money = (
        "money unknown (no earlier run)"
        if arm.usd is None
        else f"about {arm.usd:,.2f} US dollars{source}"
    )
    return f"{arm.arm}: {arm.n_executions:,} executions; {time}; {money}"


def told_judge(judge: JudgeOutlook) -> str:
    """Gives a judge with how often it is asked, and what that costs at most."""
    money = (
        "price unknown"
        if judge.usd is None
        else f"at most {judge.usd:,.2f} US dollars for all questions, together "
        f"{counted(judge.n_input, 'token')}"
    )
    return (
        f"judge {judge.judge} ({judge.model}): {counted(judge.n_calls, 'question')} in all, up to "
        f"{judge.n_retries:,} more where answers cannot be read; {money}"
    )


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
