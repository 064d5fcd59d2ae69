"""The plan of an outcome study told in the terminal: what decides, over what, and what it takes."""

from collections import Counter
from collections.abc import Iterable, Iterator

from equipoise.cli.plan_told import told_judge
from equipoise.records.outcome_plan import OutcomePlan
from equipoise.records.plan import Plan
from equipoise.stages.plan.outcome_terms import claimed, floor, money, tokens
from equipoise.stages.plan.outlook import JudgeOutlook
from equipoise.studies.outcome.costing import planned_cost


def told_outcome(plan: Plan, judges: Iterable[JudgeOutlook] = ()) -> str:
    """Gives the text that `equipoise plan` prints; empty for a study of another kind.

    `judges` are what each judge is asked, and what that costs.
    """
    if not isinstance(plan.outcome, OutcomePlan):
        return ""
    asked = [f"  {told_judge(judge)}" for judge in judges]
    return "\n".join(_lines(plan, plan.outcome, asked)) + "\n"


def _lines(plan: Plan, outcome: OutcomePlan, judges: list[str]) -> Iterator[str]:
    counted = Counter(one.kind for one in outcome.scenarios)
    kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(counted.items()))
    yield plan.title
    yield f"  {len(outcome.scenarios)} scenarios of {outcome.pack} ({kinds}), each proved"
    if outcome.rounds.held_out:
        yield f"  held out, and not run here: {', '.join(outcome.rounds.held_out)}"
    if outcome.phase is not None:
        yield f"  phase {outcome.phase.value}"
    yield f"  {len(plan.arms)} arms, {plan.stochastic_repetitions} repetitions inside a scenario"
    yield "arms"
    for pair in outcome.contrasts:
        what = [*pair.differs, *([f"skills: {pair.skills}"] if pair.skills else [])]
        yield f"  {pair.new} against {pair.base}: {pair.control.value}"
        yield from (f"    {line}" for line in what)
    yield "hypotheses"
    n_primary = sum(one.primary for one in outcome.hypotheses)
    for one in outcome.hypotheses:
        family = f"primary, {one.rule.value}" if one.rule else "secondary"
        tags = " [soft]" if one.is_judged else ""
        tags += " [underpowered]" if one.is_underpowered else ""
        yield f"  {one.id} ({family}): {claimed(one)}{tags}"
        yield f"    {floor(one, n_primary, plan.mde)}"
    if not outcome.hypotheses:
        yield "  none"
    yield "takes"
    n_cells = sum(unit.repetitions for unit in plan.units) * len(plan.arms)
    cost = planned_cost(plan, n_cells)
    each = planned_cost(plan, 1)
    if cost is None or each is None:
        yield f"  {n_cells:,} cells, of stand-ins"
    else:
        yield f"  {n_cells:,} cells: {tokens(cost.tokens)}, {money(cost.usd)}"
        yield f"  a cell: {tokens(each.tokens)}, {money(each.usd)}; {cost.source}"
    yield from judges
    if against := [*outcome.undecided, *outcome.doubts]:
        yield "what stands against a verdict"
        yield from (f"  - {one}" for one in against)
