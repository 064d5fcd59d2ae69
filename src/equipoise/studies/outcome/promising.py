"""What an outcome study promises: its scenarios with their proofs, and its hypotheses."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from equipoise.archive.durable import replace_file
from equipoise.errors import Tampered
from equipoise.pipeline.study_files import SEAL, read_needed
from equipoise.records.codec import decode, digest, encode, pretty
from equipoise.records.counted import counted
from equipoise.records.event import Seal
from equipoise.records.hypothesis import HYPOTHESES, RESOURCES, Hypothesis, Registered
from equipoise.records.outcome_plan import Contrast, Control, OutcomePlan, Rounds, ScenarioPlan
from equipoise.records.plan import Plan
from equipoise.records.proof import Proof
from equipoise.records.scenario import Scenario
from equipoise.stages.plan.faults import Faults, refuse
from equipoise.stages.plan.outcome_terms import can_be_confirmed, least_scenarios
from equipoise.studies.outcome.arms import contrasts_of, skills_of
from equipoise.studies.outcome.draft import OutcomeDraft
from equipoise.studies.outcome.hypotheses import hypotheses_of
from equipoise.studies.outcome.lints.seeds import ONBOARDED
from equipoise.studies.outcome.metrics import METRICS, main_metric, metrics_of
from equipoise.studies.outcome.packs import HIDDEN, PROOFS, SCENARIO, ReadPack
from equipoise.studies.outcome.phases import cell_cost, phase_faults, precondition
from equipoise.studies.outcome.prompts import prompt_doubts
from equipoise.studies.outcome.rounds import rounds_of, that_count
from equipoise.studies.outcome.stopping import stop_doubts

BEYOND = "cannot be confirmed by its exact test"


def promised_of(
    draft: OutcomeDraft,
    study: Path,
    pack: ReadPack,
    scenarios: tuple[Scenario, ...],
    faults: Faults,
) -> OutcomePlan:
    """Gives what the study promises beside what every study does.

    Raises:
        InputError: a hypothesis could not be decided, whatever came out; all are told.
    """
    skills = skills_of(draft, study)
    planned = tuple(_scenario(pack, one) for one in scenarios)
    contrasts = contrasts_of(draft, skills)
    refuse([*phase_faults(draft, scenarios, contrasts, faults)])
    rounds = rounds_of(draft, study, pack, planned, skills, faults)
    hypotheses = hypotheses_of(draft, that_count(draft, scenarios), contrasts, faults)
    return OutcomePlan(
        pack=pack.pack.name,
        pack_version=pack.pack.version,
        origin=pack.pack.origin,
        scenarios=planned,
        skills=skills,
        contrasts=contrasts,
        hypotheses=hypotheses,
        in_environment=draft.onboarding and all(is_onboarded(pack, one) for one in scenarios),
        phase=draft.phase,
        after=precondition(draft, study, faults),
        rounds=rounds,
        cell=cell_cost(draft, len(scenarios) * draft.repetitions * len(draft.arms)),
        doubts=(
            *_doubts(draft, pack, scenarios, contrasts),
            *stop_doubts(draft, pack, scenarios),
            *_round_doubts(rounds),
            *_floor_doubts(hypotheses),
        ),
    )


def registered_of(plan: Plan, seal: Seal) -> tuple[Registered, ...]:
    """Gives the entries of `hypotheses.json`: those of the plan, and when they were registered."""
    if not isinstance(plan.outcome, OutcomePlan):
        return ()
    return tuple(
        Registered(
            **{name: getattr(one, name) for name in one.__struct_fields__},
            registered_at=seal.sealed_at,
            plan_sha256=seal.plan_sha256,
        )
        for one in plan.outcome.hypotheses
    )


def write_registered(study: Path, plan: Plan, seal: Seal) -> None:
    """Writes `hypotheses.json` of a sealed outcome study; an exploratory one gets an empty list."""
    replace_file(study / HYPOTHESES, pretty(registered_of(plan, seal)))


def read_registered(study: Path, plan: Plan, seal: Seal) -> tuple[Registered, ...]:
    """Gives the registered hypotheses of a sealed outcome study.

    Raises:
        Blocked: the file is missing.
        Tampered: it does not say what was sealed.
    """
    content = read_needed(study / HYPOTHESES, "the registered hypotheses")
    wanted = registered_of(plan, seal)
    if content != pretty(wanted):
        raise Tampered(
            f"{HYPOTHESES} is not what was registered with the plan {seal.plan_sha256[:16]}… "
            f"({SEAL}); mend: remove it and seal the study again, which writes the sealed ones"
        )
    return decode(content, tuple[Registered, ...], where=HYPOTHESES)


def is_onboarded(pack: ReadPack, scenario: Scenario) -> bool:
    """Says whether the scenario's seed tells how work is done in it."""
    seed = pack.seed(scenario)
    if "recipe" in seed:
        return pack.folder.joinpath(seed["recipe"], "onboarding").is_dir()
    folder = pack.folder / next(iter(seed.values()))
    return any(folder.joinpath(name).exists() for name in ONBOARDED)


def _doubts(
    draft: OutcomeDraft,
    pack: ReadPack,
    scenarios: Sequence[Scenario],
    contrasts: Sequence[Contrast],
) -> Iterator[str]:
    if pack.pack.origin == "fork":
        yield "the seeds are forks of public projects: models may have seen what is right"
    for one in contrasts:
        n_differences = len(one.differs) + bool(one.skills)
        if one.control is Control.MIXED and n_differences != 1:
            rest = ": what is found cannot be laid to one of these" if n_differences else " at all"
            yield f"{one.new} and {one.base} differ in {_told(one)}{rest}"
    yield from _other_skills(draft, scenarios)
    judged = [one.metric for one in draft.hypotheses if METRICS[one.metric].is_judged]
    if judged and draft.judges is None:
        yield f"{', '.join(judged)}: the study names no judges, so that people have to judge"
    for scenario in scenarios:
        yield from prompt_doubts(scenario)
    bare = [one for one in scenarios if draft.onboarding and not is_onboarded(pack, one)]
    for seed in dict.fromkeys(one.seed for one in bare):
        ids = [one.id for one in bare if one.seed == seed]
        yield (
            f"seed {seed} has no onboarding ({', '.join(ids)}): nothing in it says how work is "
            f"done there, so that no verdict follows; mend: {_onboarding(pack, bare, seed)}"
        )


def _onboarding(pack: ReadPack, bare: Sequence[Scenario], seed: str) -> str:
    """Gives where the onboarding of a seed is looked for."""
    spec = pack.seed(next(one for one in bare if one.seed == seed))
    if "recipe" in spec:
        return f"put the files that a skill relies on into {spec['recipe']}/onboarding/"
    return f"put {' or '.join(ONBOARDED)} into {next(iter(spec.values()))}"


def _other_skills(draft: OutcomeDraft, scenarios: Sequence[Scenario]) -> Iterator[str]:
    """Yields which scenarios name a skill that an arm with skills has not."""
    arms: dict[tuple[str, ...], list[str]] = {}
    for arm in draft.arms:
        if arm.skill:
            arms.setdefault(tuple(sorted({one.name for one in arm.skill})), []).append(arm.name)
    for skills, names in arms.items():
        other: dict[str, list[str]] = {}
        for one in scenarios:
            if one.skill_under_test and one.skill_under_test not in skills:
                other.setdefault(one.skill_under_test, []).append(one.id)
        for skill, ids in other.items():
            yield (
                f"{', '.join(ids)} {'tests' if len(ids) == 1 else 'test'} the skill {skill}, and "
                f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'} {', '.join(skills)}"
            )


def _round_doubts(rounds: Rounds) -> Iterator[str]:
    if rounds.stale:
        yield (
            f"task, seed or hidden tests of {', '.join(rounds.stale)} changed since "
            f"{rounds.chain[-1].study}: what any arm scored in them there is stale; all arms are "
            "run anew here"
        )
    if rounds.chain and not rounds.changed and not rounds.stale:
        yield f"nothing changed since {rounds.chain[-1].study}"


def _floor_doubts(hypotheses: Sequence[Hypothesis]) -> Iterator[str]:
    n_primary = sum(one.primary for one in hypotheses)
    for one in hypotheses:
        if one.primary and not can_be_confirmed(one, n_primary):
            needed = least_scenarios(one, n_primary)
            yield (
                f"{one.id} {BEYOND}, whatever comes out: over "
                f"{counted(len(one.scenarios), 'scenario')} the smallest p is {one.smallest_p:.4g}"
                + ("" if needed is None else _lacking(one, needed))
            )
        if one.metric not in RESOURCES and (one.margin or 0.0) > _WIDE:
            yield (
                f"{one.id} calls arms {one.direction.value.replace('_', ' ')} that lie "
                f"{one.margin:g} apart: of pass rates between 0 and 1 that is nearly everything"
            )
    if n_primary and all(one.metric in RESOURCES for one in hypotheses if one.primary):
        yield "no primary hypothesis is about what the arms deliver: what they take decides nothing"


_WIDE = 0.3
"""A margin above it is wider than what most studies can find."""


def _lacking(one: Hypothesis, needed: int) -> str:
    more = needed - len(one.scenarios)
    what = {"main": "", "hidden": " with hidden tests"}.get(one.metric, f" scored by {one.metric}")
    return f"; at least {needed} are needed: write {more} more{what}, and prove the pack"


def _told(contrast: Contrast) -> str:
    parts = [*contrast.differs, *([f"skills: {contrast.skills}"] if contrast.skills else [])]
    return "; ".join(parts) or "nothing"


def _scenario(pack: ReadPack, scenario: Scenario) -> ScenarioPlan:
    proof = pack.folder.joinpath(PROOFS, f"{scenario.id}.json").read_bytes()
    rests_on = decode(proof, Proof, where=PROOFS).rests_on
    decides = {SCENARIO, HIDDEN, "seed", "bug", scenario.items}
    return ScenarioPlan(
        id=scenario.id,
        kind=scenario.kind.value,
        tier=scenario.difficulty or "none",
        main=main_metric(scenario),
        metrics=metrics_of(scenario),
        proof_sha256=digest(proof),
        held_out=scenario.held_out,
        oracle_sha256=digest(encode({k: v for k, v in rests_on.items() if k in decides})),
    )
