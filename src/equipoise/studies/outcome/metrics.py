"""The metrics of an outcome study: which scenario each can be told of, and how it is found."""

from collections.abc import Callable
from dataclasses import dataclass

from equipoise.records.scenario import Scenario, ScenarioKind
from equipoise.studies.outcome.expectations import hidden_groups, is_to_stop

DIAGNOSTIC = "token_recall"
"""Shared words with the expert's list: shown, and never claimed anything about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """What a hypothesis may be about.

    Args:
        applies: whether a scenario can be scored by it.
        is_judged: a model judges it.
        needs_skill: it asks for documents that only a skill asks for, so that it has no meaning
            for an arm without one.
        is_resource: it is spent, and is no criterion.
    """

    applies: Callable[[Scenario], bool]
    is_judged: bool = False
    needs_skill: bool = False
    is_resource: bool = False


def main_metric(scenario: Scenario) -> str:
    """Gives the metric that decides about a scenario: what its kind asks of the agent."""
    if scenario.kind is ScenarioKind.STOP:
        return "end_state"
    if is_to_stop(scenario):
        return "end_state" if scenario.expected_end_state is not None else "checkpoint"
    return "decomposition" if scenario.kind is ScenarioKind.DECOMPOSE else "hidden"


def metrics_of(scenario: Scenario) -> tuple[str, ...]:
    """Gives the criteria by which a scenario can be scored, in the catalog's order."""
    return tuple(
        name
        for name, one in METRICS.items()
        if name not in _SUMMARIES and not one.is_resource and one.applies(scenario)
    )


def _always(_: Scenario) -> bool:
    return True


def _decomposes(scenario: Scenario) -> bool:
    return bool(scenario.items)


_SUMMARIES = ("main", "hidden", "loss")

METRICS: dict[str, Metric] = {
    "main": Metric(applies=_always),
    "hidden": Metric(applies=lambda s: bool(hidden_groups(s))),
    "loss": Metric(applies=_always),
    "hidden_explicit": Metric(applies=lambda s: "explicit" in hidden_groups(s)),
    "hidden_implicit": Metric(applies=lambda s: "implicit" in hidden_groups(s)),
    "regression": Metric(applies=_always),
    "end_state": Metric(applies=lambda s: s.expected_end_state is not None),
    "checkpoint": Metric(applies=lambda s: s.checkpoint is not None, needs_skill=True),
    "artifact": Metric(applies=lambda s: bool(s.artifacts), needs_skill=True),
    "dod_gate": Metric(applies=lambda s: bool(s.dod_gate), needs_skill=True),
    "root_cause": Metric(
        applies=lambda s: s.root_cause is not None and bool(s.root_cause.keywords),
        needs_skill=True,
    ),
    "root_cause_judge": Metric(
        applies=lambda s: s.root_cause is not None and bool(s.root_cause.statement),
        is_judged=True,
        needs_skill=True,
    ),
    "decomposition": Metric(applies=_decomposes, is_judged=True),
    "decomposition_obvious": Metric(applies=_decomposes, is_judged=True),
    "decomposition_edge": Metric(applies=_decomposes, is_judged=True),
    "dependency_order": Metric(applies=_decomposes, is_judged=True),
    "acceptance_criteria": Metric(applies=_decomposes, is_judged=True),
    "tokens": Metric(applies=_always, is_resource=True),
    "usd": Metric(applies=_always, is_resource=True),
    "turns": Metric(applies=_always, is_resource=True),
    "wall_ms": Metric(applies=_always, is_resource=True),
}
"""Name -> metric."""
