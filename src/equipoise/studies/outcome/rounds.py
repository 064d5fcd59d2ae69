"""Rounds of optimisation: at most two, under one standard, never on what is held out.

A study that `optimises` another was changed after somebody looked at results. Whatever is tried
often enough on the same scenarios wins on them; so the third round is refused, and scenarios that
are held out are run in a `final` study alone, and carry its claim.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from equipoise.errors import Blocked
from equipoise.records.outcome_plan import EarlierRound, Rounds, ScenarioPlan, SkillPlan
from equipoise.records.scenario import Scenario
from equipoise.stages.plan.faults import Faults
from equipoise.studies.outcome.draft import OutcomeDraft
from equipoise.studies.outcome.earlier import Earlier, earlier_study, sealed_outcome
from equipoise.studies.outcome.packs import ReadPack

MOST_ROUNDS = 2
_AnyScenario = TypeVar("_AnyScenario", Scenario, ScenarioPlan)


def to_be_run(draft: OutcomeDraft, scenarios: Sequence[Scenario]) -> tuple[Scenario, ...]:
    """Gives the scenarios of a study: those it names, else what a final study holds out or not."""
    if draft.scenarios:
        return tuple(scenarios)
    held_out = [one for one in scenarios if one.held_out]
    if draft.final:
        return tuple(held_out)
    return tuple(one for one in scenarios if not one.held_out)


def that_count(draft: OutcomeDraft, scenarios: Sequence[_AnyScenario]) -> tuple[_AnyScenario, ...]:
    """Gives the scenarios that a claim may rest on: in a final study what is held out alone."""
    return tuple(one for one in scenarios if one.held_out or not draft.final)


def round_faults(
    draft: OutcomeDraft, scenarios: Sequence[Scenario], faults: Faults
) -> Iterator[str]:
    """Yields where held-out scenarios are run too early, or none is there for a final claim."""
    held_out = [one.id for one in scenarios if one.held_out]
    if draft.optimises is not None and not draft.final and held_out:
        yield faults.at(
            ("scenarios",),
            f"names {', '.join(held_out)}, held out, in a round of optimisation",
            wanted="scenarios that are not held out",
            mend="leave them out; a study with final: true runs them",
        )
    if draft.final and not held_out:
        yield faults.at(
            ("final",),
            "is true, and no scenario of the study is held out",
            wanted="scenarios that no earlier round has seen",
            mend="write held_out: true into their scenario.json, before anybody looks",
        )


def rounds_of(
    draft: OutcomeDraft,
    study: Path,
    pack: ReadPack,
    scenarios: Sequence[ScenarioPlan],
    skills: Sequence[SkillPlan],
    faults: Faults,
) -> Rounds:
    """Gives which round a study is, and what was before.

    What a sealed study rests on is what it was sealed with, whatever became of that since.

    Raises:
        Blocked: the study it optimises did not go through; or this would be the third round, runs
            what was seen as if it were held out, or has another standard than the rounds before.
    """
    left = tuple(
        one.id for one in pack.scenarios if one.held_out and one.id not in {s.id for s in scenarios}
    )
    if draft.optimises is None:
        return Rounds(is_final=draft.final, held_out=left)
    sealed = sealed_outcome(study)
    if sealed and sealed.rounds.chain and sealed.rounds.chain[-1].study == draft.optimises:
        return sealed.rounds
    where = faults.named("optimises")
    before = earlier_study(study, draft.optimises, where)
    known = before.outcome.rounds
    if known.is_final and not draft.final:
        raise Blocked(
            f"{where} names {draft.optimises}, a final study; what it found is the "
            "claim, and nothing is optimised after it; mend: new scenarios, held out anew"
        )
    number = known.number if draft.final else known.number + 1
    if number > MOST_ROUNDS:
        raise Blocked(
            f"{where} names {draft.optimises}, round {known.number} of optimisation: "
            f"this would be round {number}, and {MOST_ROUNDS} is the most; wanted: a final study; "
            "mend: write final: true, which runs what is held out, or write new scenarios"
        )
    finished = before.finished
    seen = EarlierRound(
        study=draft.optimises,
        plan_sha256=finished.plan_sha256,
        scenarios=tuple(one.id for one in before.outcome.scenarios),
        comparisons=finished.comparisons,
    )
    chain = (*known.chain, seen)
    _refuse_seen(draft, scenarios, chain)
    _refuse_other_standard(draft, scenarios, before)
    return Rounds(
        number=number,
        is_final=draft.final,
        held_out=left,
        chain=chain,
        changed=tuple(_changed(draft, before, skills)),
        stale=tuple(_stale(scenarios, before)),
    )


def _refuse_seen(
    draft: OutcomeDraft, scenarios: Sequence[ScenarioPlan], chain: Sequence[EarlierRound]
) -> None:
    for one in that_count(draft, scenarios) if draft.final else ():
        where = [earlier.study for earlier in chain if one.id in earlier.scenarios]
        if where:
            raise Blocked(
                f"{one.id} is held out and was run in {', '.join(where)}: what was looked at is "
                "held out no more; mend: leave it out, and hold another scenario out"
            )


def _refuse_other_standard(
    draft: OutcomeDraft, scenarios: Sequence[ScenarioPlan], before: Earlier
) -> None:
    """Refuses a round that is measured otherwise than the one before it."""
    other = []
    if draft.repetitions != before.plan.stochastic_repetitions:
        other.append(
            f"repetitions is {draft.repetitions}, was {before.plan.stochastic_repetitions}"
        )
    if draft.budget.cell_timeout_s != before.plan.limits.cell_timeout_s:
        other.append(
            f"cell_timeout_s is {draft.budget.cell_timeout_s:g}, was "
            f"{before.plan.limits.cell_timeout_s:g}"
        )
    was = {one.id for one in before.outcome.scenarios}
    gone = sorted(was - {one.id for one in scenarios})
    if gone and not draft.final:
        other.append(f"{', '.join(gone)} {'is' if len(gone) == 1 else 'are'} not run any more")
    if other:
        raise Blocked(
            f"study.yaml: rounds are run under one standard, and against {draft.optimises} "
            f"{'; '.join(other)}; mend: make it as it was"
        )


def _changed(draft: OutcomeDraft, before: Earlier, skills: Sequence[SkillPlan]) -> Iterator[str]:
    """Yields the arms that are not what arms of that name were."""
    were = {arm.name: arm.system.get("agent") for arm in before.plan.arms}
    given = {(one.arm, one.name): one.sha256 for one in before.outcome.skills}
    now = {(one.arm, one.name): one.sha256 for one in skills}
    for arm in draft.arms:
        old = were.get(arm.name)
        if not isinstance(old, dict):
            yield f"{arm.name} is new"
            continue
        switches = [k for k in sorted(arm.agent) if old.get(k) != arm.agent[k]]
        texts = [name for (of, name) in {**given, **now} if of == arm.name]
        other = [one for one in texts if given.get((arm.name, one)) != now.get((arm.name, one))]
        told = [*switches, *(f"skill {one}" for one in other)]
        if told:
            yield f"{arm.name}: {', '.join(told)}"


def _stale(scenarios: Sequence[ScenarioPlan], before: Earlier) -> Iterator[str]:
    """Yields scenarios that are decided by something else than in the study before."""
    were = {one.id: one.oracle_sha256 for one in before.outcome.scenarios}
    for one in scenarios:
        old = were.get(one.id, "")
        if old and old != one.oracle_sha256:
            yield one.id
