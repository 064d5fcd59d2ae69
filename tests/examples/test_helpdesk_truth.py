"""The planted truth is in the rows of real drives, and nothing else is."""

import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from equipoise.examples.helpdesk.drive import workload
from equipoise.examples.helpdesk.drive.truth import true_effects
from equipoise.examples.helpdesk.service import hops
from examples.helpdesk_runs import Row, answered, driven, without

CASES = {case.unit: case for case in workload.build(7, 900)}
README = Path(__file__).parents[2] / "examples" / "helpdesk" / "README.md"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    return {release: tmp_path_factory.mktemp(f"release-{release}") for release in (1, 2)}


@pytest.fixture(scope="module")
def releases(folders: dict[int, Path]) -> dict[int, list[Row]]:
    return {release: driven(out, release) for release, out in folders.items()}


def test_outside_the_planted_units_both_releases_do_the_same(
    releases: dict[int, list[Row]],
) -> None:
    one, two = answered(releases[1]), answered(releases[2])
    both = [key for key in one if key in two and CASES[key[0]].planted is None]
    assert len(both) > 1_600
    where = ("arm", "duration_ms", "log", "log_line", "line", "trace", "attempt", "quote")
    for key in both:
        assert without([one[key]], *where) == without([two[key]], *where)


def test_planted_units_fail_in_the_release_that_was_meant_to_fail(
    releases: dict[int, list[Row]],
) -> None:
    one, two = answered(releases[1]), answered(releases[2])
    seen = Counter[tuple[str, bool, bool]]()
    for key in one.keys() & two.keys():
        planted = CASES[key[0]].planted
        if planted is not None:
            wrong = [
                "tool_call_wrong_arg" in {f["category"] for f in rows[key]["findings"]}
                for rows in (one, two)
            ]
            seen[planted, wrong[0], wrong[1]] += 1
    assert seen["regression", False, True] >= 65
    assert seen["improvement", True, False] >= 72
    undone = [key for key, n in seen.items() if n and key[1] == key[2]]
    assert all(not wrong for _, wrong, _ in undone), "a planted unit is never wrong in both"
    assert sum(seen[key] for key in undone) <= 6, "only what the router misread"


def test_the_store_shows_that_too_much_was_paid_back(folders: dict[int, Path]) -> None:
    planted = [case for case in CASES.values() if case.planted == "regression"]
    paid = {}
    for release, out in folders.items():
        with sqlite3.connect(out / "state" / "helpdesk.sqlite") as link:
            rows = link.execute(
                "SELECT conversation, amount_cents FROM actions WHERE tool = 'pay_back'"
            )
            paid[release] = dict(rows.fetchall())
        link.close()
    right = [c for c in planted if f"{c.unit}/r1" in paid[1] and f"{c.unit}/r1" in paid[2]]
    assert len(right) >= 33
    for case in right:
        order = next(o for o in case.customer.orders if o.id == case.expected.subject)
        assert paid[1][f"{case.unit}/r1"] == case.expected.amount_cents
        assert paid[2][f"{case.unit}/r1"] == order.total_cents != case.expected.amount_cents


def test_the_documented_truth_is_what_the_rows_show(releases: dict[int, list[Row]]) -> None:
    one, two = answered(releases[1]), answered(releases[2])
    for truth in true_effects(list(CASES.values()), seed=7):
        cell = (truth.intent, truth.language, truth.channel)
        differences = [
            two[key]["loss"] - row["loss"]
            for key, row in one.items()
            if key in two and (row["intent"], row["language"], row["channel"]) == cell
        ]
        assert truth.units == 20
        assert len(differences) >= 37
        seen = sum(differences) / len(differences)
        if truth.planted:
            assert seen == pytest.approx(truth.loss_effect, abs=0.03)
            assert abs(truth.loss_effect) > 0.3
        else:
            assert seen == truth.loss_effect == 0.0


def test_the_readme_states_the_truth_that_the_program_tells() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "equipoise.examples.helpdesk", "truth"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(README.parents[2] / "src")},
    ).stdout.splitlines()
    cells = [line.split("\t") for line in told]
    table = README.read_text(encoding="utf-8").split("truth -->")[1]
    for cell in cells:
        line = f"| {' | '.join(cell)} |\n"
        assert (line in table) == (cell[4] != "0"), line
    assert len(cells) == 46


@pytest.mark.requirement("E2E-27")
def test_some_units_are_flaky_and_a_base_rate_of_errors_is_there(
    releases: dict[int, list[Row]],
) -> None:
    trials = answered(releases[1])
    units = {unit for unit, _ in trials}
    flaky = [
        unit
        for unit in units
        if {(unit, 1), (unit, 2)} <= trials.keys()
        and trials[unit, 1]["loss"] != trials[unit, 2]["loss"]
    ]
    assert 45 <= len(flaky) <= 135
    categories = Counter(f["category"] for row in trials.values() for f in row["findings"])
    assert min(categories.values()) >= 10
    assert len(categories) == 5
    assert 0.10 <= sum(not row["outcome"] for row in trials.values()) / len(trials) <= 0.18


def test_missing_conversations_are_rows_without_a_loss(releases: dict[int, list[Row]]) -> None:
    for rows in releases.values():
        attempts: dict[tuple[str, int], list[Row]] = {}
        for row in rows:
            attempts.setdefault((row["unit"], row["repetition"]), []).append(row)
        assert len(attempts) == 1_800
        lost = 0
        for tried in attempts.values():
            assert [row["attempt"] for row in tried] == list(range(1, len(tried) + 1))
            assert all(row["status"] == "infrastructure_error" for row in tried[:-1])
            assert all(row["loss"] is None and row["outcome"] is None for row in tried[:-1])
            lost += tried[-1]["status"] != "completed"
            assert tried[-1]["status"] == "completed" or len(tried) == 3
        assert 2 <= lost < 18, "some stay missing, below one in a hundred"
        broken = [row for row in rows if row["status"] == "infrastructure_error"]
        assert len(broken) >= 15
        assert all("Remote end closed" in row["fault"] for row in broken)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_message_is_read_in_its_language_and_clear_ones_by_intent(seed: int) -> None:
    cases = workload.build(seed, 900)
    assert all(hops.detect_language(case.text) == case.language for case in cases)
    read = 0
    for case in cases:
        dice = hops.Dice(seed=seed, conversation=case.unit)
        read += next(iter(hops.route(case.text, case.language, dice))) == case.intent
    assert 0.95 <= read / len(cases) <= 0.995


def test_with_dice_of_its_own_each_release_errs_elsewhere_but_as_often(tmp_path: Path) -> None:
    one, two = (
        answered(driven(tmp_path / str(release), release, own_dice=True)) for release in (1, 2)
    )
    keys = [key for key in one.keys() & two.keys() if CASES[key[0]].planted is None]
    differences = [two[key]["loss"] - one[key]["loss"] for key in keys]
    assert sum(difference != 0 for difference in differences) > 50
    assert abs(sum(differences) / len(differences)) < 0.01
