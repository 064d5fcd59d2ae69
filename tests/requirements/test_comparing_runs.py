"""What the requirements ask of a comparison, seen from outside: files in, files and codes out."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pipeline.made_comparison import made, run, write_runs


def _rows(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _read(out: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    estimates: dict[str, Any] = json.loads(out.joinpath("estimates.json").read_bytes())
    verdicts: list[dict[str, Any]] = json.loads(out.joinpath("verdicts.json").read_bytes())
    return estimates, verdicts


@pytest.mark.requirement("E2E-10")
def test_a_unit_without_a_declared_label_is_refused_with_its_id(tmp_path: Path) -> None:
    rows = [{"id": f"u{i}", "passed": True, "intent": "refund"} for i in range(9)]
    base = _rows(tmp_path / "base.jsonl", [*rows, {"id": "u9", "passed": True}])
    new = _rows(tmp_path / "new.jsonl", [*rows, {"id": "u9", "passed": True}])
    code, _, err = run("compare", base, new, "--partition", "intent", "-o", tmp_path / "o")
    assert code == 2
    assert "'u9'" in err
    assert "intent" in err


@pytest.mark.requirement("E2E-37")
def test_every_mean_has_the_standard_error_of_its_units(tmp_path: Path) -> None:
    estimates, _ = _read(made(tmp_path))
    seen = [arm for arm in estimates["arms"] if arm["se"] is not None]
    assert seen
    for arm in seen:
        wanted = arm["stddev_between"] / math.sqrt(arm["n_units"])
        assert math.isclose(arm["se"], wanted, rel_tol=1e-12)


@pytest.mark.requirement("E2E-41")
def test_without_a_baseline_nothing_is_compared(tmp_path: Path) -> None:
    alone = write_runs(tmp_path / "base.jsonl", {f"u{i}": True for i in range(9)})
    code, _, err = run("compare", alone, "-o", tmp_path / "o")
    assert code == 2
    assert err.count("\n") == 1
    assert not tmp_path.joinpath("o", "comparison.json").exists()


@pytest.mark.requirement("E2E-48")
def test_two_equal_suites_list_nothing_and_end_well(tmp_path: Path) -> None:
    passes = {f"u{i}": i % 3 > 0 for i in range(90)}
    base = write_runs(tmp_path / "base.jsonl", passes)
    new = write_runs(tmp_path / "new.jsonl", passes)
    out = tmp_path / "o"
    code, _, _ = run("compare", base, new, "--partition", "topic", "--rule", "seed", "-o", out)
    _, verdicts = _read(out)
    assert code == 0
    assert not any(verdict["is_listed"] for verdict in verdicts)
    assert "No demonstrable regression" in out.joinpath("report", "report.md").read_text("utf-8")


def _lacking(n_errors: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"id": f"u{i:03}", "passed": i % 2 == 0} for i in range(100)]
    for row in rows[:n_errors]:
        row |= {"passed": None, "status": "infrastructure_error"}
    return rows


@pytest.mark.requirement("E2E-40")
@pytest.mark.requirement("X-E17")
@pytest.mark.parametrize(("n_errors", "code"), [(10, 0), (11, 5)])
def test_exactly_a_tenth_may_be_missing(tmp_path: Path, n_errors: int, code: int) -> None:
    base = _rows(tmp_path / "base.jsonl", _lacking(0))
    new = _rows(tmp_path / "new.jsonl", _lacking(n_errors))
    found, out, _ = run("compare", base, new, "-o", tmp_path / "o")
    assert found == code
    assert ("NOT EVALUABLE" in out) == (code == 5)
    assert f"{n_errors} infrastructure_error" in out


@pytest.mark.requirement("X-E14")
@pytest.mark.requirement("A13")
def test_the_same_units_are_compared_as_pairs(tmp_path: Path) -> None:
    base = write_runs(tmp_path / "base.jsonl", {f"u{i:03}": i < 50 for i in range(100)})
    new = write_runs(tmp_path / "new.jsonl", {f"u{i:03}": i < 60 for i in range(100)})
    paired, _ = _read_compared(base, new, tmp_path / "paired")
    unpaired, _ = _read_compared(base, new, tmp_path / "unpaired", "--unpair")
    one, other = paired["comparisons"][0], unpaired["comparisons"][0]
    assert one["pairing"] == "paired"
    assert one["p_values"][0]["p"] == pytest.approx(2 * 0.5**10)
    assert one["interval"]["lo"] > 0 > other["interval"]["lo"]


def _read_compared(
    base: Path, new: Path, out: Path, *options: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    code, _, err = run("compare", base, new, "-o", out, *options)
    assert code in {0, 1, 5}, err
    return _read(out)


@pytest.mark.requirement("X-E15")
@pytest.mark.requirement("X-C5")
def test_the_family_is_what_was_planned_and_stands_beside_each_verdict(tmp_path: Path) -> None:
    out = made(tmp_path, "--family-size", "40", "--rule", "seed")
    estimates, verdicts = _read(out)
    cells = [
        (one, verdict)
        for one, verdict in zip(estimates["comparisons"], verdicts, strict=True)
        if one["family"] == "cells"
    ]
    assert cells
    for one, verdict in cells:
        assert one["family_size"] == 40
        assert one["critical_z"] == pytest.approx(2 + math.log(40) / 2)
        assert "k = 40" in verdict["rule"]


@pytest.mark.requirement("X-E18")
@pytest.mark.requirement("I-17")
def test_improvements_are_listed_beside_regressions(tmp_path: Path) -> None:
    base = write_runs(tmp_path / "base.jsonl", {f"u{i:03}": i % 4 < 2 for i in range(400)})
    new = write_runs(tmp_path / "new.jsonl", {f"u{i:03}": i % 2 == 0 for i in range(400)})
    estimates, verdicts = _read_compared(base, new, tmp_path / "o", "--partition", "topic")
    listed = {
        one["cell"]["value"]: verdict["word"]
        for one, verdict in zip(estimates["comparisons"], verdicts, strict=True)
        if verdict["is_listed"]
    }
    assert listed == {"a": "better", "b": "worse"}


@pytest.mark.requirement("X-E22")
@pytest.mark.requirement("I-13")
def test_a_flaky_unit_counts_once_and_is_listed_with_its_rate(tmp_path: Path) -> None:
    rows = [
        {"id": f"u{i}", "rep": rep, "passed": i > 0 or rep in {1, 4}}
        for i in range(8)
        for rep in range(1, 6)
    ]
    base = _rows(tmp_path / "base.jsonl", rows)
    new = _rows(tmp_path / "new.jsonl", [row | {"passed": True} for row in rows])
    estimates, _ = _read_compared(base, new, tmp_path / "o")
    flaky = [(one["arm"], one["unit"], one["rate"]) for one in estimates["flaky"]]
    assert flaky == [("base", "u0", pytest.approx(0.4))]
    arm = next(arm for arm in estimates["arms"] if arm["arm"] == "base")
    assert (arm["n_units"], arm["n_trials"]) == (8, 40)
    assert arm["mean"] == pytest.approx(7.4 / 8)


@pytest.mark.requirement("X-C3")
def test_what_is_not_used_is_kept_with_its_reason(tmp_path: Path) -> None:
    base = _rows(tmp_path / "base.jsonl", _lacking(0))
    new = _rows(tmp_path / "new.jsonl", _lacking(7))
    estimates, _ = _read_compared(base, new, tmp_path / "o")
    arm = next(arm for arm in estimates["arms"] if arm["arm"] == "new")
    assert arm["missing"]["reasons"] == {"infrastructure_error": 7}
    kept = [
        line
        for path in tmp_path.glob("o/archives/*/trials.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ]
    assert len(kept) == 200


@pytest.mark.requirement("X-C4")
def test_a_loss_that_falls_is_better(tmp_path: Path) -> None:
    base = _rows(tmp_path / "b.jsonl", ({"id": f"u{i}", "loss": 0.4} for i in range(50)))
    new = _rows(tmp_path / "n.jsonl", ({"id": f"u{i}", "loss": 0.1} for i in range(50)))
    estimates, verdicts = _read_compared(base, new, tmp_path / "o")
    assert verdicts[0]["word"] == "better"
    assert estimates["comparisons"][0]["delta"] == pytest.approx(-0.3)
    assert estimates["comparisons"][0]["gain"] == pytest.approx(0.3)


@pytest.mark.requirement("X-C6")
@pytest.mark.requirement("I-03")
def test_too_few_units_say_so_and_what_would_tell(tmp_path: Path) -> None:
    base = write_runs(tmp_path / "base.jsonl", {f"u{i}": i % 2 == 0 for i in range(20)})
    new = write_runs(tmp_path / "new.jsonl", {f"u{i}": i % 2 == 0 or i == 1 for i in range(20)})
    _, verdicts = _read_compared(base, new, tmp_path / "o")
    assert verdicts[0]["word"] == "cannot tell"
    assert "underpowered" in verdicts[0]["tags"]
    assert "more units" in verdicts[0]["needed"]


@pytest.mark.requirement("X-C10")
def test_units_that_share_something_count_by_what_they_share(tmp_path: Path) -> None:
    rows = [
        {"id": f"u{i:03}", "book": f"b{i // 10}", "passed": (i // 10) % 2 == 0} for i in range(200)
    ]
    new = _rows(
        tmp_path / "new.jsonl",
        [row | {"passed": row["passed"] or i // 10 in {1, 5, 9}} for i, row in enumerate(rows)],
    )
    base = _rows(tmp_path / "base.jsonl", rows)
    alone, _ = _read_compared(base, new, tmp_path / "alone")
    shared, _ = _read_compared(base, new, tmp_path / "shared", "--cluster", "book")
    one, other = alone["comparisons"][0], shared["comparisons"][0]
    assert other["n_clusters"] == 20
    assert other["interval"]["lo"] < one["interval"]["lo"]


@pytest.mark.requirement("A18")
def test_ids_of_any_script_survive_a_plain_locale(tmp_path: Path) -> None:
    names = ["任务", "задача", "かな", "🙂", "naïve"]
    for arm in ("base", "new"):
        write_runs(tmp_path / f"{arm}.jsonl", dict.fromkeys(names, arm == "new"))
    surroundings = os.environ | {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "ascii"}
    for call in (["compare", "base.jsonl", "new.jsonl", "-o", "o"], ["verify", "o"]):
        paths = [str(tmp_path / part) if part[0] not in "-cv" else part for part in call]
        done = subprocess.run(
            [sys.executable, "-m", "equipoise", *paths],
            env=surroundings,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    page = tmp_path.joinpath("o", "report", "index.html").read_text(encoding="utf-8")
    assert all(name in page for name in names)


@pytest.mark.requirement("A24")
def test_a_filter_that_matches_nothing_gives_no_score(tmp_path: Path) -> None:
    files = [write_runs(tmp_path / f"{arm}.jsonl", {"u1": True, "u2": False}) for arm in "ab"]
    code, out, err = run("compare", *files, "--where", "topic=nowhere", "-o", tmp_path / "o")
    assert (code, out) == (2, "")
    assert "'a', 'b'" in err


@pytest.mark.requirement("A14")
def test_a_spread_that_was_not_seen_is_no_certainty(tmp_path: Path) -> None:
    passes = {f"u{i}": True for i in range(30)}
    files = [write_runs(tmp_path / f"{arm}.jsonl", passes) for arm in ("base", "new")]
    estimates, verdicts = _read_compared(files[0], files[1], tmp_path / "o")
    one = estimates["comparisons"][0]
    assert one["is_degenerate"]
    assert one["se"] is None
    assert one["interval"]["lo"] < 0 < one["interval"]["hi"]
    assert verdicts[0]["word"] == "cannot tell"


@pytest.mark.requirement("A22")
def test_grades_that_could_not_be_read_are_counted_in_each_arm(tmp_path: Path) -> None:
    base = [{"id": f"u{i}", "score": 0.5} for i in range(100)]
    new = [
        row | ({"score": {"error": "no JSON"}} if i % 20 == 0 else {}) for i, row in enumerate(base)
    ]
    files = [_rows(tmp_path / "base.jsonl", base), _rows(tmp_path / "new.jsonl", new)]
    estimates, _ = _read_compared(files[0], files[1], tmp_path / "o")
    lacking = {
        arm["arm"]: arm["missing"]["planned"] - arm["missing"]["evaluable"]
        for arm in estimates["arms"]
    }
    assert lacking == {"base": 0, "new": 5}
    means = [arm["mean"] for arm in estimates["arms"]]
    assert means == [pytest.approx(0.5)] * 2


@pytest.mark.requirement("ABX-42")
def test_a_cheap_arm_that_fails_shows_no_advantage_and_one_as_good_does(tmp_path: Path) -> None:
    def rows(every: int, usd: float) -> list[dict[str, Any]]:
        return [
            {"id": f"u{i}", "passed": i % every > 0, "cost_usd": usd * (1 + i % 3)}
            for i in range(400)
        ]

    base = _rows(tmp_path / "base.jsonl", rows(10, 0.01))
    failing = _rows(tmp_path / "new.jsonl", rows(2, 0.001))
    estimates, verdicts = _read_compared(base, failing, tmp_path / "o")
    cost = next(one for one in estimates["resources"] if one["kind"] == "cost")
    assert verdicts[0]["word"] == "worse"
    assert "worse" in cost["not_comparable"]
    assert [cost[name] for name in ("delta", "ratio", "interval")] == [None] * 3
    page = tmp_path.joinpath("o", "report", "index.html").read_text(encoding="utf-8")
    assert "not compared" in page
    assert "not recorded" not in page.split("What the arms used")[1].split("tokens")[0]
    as_good = _rows(tmp_path / "good.jsonl", rows(10, 0.001))
    code, _, err = run("compare", base, as_good, "--equivalence", "0.05", "-o", tmp_path / "p")
    assert code == 0, err
    cost = next(one for one in _read(tmp_path / "p")[0]["resources"] if one["kind"] == "cost")
    assert cost["not_comparable"] == ""
    assert cost["ratio"] == pytest.approx(0.1)
