"""A sample budget below what the partitions need is refused, with the two ways out in numbers."""

from collections.abc import Iterator

from equipoise.records.plan import Plan
from equipoise.stages.plan.faults import Faults
from equipoise.stages.plan.sizing import mde_within
from equipoise.stages.plan.whatif import Choice, choices

_SHOWN = 8


def over_budget(plan: Plan, budget: int | None, faults: Faults) -> Iterator[str]:
    """Yields the fault where the budget is below the sum of `n_min`; null = none was written."""
    if budget is None or budget >= plan.sample_budget:
        return
    within = mde_within(budget, [one.s for one in plan.partitions])
    larger = f"a larger mde ({within:g} fits)" if within else "a larger mde (none below 1 fits)"
    yield faults.at(
        ("budget", "sample"),
        f"is {budget:,}",
        wanted=f"at least {plan.sample_budget:,}, the sum of n_min over the "
        f"{len(plan.partitions)} partitions",
        mend=f"{larger}, or fewer partitions",
    )
    fitting = [one for one in choices(plan, budget=budget) if one.fits_budget]
    yield f"of what could be planned, {len(fitting)} choices fit {budget:,} units:"
    for one in fitting[:_SHOWN]:
        yield f"  {told_choice(one)}"


def told_choice(one: Choice) -> str:
    """Gives one line of the what-if table."""
    return (
        f"by {', '.join(one.by)}, mde {one.mde:g}: {one.n_partitions} partitions, "
        f"{one.sample_budget:,} units, {one.n_executions:,} executions"
    )
