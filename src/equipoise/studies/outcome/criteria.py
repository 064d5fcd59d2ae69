"""The criteria of an outcome study, as the catalog by which its trials are graded."""

from collections.abc import Iterable, Mapping
from typing import Any

from equipoise.records.scenario import Scenario
from equipoise.studies.outcome.draft import OutcomeArm
from equipoise.studies.outcome.expectations import expected_of, hidden_groups
from equipoise.studies.outcome.judged import judged_categories

_OWN_TESTS = ["tests/**/*.py"]
_WEIGHTS = {
    "hidden_explicit": 0.5,
    "hidden_implicit": 0.3,
    "regression": 0.2,
    "end_state": 0.8,
}
"""The main metric of each kind outweighs the rest; what has the weight 0 is shown and no more."""

_HIDDEN = {"hidden_explicit": "explicit", "hidden_implicit": "implicit"}


def catalog_of(scenarios: Iterable[Scenario], arms: Iterable[OutcomeArm] = ()) -> dict[str, Any]:
    """Gives the catalog, as a loss study has it in its file.

    A criterion that no scenario of the study has a use for is left out.
    """
    used, scenarios = {"regression"}, tuple(scenarios)
    for scenario in scenarios:
        used |= {*expected_of(scenario), *(f"hidden_{one}" for one in hidden_groups(scenario))}
    return {
        "version": "v1",
        "categories": [
            {
                "id": name,
                "weight": weight,
                "type": "deterministic",
                "max": 1,
                "check": _check(name),
            }
            for name, weight in _WEIGHTS.items()
            if name in used
        ]
        + [*judged_categories(scenarios, arms)],
    }


def _check(name: str) -> Mapping[str, Any]:
    if name == "regression":
        return {"suite": {"seed_tests": _OWN_TESTS, "lost": "any", "apart": False}}
    if name in _HIDDEN:
        hidden = {"reference": "{expected.reference}", "lost": "share"}
        return {"suite": {"tests": f"{{expected.{_HIDDEN[name]}}}", **hidden}}
    return {name: {"expect": f"{{expected.{name}}}"}}
