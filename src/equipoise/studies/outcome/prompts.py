"""What an agent is told of a scenario: the task, and what of its environment is missing.

An exemption ("the driver is not here: finish in this session") is a fact of the environment, not
of the skill: agents with and without a skill are told the same, so that the skill stays the only
difference between them (OUT-25, OUT-38). It is about what is missing alone; whether an agent stops
for a confirmation is the scenario's own matter, and the text says so (X-O7).
"""

import re
from collections.abc import Iterator

from equipoise.records.scenario import Confirmation, Scenario

_HEAD = "Not everything is there while you work on this:"
_ONLY = "Nothing else changes: where a confirmation is asked for, it still is."
_ANSWER = (
    "I cannot type while you work. Where you would stop and wait for my confirmation, take this as "
    "my answer, given after I have read what you propose, and go on:"
)
_ABOUT_CONFIRMING = re.compile(
    r"\b(confirm\w*|approv\w*|permission|without asking"
    r"|(do not|don't|no need to) (ask|wait|stop))\b",
    re.IGNORECASE,
)


def prompt_of(scenario: Scenario) -> str:
    """Gives what every agent is told, whatever its arm: the task, what is missing, who says yes.

    The confirmation of a scripted user is part of the task, in the same words for every arm and
    every harness: a second turn would be another thing in each of them.
    """
    exempted = [one for one in scenario.dependencies if not one.provided and one.exemption]
    lines = [f"- No {one.name}. {one.exemption}" for one in exempted]
    told = ["", _HEAD, "", *lines] if lines else []
    if lines and scenario.confirmation is not Confirmation.NONE:
        told += ["", _ONLY]
    if scenario.confirmation is Confirmation.SCRIPTED:
        answer = scenario.confirmation_text.strip().splitlines()
        told += ["", _ANSWER, "", *(f"> {line}".rstrip() for line in answer)]
    if not told:
        return scenario.prompt
    return "\n".join([scenario.prompt.rstrip(), *told]) + "\n"


def exemption_faults(scenario: Scenario) -> Iterator[str]:
    """Yields a fault for each exemption that takes a confirmation away which the scenario has."""
    if scenario.confirmation is Confirmation.NONE:
        return
    for one in scenario.dependencies:
        found = _ABOUT_CONFIRMING.search(one.exemption or "")
        if found:
            yield (
                f"{scenario.id}/scenario.json: the exemption of {one.name!r} says {found[0]!r}, "
                f"and confirmation is {scenario.confirmation.value}; wanted: an exemption that is "
                "about what is missing alone; mend: say what to do without it, and leave "
                "confirmations to `confirmation`"
            )


def prompt_doubts(scenario: Scenario) -> Iterator[str]:
    """Yields where the task itself names what only a skill should ask for (X-O8)."""
    names = {one.glob.rsplit("/", 1)[-1] for one in scenario.artifacts} - {"", "*", "**"}
    told = [name for name in sorted(names) if "*" not in name and name in scenario.prompt]
    if told:
        yield (
            f"the task of {scenario.id} names {', '.join(told)}, which the skill asks for: an arm "
            "without it is told as much, and less of a difference is left"
        )
