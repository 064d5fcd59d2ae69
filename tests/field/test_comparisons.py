"""Field cases of comparisons: pairing, certainty, filters, weights, versions (A10, A13, ...)."""

from pathlib import Path
from typing import Any

import pytest

from field.runs import both, passes, write_rows
from packs.product import Compared, calc, compare, run


def compared(rows: list[dict[str, Any]], folder: Path, *options: object) -> Compared:
    source = write_rows(folder / "runs.jsonl", rows)
    return compare(folder / "out", source, "--baseline", "base", *options)


@pytest.mark.requirement("A10")
def test_a10_what_counts_and_what_is_only_reported_is_said(tmp_path: Path) -> None:
    mapping = tmp_path / "m.yaml"
    mapping.write_text(
        "unit: unit\narm: arm\noutcome: outcome\ncriteria: {actions: actions_done}\n"
    )
    made = compared(both([1] * 12, actions_done=0), tmp_path, "--map", mapping)
    told = made.notice("criteria_not_counted")["message"]
    assert told == "'outcome' alone decides; without weight, reported only: 'actions'"
    assert told in made.told.out
    (actions,) = (c for c in made.estimates["criteria"] if c["arm"] == "new")
    assert (actions["criterion"], actions["mean"]) == ("actions", 0.0)
    by_actions = compare(tmp_path / "o2", tmp_path / "runs.jsonl", "--map", mapping,
                         "--baseline", "base", "--criterion", "actions")  # fmt: skip
    assert by_actions.arm("new")["mean"] == 0.0


@pytest.mark.requirement("A13")
def test_a13_the_same_units_are_paired(tmp_path: Path) -> None:
    base = [1] * 50 + [0] * 50
    new = [1] * 60 + [0] * 40
    rows = passes("base", base) + passes("new", new)
    made = compared(rows, tmp_path)
    one = made.comparison()
    assert (one["pairing"], one["n_pairs"]) == ("paired", 100)
    assert (one["n_better"], one["n_worse"]) == (10, 0)
    (exact,) = (p for p in one["p_values"] if p["test"] == "McNemar, exact")
    assert exact["p"] == pytest.approx(0.002, abs=0.0001)
    assert made.verdict()["word"] == "better"
    apart = compare(tmp_path / "apart", tmp_path / "runs.jsonl", "--baseline", "base", "--unpair")
    assert apart.comparison()["pairing"] == "unpaired"
    assert apart.verdict()["word"] == "cannot tell"
    assert "unpaired" in apart.told.out


@pytest.mark.requirement("A14")
@pytest.mark.parametrize("values", [[0.22] * 62, [0] * 62, [1] * 62])
def test_a14_no_spread_is_no_certainty(values: list[float], tmp_path: Path) -> None:
    made = compared(both(values), tmp_path)
    one, arm = made.comparison(), made.arm("new")
    assert one["se"] is None
    assert one["is_degenerate"]
    assert arm["is_degenerate"]
    assert one["interval"]["hi"] - one["interval"]["lo"] > 0.02
    assert arm["interval"]["hi"] - arm["interval"]["lo"] > 0.02
    assert made.verdict()["word"] in ("cannot tell", "equivalent")


@pytest.mark.requirement("A14")
def test_a14_a_declared_standard_error_of_zero_gives_no_interval() -> None:
    told = calc(
        "report_rule.literal",
        loss_new=0.22, stddev_between_new=0.0, n_new=62,
        loss_base=0.22, stddev_between_base=0.0, n_base=62, k=1, mde=0.05,
    )  # fmt: skip
    assert told["degenerate"]
    assert not told["report"]


@pytest.mark.requirement("A15")
def test_a15_one_unit_gives_no_interval_and_says_so(tmp_path: Path) -> None:
    rows = both([1, 0] * 10, topic="many")
    rows += [{"arm": arm, "unit": "alone", "outcome": i, "topic": "one"}
             for i, arm in enumerate(("base", "new"))]  # fmt: skip
    made = compared(rows, tmp_path, "--partition", "topic")
    one = made.comparison("one")
    assert (one["interval"], one["se"]) == (None, None)
    assert one["delta"] == 1.0
    assert one["not_estimable"] == "one unit: a difference, but no interval"
    assert made.arm("new", "one")["interval"] is None
    assert "no interval" in made.arm("new", "one")["not_estimable"]
    assert made.verdict("one")["word"] == "cannot tell"


@pytest.mark.requirement("A24")
@pytest.mark.parametrize(
    ("option", "named"),
    [
        (("--where", "topic=doesnotexist"), "topic=doesnotexist"),
        (("--partition", "intentt"), "intentt"),
        (("--where", "intentt=a"), "intentt"),
    ],
)
def test_a24_a_filter_that_matches_nothing_is_an_error(
    option: tuple[str, str], named: str, tmp_path: Path
) -> None:
    source = write_rows(tmp_path / "runs.jsonl", both([1, 0] * 10, topic="a"))
    told = run("compare", source, "--baseline", "base", *option, "-o", tmp_path / "out")
    assert told.code == 2
    assert named in told.err
    assert "%" not in told.out
    assert not (tmp_path / "out" / "estimates.json").exists()


@pytest.mark.requirement("A25")
def test_a25_a_classifier_that_always_says_no_is_an_alarm(tmp_path: Path) -> None:
    rows = [
        {"arm": arm, "unit": f"{expected}{i}", "expected": expected, "triggered": False,
         "outcome": expected == "no"}
        for arm in ("base", "new") for expected in ("yes", "no") for i in range(10)
    ]  # fmt: skip
    made = compared(rows, tmp_path, "--partition", "expected")
    told = [n["message"] for n in made.estimates["notices"] if n["code"] == "constant_by_label"]
    assert len(told) == 2
    assert "outcome 0 in every unit of expected = 'yes'" in told[1]
    assert "always answers the same" in made.told.out
    mixed = [row | {"outcome": (i % 3) > 0} for i, row in enumerate(rows)]
    calm = compare(tmp_path / "calm", write_rows(tmp_path / "m.jsonl", mixed),
                   "--baseline", "base", "--partition", "expected")  # fmt: skip
    assert not [n for n in calm.estimates["notices"] if n["code"] == "constant_by_label"]


@pytest.mark.requirement("A28")
def test_a28_arms_under_two_harness_versions_are_not_compared(tmp_path: Path) -> None:
    rows = passes("base", [1] * 20, harness="1.0") + passes("new", [0] * 20, harness="1.1")
    source = write_rows(tmp_path / "runs.jsonl", rows)
    columns = ("--set", "unit=unit", "--set", "arm=arm", "--set", "outcome=outcome",
               "--set", "versions.harness=harness")  # fmt: skip
    asked = (source, *columns, "--baseline", "base")
    made = compare(tmp_path / "out", *asked)
    assert made.verdict()["word"] == "not evaluable"
    assert made.told.code == 5
    assert "harness 1.0 graded 'base', harness 1.1 graded 'new'" in made.verdict()["why"]
    assert made.comparison()["delta"] is None
    assert "versions differ: harness 1.0 in 'base', 1.1 in 'new'" in made.told.out
    forced = compare(tmp_path / "forced", *asked, "--mixed-versions")
    assert forced.verdict()["word"] == "worse"
    assert "versions differ" in forced.told.out
    assert forced.file["terms"]["mixed_versions"] is True


@pytest.mark.requirement("A28")
def test_a28_versions_of_the_system_itself_may_differ(tmp_path: Path) -> None:
    rows = passes("base", [1, 0] * 20, agent="1.0") + passes("new", [0, 1] * 20, agent="1.1")
    source = write_rows(tmp_path / "runs.jsonl", rows)
    made = compare(tmp_path / "out", source, "--set", "unit=unit", "--set", "arm=arm",
                   "--set", "outcome=outcome", "--set", "versions.agent=agent",
                   "--baseline", "base")  # fmt: skip
    assert made.verdict()["word"] == "cannot tell"
    assert "versions differ: agent 1.0" in made.told.out
