"""Sets of scenarios that reward only pushing ahead are refused: they breed reckless skills."""

from collections.abc import Iterator, Sequence

from equipoise.records.counted import counted
from equipoise.records.scenario import Scenario, ScenarioKind
from equipoise.stages.plan.faults import Faults
from equipoise.stages.plan.outcome_page import LEAST_SCENARIOS
from equipoise.studies.outcome.draft import OutcomeDraft
from equipoise.studies.outcome.expectations import is_to_stop
from equipoise.studies.outcome.packs import ReadPack

_MOST_NAMED = 5


def stop_faults(
    draft: OutcomeDraft, pack: ReadPack, scenarios: Sequence[Scenario], faults: Faults
) -> Iterator[str]:
    """Yields a fault where something is built and stopping is right nowhere.

    A set in which nothing is built at all, such as one of decompositions, rewards no pushing ahead.
    """
    if _why_none(draft, pack) or not _only_ahead(scenarios):
        return
    there = [one.id for one in pack.scenarios if _is_stop(one) and not one.held_out]
    yield faults.at(
        ("scenarios",) if draft.scenarios else ("pack",),
        "gives no scenario in which stopping or refusing is right: such a set rewards whoever "
        "pushes ahead",
        wanted=(
            f"one of the pack's: {', '.join(there[:_MOST_NAMED])}"
            if there
            else "one of kind stop; the pack has none"
        ),
        mend=("add one to scenarios" if there else "write one, with its expected_end_state")
        + "; or say under without_stops why this study has none",
    )


def stop_doubts(
    draft: OutcomeDraft, pack: ReadPack, scenarios: Sequence[Scenario]
) -> Iterator[str]:
    """Yields what stands against a set that says why it has no such scenario."""
    why = _why_none(draft, pack)
    if why and _only_ahead(scenarios):
        yield f"there is no scenario in which stopping is right ({why}): recklessness is not seen"


def pack_lacks(pack: ReadPack) -> Iterator[str]:
    """Yields what a study of the whole pack would be refused for, or could confirm nothing by."""
    run = [one for one in pack.scenarios if not one.held_out]
    if _only_ahead(run) and not pack.pack.without_stops.strip():
        yield (
            "in no scenario is stopping right: a study of this pack is refused; write one of kind "
            "stop, or say under without_stops, in pack.yaml or study.yaml, why there is none"
        )
    if len(run) < LEAST_SCENARIOS:
        yield (
            f"{counted(len(run), 'scenario')} to be run: over fewer than {LEAST_SCENARIOS} a study "
            "can confirm nothing, whatever comes out"
        )


def _why_none(draft: OutcomeDraft, pack: ReadPack) -> str:
    return (draft.without_stops or pack.pack.without_stops).strip()


def _only_ahead(scenarios: Sequence[Scenario]) -> bool:
    is_built = any(one.kind is not ScenarioKind.DECOMPOSE for one in scenarios)
    return is_built and not any(map(_is_stop, scenarios))


def _is_stop(scenario: Scenario) -> bool:
    return scenario.kind is ScenarioKind.STOP or is_to_stop(scenario)
