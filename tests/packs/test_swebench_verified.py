"""SWE-bench Verified, nine systems on the same 500 tasks: every figure of the pack."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from every import for_every
from packs.literal import literal_cells
from packs.product import Archived, Compared, calc, compare, expected, hold, import_table, trap_ids
from shared_data import shared

PACK = "swebench_verified_minisweagent"
CHECKS = expected(PACK)
NOT_COVERED: dict[str, str] = {}
PAIRS = {
    name.removeprefix("compare: "): tuple(name.removeprefix("compare: ").split(" -> "))
    for name in CHECKS
    if name.startswith("compare: ")
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Archived:
    folder = tmp_path_factory.mktemp("swebench")
    for name in ("runs.jsonl", "systems.json"):
        shutil.copy(shared("data", PACK, name), folder)
    return import_table(
        folder / "runs.jsonl",
        folder / "made",
        unit="instance_id",
        arm="system",
        outcome="resolved",
        cost_usd="cost",
        labels=["repo"],
        cluster="repo",
        counts=["api_calls"],
        headline={
            "file": "systems.json",
            "arm": "name",
            "metrics": {"rate": "resolved", "total_cost": "cost"},
        },
    )


@pytest.fixture(scope="module")
def against_gpt5(runs: Archived, tmp_path_factory: pytest.TempPathFactory) -> Compared:
    """All nine systems at once, partitioned by repository."""
    baseline = "GPT-5 (2025-08-07) (medium reasoning)"
    folder = tmp_path_factory.mktemp("all")
    return compare(folder / "out", runs.path, "--baseline", baseline, "--partition", "repo")


@pytest.fixture(scope="module")
def pairs(runs: Archived, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Compared]]:
    """Per pair: paired without clusters, with clusters, and the seed's rule without either."""
    folder = tmp_path_factory.mktemp("pairs")
    found = {}
    for i, (name, sides) in enumerate(PAIRS.items()):
        sources = [f"{runs.path}::{side}" for side in sides]
        seed = (
            "--unpair",
            "--no-cluster",
            "--rule",
            "seed",
            "--margin",
            "0.05",
            "--partition",
            "repo",
        )
        found[name] = [
            compare(folder / f"{i}-paired", *sources, "--no-cluster"),
            compare(folder / f"{i}-clustered", *sources),
            compare(folder / f"{i}-seed", *sources, *seed, "--unpair", "--no-cluster"),
        ]
    return found


@pytest.fixture(scope="module")
def answers(
    runs: Archived, against_gpt5: Compared, pairs: dict[str, list[Compared]]
) -> dict[str, Any]:
    some = against_gpt5.arm("GPT-5 mini (2025-08-07) (medium reasoning)")
    found: dict[str, Any] = {
        "n_instances": some["n_units"],
        "n_repos": len(set(against_gpt5.cells())),
    }
    for arm in against_gpt5.estimates["arms"]:
        if not arm["cell"]["label"]:
            name, n = arm["arm"], arm["n_units"]
            limits = calc("interval.wilson", x=round(arm["mean"] * n), n=n)
            found[f"rate {name}"] = 100 * arm["mean"]
            found[f"wilson95 {name}"] = [limits["lo"], limits["hi"]]
            found[f"total_cost {name}"] = arm["cost_usd"]
    for name, (base, new) in PAIRS.items():
        found[f"compare: {name}"] = _paired(runs, pairs[name], base, new) | {"pair": name}
        found[f"partition_cells: {name}"] = literal_cells(pairs[name][2], base, new, "0.05")
    p_values = [found[f"compare: {name}"]["mcnemar_exact_p"] for name in PAIRS]
    found["holm"] = calc("multiplicity.adjust", p=p_values)["holm"]
    return found


def _paired(runs: Archived, made: list[Compared], base: str, new: str) -> dict[str, Any]:
    paired, clustered, unpaired = (one.comparison() for one in made)
    n, worse, better = paired["n_pairs"], paired["n_worse"], paired["n_better"]
    both = round(paired["mean_base"] * n) - worse
    counts = {"n11": both, "n12": worse, "n21": better, "n22": n - both - worse - better}
    rows = runs.sql(
        'SELECT n."value:outcome", b."value:outcome", n.cost_usd, b.cost_usd, n.cluster '
        f"FROM trials n JOIN trials b USING (unit) WHERE n.arm = '{new}' AND b.arm = '{base}' "
        "ORDER BY unit"
    )
    news, bases, cost_new, cost_base, clusters = (
        list(column) for column in zip(*rows, strict=True)
    )
    by_t = calc("delta.paired", new=news, base=bases)
    costs = calc("delta.paired", new=cost_new, base=cost_base)
    differences = [x - y for x, y in zip(news, bases, strict=True)]
    robust = calc("cluster.robust_se", y=differences, cluster=clusters)
    spent = [made[0].arm(name)["cost_usd"] / n for name in (base, new)]
    return {
        "rate_a": paired["mean_base"],
        "rate_b": paired["mean_new"],
        "delta_rate": paired["delta"],
        "a_only": worse,
        "b_only": better,
        "mcnemar_exact_p": calc("test.mcnemar", **counts)["p_exact"],
        "se_paired": paired["se"],
        "ci95_t_paired": [by_t["lo"], by_t["hi"]],
        "se_unpaired": unpaired["se"],
        "se_cluster_by_repo_CR0": robust["se_cr0"],
        "n_clusters": clustered["n_clusters"],
        "mean_cost_a": spent[0],
        "mean_cost_b": spent[1],
        "delta_cost": spent[1] - spent[0],
        "ci95_t_delta_cost": [costs["lo"], costs["hi"]],
    }


@for_every("check", sorted(CHECKS.keys() - NOT_COVERED.keys()))
def test_check(check: str, answers: dict[str, Any]) -> None:
    hold(CHECKS[check], answers[check])


def test_declared_rates_and_costs_follow_from_the_rows(against_gpt5: Compared) -> None:
    headlines = against_gpt5.estimates["headlines"]
    assert len(headlines) == 18
    assert {check["follows"] for check in headlines} == {True}
    assert all("declared" not in line for line in against_gpt5.told.out.splitlines())


def test_printed_intervals_are_near_the_t_intervals_and_no_narrower(
    pairs: dict[str, list[Compared]], answers: dict[str, Any]
) -> None:
    for name, made in pairs.items():
        printed = made[0].comparison()["interval"]
        lo, hi = answers[f"compare: {name}"]["ci95_t_paired"]
        assert printed["lo"] == pytest.approx(lo, abs=0.006)
        assert printed["hi"] == pytest.approx(hi, abs=0.006)
        assert printed["hi"] - printed["lo"] >= (hi - lo) * 0.98


def test_verdicts_of_the_pack(pairs: dict[str, list[Compared]]) -> None:
    words = {name: made[0].verdict()["word"] for name, made in pairs.items()}
    names = list(PAIRS)
    assert words[names[0]] in ("cannot tell", "equivalent"), "330 against 330"
    assert words[names[1]] == "worse", "GPT-5 to mini: 325 to 299"
    assert words[names[5]] == "worse", "mini to nano"
    assert words[names[2]] == "equivalent", "with the default band of 0.05; see the next test"


def test_equal_rates_are_no_equivalence_within_a_band_too_narrow(
    runs: Archived, tmp_path: Path
) -> None:
    sources = [f"{runs.path}::{side}" for side in next(iter(PAIRS.values()))]
    narrow = compare(tmp_path / "o", *sources, "--no-cluster", "--equivalence", "0.02")
    verdict = narrow.verdict()
    assert verdict["word"] == "cannot tell"
    assert verdict["needed"]
    assert narrow.resource("cost")["not_comparable"], "cost is compared only where outcome allows"


def test_half_the_cost_where_the_outcome_is_equivalent(pairs: dict[str, list[Compared]]) -> None:
    name = next(iter(PAIRS))
    made = pairs[name][0]
    assert made.verdict()["word"] == "equivalent"
    cost = made.resource("cost")
    assert cost["not_comparable"] == ""
    assert cost["ratio"] == pytest.approx(0.52, abs=0.005)
    assert cost["ratio_interval"]["hi"] < 0.65
    assert cost["delta"] == pytest.approx(
        CHECKS[f"compare: {name}"]["value"]["delta_cost"], abs=1e-4
    )
    tokens = made.resource("tokens")
    assert (tokens["total_new"], tokens["n_missing_new"]) == (None, 500)


def test_traps(pairs: dict[str, list[Compared]]) -> None:
    assert trap_ids(PACK) == {"unpaired_se", "tiny_partitions"}
    for made in pairs.values():
        paired, seed = made[0].comparison(), made[2]
        assert paired["pairing"] == "paired"
        assert paired["se"] < 0.8 * seed.comparison()["se"]
        flask, seaborn = seed.comparison("pallets/flask"), seed.comparison("mwaskom/seaborn")
        assert flask["interval"] is None
        assert "one unit" in flask["not_estimable"]
        assert seed.verdict("pallets/flask")["word"] == "cannot tell"
        assert seaborn["se"] is None or seaborn["se"] > 0
        assert seaborn["interval"]["hi"] - seaborn["interval"]["lo"] > 0.5
        listed = [v["comparison"] for v in seed.verdicts if v["is_listed"]]
        assert not {flask["id"], seaborn["id"]} & set(listed)


def test_clusters_are_said_and_no_interval_is_without_width(
    pairs: dict[str, list[Compared]],
) -> None:
    for made in pairs.values():
        clustered = made[1].comparison()
        assert clustered["pairing"] == "clustered"
        assert clustered["n_clusters"] == 12
        assert "12 clusters" in made[1].told.out


def test_cells_that_are_the_clusters_are_compared_as_they_stand(
    runs: Archived, tmp_path: Path
) -> None:
    sides = (f"{runs.path}::{side}" for side in PAIRS[list(PAIRS)[5]])
    made = compare(tmp_path / "out", *sides, "--partition", "repo")
    assert made.comparison()["pairing"] == "clustered"
    django = made.comparison("django/django")
    assert (django["pairing"], django["n_clusters"]) == ("paired", None)
    assert made.verdict("django/django")["word"] == "worse"
    assert " %" in made.verdict("django/django")["why"]
    assert "0%" not in made.verdict("django/django")["why"]
