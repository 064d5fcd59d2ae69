"""The criteria of an outcome study that judges decide: lists of work items, and root causes."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from equipoise.blind.families import read_families
from equipoise.errors import InputError
from equipoise.records.catalog import DETERMINISTIC, MODEL_JUDGED
from equipoise.records.scenario import Scenario, ScenarioKind
from equipoise.stages.grade.judges.inquiries import (
    ACCEPTANCE,
    CAUSE,
    COVERAGE,
    EDGE,
    OBVIOUS,
    ORDER,
)
from equipoise.stats.family_guard import guard_families
from equipoise.studies.loss.blinding import FAMILIES
from equipoise.studies.outcome.draft import OutcomeArm, OutcomeDraft
from equipoise.studies.outcome.expert_items import read_items

_LIST = {
    "decomposition": (COVERAGE, 0.05, "The share of the expert's items that no item covers."),
    "decomposition_obvious": (OBVIOUS, 0.0, "The same of the items that are obvious."),
    "decomposition_edge": (EDGE, 0.0, "The same of the items that only care finds."),
    "dependency_order": (ORDER, 0.02, "The share of the expert's dependencies not kept."),
    "acceptance_criteria": (ACCEPTANCE, 0.015, "How far others cannot check an item's end."),
}
_CAUSE = {"root_cause_judge": (CAUSE, 0.0, "The document names another cause than the true one.")}
"""Name -> what is asked, the weight, and what is lost.

Judged weights hold at most 30 % of a loss together, with `regression` alone beside them too. What
only a skill asks for has none: an arm without one would lose what nobody told it."""

_RECALL = "token_recall"


def judged_categories(
    scenarios: Iterable[Scenario], arms: Iterable[OutcomeArm]
) -> Iterator[dict[str, Any]]:
    """Yields the catalog's categories that judges decide, as far as a scenario has a use for them.

    A root cause is told in a document that only a skill asks for: of an arm without one it is not
    asked. Beside the lists stands the recall of tokens, a diagnostic of weight 0.
    """
    every = tuple(scenarios)
    skilled = [arm.name for arm in arms if arm.skill]
    if skilled and any(one.root_cause and one.root_cause.statement for one in every):
        yield from _judged(_CAUSE, {"applies_to": skilled})
    if any(one.items for one in every):
        yield from _judged(_LIST, {})
        yield {
            "id": _RECALL,
            "weight": 0,
            "type": DETERMINISTIC,
            "max": 1,
            "check": {_RECALL: {"over": "decomposition"}},
        }


def judged_expectations(folder: Path, scenario: Scenario) -> dict[str, Any]:
    """Gives what judges hold a scenario's work against; `folder` is the scenario's."""
    found: dict[str, Any] = {}
    if scenario.items:
        items = read_items(folder / scenario.items, f"{scenario.id}/{scenario.items}")
        found |= {"items": msgspec.to_builtins(items), "deliverable": scenario.deliverable}
    if scenario.root_cause and scenario.root_cause.statement:
        found["root_cause"] = msgspec.to_builtins(scenario.root_cause)
    return found


def deliverables(scenarios: Iterable[Scenario]) -> list[str]:
    """Gives the paths of lists that are kept of a workspace, beside its documents."""
    return sorted({one.deliverable for one in scenarios if one.deliverable})


def list_faults(scenario: Scenario, folder: Path) -> Iterator[str]:
    """Yields what is wrong with how a scenario asks for a list of work items."""
    if not scenario.items:
        if scenario.deliverable:
            yield "there is a deliverable and no items to hold it against"
        return
    path = scenario.deliverable
    if not path:
        yield "there are items and no deliverable: the path at which the prompt asks for the list"
    elif path not in scenario.prompt:
        yield f"the prompt does not name the deliverable {path}: nobody would know where to put it"
    if path and (path.startswith("/") or ".." in path.split("/") or any(c in path for c in "*?[")):
        yield f"deliverable is {path!r}; wanted the path of one file, from the workspace's top"
    if scenario.kind is ScenarioKind.STOP:
        yield "kind is stop, and there are items: what is asked for cannot be wrong to do"
    if folder.joinpath(scenario.items).is_file():
        try:
            read_items(folder / scenario.items, scenario.items)
        except InputError as error:
            yield from str(error).splitlines()


def family_faults(draft: OutcomeDraft, study: Path) -> Iterator[str]:
    """Yields a fault for each judge that is of the family of a model whose work it would judge.

    A judge favours what its own family wrote, and of a model that nobody knows nobody can say that
    it is foreign. Stand-ins are of no family.
    """
    if draft.judges is None:
        return
    families = read_families(study / FAMILIES)
    judges = {one.name: families.of(str(one.model.get("model", ""))) for one in draft.judges.judges}
    for arm in draft.arms:
        model = arm.agent.get("model")
        if not isinstance(model, str):
            continue
        known = families.of(model)
        if not known and draft.is_simulated:
            continue
        told = guard_families({name: of for name, of in judges.items() if of}, {arm.name: known})
        for name, why in told.excluded.items():
            if why.startswith("same_family:"):
                yield (
                    f"study.yaml: judge {name!r} and the model of arm {arm.name!r} are of one "
                    f"family ({why.partition(':')[2]}): it would judge its own; mend: a judge of "
                    "another family"
                )
            else:
                yield (
                    f"study.yaml: the model {model!r} of arm {arm.name!r} is of no family that is "
                    f"known, so that judge {name!r} may be of it; mend: add it to {FAMILIES} "
                    "(`extends: shipped`)"
                )


def judges_of(draft: OutcomeDraft) -> dict[str, Any]:
    """Gives the judges of the study as a loss study has them; nothing where it names none."""
    if draft.judges is None:
        return {}
    judges = draft.judges.model_dump(mode="json", exclude_none=True)
    return {"judges": judges, "double_rating": draft.double_rating}


def _judged(
    given: dict[str, tuple[str, float, str]], more: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    for name, (asked, weight, about) in given.items():
        yield {
            "id": name,
            "weight": weight,
            "type": MODEL_JUDGED,
            "max": 1,
            "asked": asked,
            "about": about,
            **more,
        }
