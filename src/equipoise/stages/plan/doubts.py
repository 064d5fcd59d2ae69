"""The reasons, known before anything is spent, why a study could not decide."""

from collections.abc import Iterable, Iterator

from equipoise.records.catalog import MODEL_JUDGED, Catalog, Category
from equipoise.records.outcome_plan import OutcomePlan
from equipoise.records.plan import Mode, Plan

_MOST_JUDGED = 0.30
_LEAST_DOUBLE = 0.20


def doubts(
    plan: Plan, catalog: Catalog, reportable: Iterable[tuple[str, float | None]]
) -> Iterator[str]:
    """Yields every reason in one sentence.

    Args:
        plan: the plan.
        catalog: the catalog it names.
        reportable: for each cell its partition and the smallest change it lists with 80 %; null
            where no change does.
    """
    yield from _too_few(plan)
    yield from _out_of_reach(plan, reportable)
    yield from _arms(plan)
    yield from _categories(plan, catalog)


def _too_few(plan: Plan) -> Iterator[str]:
    short = [one for one in plan.partitions if one.n_drawn < one.n_min]
    for one in short:
        yield (
            f"{one.text} has {one.n_drawn:,} of the {one.n_min:,} units it needs: it will be "
            f"unterbelegt and never listed; {one.n_min - one.n_drawn:,} more units, a larger mde "
            "or fewer partitions would help"
        )
    if len(short) == len(plan.partitions):
        yield "no partition has enough units: nothing can be listed, whatever happens"


def _out_of_reach(plan: Plan, reportable: Iterable[tuple[str, float | None]]) -> Iterator[str]:
    worst: dict[str, float | None] = {}
    for partition, change in reportable:
        before = worst.get(partition, 0.0)
        worst[partition] = None if change is None or before is None else max(change, before)
    for partition, change in worst.items():
        if change is None:
            yield (
                f"{partition}: no change that losses from 0 to 1 allow would be listed with 80 % "
                "probability; more units, or a smaller margin"
            )
        elif change > 3.0 * plan.mde:
            yield (
                f"{partition}: only a change of {change:.3f} or more would be listed with 80 %, "
                f"over three margins of {plan.mde:g}: too small to clear anyone"
            )


def _arms(plan: Plan) -> Iterator[str]:
    names = [arm.name for arm in plan.arms]
    if names == [plan.baseline]:
        yield f"the only arm {plan.baseline!r} is the baseline: there is nothing to compare it with"
    modes = {arm.name: arm.mode for arm in plan.arms}
    base = modes.get(plan.baseline)
    for name, mode in modes.items():
        if base is not None and mode is not base:
            yield (
                f"arm {name!r} is mode {mode.value} and the baseline mode {base.value}: they give "
                "separate suites that stand side by side and are not compared"
            )


def _categories(plan: Plan, catalog: Catalog) -> Iterator[str]:
    total = sum(category.weight for category in catalog.categories)
    judged = [one for one in catalog.categories if one.type == MODEL_JUDGED]
    share = sum(one.weight for one in judged) / total if total > 0 else 0.0
    if share > _MOST_JUDGED + 1e-12:
        yield (
            f"model-judged categories hold {share:.1%} of the catalog's weight; at most "
            f"{_MOST_JUDGED:.0%} is allowed"
        )
    if judged and plan.double_rating_share < _LEAST_DOUBLE:
        yield (
            f"double_rating is {plan.double_rating_share:g}: below {_LEAST_DOUBLE:g} the "
            f"categories {', '.join(one.id for one in judged)} are unbewertbar"
        )
    frozen = [arm.name for arm in plan.arms if arm.mode is Mode.B]
    probes = {probe.name for probe in plan.probes}
    others = [arm.name for arm in plan.arms if "agent" not in arm.system]
    for one in catalog.categories:
        yield from _hidden_tests(one, others, is_proved=isinstance(plan.outcome, OutcomePlan))
        if one.is_reexecuted and frozen:
            yield (
                f"{one.id} needs the system to be executed again, and {', '.join(frozen)} reads "
                "frozen logs: it is unbewertbar there"
            )
        lacking = sorted(set(one.needs) - probes)
        if lacking:
            yield (
                f"{one.id} needs the probe {', '.join(lacking)}, which the study does not declare: "
                "it is unbewertbar"
            )


def _hidden_tests(category: Category, others: list[str], *, is_proved: bool) -> Iterator[str]:
    """Yields what is to be known of a category that hidden tests find; `others` are no agents.

    `is_proved`: the proofs of a pack show that its tests can be passed.
    """
    suite = category.check.get("suite")
    if suite is None:
        return
    if others:
        yield (
            f"{category.id} tests what an agent left, and {', '.join(others)} is none: it is "
            "unbewertbar there"
        )
    if not suite.get("reference") and not is_proved:
        yield (
            f"{category.id} has no reference solution: nobody has shown that its hidden tests can "
            "be passed, and a run of them that breaks off for no known reason is unbewertbar"
        )
