"""tau-bench airline, one system, four trials a task: every figure of the pack."""

import json
import math
from pathlib import Path
from typing import Any

import duckdb
import pytest

from equipoise.records.codec import encode
from equipoise.records.terms import Direction, Terms
from equipoise.stages.estimate.columns import ArmColumns
from equipoise.stages.estimate.estimating import estimate
from every import for_every
from packs.product import Archived, calc, expected, hold, import_table, run, trap_ids
from shared_data import shared

PACK = "tau_airline_gpt4o"
CHECKS = expected(PACK)
NOT_COVERED = {
    "se_naive": "wrong on purpose, says the pack; test_traps shows that it is printed nowhere"
}


def alone(archived: Archived, **where: str) -> dict[str, Any]:
    """Gives the estimate of the only arm of an archive; there is nothing to compare it with."""
    (arm,) = archived.summary["arms"]
    terms = Terms(
        baseline=arm, arms=(), criterion="outcome", direction=Direction.HIGHER, where=where
    )
    columns = ArmColumns(name=arm, path=archived.path / "columns" / "results.parquet", arm=str(arm))
    with duckdb.connect() as con:
        reading = estimate(con, terms, [columns])
    (one,) = json.loads(encode(reading.estimates))["arms"]
    assert isinstance(one, dict)
    return one


@pytest.fixture(scope="module")
def reduced(tmp_path_factory: pytest.TempPathFactory) -> Archived:
    return import_table(
        shared("data", PACK, "trials.jsonl"),
        tmp_path_factory.mktemp("tau"),
        unit="task_id",
        repetition={"column": "trial", "base": 0},
        outcome="reward",
        labels=["trial"],
        counts=["n_messages", "tool_calls"],
    )


@pytest.fixture(scope="module")
def as_found(tmp_path_factory: pytest.TempPathFactory) -> Archived:
    """The original file, with the money of the simulated user taken for what it is."""
    return import_table(
        shared("data", PACK, "gpt-4o-airline.json.gz"),
        tmp_path_factory.mktemp("tau-gz"),
        arm={"const": "user simulator"},
        unit="task_id",
        repetition={"column": "trial", "base": 0},
        outcome="reward",
        cost_usd="info.user_cost",
    )


@pytest.fixture(scope="module")
def answers(reduced: Archived, as_found: Archived) -> dict[str, Any]:
    one, paid = alone(reduced), alone(as_found)
    pass_k = {line["k"]: line for line in one["pass_k"]}
    by_unit = reduced.sql('SELECT unit, list("value:outcome") FROM trials GROUP BY 1 ORDER BY 1')
    components = calc("variance.components", units_by_repetition=[v for _, v in by_unit])
    assert components["icc1"] == pytest.approx(one["icc"], abs=1e-9)
    assert components["se_of_mean"] == pytest.approx(one["se"], abs=1e-12)
    means = [sum(values) / len(values) for _, values in by_unit]
    by_t = calc("interval.t", x=means)
    clustered = calc(
        "cluster.robust_se",
        y=[x for _, values in by_unit for x in values],
        cluster=[unit for unit, values in by_unit for _ in values],
    )
    n = one["n_units"]
    naive = math.sqrt(one["mean"] * (1 - one["mean"]) / one["n_trials"])
    return {
        "n_tasks": one["n_units"],
        "n_trials": one["n_trials"],
        "mean_reward": one["mean"],
        **{f"pass_hat_{k}": pass_k[k]["hat"] for k in (1, 2, 3, 4)},
        **{f"pass_at_{k}": pass_k[k]["at"] for k in (2, 3, 4)},
        "per_trial_means": [alone(reduced, trial=str(i))["mean"] for i in range(4)],
        "stddev_between": one["stddev_between"],
        "stddev_within": one["stddev_within"],
        "icc1": one["icc"],
        "se_clustered": clustered["se_cr1"],
        "design_effect": (one["se"] / naive) ** 2,
        "ci95_t_clustered": [by_t["lo"], by_t["hi"]],
        "n_min_mde05": calc("power.n_min", s=str(one["stddev_between"]), mde="0.05")["n_min"],
        "tasks_always_pass": round(pass_k[4]["hat"] * n),
        "tasks_never_pass": round((1 - pass_k[4]["at"]) * n),
        "tasks_flaky": one["n_flaky"],
        "user_cost_nulls": paid["n_cost_missing"],
        "user_sim_cost_usd": paid["cost_usd"],
    }


@for_every("check", sorted(CHECKS.keys() - NOT_COVERED.keys()))
def test_check(check: str, answers: dict[str, Any]) -> None:
    hold(CHECKS[check], answers[check])


def test_what_is_not_covered_is_named() -> None:
    assert NOT_COVERED.keys() <= CHECKS.keys()
    assert trap_ids(PACK) == {
        "retries_as_passes",
        "trials_as_independent",
        "cost_is_user_simulator_only",
    }


def test_traps(reduced: Archived) -> None:
    one = alone(reduced)
    assert one["mean"] == pytest.approx(0.42), "never the best of four"
    assert one["reducer"] == "mean over repetitions, then mean over units"
    assert one["se"] == pytest.approx(CHECKS["se_clustered"]["value"], abs=1e-4)
    lo, hi = one["interval"]["lo"], one["interval"]["hi"]
    assert (hi - lo) / 2 > 1.5 * 1.96 * CHECKS["se_naive"]["value"], "tasks, not trials"
    assert one["cost_usd"] is None
    assert one["n_cost_missing"] == one["n_trials"], "the agent's cost is unknown, not 0"


def test_one_system_is_compared_with_nothing(reduced: Archived, tmp_path: Path) -> None:
    told = run("compare", reduced.path, "-o", tmp_path / "out")
    assert told.code == 2
    assert "at least one other arm" in told.err
    same = run("compare", reduced.path, reduced.path, "-o", tmp_path / "out")
    assert same.code == 2
    assert "shows nothing" in same.err
