"""What is worth knowing of a plan beside what it can tell and why it might not decide."""

import math
from collections.abc import Iterable, Iterator

from scipy.special import ndtr

from equipoise.records.catalog import Catalog
from equipoise.records.plan import Plan, SpreadSource
from equipoise.stages.plan.assembling import LeftOut
from equipoise.stages.plan.reach import Decided

_CORRELATIONS = (0.3, 0.5, 0.7)
"""Correlations for which the saving of pairing is told."""


def remarks(
    plan: Plan,
    catalog: Catalog,
    left_out: LeftOut,
    decided: Decided,
    advised: Iterable[int | None],
) -> list[str]:
    """Gives each remark in one sentence.

    Args:
        plan: the plan.
        catalog: the catalog it names.
        left_out: units of the file that are not used.
        decided: the rule under which a cell is listed.
        advised: the advisory number of units of each cell; null where none is enough.
    """
    found = [
        (
            f"a change of exactly {plan.mde:g} is listed with {_listed_at_margin(decided)}, "
            "however many units there are: a row asks that the whole interval lies beyond the "
            "margin"
        )
    ]
    if left_out.expired:
        found.append(
            f"{len(left_out.expired):,} units are past their retention date and are not used: "
            f"{_named(left_out.expired)}"
        )
    if left_out.outside:
        found.append(
            f"{len(left_out.outside):,} units fall into no planned partition and are not used: "
            f"{_named(left_out.outside)}"
        )
    if left_out.over_cap:
        found.append(
            f"{left_out.over_cap:,} adversarial units are over the cap of "
            f"{plan.adversarial_cap:.0%} and are not used"
        )
    bare = [one.text for one in plan.partitions if one.n_drawn == one.n_min]
    if bare:
        found.append(
            f"no reserve is drawn in {_named(bare)}: one unit that cannot be completed leaves a "
            f"partition unterbelegt; a budget.sample above {plan.sample_budget:,} draws one"
        )
    assumed = [one.text for one in plan.partitions if one.s_source is SpreadSource.DEFAULT]
    if assumed:
        found.append(
            f"the spread of {_named(assumed)} is assumed (0.3), not measured; pass/fail losses can "
            "have up to 0.5: a pilot tells"
        )
    if plan.paired:
        found.append(
            "the arms are compared unit by unit: the numbers hold for no correlation between them, "
            "and get better the more alike both arms treat a unit"
        )
    if plan.is_simulated:
        found.append("the system is simulated: no verdict about a real system can follow")
    return [*found, *_pairing(plan, advised), *_unwatched(plan, catalog)]


def _pairing(plan: Plan, advised: Iterable[int | None]) -> Iterator[str]:
    """Yields that arms which take the same units may be compared unit by unit, and what it saves.

    The difference of two means that correlate by r has a variance 1 - r times as large.
    """
    modes = {arm.name: arm.mode for arm in plan.arms}
    base = modes.pop(plan.baseline, None)
    if plan.paired or base is None or base not in modes.values():
        return
    needed = max((n for n in advised if n is not None), default=None)
    if needed is None:
        return
    fewer = ", ".join(f"{math.ceil(needed * (1.0 - r)):,} at r = {r:g}" for r in _CORRELATIONS)
    yield (
        "the arms take the same units, so that they may be compared unit by unit (`paired: true`): "
        f"where the units' losses in both arms correlate by r, the advisory n of {needed:,} in "
        f"each arm becomes {fewer}; r is not known before both have run, and n_min stays as it is"
    )


def _unwatched(plan: Plan, catalog: Catalog) -> Iterator[str]:
    """Yields that nobody looks at the exit code of a command."""
    arms = [arm.name for arm in plan.arms if "command" in arm.system]
    if arms and not any(_names_exit_code(one.check) for one in catalog.categories):
        yield (
            f"{_named(arms)} {'is a command' if len(arms) == 1 else 'are commands'}, and no "
            "category of the catalog looks at exit_code: a crash after a good line would lose "
            "nothing; a category with check: {exit_code: {}} sees it"
        )


def _names_exit_code(check: object) -> bool:
    if isinstance(check, dict):
        return "exit_code" in check or any(map(_names_exit_code, check.values()))
    return isinstance(check, list | tuple) and any(map(_names_exit_code, check))


def _listed_at_margin(decided: Decided) -> str:
    return f"{100.0 * float(ndtr(-decided.z)):.2g} %"


def _named(names: list[str] | tuple[str, ...]) -> str:
    shown = ", ".join(names[:5])
    return shown + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")
