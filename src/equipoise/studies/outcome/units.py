"""The units of an outcome study: a scenario each, what its agents see apart from what decides."""

import json
from typing import Any

from equipoise.records.scenario import Scenario, bug_reference, said_later
from equipoise.studies.outcome.draft import OutcomeDraft
from equipoise.studies.outcome.expectations import expected_of, hidden_groups
from equipoise.studies.outcome.judged import judged_expectations
from equipoise.studies.outcome.packs import HIDDEN, ReadPack
from equipoise.studies.outcome.prompts import prompt_of

_SAY_BACK = (
    "This only tests the connection. Change no file. Your whole answer is this word: {nonce}"
)


def unit_of(draft: OutcomeDraft, pack: ReadPack, scenario: Scenario) -> bytes:
    """Gives the line of a scenario: its brief, and what only grading is told."""
    place = f"{draft.pack}/{pack.place(scenario)}"
    expected: dict[str, Any] = {
        group: f"{place}/{HIDDEN}/{group}" for group in hidden_groups(scenario)
    }
    expected |= expected_of(scenario, pack.folder)
    expected |= judged_expectations(pack.folder / pack.place(scenario), scenario)
    if scenario.proofs is not None:
        expected["reference"] = f"{place}/{scenario.proofs.reference}"
    unit = {
        "id": scenario.id,
        "labels": _labels(scenario),
        "brief": {
            "prompt": prompt_of(scenario),
            "seed": _seed(draft, pack, scenario),
            **({"turns": later} if (later := said_later(scenario)) else {}),
        },
        "expected": expected,
    }
    return json.dumps(unit, ensure_ascii=False).encode() + b"\n"


def canary_of(draft: OutcomeDraft, pack: ReadPack, scenario: Scenario) -> dict[str, Any]:
    """Gives how the preflight tells an agent from a stub: it says back what it cannot know.

    That takes two short answers of each arm, where scenarios would take whole sessions.
    """
    if draft.anti_mock is not None:
        return draft.anti_mock
    seed = _seed(draft, pack, scenario)
    return {"canary": {"prompt": _SAY_BACK, "seed": seed}, "differs": True}


def _seed(draft: OutcomeDraft, pack: ReadPack, scenario: Scenario) -> dict[str, Any]:
    seed = dict(pack.seed(scenario))
    if "bug" in seed:
        seed["bug"] = bug_reference(seed["bug"])
    if not draft.onboarding:
        seed["bare"] = "true"
    for key in ("recipe", "folder", "repository"):
        if key in seed:
            seed[key] = f"{draft.pack}/{seed[key]}"
    return seed


def _labels(scenario: Scenario) -> dict[str, str]:
    return {"kind": scenario.kind.value, "tier": scenario.difficulty or "none"}
