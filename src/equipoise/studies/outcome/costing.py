"""What the cells of an outcome study will take: measured where there was one, else assumed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from equipoise.records.outcome_plan import CellCost, OutcomePlan
from equipoise.records.plan import Plan
from equipoise.studies.loss.running_asked import ArmRun

Span = tuple[float, float | None]
"""From and to; null = no upper bound is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What so many cells take, tokens and money each from and to; null = nobody knows.

    `source` says where it is from; empty = it was measured.
    """

    n_cells: int
    tokens: Span | None
    usd: Span | None
    source: str = ""


def cost_of(plan: Plan, run: ArmRun) -> Cost | None:
    """Gives what is left of an arm's run; null where the study is no outcome study, or nothing is.

    What earlier cells of the arm took is believed first.
    """
    left = run.expected
    if left is None or not left.n_cells or not isinstance(plan.outcome, OutcomePlan):
        return None
    cell = plan.outcome.cell
    tokens: Span | None = None
    usd: Span | None = None
    is_assumed = False
    if left.tokens:
        counted = float(sum(left.tokens.values()))
        tokens = (counted, counted)
    if left.usd is not None:
        usd = (left.usd, left.usd)
    if cell is not None and tokens is None and cell.tokens:
        tokens, is_assumed = _times(cell.tokens, left.n_cells), True
    if cell is not None and usd is None and cell.usd:
        usd, is_assumed = _times(cell.usd, left.n_cells), True
    source = cell.source if is_assumed and cell is not None else ""
    return Cost(n_cells=left.n_cells, tokens=tokens, usd=usd, source=source)


def planned_cost(plan: Plan, n_cells: int) -> Cost | None:
    """Gives what so many cells are assumed to take; null where nothing is."""
    cell: CellCost | None = plan.outcome.cell if isinstance(plan.outcome, OutcomePlan) else None
    if cell is None:
        return None
    return Cost(
        n_cells=n_cells,
        tokens=cell.tokens and _times(cell.tokens, n_cells),
        usd=cell.usd and _times(cell.usd, n_cells),
        source=cell.source,
    )


def total_of(costs: Iterable[Cost]) -> Cost:
    """Gives what several take together; unknown where one of them is."""
    found = list(costs)
    return Cost(
        n_cells=sum(one.n_cells for one in found),
        tokens=_sum([one.tokens for one in found]),
        usd=_sum([one.usd for one in found]),
        source="; ".join(dict.fromkeys(one.source for one in found if one.source)),
    )


def assumed_over(plan: Plan, runs: Iterable[ArmRun], max_usd: float | None) -> str:
    """Says by how much a run may exceed its limit by what is assumed; empty where it may not."""
    allowed = [usd for usd in (plan.limits.max_usd, max_usd) if usd is not None]
    costs = [cost for run in runs if (cost := cost_of(plan, run))]
    if not allowed or not costs:
        return ""
    total = total_of(costs).usd
    most = None if total is None else total[1] or total[0]
    if most is None or most <= min(allowed):
        return ""
    return f"up to {most:.2f} USD ({costs[0].source}), and the limit is {min(allowed):g} USD"


def _times(span: Span, n: int) -> Span:
    low, high = span
    return low * n, None if high is None else high * n


def _sum(spans: Sequence[Span | None]) -> Span | None:
    known = [span for span in spans if span is not None]
    if not known or len(known) < len(spans):
        return None
    highs = [high for _, high in known if high is not None]
    return sum(low for low, _ in known), sum(highs) if len(highs) == len(known) else None
