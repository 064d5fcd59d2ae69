"""What a dry run of an outcome study says of tokens and money: a cell, an arm, the whole."""

from collections.abc import Iterable, Iterator

from equipoise.records.outcome_plan import OutcomePlan
from equipoise.records.plan import Plan
from equipoise.stages.plan.outcome_terms import money, tokens
from equipoise.studies.loss.running_asked import ArmRun
from equipoise.studies.outcome.costing import Cost, cost_of, planned_cost, total_of
from equipoise.studies.outcome.phases import PRESETS


def told_costs(plan: Plan, runs: Iterable[ArmRun]) -> Iterator[str]:
    """Yields what is left, line by line; nothing for a study of another kind."""
    if not isinstance(plan.outcome, OutcomePlan):
        return
    named = [(run.arm, cost) for run in runs if (cost := cost_of(plan, run))]
    if not named:
        return
    each = planned_cost(plan, 1)
    if each is not None:
        yield f"a cell: {_told(each)}; {each.source}"
    for arm, cost in named:
        yield f"{arm}: {cost.n_cells:,} cells left, {_told(cost)}{_from(cost)}"
    phase = plan.outcome.phase
    what = f"phase {phase.value} ({PRESETS[phase].says})" if phase else "in all"
    total = total_of(cost for _, cost in named)
    limit = plan.limits.max_usd
    stops = "no limit of money" if limit is None else f"the limit is {limit:g} USD"
    yield f"{what}: {total.n_cells:,} cells left, {_told(total)}; {stops}"


def costs_of(plan: Plan, runs: Iterable[ArmRun]) -> dict[str, Cost]:
    """Gives what is left of each arm, and in all under the empty name; empty for another kind."""
    costs = {run.arm: cost for run in runs if (cost := cost_of(plan, run))}
    return {**costs, "": total_of(costs.values())} if costs else {}


def _told(cost: Cost) -> str:
    return f"{tokens(cost.tokens)}, {money(cost.usd)}"


def _from(cost: Cost) -> str:
    if cost.tokens is None and cost.usd is None:
        return ""
    return " (assumed)" if cost.source else " (by what earlier cells took)"
