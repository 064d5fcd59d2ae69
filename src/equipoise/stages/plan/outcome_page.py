"""What stands first on the page of an outcome study: scenarios, arms, hypotheses, floor, cost."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from equipoise.records.outcome_plan import (
    Contrast,
    ContrastProof,
    Control,
    OutcomePlan,
    ScenarioPlan,
)
from equipoise.records.plan import Plan
from equipoise.stages.plan.outcome_terms import claimed, floor, money, tokens
from equipoise.stages.plan.page_text import escaped, table

LEAST_SCENARIOS = 6
LEAST_REPETITIONS = 3
"""With fewer scenarios or repetitions everything is underpowered (OUT-52)."""

_SAYS = {
    Control.L1: "L1: two versions of the skills, all else equal",
    Control.L2: "L2: with skills and without, all else equal",
    Control.L3: "L3: one model with skills, another without",
    Control.MIXED: "no control of its own",
}
_TRACKS = {
    "built": "built: seeds written for the pack",
    "snapshot": "snapshot: a private project; a track of its own, never put together with others",
    "fork": "fork: public projects; models may have seen what is right",
}


_LOSSES = (
    "A loss is the share that did not pass: 0 = all well. What follows are the terms of every "
    "study that is executed, with the rule that asks for many units in every cell. Nothing below "
    "decides about the hypotheses above, not even that a cell has too few units: they have their "
    "own intervals and their own exact test, over scenarios."
)


def outcome_blocks(
    plan: Plan, outcome: OutcomePlan, proofs: Sequence[ContrastProof]
) -> list[list[str]]:
    """Gives the page's first blocks, each with its heading; the same plan gives the same text."""
    undecided = [f"- {escaped(why)}" for why in outcome.undecided]
    decides = undecided or ["- the hypotheses below, and nothing else"]
    if plan.is_simulated:
        decides.append("- simulated: stand-ins work, and no verdict about a real agent follows")
    return [
        ["## What this study decides", "", *decides],
        ["## Scenarios", "", *_scenarios(outcome)],
        [
            "## Arms, and in what they differ",
            "",
            *_arms(plan, outcome),
            "",
            *_pairs(outcome, proofs),
        ],
        ["## Hypotheses, as they will be registered", "", *_hypotheses(outcome)],
        ["## How little can be found", "", *_floor(plan, outcome)],
        ["## What it takes", "", *_cost(plan, outcome)],
        ["## What stands against a verdict", "", *_doubts(outcome)],
        [
            "# The same, as it is run",
            "",
            _LOSSES,
        ],
    ]


def _scenarios(outcome: OutcomePlan) -> Iterator[str]:
    rounds = outcome.rounds
    facts = [
        ("pack", f"{outcome.pack} {outcome.pack_version}"),
        ("track", _TRACKS.get(outcome.origin, outcome.origin)),
        ("phase", outcome.phase.value if outcome.phase else "none"),
        ("round", _round(outcome)),
        ("held out, and not run here", ", ".join(rounds.held_out) or "none"),
    ]
    if outcome.after is not None:
        found = outcome.after
        what = found.phase.value if found.phase else "no phase"
        shown = f"{len(found.archives)} archives, {len(found.comparisons)} comparisons"
        named = f"{found.study} ({what}, plan {found.plan_sha256[:16]}, {shown})"
        facts.append(("rests on", named))
    yield from table(("what", "promised"), facts)
    yield ""
    yield from _grid(outcome.scenarios)
    yield ""
    rows = [
        (
            one.id,
            one.kind,
            one.tier,
            one.main,
            ", ".join(one.metrics),
            f"proved ({one.proof_sha256[:16]})",
            "yes" if one.held_out else "no",
        )
        for one in outcome.scenarios
    ]
    head = ("scenario", "kind", "tier", "main metric", "scored by", "proof", "held out")
    yield from table(head, rows)


def _round(outcome: OutcomePlan) -> str:
    rounds = outcome.rounds
    after = ", then ".join(f"{one.study} ({one.plan_sha256[:16]})" for one in rounds.chain)
    if rounds.is_final:
        text = "final: what is held out carries the claim, and nothing else does"
    else:
        text = f"{rounds.number} of optimisation" if rounds.number else "the first look"
    text += f", after {after}" if after else ""
    return text + (f"; changed since: {'; '.join(rounds.changed)}" if rounds.changed else "")


def _grid(scenarios: Sequence[ScenarioPlan]) -> list[str]:
    """Gives how many scenarios of each kind there are in each tier."""
    counted = Counter((one.kind, one.tier) for one in scenarios)
    tiers = sorted({tier for _, tier in counted}, key=lambda t: (_ORDER.get(t, 9), t))
    kinds = sorted({kind for kind, _ in counted})
    rows = []
    for kind in kinds:
        each = [counted[kind, tier] for tier in tiers]
        rows.append([kind, *map(str, each), str(sum(each))])
    return table(("kind", *tiers, "all"), rows)


_ORDER = {"easy": 0, "medium": 1, "hard": 2, "none": 3}


def _arms(plan: Plan, outcome: OutcomePlan) -> list[str]:
    rows = []
    for arm in plan.arms:
        agent = arm.system.get("agent", {})
        harness = agent.get("harness")
        skills = [
            f"{one.name} ({one.sha256[:16]})" for one in outcome.skills if one.arm == arm.name
        ]
        rows.append(
            (
                arm.name,
                next(iter(harness)) if isinstance(harness, dict) else str(harness),
                str(agent.get("model")),
                ", ".join(skills) or "none",
                "the baseline" if arm.name == plan.baseline else "",
            )
        )
    return table(("arm", "harness", "model", "skills", ""), rows)


def _pairs(outcome: OutcomePlan, proofs: Sequence[ContrastProof]) -> Iterator[str]:
    for one in outcome.contrasts:
        yield f"**{escaped(one.new)} against {escaped(one.base)}**: {_SAYS[one.control]}."
        told = [*one.differs, *([f"skills: {one.skills}"] if one.skills else [])]
        yield ""
        yield from (f"- differs: {escaped(line)}" for line in told)
        yield from (f"- {escaped(line)}" for line in _proof(one, proofs))
        yield ""


def _proof(one: Contrast, proofs: Sequence[ContrastProof]) -> Iterator[str]:
    """Yields what rendering both arms showed, for all scenarios at once where they are alike."""
    own = [proof for proof in proofs if (proof.new, proof.base) == (one.new, one.base)]
    for why in dict.fromkeys(proof.why_not for proof in own if proof.why_not):
        yield (
            "their agents are the same but for the skills, key by key; how a session is begun "
            f"could not be rendered here: {why}"
        )
    rendered = [proof for proof in own if not proof.why_not]
    if rendered:
        yield (
            f"rendered for {len(rendered)} scenarios: with the skills taken out, every argument, "
            "variable, prompt, file and mount of the two is the same"
        )
    for line in dict.fromkeys(line for proof in rendered for line in proof.shown):
        yield f"what the skills bring: {line}"


def _hypotheses(outcome: OutcomePlan) -> Iterator[str]:
    if not outcome.hypotheses:
        yield (
            "None: the study is exploratory. It describes, every figure of it is tagged so, and no "
            "verdict follows. Write `hypotheses:` into study.yaml to decide something."
        )
        return
    rows = [
        (
            one.id,
            one.statement,
            claimed(one),
            f"primary, {one.rule.value}" if one.rule else "secondary",
            f"{one.level:.0%}",
            _tags(one.is_judged, one.is_underpowered),
        )
        for one in outcome.hypotheses
    ]
    yield from table(("id", "claim", "measured as", "family", "level", "tags"), rows)
    n = sum(one.primary for one in outcome.hypotheses)
    yield ""
    yield (
        f"One family: {'the primary hypothesis has' if n == 1 else f'{n} primary ones share'} the "
        "level; "
        "secondary ones are told beside it and carry no claim."
    )


def _tags(is_judged: bool, is_underpowered: bool) -> str:
    found = ["[soft]" if is_judged else "[measured]"]
    return " ".join([*found, *(["[underpowered]"] if is_underpowered else [])])


def _floor(plan: Plan, outcome: OutcomePlan) -> Iterator[str]:
    n, k = len(outcome.scenarios), plan.stochastic_repetitions
    yield (
        "The scenario is the unit; repetitions are inside it and make it steadier, not more. A "
        "sign-flip test over n scenarios cannot give a smaller p than 2/2^n, whatever is seen. "
        "A gain is found where that test and the interval of the mean both say so; the one named "
        "here is found with 80 % where a scenario gains all or nothing and none loses, at the "
        "level that is left to it in its family: 0.96 means that nearly every scenario has to gain."
    )
    yield ""
    n_primary = sum(one.primary for one in outcome.hypotheses)
    yield from (
        f"- {escaped(one.id)}: {floor(one, n_primary, plan.mde)}" for one in outcome.hypotheses
    )
    if not outcome.hypotheses:
        yield f"- {n} scenarios: smallest p 2/2^{n} = {2.0 ** (1 - n):.4g}"
    if n < LEAST_SCENARIOS or k < LEAST_REPETITIONS:
        yield ""
        yield (
            f"{n} scenarios x {k} repetitions: below {LEAST_SCENARIOS} x {LEAST_REPETITIONS}, so "
            "that everything is [underpowered]."
        )


def _cost(plan: Plan, outcome: OutcomePlan) -> Iterator[str]:
    each = sum(unit.repetitions for unit in plan.units)
    cell = outcome.cell
    rows = []
    for name, n in [*((arm.name, each) for arm in plan.arms), ("in all", each * len(plan.arms))]:
        took = ("none", "none")
        if cell is not None:
            took = (tokens(_times(cell.tokens, n)), money(_times(cell.usd, n)))
        rows.append((name, f"{n:,}", *took))
    if cell is not None:
        rows.insert(0, ("a cell", "1", tokens(cell.tokens), money(cell.usd)))
    yield from table(("", "cells", "tokens", "money"), rows)
    yield ""
    yield (
        "Stand-ins cost nothing." if cell is None else f"{cell.source[0].upper()}{cell.source[1:]}."
    )
    limit = plan.limits.max_usd
    if limit is not None:
        yield f"The run stops at {limit:g} USD."
    elif cell is not None:
        yield "No limit of money: nothing stops the run at a sum."


def _times(span: tuple[float, float | None] | None, n: int) -> tuple[float, float | None] | None:
    if span is None:
        return None
    return span[0] * n, None if span[1] is None else span[1] * n


def _doubts(outcome: OutcomePlan) -> Iterable[str]:
    return [f"- {escaped(one)}" for one in outcome.doubts] or ["Nothing is known."]
