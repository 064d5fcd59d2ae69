"""Aider's polyglot leaderboard, counts without rows: every figure of the pack."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from every import for_every
from packs.product import Archived, Compared, calc, compare, expected, hold, import_table, trap_ids
from shared_data import shared

PACK = "aider_polyglot_aggregates"
CHECKS = expected(PACK)
NOT_COVERED: dict[str, str] = {}
FILE = "polyglot_leaderboard.yml"
TOP = "2025-08-23-15-47-21--gpt-5-high"


def imported(folder: Path, which: str) -> Archived:
    return import_table(
        shared("data", PACK, FILE),
        folder,
        arm="dirname",
        model="model",
        aggregate={
            "passed": f"pass_num_{which}",
            "total": "test_cases",
            "rate": f"pass_rate_{which}",
        },
        cost_usd="total_cost",
        zero_means_missing=["cost_usd"],
        labels={"edit_format": "edit_format", "effort": "reasoning_effort"},
        versions={"aider": "versions"},
    )


@pytest.fixture(scope="module")
def tries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Archived]:
    folder = tmp_path_factory.mktemp("aider")
    return {which: imported(folder / which, which) for which in ("1", "2")}


@pytest.fixture(scope="module")
def every(
    tries: dict[str, Archived], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Compared]:
    folder = tmp_path_factory.mktemp("aider-compared")
    return {
        which: compare(folder / which, archived.path, "--baseline", TOP)
        for which, archived in tries.items()
    }


@pytest.fixture(scope="module")
def neighbours(
    tries: dict[str, Archived], tmp_path_factory: pytest.TempPathFactory
) -> list[Compared]:
    folder = tmp_path_factory.mktemp("neighbours")
    return [
        compare(folder / str(i), *(f"{tries['2'].path}::{pair[side]}" for side in ("a", "b")))
        for i, pair in enumerate(CHECKS["neighbours"]["value"])
    ]


@pytest.fixture(scope="module")
def answers(
    tries: dict[str, Archived], every: dict[str, Compared], neighbours: list[Compared]
) -> dict[str, Any]:
    arms = {
        which: {arm["arm"]: arm for arm in made.estimates["arms"]} for which, made in every.items()
    }
    sizes = [str(arm["n_units"]) for arm in arms["2"].values()]
    headlines = every["2"].estimates["headlines"]
    costs = [h["headline"] for h in headlines if h["headline"]["metric"] == "total_cost"]
    declared = [h["headline"]["arm"] for h in headlines if h["headline"]["metric"] == "mean"]
    found: dict[str, Any] = {
        "n_entries": len(arms["2"]),
        "test_cases": {size: sizes.count(size) for size in set(sizes)},
        "rate_vs_counts": _not_following(every, tries["2"]),
        "without_counts": sorted(set(declared) - set(arms["2"])),
        "cost_zero": sum(cost["value"] is None for cost in costs),
        "neighbours": [_neighbour(made) for made in neighbours],
        "repeated_models": _repeated(tries["2"]),
    }
    for name in CHECKS:
        if name.startswith("wilson "):
            arm = name.removeprefix("wilson ")
            second, n = arms["2"][arm]["mean"], arms["2"][arm]["n_units"]
            limits = calc("interval.wilson", x=round(second * n), n=n)
            found[name] = [
                100 * arms["1"][arm]["mean"],
                100 * second,
                [100 * limits["lo"], 100 * limits["hi"]],
            ]
    return found


def _not_following(every: dict[str, Compared], second: Archived) -> list[dict[str, Any]]:
    """Rates that do not follow from their counts, by the notices the product gives on import."""
    told = [
        notice["message"].split("'")[1]
        for which in ("1", "2")
        for notice in every[which].estimates["notices"]
        if notice["code"] == "headline_does_not_follow"
    ]
    rows = yaml.safe_load(shared("data", PACK, FILE).read_text(encoding="utf-8"))
    totals = {row["dirname"]: row["total_tests"] for row in rows}
    arms = {arm["arm"]: arm for arm in every["2"].estimates["arms"]}
    declared = {
        h["headline"]["arm"]: h["headline"]["value"]
        for h in every["2"].estimates["headlines"]
        if h["headline"]["metric"] == "mean"
    }
    assert second.summary["n_notices"]
    return [
        {
            "dirname": name,
            "field": "pass_rate_2",
            "declared": 100 * declared[name],
            "from_counts": round(100 * arms[name]["mean"], 2),
            "n": arms[name]["n_units"],
            "total_tests": totals[name],
        }
        for name in sorted(told)
    ]


def _neighbour(made: Compared) -> dict[str, Any]:
    one = made.comparison()
    assert one["pairing"] == "unpaired"
    n = one["n_units_new"]
    half = 1.959964 * one["se"] * ((n - 1) / n) ** 0.5  # the pack divides by n, not by n - 1
    return {
        "a": one["baseline"],
        "b": one["arm"],
        "delta": one["delta"],
        "se": one["se"],
        "ci95": [one["delta"] - half, one["delta"] + half],
    }


def _repeated(second: Archived) -> dict[str, Any]:
    rows = second.sql(
        'SELECT model, arm, 100 * avg("value:outcome"), any_value(versions), '
        'any_value("label:edit_format"), any_value("label:effort") FROM trials '
        "GROUP BY model, arm QUALIFY count(*) OVER (PARTITION BY model) > 1 ORDER BY model, arm"
    )
    found: dict[str, Any] = {}
    for model, arm, rate, versions, edit_format, effort in rows:
        entry = {
            "dirname": arm,
            "rate2": round(rate, 1),
            "versions": yaml.safe_load(versions)["aider"],
            "edit_format": edit_format,
            "effort": effort,
        }
        found.setdefault(model, []).append(entry)
    return found


@for_every("check", sorted(CHECKS.keys() - NOT_COVERED.keys()))
def test_check(check: str, answers: dict[str, Any]) -> None:
    hold(CHECKS[check], answers[check])


def test_neighbours_are_not_told_apart(neighbours: list[Compared]) -> None:
    for made, wanted in zip(neighbours, CHECKS["neighbours"]["value"], strict=True):
        one = made.comparison()
        assert made.verdict()["word"] == "cannot tell"
        assert one["interval"]["lo"] == pytest.approx(wanted["ci95"][0], abs=0.006)
        assert one["interval"]["hi"] == pytest.approx(wanted["ci95"][1], abs=0.006)
        assert "unpaired" in made.told.out


def test_pairing_that_cannot_be_is_refused(tries: dict[str, Archived], tmp_path: Path) -> None:
    pair = CHECKS["neighbours"]["value"][0]
    sides = (f"{tries['2'].path}::{pair[side]}" for side in ("a", "b"))
    made = compare(tmp_path / "out", *sides, "--pair")
    assert made.verdict()["word"] == "not evaluable"
    assert made.comparison()["interval"] is None
    assert made.told.code == 5


def test_traps(every: dict[str, Compared]) -> None:
    assert trap_ids(PACK) == {"cost_zero", "rank_without_interval"}
    assert all(arm["cost_usd"] is None for arm in every["2"].estimates["arms"])
    assert all(arm["interval"] is not None for arm in every["2"].estimates["arms"])
    near = every["2"].comparison(arm="2025-08-25-13-23-27--gpt-5-medium")
    assert near["interval"]["lo"] < 0 < near["interval"]["hi"]
    assert "unpaired" in every["2"].notice("counts_only")["message"]


def test_versions_that_differ_are_told(every: dict[str, Compared]) -> None:
    notices = every["2"].estimates["notices"]
    told = [n["message"] for n in notices if n["code"] == "versions_differ"]
    assert len(told) > 50
    assert all("versions differ: aider " in line for line in told)
