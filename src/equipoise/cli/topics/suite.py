"""Topics on suites, repeated passes and stability: ``suite.*``, ``pass_at_k``, ``stability``."""

from typing import Any, Literal

import msgspec

from equipoise.cli.topics import Topic
from equipoise.errors import InputError
from equipoise.stats.passk import (
    outcome_stability,
    pass_k,
    stability_of_design,
    suite_pass_k,
)
from equipoise.stats.suite import Stratum, missing_bounds, suite_score, unit_loss


class Partition(msgspec.Struct):
    """Weight, loss, spread between units, number of units and status of a partition."""

    weight: float
    loss: float
    sd: float
    n: float
    status: str = "scored"


class Partitions(msgspec.Struct):
    """The partitions of a suite."""

    partitions: list[Partition]


class Categories(msgspec.Struct):
    """Weight per category, and value over maximum (null or ``unbewertbar`` where there is none)."""

    category_weights: dict[str, float]
    category_values_over_max: dict[str, float | Literal["unbewertbar"] | None]


class Completed(msgspec.Struct):
    """Mean loss over the completed runs and the share of runs that completed."""

    loss_over_completed: float
    completion_rate: float


class Passes(msgspec.Struct):
    """``c`` passes in ``n`` repetitions; ``k`` repetitions asked about."""

    n: float
    c: float
    k: float


class SuitePasses(msgspec.Struct):
    """Passes per task, repetitions of each task (one number or one per task), ``k``."""

    c_per_task: list[float]
    k: float
    n: float | list[float]
    level: float = 0.95


class Outcomes(msgspec.Struct):
    """A number of outcomes and their kind, or the outcomes themselves."""

    n_outcomes: float | None = None
    kind: str = "binary"
    n_categories: float | None = None
    outcomes: list[str | float | bool] | None = None


def _suite(given: Partitions) -> dict[str, Any]:
    strata = [
        Stratum(weight=p.weight, loss=p.loss, sd=p.sd, n=p.n, is_scored=p.status == "scored")
        for p in given.partitions
    ]
    found = suite_score(strata)
    return {
        "suite_score": found.score,
        "suite_se": found.se,
        "covered_weight_share": found.covered,
        "n": found.n,
        "flags": found.flags,
    }


def _unit_loss(given: Categories) -> dict[str, Any]:
    values = {
        name: None if value == "unbewertbar" else value
        for name, value in given.category_values_over_max.items()
    }
    found = unit_loss(given.category_weights, values)
    return {
        "loss_normalised": found.loss,
        "covered_weight_share": found.covered,
        "clipped": found.clipped,
    }


def _missing(given: Completed) -> dict[str, Any]:
    found = missing_bounds(given.loss_over_completed, given.completion_rate)
    return {"lowest_possible_loss": found.lowest, "highest_possible_loss": found.highest}


def _pass_k(given: Passes) -> dict[str, Any]:
    found = pass_k(given.n, given.c, given.k)
    return {"pass_at_k": found.any_of_k, "pass_hat_k": found.all_of_k}


def _suite_pass_k(given: SuitePasses) -> dict[str, Any]:
    ns = given.n if isinstance(given.n, list) else [given.n] * len(given.c_per_task)
    found = suite_pass_k(ns, given.c_per_task, given.k, level=given.level)
    value: dict[str, Any] = {
        "pass_at_k": found.any_of_k,
        "pass_hat_k": found.all_of_k,
        "n": found.n,
    }
    for name, estimate in (("pass_at_k", found.any_interval), ("pass_hat_k", found.all_interval)):
        if estimate is not None:
            value |= {f"{name}_lo": estimate.interval.lo, f"{name}_hi": estimate.interval.hi}
    return value


def _stability(given: Outcomes) -> dict[str, Any]:
    if given.outcomes is None and given.n_outcomes is None:
        raise InputError("neither n_outcomes nor outcomes", wanted="one of the two")
    n = len(given.outcomes or ()) if given.n_outcomes is None else given.n_outcomes
    design = stability_of_design(n, kinds=_kinds(given))
    value: dict[str, Any] = {
        "smallest_possible_modal_share": design.smallest_modal_share,
        "criterion_modal_share_ge_2_3_is_vacuous": design.is_vacuous,
    }
    if given.outcomes is not None:
        seen = outcome_stability(given.outcomes)
        value |= {
            "modal_share": seen.modal_share,
            "unanimous": seen.is_unanimous,
            "flip_rate": seen.flip_rate,
        }
    return value


def _kinds(given: Outcomes) -> float:
    if given.n_categories is not None:
        return given.n_categories
    named = {"binary": 2, "ternary": 3}
    if given.kind not in named:
        raise InputError(
            f"kind {given.kind!r} without n_categories",
            wanted="'binary', 'ternary', or n_categories",
            where="field 'n_categories'",
        )
    return named[given.kind]


TOPICS = {
    "suite.score": Topic(
        says="Weighted mean loss of a suite over its scored partitions, with standard error.",
        takes=Partitions,
        gives={
            "suite_score": "weighted mean loss",
            "suite_se": "standard error",
            "covered_weight_share": "share of all weight in the scored partitions",
            "n": "units in the scored partitions",
            "flags": "zero_spread where a partition has a spread of 0",
        },
        compute=_suite,
    ),
    "suite.unit_loss": Topic(
        says="Loss of one unit over the categories that could be evaluated.",
        takes=Categories,
        gives={
            "loss_normalised": "loss on [0, 1]",
            "covered_weight_share": "share of the weight that could be evaluated",
            "clipped": "categories with a value above 1",
        },
        compute=_unit_loss,
    ),
    "suite.missing_bounds": Topic(
        says="The range of the mean loss that missing runs allow.",
        takes=Completed,
        gives={"lowest_possible_loss": "all missing 0", "highest_possible_loss": "all missing 1"},
        compute=_missing,
    ),
    "pass_at_k": Topic(
        says="pass@k and pass^k of one task.",
        takes=Passes,
        gives={
            "pass_at_k": "chance that at least one of k repetitions passes",
            "pass_hat_k": "chance that all k repetitions pass",
        },
        compute=_pass_k,
    ),
    "pass_at_k.suite": Topic(
        says="Mean pass@k and pass^k over tasks, with intervals over tasks.",
        takes=SuitePasses,
        gives={
            "pass_at_k": "mean over tasks",
            "pass_hat_k": "mean over tasks",
            "pass_at_k_lo": "lower limit, with 2 tasks or more",
            "pass_at_k_hi": "upper limit, with 2 tasks or more",
            "pass_hat_k_lo": "lower limit, with 2 tasks or more",
            "pass_hat_k_hi": "upper limit, with 2 tasks or more",
            "n": "tasks",
        },
        compute=_suite_pass_k,
    ),
    "stability": Topic(
        says='What "the most common outcome is at least 2/3" can tell with so many outcomes.',
        takes=Outcomes,
        gives={
            "smallest_possible_modal_share": "of the most common outcome",
            "criterion_modal_share_ge_2_3_is_vacuous": "no result could fail it",
            "modal_share": "of the outcomes given",
            "unanimous": "all outcomes given are equal",
            "flip_rate": "share of pairs of outcomes that differ",
        },
        compute=_stability,
    ),
}
