"""The phases of an outcome campaign: what each is made of, what has to come before, what it takes.

P0 gets the pipeline through on small bugs; P1 asks whether a skill is worth having; P2 is about
decomposition alone; P3 runs whole epics, and only where its budget was confirmed apart.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.errors import Blocked
from equipoise.records.outcome_plan import CellCost, Contrast, Control, Finished, Phase
from equipoise.records.scenario import Scenario, ScenarioKind
from equipoise.stages.plan.faults import Faults
from equipoise.studies.outcome.draft import OutcomeDraft
from equipoise.studies.outcome.earlier import earlier_study, sealed_outcome

_TOKENS = (50_000.0, 200_000.0)
"""What one flow of a feature skill takes; nothing else is known before anything was run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """What a phase is made of.

    Args:
        kinds: of scenarios; scenarios in which stopping is right belong to every phase.
        least: scenarios.
        says: what it is, in a phrase.
        usd: what the whole phase is estimated to take, over `n_cells`; 0 = over what it has.
        one_model: all arms have the same model.
        control: a pair of arms that has to be there.
        needs: the phase that has to have gone through once.
        is_confirmed: its budget is confirmed apart, when it is run.
    """

    kinds: tuple[ScenarioKind, ...]
    least: int
    says: str
    usd: tuple[float, float | None]
    n_cells: int = 0
    one_model: bool = False
    control: Control | None = None
    needs: Phase | None = None
    is_confirmed: bool = False


PRESETS: dict[Phase, Preset] = {
    Phase.P0: Preset(
        kinds=(ScenarioKind.FIX, ScenarioKind.STOP),
        least=8,
        says="bugs, 8 scenarios, one model, 3 repetitions",
        usd=(10.0, 20.0),
        n_cells=24,
        one_model=True,
    ),
    Phase.P1: Preset(
        kinds=(ScenarioKind.FEATURE, ScenarioKind.STOP),
        least=6,
        says="features, 6 scenarios, with a skill and without",
        usd=(30.0, 50.0),
        n_cells=36,
        control=Control.L2,
        needs=Phase.P0,
    ),
    Phase.P2: Preset(
        kinds=(ScenarioKind.DECOMPOSE, ScenarioKind.STOP),
        least=1,
        says="epics, the quality of decompositions alone",
        usd=(10.0, 10.0),
        needs=Phase.P0,
    ),
    Phase.P3: Preset(
        kinds=(ScenarioKind.EPIC, ScenarioKind.STOP),
        least=1,
        says="epics, run to their end",
        usd=(50.0, None),
        is_confirmed=True,
    ),
}


def in_phase(draft: OutcomeDraft, scenarios: Sequence[Scenario]) -> tuple[Scenario, ...]:
    """Gives the scenarios that belong to the study's phase; all of them where it has none."""
    if draft.phase is None:
        return tuple(scenarios)
    return tuple(one for one in scenarios if one.kind in PRESETS[draft.phase].kinds)


def phase_faults(
    draft: OutcomeDraft,
    scenarios: Sequence[Scenario],
    contrasts: Sequence[Contrast],
    faults: Faults,
) -> Iterator[str]:
    """Yields where a study is not what its phase is made of."""
    if draft.phase is not None:
        yield from _scenario_faults(draft.phase, scenarios, faults)
        yield from _arm_faults(draft.phase, draft, contrasts, faults)
        yield from _before_faults(draft.phase, draft, faults)


def _leave(phase: Phase) -> str:
    return f"leave phase out, or make it what {phase.value} is: {PRESETS[phase].says}"


def _scenario_faults(phase: Phase, scenarios: Sequence[Scenario], faults: Faults) -> Iterator[str]:
    preset, name, leave = PRESETS[phase], phase.value, _leave(phase)
    other = [one.id for one in scenarios if one.kind not in preset.kinds]
    if other:
        kinds = ", ".join(kind.value for kind in preset.kinds)
        yield faults.at(
            ("phase",),
            f"is {name}, and {', '.join(other)} {'is' if len(other) == 1 else 'are'} not of it",
            wanted=f"scenarios of kind {kinds}",
            mend=leave,
        )
    own = sum(one.kind is preset.kinds[0] for one in scenarios)
    if not other and (len(scenarios) < preset.least or not own):
        yield faults.at(
            ("phase",),
            f"is {name}, and there are {len(scenarios)} scenarios of it, {own} of kind "
            f"{preset.kinds[0].value}",
            wanted=f"at least {preset.least}, and one of that kind",
            mend=leave,
        )


def _arm_faults(
    phase: Phase, draft: OutcomeDraft, contrasts: Sequence[Contrast], faults: Faults
) -> Iterator[str]:
    preset, name, leave = PRESETS[phase], phase.value, _leave(phase)
    models = {str(arm.agent.get("model")) for arm in draft.arms}
    if preset.one_model and len(models) > 1:
        yield faults.at(
            ("phase",),
            f"is {name}, and the arms have the models {', '.join(sorted(models))}",
            wanted="one model",
            mend=leave,
        )
    if preset.control and preset.control not in {one.control for one in contrasts}:
        yield faults.at(
            ("phase",),
            f"is {name}, and no two arms differ in their skill alone",
            wanted="one agent twice, with a skill and without",
            mend=leave,
        )


def _before_faults(phase: Phase, draft: OutcomeDraft, faults: Faults) -> Iterator[str]:
    preset, name = PRESETS[phase], phase.value
    if preset.needs and draft.after is None:
        yield faults.at(
            ("phase",),
            f"is {name}, and nothing shows that {preset.needs.value} went through once",
            wanted=f"the folder of a finished {preset.needs.value} study",
            mend=f"write after: ../{preset.needs.value.lower()}",
        )
    if preset.is_confirmed and draft.budget.max_usd is None:
        yield faults.at(
            ("phase",),
            f"is {name}, and budget has no max_usd",
            wanted="the sum that is confirmed apart before anything of it is run",
            mend="write budget: {max_usd: 60}",
        )


def precondition(draft: OutcomeDraft, study: Path, faults: Faults) -> Finished | None:
    """Gives the finished study that the phase rests on; null where it needs none.

    What a sealed study rests on is what it was sealed with, whatever became of that since.

    Raises:
        Blocked: it did not go through, is of another phase, or was a rehearsal with stand-ins.
    """
    if draft.after is None:
        return None
    sealed = sealed_outcome(study)
    if sealed and sealed.after and sealed.after.study == draft.after:
        return sealed.after
    needed = PRESETS[draft.phase].needs if draft.phase else None
    where = faults.named("after")
    found = earlier_study(study, draft.after, where).finished
    if needed and found.phase is not needed:
        raise Blocked(
            f"{where} names {draft.after}, a study of "
            f"{f'phase {found.phase.value}' if found.phase else 'no phase'}; wanted: one of phase "
            f"{needed.value}; mend: name that"
        )
    if found.is_simulated and not draft.is_simulated:
        raise Blocked(
            f"{where} names {draft.after}, in which stand-ins worked; wanted: one in "
            "which a real agent went through; mend: run it with the agent that is meant"
        )
    return found


def cell_cost(draft: OutcomeDraft, n_cells: int) -> CellCost | None:
    """Gives what a cell is expected to take before any was run; null for stand-ins."""
    given = draft.expected_cell
    if given is not None:
        return CellCost(
            tokens=None if given.tokens is None else (given.tokens[0], given.tokens[-1]),
            usd=None if given.usd is None else (given.usd[0], given.usd[-1]),
            source="assumed by the study (expected_cell)",
        )
    if draft.is_simulated:
        return None
    usd: tuple[float, float | None] | None = None
    source = "assumed: what one flow of a feature skill takes; nothing was measured"
    if draft.phase is not None:
        preset = PRESETS[draft.phase]
        each = preset.n_cells or n_cells
        low, high = preset.usd
        usd = (low / each, None if high is None else high / each)
        source += f"; money by the estimate of {draft.phase.value}"
    return CellCost(tokens=_TOKENS, usd=usd, source=source)
