"""The criteria of an outcome study, as the catalog by which its trials are graded."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.records.scenario import Scenario
from equipoise.studies.outcome.draft import OutcomeArm
from equipoise.studies.outcome.expectations import expected_of, hidden_groups, is_to_stop
from equipoise.studies.outcome.judged import judged_categories

_OWN_TESTS = ["tests/**/*.py"]
_WEIGHTS = {
    "hidden_explicit": 0.5,
    "hidden_implicit": 0.3,
    "regression": 0.2,
    "end_state": 0.8,
    "checkpoint": 0.0,
    "artifact": 0.0,
    "dod_gate": 0.0,
    "root_cause": 0.0,
}
"""The main metric of each kind outweighs the rest; what has the weight 0 is shown and no more."""

_PROCESS = frozenset({"checkpoint", "artifact", "dod_gate", "root_cause"})
"""What only a skill asks for: an arm without one cannot know of it, and is not held to it."""

_DECIDING = 0.8
"""The weight of a checkpoint where every arm has a skill, and so can be held to it."""

_HIDDEN = {"hidden_explicit": "explicit", "hidden_implicit": "implicit"}


def catalog_of(
    pack: Path, scenarios: Iterable[Scenario], arms: Iterable[OutcomeArm]
) -> dict[str, Any]:
    """Gives the catalog, as a loss study has it in its file.

    A criterion that no scenario of the study has a use for is left out, and one that is for skills
    where no arm has one.

    Args:
        pack: the pack's folder.
        scenarios: those of the study.
        arms: those of the study.
    """
    used, scenarios, arms = {"regression"}, tuple(scenarios), tuple(arms)
    for scenario in scenarios:
        used |= set(expected_of(scenario, pack))
        used |= {f"hidden_{one}" for one in hidden_groups(scenario)}
    skilled = [arm.name for arm in arms if _has_skill(arm)]
    if not skilled:
        used -= _PROCESS
    is_for_all = len(skilled) == len(arms)
    return {
        "version": "v1",
        "categories": [
            _category(name, weight, skilled, is_for_all=is_for_all)
            for name, weight in _WEIGHTS.items()
            if name in used
        ]
        + [*judged_categories(scenarios, arms)],
    }


def undecided(scenarios: Iterable[Scenario], arms: Iterable[OutcomeArm]) -> Iterator[str]:
    """Yields why a scenario says nothing of an arm: what decides it only a skill can know of.

    Args:
        scenarios: those of the study.
        arms: those of the study.
    """
    bare = ", ".join(arm.name for arm in arms if not _has_skill(arm))
    for one in scenarios:
        if bare and is_to_stop(one) and one.expected_end_state is None:
            yield (
                f"{one.id} is decided by its checkpoint alone, of which an arm without a skill "
                f"({bare}) cannot know; mend: give it an expected_end_state that its prompt asks "
                "for, or leave it out"
            )


def _has_skill(arm: OutcomeArm) -> bool:
    return bool(arm.skill or arm.agent.get("skills"))


def _category(
    name: str, weight: float, skilled: Sequence[str], *, is_for_all: bool
) -> dict[str, Any]:
    found = {"id": name, "weight": weight, "type": "deterministic", "max": 1, "check": _check(name)}
    if name == "checkpoint" and is_for_all:
        found["weight"] = _DECIDING
    if name in _PROCESS and not is_for_all:
        found["applies_to"] = list(skilled)
    return found


def _check(name: str) -> Mapping[str, Any]:
    if name == "regression":
        return {"suite": {"seed_tests": _OWN_TESTS, "lost": "any", "apart": False}}
    if name in _HIDDEN:
        hidden = {"reference": "{expected.reference}", "lost": "share"}
        return {"suite": {"tests": f"{{expected.{_HIDDEN[name]}}}", **hidden}}
    return {name: {"expect": f"{{expected.{name}}}"}}
