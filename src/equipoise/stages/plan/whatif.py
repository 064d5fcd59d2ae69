"""What another mde or coarser partitions would need: the ways out where units are few."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import msgspec

from equipoise.records.plan import PartitionPlan, Plan
from equipoise.stats.power import least_units

_MDES = ("0.03", "0.05", "0.075", "0.1", "0.125", "0.15", "0.2", "0.3")
_MOST_AXES = 4
"""Axes of which every subset is looked at; of more, each alone and all together."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One way to plan: the axes that partition, the mde, and what that needs.

    `n_short` counts partitions with fewer units in the file than they need; `is_declared` marks
    what the study says now. Coarser partitions are taken with the largest spread of their parts.
    """

    by: tuple[str, ...]
    mde: float
    n_partitions: int
    sample_budget: int
    n_executions: int
    n_short: int
    fits_budget: bool | None
    is_declared: bool


def choices(plan: Plan, *, budget: int | None = None) -> tuple[Choice, ...]:
    """Gives the table over mde and choice of partitions, the declared ones first.

    Args:
        plan: as declared.
        budget: units that may be had; null = no limit was written.
    """
    mdes = sorted({f"{plan.mde:g}", *_MDES}, key=float)
    found = [_choice(plan, by, mde, budget) for by in _subsets(plan.by) for mde in mdes]
    return tuple(
        sorted(found, key=lambda one: (not one.is_declared, -len(one.by), one.by, one.mde))
    )


def _subsets(by: Sequence[str]) -> Iterator[tuple[str, ...]]:
    if len(by) <= _MOST_AXES:
        for size in range(len(by), 0, -1):
            yield from combinations(by, size)
        return
    yield tuple(by)
    yield from ((axis,) for axis in by)


def _choice(plan: Plan, by: tuple[str, ...], mde: str, budget: int | None) -> Choice:
    groups: dict[tuple[str, ...], list[PartitionPlan]] = {}
    for one in plan.partitions:
        groups.setdefault(tuple(one.labels[key] for key in by), []).append(one)
    needed = {labels: least_units(_largest(group), mde) for labels, group in groups.items()}
    total = sum(needed.values())
    executed = max(1, len(plan.arms))
    return Choice(
        by=by,
        mde=float(mde),
        n_partitions=len(groups),
        sample_budget=total,
        n_executions=total * plan.stochastic_repetitions * executed,
        n_short=sum(
            sum(one.n_available for one in group) < needed[labels]
            for labels, group in groups.items()
        ),
        fits_budget=None if budget is None else total <= budget,
        is_declared=by == plan.by and float(mde) == plan.mde,
    )


def _largest(group: Iterable[PartitionPlan]) -> float:
    return max(one.s for one in group)
