"""From cells to scenarios: the mean over the repetitions of each, which is the sample."""

from collections.abc import Iterable, Sequence

import numpy as np

from equipoise.records.hypothesis import RESOURCES
from equipoise.records.outcome import OutcomeResult

HIDDEN = "hidden"
"""Explicit and implicit hidden tests of a scenario together, test by test."""

MAIN = "main"
"""Of each scenario the metric that decides about its kind."""

NOT_APPLICABLE = "not applicable"
"""How the reason begins of a criterion that has no meaning for a scenario or an arm."""

_MAIN_OF = {"stop": "end_state", "decompose": "decomposition"}


def main_of(kind: str) -> str:
    """Gives the metric that decides about a scenario of a kind."""
    return _MAIN_OF.get(kind, HIDDEN)


def value_of(result: OutcomeResult, metric: str) -> float | None:
    """Gives what one cell is worth by a metric; null where that was not measured.

    Args:
        result: of the cell.
        metric: a criterion, ``hidden``, ``main`` or a resource.
    """
    if metric == MAIN:
        metric = result.main or main_of(result.kind)
    if metric == HIDDEN:
        return _hidden(result)
    if metric == "tokens":
        if result.tokens_in is None or result.tokens_out is None:
            return None  # a total that lacks a part is none
        return float(result.tokens_in + result.tokens_out)
    if metric in RESOURCES:
        found = getattr(result, metric)
        return None if found is None else float(found)
    return result.rates.get(metric)


def _hidden(result: OutcomeResult) -> float | None:
    """Gives the share of a scenario's hidden tests that pass; null unless each group counted."""
    groups = {
        "hidden_explicit": result.hidden_explicit,
        "hidden_implicit": result.hidden_implicit,
    }
    kept = [group for name, group in groups.items() if name in result.rates and group is not None]
    n_total = sum(group.total for group in kept)
    failed = [
        name
        for name in groups
        if name in result.missing and not result.missing[name].startswith(NOT_APPLICABLE)
    ]
    if failed or not n_total:
        return None
    return sum(group.passed for group in kept) / n_total


def by_scenario(
    results: Iterable[OutcomeResult], metric: str, *, filled: float | None = None
) -> dict[str, float]:
    """Gives the mean of a metric over the repetitions of each scenario that has any value.

    `filled` is what a cell without a value is taken for; null = it is left out.
    """
    held: dict[str, list[float]] = {}
    for one in results:
        value = value_of(one, metric)
        value = filled if value is None else value
        if value is not None:
            held.setdefault(one.scenario, []).append(value)
    return {name: float(np.mean(values)) for name, values in held.items()}


def criteria_of(results: Sequence[OutcomeResult]) -> tuple[str, ...]:
    """Gives the criteria that any cell was measured by, or should have been, in their order."""
    found = {name for one in results for name in (*one.rates, *one.missing)}
    return tuple(sorted(found, key=lambda name: (_place(name), name)))


def _place(name: str) -> int:
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


_ORDER = [
    "hidden_explicit",
    "hidden_implicit",
    "regression",
    "end_state",
    "checkpoint",
    "artifact",
    "dod_gate",
    "root_cause",
    "root_cause_judge",
    "decomposition",
    "decomposition_obvious",
    "decomposition_edge",
    "dependency_order",
    "acceptance_criteria",
    "token_recall",
    "loss",
]
