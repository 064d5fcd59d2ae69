"""What `equipoise plan` promises and writes, as a user of the command line sees it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from studies.loss.made_study import (
    LOGS,
    earlier_suite,
    made_study,
    made_units,
    unit_line,
    with_logs,
    write_units,
)
from studies.loss.study_commands import plan_of, refused, run, sealed

PARTITION = "{labels: {intent: refund}, frequency: 0.3, severity: 3"


@pytest.mark.requirement("E2E-03")
def test_the_mode_follows_from_the_arms(tmp_path: Path) -> None:
    executed = plan_of(made_study(tmp_path / "a"))
    frozen = plan_of(with_logs(made_study(tmp_path / "b", arms=LOGS, state="", sandbox="")))
    assert [arm["mode"] for arm in executed["arms"]] == ["A", "A"]
    assert [arm["mode"] for arm in frozen["arms"]] == ["B"]
    err = refused(with_logs(made_study(tmp_path / "c", arms=LOGS, mode="A")), 2)
    assert "field 'mode' is A, and arm 'release-1' reads frozen logs, which is mode B" in err
    assert plan_of(made_study(tmp_path / "d", mode="A"))["arms"] == executed["arms"]


@pytest.mark.requirement("E2E-06")
@pytest.mark.parametrize("provenance", ["synthetisch", "korpus"])
@pytest.mark.parametrize("arms", [None, LOGS])
def test_mode_and_provenance_go_together_in_all_four_ways(
    tmp_path: Path, provenance: str, arms: str | None
) -> None:
    units = [line | {"retention_until": "2027-01-01", "may_quote": True} for line in made_units()]
    changes: dict[str, Any] = {"provenance": provenance} | ({"arms": arms} if arms else {})
    study = with_logs(made_study(tmp_path, units=units, **changes))
    assert plan_of(study)["provenance"] == provenance


@pytest.mark.requirement("E2E-07")
def test_an_expired_unit_is_not_used_and_counted(tmp_path: Path) -> None:
    units = [line | {"retention_until": "2027-01-01", "may_quote": True} for line in made_units(4)]
    units[0]["retention_until"] = "2026-01-01"
    study = made_study(tmp_path, units=units, provenance="korpus")
    code, out, _ = run("plan", study)
    assert code == 0
    assert "1 units are past their retention date and are not used: refund-1" in out
    assert "refund-1" not in {unit["id"] for unit in plan_of(study)["units"]}
    assert "PII rule: every unit has a retention date" in study.joinpath("E2E-PLAN.md").read_text()


@pytest.mark.requirement("E2E-15")
def test_a_weight_is_frequency_times_severity_as_a_share(tmp_path: Path) -> None:
    refund, invoice = plan_of(made_study(tmp_path))["partitions"]
    assert (refund["frequency"], refund["severity"]) == (0.3, 3.0)
    assert refund["weight"] == pytest.approx(0.9 / 1.6)
    assert invoice["weight"] == pytest.approx(0.7 / 1.6)


@pytest.mark.requirement("E2E-16")
def test_an_mde_left_out_is_written_out(tmp_path: Path) -> None:
    study = made_study(tmp_path, mde="")
    assert plan_of(study)["mde"] == 0.05
    page = study.joinpath("E2E-PLAN.md").read_text(encoding="utf-8")
    assert "| mde | 0.05. We want to detect loss deltas from 0.05 reliably. |" in page


@pytest.mark.requirement("E2E-17")
@pytest.mark.parametrize(("s", "mde", "n_min"), [(0.3, 0.05, 576), (0.28, 0.05, 502)])
def test_n_min_is_exact(tmp_path: Path, s: float, mde: float, n_min: int) -> None:
    of = f"{{by: [intent], of: [{PARTITION}, s: {s}, s_source: pilot}}]}}"
    (partition,) = plan_of(made_study(tmp_path, partitions=of, mde=str(mde)))["partitions"]
    assert partition["n_min"] == n_min


@pytest.mark.requirement("E2E-18")
def test_the_source_of_s_is_recorded(tmp_path: Path) -> None:
    study = made_study(tmp_path)
    study.joinpath("suite.json").write_text(json.dumps(earlier_suite(0.42)), encoding="utf-8")
    of = (
        f"{{by: [intent], of: [{PARTITION}, s_from: suite.json}}, "
        "{labels: {intent: invoice}, frequency: 0.7, severity: 1}]}"
    )
    made_study(tmp_path, partitions=of)
    refund, invoice = plan_of(study)["partitions"]
    assert (refund["s"], refund["s_source"]) == (0.42, "previous")
    assert (invoice["s"], invoice["s_source"]) == (0.3, "default")
    pilot = plan_of(made_study(tmp_path / "pilot"))["partitions"][0]
    assert (pilot["s"], pilot["s_source"]) == (0.25, "pilot")


def test_a_spread_of_zero_in_an_earlier_run_is_no_certainty(tmp_path: Path) -> None:
    study = made_study(
        tmp_path, partitions=f"{{by: [intent], of: [{PARTITION}, s_from: suite.json}}]}}"
    )
    study.joinpath("suite.json").write_text(json.dumps(earlier_suite(0.0)), encoding="utf-8")
    (refund,) = plan_of(study)["partitions"]
    assert refund["s"] == pytest.approx(0.2132, abs=1e-4)


@pytest.mark.requirement("E2E-19")
def test_the_sample_budget_is_the_sum_and_stands_on_the_page(tmp_path: Path) -> None:
    study = made_study(tmp_path)
    plan = plan_of(study)
    assert plan["sample_budget"] == sum(one["n_min"] for one in plan["partitions"]) == 10
    page = study.joinpath("E2E-PLAN.md").read_text(encoding="utf-8")
    assert "| sample budget | 10 units, the sum of n_min over the partitions |" in page


@pytest.mark.requirement("E2E-25")
def test_a_partition_of_two_percent_reaches_n_min_and_says_its_probability(tmp_path: Path) -> None:
    units = [unit_line(n, intent="refund") for n in range(1, 9)]
    units += [unit_line(n, intent="invoice") for n in range(1, 393)]
    of = (
        "{by: [intent], of: [{labels: {intent: refund}, frequency: 0.02, severity: 1}, "
        "{labels: {intent: invoice}, frequency: 0.98, severity: 1}]}"
    )
    refund, invoice = plan_of(made_study(tmp_path, units=units, partitions=of))["partitions"]
    assert refund["n_drawn"] == refund["n_min"] == invoice["n_drawn"] == 6
    assert refund["draw_probability"] == 6 / 8
    assert invoice["draw_probability"] == 6 / 392
    assert refund["weight"] == pytest.approx(0.02)


@pytest.mark.requirement("E2E-26")
def test_anchors_are_planned_once_and_stochastic_units_three_times(tmp_path: Path) -> None:
    units = plan_of(made_study(tmp_path, units=made_units(4)))["units"]
    repetitions = {unit["id"]: unit["repetitions"] for unit in units}
    assert repetitions["refund-1"] == repetitions["invoice-1"] == 1
    assert {n for name, n in repetitions.items() if not name.endswith("-1")} == {3}


@pytest.mark.requirement("E2E-49")
@pytest.mark.parametrize(("cap", "most"), [("0", 0), ("0.10", 1), ("0.5", 10)])
def test_adversarial_units_are_capped_and_counted(tmp_path: Path, cap: str, most: int) -> None:
    units = made_units(8)
    units += [unit_line(n, intent="refund", adversarial=True) for n in range(100, 140)]
    study = made_study(tmp_path, units=units, adversarial_cap=cap)
    plan = plan_of(study)
    hostile = [unit for unit in plan["units"] if unit.get("is_adversarial")]
    assert len(hostile) == most
    assert [one["n_drawn"] for one in plan["partitions"]] == [4, 6]
    assert f"{40 - most} adversarial units are over the cap" in run("plan", study)[1]


@pytest.mark.requirement("E2E-12")
def test_the_page_has_everything_that_a_plan_must_say(tmp_path: Path) -> None:
    study = made_study(tmp_path)
    plan_of(study)
    page = study.joinpath("E2E-PLAN.md").read_text(encoding="utf-8")
    for said in (
        "| hop | signal | correct | flake | error |",
        "| desk | the line on stdout | the line names the amount asked for | no line, and one on",
        "| intent | refund, invoice |",
        "| language | de, en |",
        "| partition | frequency | severity | weight | s | source of s | n_min |",
        "| intent=refund | 0.3 | 3 | 0.5625 | 0.25 | pilot | 4 |",
        "| mode | A (follows from the arms) |",
        "| provenance | synthetisch |",
        "| catalog | v1 (catalogs/loss-catalog.v1.json, sha256 ",
        "| sandbox: variables let through | PATH, LANG |",
        "| teardown: state put back | sqlite state/desk.sqlite, put back per run |",
        "| deterministic anchors |",
        "| stochastic units |",
        "cap 10% of all units",
        "PII rule: ",
    ):
        assert said in page, said


def test_what_stands_in_a_study_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    evil = "'a | b <script>alert(1)</script> [x](javascript:y) `z`'"
    study = made_study(tmp_path, title=evil)
    plan_of(study)
    first = study.joinpath("E2E-PLAN.md").read_text(encoding="utf-8").splitlines()[0]
    assert "<script>" not in first.replace("\\<", "")
    assert "\\|" in first


@pytest.mark.requirement("E2E-14")
def test_units_keep_their_ids_and_hashes_in_any_order(tmp_path: Path) -> None:
    study = made_study(tmp_path, units=made_units(20))
    first = plan_of(study)
    write_units(study, made_units(20)[::-1])
    assert plan_of(study) == first


def test_the_same_study_elsewhere_has_the_same_plan_and_page(tmp_path: Path) -> None:
    one, two = made_study(tmp_path / "one"), made_study(tmp_path / "deep" / "two")
    assert plan_of(one) == plan_of(two)
    pages = {study.joinpath("E2E-PLAN.md").read_bytes() for study in (one, two)}
    assert len(pages) == 1


def test_a_sealed_study_keeps_its_bytes_under_another_hash_seed(tmp_path: Path) -> None:
    study = sealed(made_study(tmp_path))
    before = study.joinpath("plan.json").read_bytes()
    assert run("plan", study, PYTHONHASHSEED="77")[0] == 0
    assert study.joinpath("plan.json").read_bytes() == before
    assert os.listdir(study / "sealed")  # noqa: PTH208  names only
