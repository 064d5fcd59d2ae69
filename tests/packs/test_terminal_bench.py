"""Terminal-Bench, one agent with three models, 80 tasks by five runs: every figure of the pack."""

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from every import for_every
from packs.product import Archived, Compared, compare, expected, hold, import_table, trap_ids
from packs.repeated import is_sane, of_arm, paired, per_repetition, spread
from shared_data import shared

PACK = "terminal_bench_droid_5runs"
CHECKS = expected(PACK)
NOT_COVERED: dict[str, str] = {}
ARMS = ("droid_claude-4-1-opus", "droid_claude-4-sonnet", "droid_gpt-5")
PAIRS = [
    tuple(name.removeprefix("compare ").split(" -> "))
    for name in CHECKS
    if name.startswith("compare ")
]
COLUMNS = {
    "unit": "task_id",
    "arm": "system",
    "repetition": "run",
    "duration_s": "agent_seconds",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "zero_means_missing": ["input_tokens", "output_tokens"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("terminal")
    for name in ("runs.jsonl", "run_heads.json"):
        shutil.copy(shared("data", PACK, name), made)
    return made


@pytest.fixture(scope="module")
def apart(folder: Path) -> Archived:
    """The honest reading: no verdict is no outcome, and how each run ended is kept."""
    return import_table(
        folder / "runs.jsonl",
        folder / "apart",
        **COLUMNS,
        outcome="is_resolved",
        status="failure_mode",
    )


@pytest.fixture(scope="module")
def as_failed(folder: Path) -> Archived:
    """The benchmark's own reading, said in the mapping: no verdict counts as not resolved."""
    return import_table(
        folder / "runs.jsonl",
        folder / "as_failed",
        **COLUMNS,
        outcome={"column": "is_resolved", "words": {"null": 0}},
        labels=["run"],
        headline={
            "file": "run_heads.json",
            "arm": "system",
            "repetition": "run",
            "metrics": {"accuracy": "accuracy"},
        },
    )


@pytest.fixture(scope="module")
def pairs(as_failed: Archived, folder: Path) -> dict[tuple[str, ...], Compared]:
    return {
        pair: compare(folder / f"pair{i}", *(f"{as_failed.path}::{side}" for side in pair))
        for i, pair in enumerate(PAIRS)
    }


@pytest.fixture(scope="module")
def honest(apart: Archived, folder: Path) -> Compared:
    return compare(folder / "honest", apart.path, "--baseline", "droid_claude-4-sonnet")


@pytest.fixture(scope="module")
def answers(
    apart: Archived,
    as_failed: Archived,
    honest: Compared,
    pairs: dict[tuple[str, ...], Compared],
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ARMS:
        some = next(made for pair, made in pairs.items() if name in pair)
        per_run = per_repetition(some, name)
        one, lacking = honest.arm(name), _lacking(apart, name)
        figures = of_arm(as_failed, some, name) | {
            "per_run": per_run,
            "sd_over_runs": spread(per_run),
            "ungraded": one["missing"]["planned"] - one["missing"]["evaluable"],
            "ungraded_per_run": lacking,
            "completion_per_run": [1 - n / one["n_units"] for n in lacking],
            "mean_graded_only": apart.one(
                f"SELECT avg(\"value:outcome\") FROM trials WHERE arm = '{name}'"
            ),
            "resolved_after_timeout": apart.one(
                f"SELECT count(*) FROM trials WHERE arm = '{name}' "
                "AND \"value:outcome\" = 1 AND ending <> 'completed'"
            ),
            "failure_modes": _modes(apart, name),
        }
        found |= {f"{key} {name}": value for key, value in figures.items()}
    for base, new in PAIRS:
        made = pairs[base, new]
        found[f"compare {base} -> {new}"] = paired(as_failed, made, base, new)
    return found


def _lacking(apart: Archived, arm: str) -> list[int]:
    return [
        int(n)
        for n in apart.column(
            'SELECT count(*) - count("value:outcome") FROM trials '
            f"WHERE arm = '{arm}' GROUP BY repetition ORDER BY repetition"
        )
    ]


def _modes(apart: Archived, arm: str) -> dict[str, int]:
    words = apart.column(f"SELECT detail FROM trials WHERE arm = '{arm}'")
    return dict(Counter(word or "unset" for word in words))


@for_every("check", sorted(CHECKS.keys() - NOT_COVERED.keys()))
def test_check(check: str, answers: dict[str, Any]) -> None:
    hold(CHECKS[check], answers[check])


@pytest.mark.parametrize("pair", PAIRS)
def test_what_compare_prints_is_sane(
    pair: tuple[str, ...], pairs: dict[tuple[str, ...], Compared]
) -> None:
    is_sane(pairs[pair], CHECKS[f"compare {' -> '.join(pair)}"]["value"])


def test_both_readings_of_a_missing_verdict_are_there(honest: Compared) -> None:
    for name in ARMS:
        one = honest.arm(name)
        assert one["missing"]["mean_as_failure"] == pytest.approx(
            CHECKS[f"mean {name}"]["value"], abs=5e-4
        )
        assert one["mean"] > one["missing"]["mean_as_failure"]
        assert one["missing"]["worst_lo"] <= one["mean"] <= one["missing"]["worst_hi"]
        assert sum(one["missing"]["reasons"].values()) == CHECKS[f"ungraded {name}"]["value"]
        assert (one["tokens"], one["n_tokens_missing"]) == (None, 400), "0 is not recorded"
    assert "missing in" in honest.told.out


def test_both_estimands_are_told_where_there_are_repetitions(
    pairs: dict[tuple[str, ...], Compared],
) -> None:
    for made in pairs.values():
        one = made.comparison()
        fixed, like_these = one["fixed_interval"], one["interval"]
        assert fixed["hi"] - fixed["lo"] < like_these["hi"] - like_these["lo"]


def test_traps(pairs: dict[tuple[str, ...], Compared], apart: Archived) -> None:
    assert trap_ids(PACK) == {"sd_of_runs_as_error", "timeout_equals_fail"}
    for (_, name), made in pairs.items():
        too_small = CHECKS[f"sd_over_runs {name}"]["value"] / 5**0.5
        assert made.arm(name)["se"] > 2 * too_small
    passed = "SELECT count(*) FROM trials WHERE ending = 'budget' AND \"value:outcome\" = 1"
    assert apart.one(passed) == 37 + 24 + 15, "a run may hit its time limit and still pass"
