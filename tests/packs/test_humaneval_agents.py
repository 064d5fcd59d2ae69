"""HumanEval, thirteen agents by five runs, ids spelt in two ways: every figure of the pack."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from every import for_every
from packs.product import Archived, Compared, compare, expected, hold, import_table, trap_ids
from packs.repeated import is_sane, of_arm, paired, per_repetition, spread
from shared_data import shared

PACK = "humaneval_agents_5runs"
CHECKS = expected(PACK)
NOT_COVERED: dict[str, str] = {}
PAIRS = [
    tuple(name.removeprefix("compare ").split(" -> "))
    for name in CHECKS
    if name.startswith("compare ")
]
ARMS = [name.removeprefix("per_run ") for name in CHECKS if name.startswith("per_run ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("humaneval")
    for name in ("runs.jsonl", "run_heads.json"):
        shutil.copy(shared("data", PACK, name), made)
    return made


@pytest.fixture(scope="module")
def runs(folder: Path) -> Archived:
    return import_table(
        folder / "runs.jsonl",
        folder / "made",
        unit={"column": "task_id", "match": r"HumanEval[/_](\d+)"},
        arm="system",
        repetition="run",
        outcome={"column": "is_solved", "words": {"null": 0}},
        headline={
            "file": "run_heads.json",
            "arm": ["strategy", "model"],
            "repetition": "run",
            "metrics": {"accuracy": "accuracy", "total_cost": "total_cost"},
        },
    )


@pytest.fixture(scope="module")
def every(runs: Archived, folder: Path) -> Compared:
    return compare(folder / "every", runs.path, "--baseline", "simple/gpt-4-0613")


@pytest.fixture(scope="module")
def pairs(runs: Archived, folder: Path) -> dict[tuple[str, ...], Compared]:
    return {
        pair: compare(folder / f"pair{i}", *(f"{runs.path}::{side}" for side in pair))
        for i, pair in enumerate(PAIRS)
    }


@pytest.fixture(scope="module")
def answers(
    runs: Archived, every: Compared, pairs: dict[tuple[str, ...], Compared]
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ARMS:
        per_run = per_repetition(every, name)
        costs = [
            check["headline"]["value"]
            for check in every.estimates["headlines"]
            if check["headline"].get("arm") == name and "total_cost" in check["headline"]["metric"]
        ]
        figures = of_arm(runs, every, name) | {
            "per_run": per_run,
            "run_sd": spread(per_run),
            "cost_per_run": costs,
        }
        found |= {f"{key} {name}": value for key, value in figures.items()}
    for pair in PAIRS:
        found[f"compare {' -> '.join(pair)}"] = paired(runs, pairs[pair], *pair)
    return found


@for_every("check", sorted(CHECKS.keys() - NOT_COVERED.keys()))
def test_check(check: str, answers: dict[str, Any]) -> None:
    hold(CHECKS[check], answers[check])


@for_every("pair", PAIRS)
def test_what_compare_prints_is_sane(
    pair: tuple[str, ...], pairs: dict[tuple[str, ...], Compared]
) -> None:
    is_sane(pairs[pair], CHECKS[f"compare {' -> '.join(pair)}"]["value"])


def test_declared_costs_are_told_as_not_checked(every: Compared) -> None:
    costs = [
        check for check in every.estimates["headlines"] if "cost" in check["headline"]["metric"]
    ]
    assert len(costs) == 5 * len(ARMS)
    assert {check["follows"] for check in costs} == {None}, "the rows hold no money"
    assert all(arm["cost_usd"] is None for arm in every.estimates["arms"])


def test_a_family_of_twelve_is_no_twelve_single_comparisons(
    every: Compared, pairs: dict[tuple[str, ...], Compared]
) -> None:
    new = "simple_incr_temp/gpt-4-0613-5step"
    alone = pairs["simple/gpt-4-0613", new].comparison()["interval"]
    among = every.comparison(arm=new)
    assert among["family_size"] == 12
    assert among["interval"]["lo"] < alone["lo"]
    assert among["interval_single"]["lo"] == alone["lo"]


def test_complex_agents_are_not_shown_to_beat_simple_repeats(
    pairs: dict[tuple[str, ...], Compared],
) -> None:
    warm = "simple_incr_temp/gpt-4-0613-5step"
    for other in ("ldb/gpt-4-0613+reflexion", "ldb/gpt-4-0613+gpt-4-0613"):
        assert pairs[warm, other].verdict()["word"] in ("equivalent", "cannot tell")


def test_traps(pairs: dict[tuple[str, ...], Compared], tmp_path: Path, folder: Path) -> None:
    assert trap_ids(PACK) == {"join_keys", "file_order"}
    joined = pairs["simple/gpt-4-0613", "reflexion/gpt-4-0613"]
    sets = joined.estimates["unit_sets"][0]
    assert (sets["n_shared"], sets["n_only_base"], sets["n_only_new"]) == (164, 0, 0)
    naive = import_table(
        folder / "runs.jsonl",
        tmp_path / "naive",
        unit="task_id",
        arm="system",
        repetition="run",
        outcome="is_solved",
    )
    sides = (f"{naive.path}::{side}" for side in ("simple/gpt-4-0613", "reflexion/gpt-4-0613"))
    told = compare(tmp_path / "out", *sides)
    assert told.comparison()["pairing"] == "unpaired", "ids that differ are never paired by place"
    notice = told.notice("unit_sets_differ")["message"]
    assert "3 in both: too few to speak for either" in notice
    assert "ids spelt in two ways" in notice
    assert "161 only in simple/gpt-4-0613, 161 only in reflexion/gpt-4-0613" in told.told.out
