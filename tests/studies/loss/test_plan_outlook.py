"""What `equipoise plan` foretells: what a study can tell, and why it could not decide."""

import json
from pathlib import Path
from typing import Any

import pytest

from every import for_every
from studies.loss.made_study import (
    CATALOG,
    LOGS,
    made_study,
    made_units,
    with_logs,
)
from studies.loss.study_commands import outlook_of, plan_of, run


def test_the_outlook_says_for_each_cell_what_it_can_tell(tmp_path: Path) -> None:
    study = made_study(tmp_path, mde="0.05", units=made_units(600), cells="[loss]")
    outlook = outlook_of(study)
    cell = outlook["cells"][1]
    assert (cell["partition"], cell["n"], cell["n_min"]) == ("intent=invoice", 576, 576)
    assert cell["margin"] == 0.05
    assert cell["achieved_mde"] == pytest.approx(0.05)
    assert cell["reportable"] == pytest.approx(0.1064, abs=1e-4)
    assert cell["excludable"] == pytest.approx(0.1330, abs=1e-3)
    assert cell["reportable_at_worst"] > cell["reportable"]
    assert cell["advisory_n"] > 576
    assert outlook["critical_z"] == pytest.approx(2.3466, abs=1e-4)
    assert outlook["n_executions"] == 2 * sum(
        unit["repetitions"] for unit in plan_of(study)["units"]
    )
    assert outlook["measured"] is None
    assert {(arm["minutes"], arm["usd"]) for arm in outlook["arms"]} == {(None, None)}
    assert "time unknown (no earlier run)" in run("plan", study)[1]


def test_more_cells_raise_the_critical_value_and_what_is_reportable(tmp_path: Path) -> None:
    few = outlook_of(made_study(tmp_path / "few", mde="0.1", cells="[loss]"))
    many = outlook_of(made_study(tmp_path / "many", mde="0.1", cells="[loss, category]"))
    assert (few["k"], many["k"]) == (2, 6)
    assert many["cells"][0]["reportable"] > few["cells"][0]["reportable"]


@for_every(
    "changes, reason",
    [
        ({"mde": "0.1"}, "intent=refund has 8 of the 100 units it needs: it will be unterbelegt"),
        ({"mde": "0.1"}, "no partition has enough units: nothing can be listed"),
        ({"mde": "0.2"}, "only a change of 0."),
        ({"double_rating": "0.1"}, "double_rating is 0.1: below 0.2 the categories tone_off"),
        (
            {"arms": "[{name: release-1, system: {command: [python3]}}]"},
            "the only arm 'release-1' is the baseline",
        ),
        (
            {
                "arms": "[{name: release-1, system: {command: [python3]}}, "
                "{name: old, system: {logs: {path: logs}}}]"
            },
            "arm 'old' is mode B and the baseline mode A: they give separate suites",
        ),
    ],
)
def test_every_reason_why_it_could_not_decide_is_told(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    study = with_logs(made_study(tmp_path, **changes))
    assert any(reason in doubt for doubt in outlook_of(study)["doubts"])
    assert reason in run("plan", study)[1]


def test_categories_that_cannot_be_evaluated_are_told(tmp_path: Path) -> None:
    category = {"id": "x", "weight": 0.1, "type": "deterministic", "max": 1}
    catalog = CATALOG | {
        "categories": [
            *CATALOG["categories"],
            category | {"id": "retry_lost", "is_reexecuted": True},
            category | {"id": "page_wrong", "needs": ["page"]},
        ]
    }
    study = with_logs(made_study(tmp_path, catalog=catalog, arms=LOGS, state="", sandbox=""))
    doubts = "\n".join(outlook_of(study)["doubts"])
    assert "retry_lost needs the system to be executed again, and release-1 reads frozen" in doubts
    assert "page_wrong needs the probe page" in doubts


def test_out_of_reach_there_is_a_table_of_what_else_could_be_planned(tmp_path: Path) -> None:
    of = (
        "{by: [intent, language], of: ["
        + ", ".join(
            f"{{labels: {{intent: {intent}, language: {language}}}, frequency: 1, severity: 1}}"
            for intent in ("refund", "invoice")
            for language in ("de", "en")
        )
        + "]}"
    )
    study = made_study(tmp_path, partitions=of, mde="0.05", budget="{sample: 3000}")
    choices = outlook_of(study)["choices"]
    declared = choices[0]
    assert declared["is_declared"]
    assert (declared["n_partitions"], declared["sample_budget"]) == (4, 2304)
    by_intent = [one for one in choices if one["by"] == ["intent"] and one["mde"] == 0.1]
    assert [(one["n_partitions"], one["sample_budget"]) for one in by_intent] == [(2, 288)]
    assert by_intent[0]["fits_budget"]
    assert "what else could be planned" in run("plan", study)[1]


def test_time_and_money_come_from_an_earlier_run_and_limits_are_held_against_them(
    tmp_path: Path,
) -> None:
    study = made_study(
        tmp_path, units=made_units(200), mde="0.1", budget="{max_usd: 0.5}", baseline="earlier"
    )
    rows = [{"unit": f"u{n}", "arm": "old", "outcome": 1, "cost": 0.01} for n in range(4)]
    runs = tmp_path / "runs.jsonl"
    runs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    taken = ("--set", "cost_usd=cost", "-o", study / "earlier")
    assert run("import", "table", runs, *taken)[0] == 0
    outlook = outlook_of(study)
    assert outlook["measured"]["mean_usd"] == pytest.approx(0.01)
    assert outlook["measured"]["mean_ms"] is None
    arm = outlook["arms"][0]
    assert arm["usd"] == pytest.approx(0.01 * arm["n_executions"])
    assert arm["minutes"] is None
    assert "is stopped at 0.5: units would be missing" in "\n".join(outlook["doubts"])
