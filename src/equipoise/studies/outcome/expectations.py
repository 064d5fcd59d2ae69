"""What a scenario expects of whoever does it, as grading is told it and nobody else."""

from pathlib import Path
from typing import Any

import msgspec

from equipoise.records.scenario import Confirmation, Scenario
from equipoise.studies.outcome.contract_files import contracted

DOCUMENTS = (".codestable/**", "**/*.md", "**/*.txt")
"""What is kept of a workspace beside the diff: documents in which an agent tells something."""


def is_to_stop(scenario: Scenario) -> bool:
    """Says whether the right thing is to stop before anything is implemented."""
    return scenario.confirmation is Confirmation.EXPECT_STOP


def hidden_groups(scenario: Scenario) -> tuple[str, ...]:
    """Gives the groups of hidden tests that decide about the scenario."""
    if is_to_stop(scenario):
        return ()
    hidden = scenario.hidden_tests
    found = {"explicit": hidden.explicit, "implicit": hidden.implicit}
    return tuple(group for group, files in found.items() if files)


def expected_of(scenario: Scenario, pack: Path) -> dict[str, Any]:
    """Gives what is expected beside hidden tests, criterion -> expectation; only what there is.

    Args:
        scenario: the scenario.
        pack: the folder of its pack, in which contracts lie.

    Raises:
        InputError: a contract is not there, or is none.
    """
    cause = scenario.root_cause
    given: dict[str, Any] = {
        "end_state": scenario.expected_end_state,
        "checkpoint": scenario.checkpoint,
        "artifact": contracted(pack, scenario),
        "dod_gate": scenario.dod_gate,
        "root_cause": cause if cause and cause.keywords else None,
    }
    return {name: msgspec.to_builtins(one) for name, one in given.items() if one}
