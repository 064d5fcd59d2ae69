"""Real tables: the counts and rates that others published come out of the reader."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from adapters.logs.readings import Readings, read_table
from equipoise.records.trial import EndingKind, Trial
from shared_data import shared


def checks(pack: str) -> dict[str, Any]:
    expected = json.loads(shared("data", pack, "expected.json").read_text(encoding="utf-8"))
    return {check["id"]: check["value"] for check in expected["checks"]}


def pack(*parts: str) -> Path:
    return shared("data", *parts)


def by_arm(readings: Readings) -> dict[str, list[Trial]]:
    found: dict[str, list[Trial]] = defaultdict(list)
    for trial in readings.trials:
        found[trial.arm].append(trial)
    return found


def per_repetition(trials: list[Trial], values: dict[str, float | None]) -> list[float]:
    """Mean over all trials of each repetition, a missing value counted as failure."""
    found: dict[int, list[float]] = defaultdict(list)
    for trial in trials:
        found[trial.repetition].append(values.get(trial.id) or 0.0)
    return [sum(v) / len(v) for _, v in sorted(found.items())]


def test_tau_airline_without_a_mapping() -> None:
    expected = checks("tau_airline_gpt4o")
    found = read_table(pack("tau_airline_gpt4o", "trials.jsonl"))
    values = found.values()
    assert len(found.trials) == expected["n_trials"]
    assert len({t.unit for t in found.trials}) == expected["n_tasks"]
    assert {t.repetition for t in found.trials} == {1, 2, 3, 4}
    assert per_repetition(found.trials, values) == pytest.approx(expected["per_trial_means"])
    passes = Counter(t.unit for t in found.trials if values[t.id] == 1)
    assert sum(n == 4 for n in passes.values()) == expected["tasks_always_pass"]
    assert sum(0 < n < 4 for n in passes.values()) == expected["tasks_flaky"]
    assert all(t.cost_usd is None for t in found.trials), (
        "the simulated user's cost is not its cost"
    )


def test_tau_airline_as_found_gzip_json() -> None:
    found = read_table(
        pack("tau_airline_gpt4o", "gpt-4o-airline.json.gz"),
        unit="task_id",
        repetition={"column": "trial"},
        outcome="reward",
        counts={"user_cost_recorded": "info.user_cost"},
        cost_usd="info.user_cost",
    )
    expected = checks("tau_airline_gpt4o")
    assert len(found.trials) == expected["n_trials"]
    costs = [t.cost_usd for t in found.trials]
    assert costs.count(None) == expected["user_cost_nulls"]
    assert sum(c for c in costs if c) == pytest.approx(expected["user_sim_cost_usd"], abs=1e-4)


def test_swebench_verified_without_a_mapping_but_labels() -> None:
    expected = checks("swebench_verified_minisweagent")
    found = read_table(
        pack("swebench_verified_minisweagent", "runs.jsonl"),
        unit="instance_id",
        arm="system",
        outcome="resolved",
        cost_usd="cost",
        labels=["repo"],
        counts={"api_calls": "api_calls"},
    )
    values = found.values()
    assert len({t.labels["repo"] for t in found.trials}) == expected["n_repos"]
    for arm, trials in by_arm(found).items():
        assert len({t.unit for t in trials}) == len(trials) == expected["n_instances"]
        rate = 100 * sum(values[t.id] or 0 for t in trials) / len(trials)
        assert rate == pytest.approx(expected[f"rate {arm}"], abs=0.005)
        cost = sum(t.cost_usd or 0 for t in trials)
        assert cost == pytest.approx(expected[f"total_cost {arm}"], abs=0.001)


def test_terminal_bench_with_five_repetitions() -> None:
    expected = checks("terminal_bench_droid_5runs")
    found = read_table(
        pack("terminal_bench_droid_5runs", "runs.jsonl"),
        unit="task_id",
        arm="system",
        repetition="run",
        outcome="is_resolved",
        status="failure_mode",
        duration_s="agent_seconds",
        input_tokens="input_tokens",
        output_tokens="output_tokens",
        zero_means_missing=["input_tokens", "output_tokens"],
        headline={
            "file": "run_heads.json",
            "arm": "system",
            "repetition": "run",
            "metrics": {"accuracy": "accuracy"},
        },
    )
    values = found.values()
    for arm, trials in by_arm(found).items():
        graded = [t for t in trials if values.get(t.id) is not None]
        means = per_repetition(trials, values)
        assert means == pytest.approx(expected[f"per_run {arm}"])
        declared = [h.value for h in found.headlines if h.arm == arm]
        assert declared == pytest.approx(means)
        assert len(trials) - len(graded) == expected[f"ungraded {arm}"]
        mean = sum(values[t.id] or 0 for t in graded) / len(graded)
        assert mean == pytest.approx(expected[f"mean_graded_only {arm}"], abs=1e-4)
        budget = [t for t in trials if t.ending.kind is EndingKind.BUDGET]
        assert len(budget) == expected[f"failure_modes {arm}"]["agent_timeout"]
        resolved = [t for t in budget if values[t.id] == 1]
        assert len(resolved) == expected[f"resolved_after_timeout {arm}"]
        harness = Counter(t.ending.detail for t in trials if t.ending.kind != EndingKind.COMPLETED)
        harness["unset"] = sum(t.ending.kind is EndingKind.COMPLETED for t in trials)
        assert harness == expected[f"failure_modes {arm}"]
        assert all(t.usage is None for t in trials), "0 tokens are not recorded, not free"
    assert [h.metric for h in found.headlines[:2]] == [
        "accuracy@repetition=1",
        "accuracy@repetition=2",
    ]


def test_humaneval_ids_of_different_spelling_are_one_unit() -> None:
    expected = checks("humaneval_agents_5runs")
    found = read_table(
        pack("humaneval_agents_5runs", "runs.jsonl"),
        unit={"column": "task_id", "match": r"HumanEval[/_](\d+)"},
        arm="system",
        repetition="run",
        outcome="is_solved",
        headline={
            "file": "run_heads.json",
            "arm": ["strategy", "model"],
            "repetition": "run",
            "metrics": {"accuracy": "accuracy", "total_cost": "total_cost"},
        },
    )
    values = found.values()
    assert len({t.unit for t in found.trials}) == 164
    arms = by_arm(found)
    assert {h.arm for h in found.headlines} == set(arms)
    for arm, trials in arms.items():
        means = per_repetition(trials, values)
        assert means == pytest.approx(expected[f"per_run {arm}"], abs=1e-4)
        costs = [h.value for h in found.headlines if h.arm == arm and "cost" in h.metric]
        assert costs == pytest.approx(expected[f"cost_per_run {arm}"], abs=0.001)


def test_bbh_rows_that_hold_both_arms() -> None:
    expected = checks("bbh_direct_vs_cot")
    found = read_table(
        pack("bbh_direct_vs_cot", "items.jsonl"),
        unit=["task", "idx"],
        arm={"wide": {"direct": "direct_correct", "cot": "cot_correct"}},
        labels=["task"],
        cluster="task",
    )
    values = found.values()
    units: dict[tuple[str, str], list[float]] = defaultdict(list)
    for trial in found.trials:
        units[trial.cluster or "", trial.arm].append(values[trial.id] or 0)
    assert len({t.unit for t in found.trials}) == expected["n_items"]
    assert len({task for task, _ in units}) == expected["n_tasks"]
    for (task, arm), correct in units.items():
        rate = 100 * sum(correct) / len(correct)
        assert rate == pytest.approx(expected[f"acc {task} {arm}"], abs=0.01)


@pytest.mark.parametrize("which", ["1", "2"])
def test_aider_rows_of_counts(which: str) -> None:
    expected = checks("aider_polyglot_aggregates")
    found = read_table(
        pack("aider_polyglot_aggregates", "polyglot_leaderboard.yml"),
        arm="dirname",
        model="model",
        aggregate={
            "passed": f"pass_num_{which}",
            "total": "test_cases",
            "rate": f"pass_rate_{which}",
        },
        cost_usd="total_cost",
        zero_means_missing=["cost_usd"],
    )
    arms = by_arm(found)
    values = found.values()
    assert len(arms) == expected["n_entries"]
    assert Counter(str(len(t)) for t in arms.values()) == expected["test_cases"]
    told = [n.message.split("'")[1] for n in found.notices if "follow" in n.code]
    odd = [r["dirname"] for r in expected["rate_vs_counts"] if r["field"] == f"pass_rate_{which}"]
    assert sorted(told) == sorted(odd)
    costs = [h.value for h in found.headlines if h.metric == "total_cost"]
    assert costs.count(None) == expected["cost_zero"]
    for key, value in expected.items():
        if key.startswith("wilson "):
            trials = arms[key.removeprefix("wilson ")]
            rate = 100 * sum(values[t.id] or 0 for t in trials) / len(trials)
            assert rate == pytest.approx(value[int(which) - 1], abs=0.06)
