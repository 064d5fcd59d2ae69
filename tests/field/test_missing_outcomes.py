"""Field cases of outcomes that are missing, unreadable or no outcomes at all (A1, A19, ...)."""

import math
from pathlib import Path
from typing import Any

import pytest

from field.runs import both, passes, write_rows
from packs.product import Compared, compare

NAN = math.nan


def compared(rows: list[dict[str, Any]], folder: Path, *options: object) -> Compared:
    source = write_rows(folder / "runs.jsonl", rows)
    return compare(folder / "out", source, "--baseline", "base", *options)


@pytest.mark.requirement("A1")
def test_a1_both_denominators_stand_beside_the_mean(tmp_path: Path) -> None:
    odd = [1, 1, 1, 1, 0, None, None, None, NAN, None]
    rows = passes("base", [1] * 10, status="ok") + passes("new", odd, status="ok")
    for row in rows[15:18]:
        row["status"] = "error"
    made = compared(rows, tmp_path)
    one = made.arm("new")
    assert one["mean"] == 0.8
    assert (one["missing"]["evaluable"], one["missing"]["planned"]) == (5, 10)
    assert one["missing"]["mean_as_failure"] == 0.4
    assert (one["missing"]["worst_lo"], one["missing"]["worst_hi"]) == (0.4, 0.9)
    assert sum(one["missing"]["reasons"].values()) == 5
    assert one["missing"]["reasons"]["harness_error"] == 3
    assert made.verdict()["word"] == "not evaluable"
    assert made.told.code == 5
    assert "missing in new: 5 of 10" in made.told.out
    assert made.comparison()["delta"] is None


@pytest.mark.requirement("A1")
def test_a1_a_loss_outside_the_scale_is_refused_by_name(tmp_path: Path) -> None:
    rows = both([0.5] * 30)
    rows[-1]["outcome"] = 1.7
    made = compared(rows, tmp_path)
    refused = made.notice("bad_value")
    assert refused["severity"] == "refused"
    assert "value 1.7 lies outside the scale 0 to 1" in refused["message"]
    assert "runs.jsonl:60" in refused["where"]
    assert made.arm("new")["missing"]["evaluable"] == 29


@pytest.mark.requirement("A19")
def test_a19_a_failed_judgement_is_no_score(tmp_path: Path) -> None:
    rows = both([1] * 20)
    rows[-1]["outcome"] = {"error": "429"}
    made = compared(rows, tmp_path)
    missing = made.arm("new")["missing"]
    assert missing["evaluable"] == 19
    assert missing["reasons"] == {"the evaluation failed: 429": 1}
    assert made.arm("new")["mean"] == 1.0


@pytest.mark.requirement("A21")
def test_a21_a_sentinel_is_never_averaged(tmp_path: Path) -> None:
    points = {"base": [7, 8, 9], "new": [7, 8, -1]}
    rows = [
        {"arm": arm, "unit": str(i), "points": x}
        for arm, given in points.items()
        for i, x in enumerate(given)
    ]
    source = write_rows(tmp_path / "runs.jsonl", rows)
    mapping = tmp_path / "m.yaml"
    mapping.write_text("arm: arm\nunit: unit\nvalue: {column: points, scale: [0, 10]}\n")
    made = compare(
        tmp_path / "out", source, "--map", mapping, "--baseline", "base", "--max-missing", "0.5"
    )
    assert made.arm("new")["mean"] == pytest.approx(0.75)
    assert "value -1 lies outside" in made.notice("bad_value")["message"]


@pytest.mark.requirement("A22")
def test_a22_unreadable_verdicts_that_depend_on_the_arm_make_it_suspect(tmp_path: Path) -> None:
    wrong = "Sure! Here is my verdict"
    values = {
        "base": [wrong] + [1, 0] * 49 + [1],
        "new": [wrong] * 20 + [1, 0] * 40,
    }
    rows = [row for arm, given in values.items() for row in passes(arm, given)]
    made = compared(rows, tmp_path, "--max-missing", "0.3", "--set", "outcome=outcome",
                    "--set", "unit=unit", "--set", "arm=arm")  # fmt: skip
    assert made.arm("base")["missing"]["evaluable"] == 99
    assert made.arm("new")["missing"]["evaluable"] == 80
    suspect = made.notice("missing_differs")["message"]
    assert "1.0% of 'base' and 20.0% of 'new'" in suspect
    assert "suspect" in suspect
    assert "suspect" in made.told.out
    assert "suspect" in (made.folder / "report" / "report.md").read_text(encoding="utf-8")
    one = made.comparison()
    assert one["worst_lo"] < one["delta"] < one["worst_hi"]


@pytest.mark.requirement("A23")
@pytest.mark.parametrize("sign", ["stop_reason", "max_tokens"])
def test_a23_answers_cut_off_are_void_not_wrong(sign: str, tmp_path: Path) -> None:
    more: dict[str, Any] = {"output_tokens": 2048, "max_tokens": 2048}
    if sign == "stop_reason":
        more = {"stop_reason": "length"}
    rows = passes("base", [1, 0] * 18) + passes("new", [0] * 36, **more)
    whole = {"stop_reason": "stop"} if sign == "stop_reason" else more | {"output_tokens": 300}
    rows = [row | whole if row["arm"] == "base" else row for row in rows]
    made = compared(rows, tmp_path)
    one = made.arm("new")
    assert one["mean"] is None
    assert one["missing"]["reasons"] == {"truncated": 36}
    assert made.verdict()["word"] == "not evaluable"
    assert made.told.code == 5
    assert "cut off" in made.notice("truncated")["message"]


@pytest.mark.requirement("A26")
def test_a26_a_unit_without_any_score_is_unscored_and_the_rest_goes_on(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"arm": arm, "unit": f"u{unit:02}", "rep": rep, "outcome": (unit + rep) % 2}
        for arm in ("base", "new")
        for unit in range(30)
        for rep in (1, 2, 3)
    ]
    for row in rows:
        if row["arm"] == "new" and row["unit"] == "u00":
            row["outcome"] = NAN
    rows = [row for row in rows if (row["arm"], row["unit"]) != ("new", "u01")]
    made = compared(rows, tmp_path)
    one = made.arm("new")
    assert one["n_units"] == 29
    assert one["missing"]["units_without"] == 1
    assert one["missing"]["planned"] - one["missing"]["evaluable"] == 3
    assert made.comparison()["n_pairs"] == 28
    assert made.verdict()["word"] in ("cannot tell", "equivalent")


@pytest.mark.requirement("A27")
def test_a27_one_unreadable_answer_costs_one_unit_not_the_run(tmp_path: Path) -> None:
    rows = both([1, 0] * 10)
    rows[26]["outcome"] = "Sure! {score: 3"
    made = compared(
        rows, tmp_path, "--set", "outcome=outcome", "--set", "unit=unit", "--set", "arm=arm"
    )
    assert made.arm("new")["missing"]["evaluable"] == 19
    assert "is no number and no known word" in made.notice("bad_value")["message"]
    assert made.comparison()["n_pairs"] == 19
