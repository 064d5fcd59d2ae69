"""What must hold of how a scenario is scored without tests: states, checkpoints, confirmations."""

from collections.abc import Iterator
from pathlib import Path

from equipoise.errors import InputError
from equipoise.records.scenario import Confirmation, EndState, Scenario, ScenarioKind
from equipoise.stages.grade.outcome_specs import pattern_fault
from equipoise.studies.outcome.contract_files import contracted


def state_faults(scenario: Scenario, pack: Path) -> Iterator[str]:
    """Yields what is wrong with the states and documents that a scenario wants.

    Args:
        scenario: the scenario.
        pack: the pack's folder.
    """
    yield from _end_state_faults(scenario)
    yield from _confirmation_faults(scenario)
    stop, cause = scenario.checkpoint, scenario.root_cause
    if stop is not None and not (stop.told and stop.waiting and stop.document):
        yield "checkpoint wants a document, values of who waits, and what the last message tells"
    for pattern in stop.told if stop else ():
        if fault := pattern_fault(pattern):
            yield f"checkpoint.told: {fault}"
    if cause is not None and any(not any(map(str.strip, group)) for group in cause.keywords):
        yield "root_cause.keywords has a group without a word"
    try:
        contracted(pack, scenario)
    except InputError as error:
        yield str(error)


def _end_state_faults(scenario: Scenario) -> Iterator[str]:
    state, hidden = scenario.expected_end_state, scenario.hidden_tests
    if scenario.kind is ScenarioKind.STOP and (hidden.explicit or hidden.implicit):
        yield "kind is stop: nothing is to be built, so hidden tests decide nothing"
    if state is None:
        return
    if state == EndState(about=state.about):
        yield "expected_end_state wants nothing: whatever is left would be right"
    for pattern in state.told:
        if fault := pattern_fault(pattern):
            yield f"expected_end_state.told: {fault}"


def _confirmation_faults(scenario: Scenario) -> Iterator[str]:
    how, text = scenario.confirmation, scenario.confirmation_text.strip()
    is_said = how in (Confirmation.SCRIPTED, Confirmation.SECOND_TURN)
    if is_said and not text:
        yield f"confirmation is {how.value} and there is no confirmation_text: what the user says"
    if any(not turn.strip() for turn in scenario.turns):
        yield "turns has one in which the user says nothing"
    if how is Confirmation.EXPECT_STOP and scenario.turns:
        yield "confirmation is expect_stop, and turns go on after the stop; wanted second_turn"
    if not is_said and text:
        yield f"there is a confirmation_text, and confirmation is {how.value}: nobody would say it"
    if how is not Confirmation.EXPECT_STOP:
        if scenario.checkpoint is not None:
            yield f"there is a checkpoint, and confirmation is {how.value}; wanted expect_stop"
        return
    if scenario.checkpoint is None and scenario.expected_end_state is None:
        yield "confirmation is expect_stop; wanted a checkpoint or an expected_end_state to score"
    if scenario.hidden_tests.explicit or scenario.hidden_tests.implicit:
        yield "confirmation is expect_stop: nothing is built, so hidden tests decide nothing"
