"""What `equipoise plan` refuses, with the exit code and the mend; nothing is sampled then."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from every import for_every
from studies.loss.made_study import (
    LOGS,
    earlier_suite,
    made_study,
    made_units,
    study_text,
    unit_line,
)
from studies.loss.study_commands import plan_of, refused, run


@pytest.mark.requirement("E2E-04")
@pytest.mark.parametrize(("key", "word"), [("state", "teardown"), ("sandbox", "variables")])
def test_mode_a_without_sandbox_or_teardown_is_refused(tmp_path: Path, key: str, word: str) -> None:
    without: dict[str, Any] = {key: ""}
    err = refused(made_study(tmp_path, **without), 2)
    assert f"field '{key}' is missing, and arm 'release-1' executes the system (mode A)" in err
    assert word in err


@pytest.mark.requirement("E2E-06")
def test_a_third_provenance_is_refused(tmp_path: Path) -> None:
    err = refused(made_study(tmp_path, provenance="gemischt"), 2)
    assert "is 'gemischt'; wanted: 'synthetisch' or 'korpus'" in err


@pytest.mark.requirement("E2E-07", "E2E-10")
def test_units_without_what_is_declared_are_refused_by_id_and_line(tmp_path: Path) -> None:
    units = [*made_units(2), unit_line(7, intent="refund", labels={"intent": "refund"})]
    err = refused(made_study(tmp_path / "a", units=units), 2)
    assert "units.jsonl:5: unit 'refund-7' has no label 'language'" in err
    err = refused(made_study(tmp_path / "b", provenance="korpus"), 2)
    assert "units.jsonl:1: unit 'refund-1' comes from life (provenance korpus)" in err


@pytest.mark.requirement("E2E-11")
@pytest.mark.parametrize(
    ("gone", "named"),
    [
        ("units.jsonl", "the units file 'units.jsonl'"),
        ("catalogs", "the loss catalog 'catalogs/loss-catalog.v1.json'"),
        ("state", "the state target (sqlite) 'state/desk.sqlite'"),
        ("study.yaml", "study.yaml"),
    ],
)
def test_each_missing_blocker_is_named_and_nothing_is_sampled(
    tmp_path: Path, gone: str, named: str
) -> None:
    study = made_study(tmp_path)
    path = study / gone
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert named in refused(study, 3)
    assert run("seal", study)[0] == 3
    assert run("run", study)[0] == 3
    assert not study.joinpath("archive").exists()


@pytest.mark.requirement("E2E-11")
@for_every(
    "changes, named",
    [
        ({"arms": "[{name: release-1, system: {command: [no-such-desk]}}]"}, "'no-such-desk'"),
        (
            {
                "arms": "[{name: release-1, system: {http: {url: '{service}/x'}}, "
                "service: {command: [./no-desk], ready: {file: up}}}]"
            },
            "the start command of the service of arm 'release-1'",
        ),
        ({"arms": LOGS}, "the logs of arm 'release-1'"),
        ({"baseline": "release-3"}, "did you mean"),
        ({"reference_set": "reference.jsonl"}, "the reference set 'reference.jsonl'"),
    ],
)
def test_what_a_study_names_has_to_be_there(
    tmp_path: Path, changes: dict[str, Any], named: str
) -> None:
    err = refused(made_study(tmp_path, **changes), 3)
    assert named in err
    assert "missing: " in err


@pytest.mark.requirement("E2E-11")
def test_units_without_declared_axes_are_no_corpus_schema(tmp_path: Path) -> None:
    assert "field 'axes' is missing" in refused(made_study(tmp_path, axes=""), 2)


@pytest.mark.requirement("E2E-19")
def test_a_budget_below_the_sum_is_refused_with_both_ways_out(tmp_path: Path) -> None:
    err = refused(made_study(tmp_path, mde="0.05", budget="{sample: 300}"), 2)
    assert "field 'budget.sample' is 300; wanted: at least 976, the sum of n_min over the 2" in err
    assert "mend: a larger mde (0.091 fits), or fewer partitions" in err
    assert "by intent, mde 0.1: 2 partitions, 244 units" in err
    assert plan_of(made_study(tmp_path, mde="0.091", budget="{sample: 300}"))["mde"] == 0.091


def test_an_earlier_suite_without_the_partition_is_named(tmp_path: Path) -> None:
    of = "{by: [intent], of: [{labels: {intent: invoice}, frequency: 1, severity: 1}], s_from: s}"
    study = made_study(tmp_path, partitions=of)
    study.joinpath("s").write_text(json.dumps(earlier_suite(0.3)), encoding="utf-8")
    assert "takes its spread from s, which has none for intent=invoice" in refused(study, 2)
    study.joinpath("s").write_text("{}", encoding="utf-8")
    assert "s: " in refused(study, 2)
    study.joinpath("s").unlink()
    assert "missing: the suite of an earlier run" in refused(study, 3)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"arms": "[{name: release-1, system: {command: {argv: [python3], x: 1}}}]"}, "x"),
        ({"state": "{directory: .}"}, "state"),
        ({"probes": "[{name: j, files: {}}]"}, "probe 'j'"),
    ],
)
def test_options_that_an_adapter_refuses_are_found_before_sealing(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    assert told in refused(made_study(tmp_path, **changes), 2)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.data())
def test_a_study_with_a_hole_is_planned_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    text = study_text()
    at = data.draw(st.integers(0, len(text)))
    study = made_study(tmp_path)
    study.joinpath("study.yaml").write_text(text[:at] + text[at + 7 :], encoding="utf-8")
    code, _, err = run("plan", study)
    assert code in {0, 2, 3}
    assert (code == 0) == (err == "")
