"""What a scenario expects of whoever does it, as grading is told it and nobody else."""

from typing import Any

import msgspec

from equipoise.records.scenario import Confirmation, Scenario

DOCUMENTS = (".codestable/**", "**/*.md", "**/*.txt")
"""What is kept of a workspace beside the diff: documents in which an agent tells something."""


def is_to_stop(scenario: Scenario) -> bool:
    """Says whether the right thing is to stop before anything is implemented."""
    return scenario.confirmation is Confirmation.EXPECT_STOP


def hidden_groups(scenario: Scenario) -> tuple[str, ...]:
    """Gives the groups of hidden tests that decide about the scenario."""
    hidden = scenario.hidden_tests
    found = {"explicit": hidden.explicit, "implicit": hidden.implicit}
    return tuple(group for group, files in found.items() if files)


def expected_of(scenario: Scenario) -> dict[str, Any]:
    """Gives what is expected beside hidden tests, criterion -> expectation; only what there is."""
    given = {
        "end_state": scenario.expected_end_state,
    }
    return {name: msgspec.to_builtins(one) for name, one in given.items() if one}
