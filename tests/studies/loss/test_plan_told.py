"""What `equipoise plan` says: all faults at once, in words of the file, and nothing disagrees."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from equipoise.stages.plan.draft import StudyDraft
from every import for_every
from studies.loss.made_study import CATALOG, made_study, made_units, study_text, unit_line
from studies.loss.study_commands import outlook_of, refused, run

ARM = "[{{name: release-1, system: {{command: {{argv: [PYTHON, agent.py, {0}]}}}}}}]"


def test_a_placeholder_that_no_unit_fills_is_refused_at_its_place(tmp_path: Path) -> None:
    err = refused(made_study(tmp_path, arms=ARM.format('"{unit}", "to {brief.texxt}"')), 2)
    assert re.search(
        r"study\.yaml:25:\d+: field 'arms\.0\.system\.command\.argv\.3' has \{brief\.texxt\}, and "
        r"no unit has that in its brief; wanted: a field of the brief, such as text, cents; mend: "
        r"did you mean 'text'\?",
        err,
    )


def test_a_placeholder_that_some_units_lack_names_the_first_of_them(tmp_path: Path) -> None:
    units = [unit_line(i, intent=t) for t in ("refund", "invoice") for i in range(1, 5)]
    for unit in units:
        unit["brief"]["who"] = {"name": "A", "tags": ["x", "y"]}
    units[2]["brief"]["who"] = {"nam": "A"}
    units[5]["brief"].pop("who")
    arms = ARM.format('"{brief.who.name}", "{{brief.nobody}}", "{brief.who.tags.1}"')
    err = refused(made_study(tmp_path, units=units, arms=arms), 2)
    first = "2 of 8 units have nothing there, the first is 'invoice-2' (units.jsonl:6)"
    assert f"has {{brief.who.name}}, and {first}" in err
    assert f"has {{brief.who.tags.1}}, and {first}" in err
    assert "nobody" not in err


def test_faults_of_study_units_and_catalog_are_told_at_once(tmp_path: Path) -> None:
    catalog = json.loads(json.dumps(CATALOG))
    catalog["categories"][0]["weight"] = "much"
    units = [*made_units(2), unit_line(9, intent="refund", labels={"intent": "refund"})]
    err = refused(made_study(tmp_path, units=units, catalog=catalog, seed="x", mde="2"), 2)
    places = ["study.yaml:4:7", "study.yaml:20:6", "units.jsonl:5", "categories[0].weight"]
    assert sorted(places, key=err.index) == places


@for_every("value", ["3", "x", "[a]", "[[a]]", "{a: b}", "[{a: b}]"])
def test_no_fault_names_a_type_of_the_program(tmp_path: Path, value: str) -> None:
    """Every key of the study file in turn holds something of a wrong kind."""
    words = re.compile(r"Draft|dictionary|tuple|instance|NoneType|\bdict\b|\bstr\b|\bint\b|parse ")
    for key in StudyDraft.model_fields:
        study = made_study(tmp_path / key)
        study.joinpath("study.yaml").write_text(study_text(**{key: value}), encoding="utf-8")
        code, _, err = run("plan", study)
        assert not words.search(err), f"{key}: {value}: {err}"
        if code == 2:
            assert "mend: " in err or "did you mean" in err, err


@for_every("line", ["3", '"x"', "[]", '{"id": 3, "labels": {}}', '{"id": "a"}'])
def test_no_fault_of_a_unit_names_a_type_of_the_program(tmp_path: Path, line: str) -> None:
    study = made_study(tmp_path)
    study.joinpath("units.jsonl").write_text(line + "\n", encoding="utf-8")
    err = refused(study, 2)
    assert "units.jsonl:1: " in err
    assert not re.search("`(str|int|float|array|null)`", err)


def test_options_beside_a_kind_of_system_are_put_into_it(tmp_path: Path) -> None:
    arms = '[{name: release-1, system: {command: [PYTHON, agent.py], stdin: "{brief.text}"}}]'
    err = refused(made_study(tmp_path, arms=arms), 2)
    assert "stdin stands beside command, not in it" in err
    assert "mend: write command: {argv: ..., stdin: ...}" in err


@pytest.mark.requirement("E2E-04")
def test_a_system_without_state_is_told_how_little_is_enough(tmp_path: Path) -> None:
    err = refused(made_study(tmp_path, state=""), 2)
    assert "where the system changes nothing, an empty folder of that name is enough" in err


@pytest.mark.requirement("E2E-16")
def test_the_declared_margin_and_what_is_found_do_not_disagree(tmp_path: Path) -> None:
    study = made_study(tmp_path, mde="0.3", units=made_units(40))
    outlook = outlook_of(study)
    reportable = sorted(cell["reportable"] for cell in outlook["cells"])
    excludable = sorted(cell["excludable"] for cell in outlook["cells"])
    assert reportable[0] > 2 * 0.3
    told = run("plan", study)[1]
    page = study.joinpath("E2E-PLAN.md").read_text("utf-8")
    for text in (told, page):
        after = text.partition("We want to detect loss deltas from 0.3 reliably.")[2]
        assert after.partition("The margin is 0.3: smaller changes do not count.")[1]
        assert (
            f"from {reportable[0]:.3f} (surest cell) or {reportable[-1]:.3f} (least sure" in after
        )
        assert f"of up to {excludable[0]:.3f} (surest cell) or {excludable[-1]:.3f} (least" in after
        assert "No reason is known." not in text


def test_cells_with_the_same_numbers_stand_in_one_line(tmp_path: Path) -> None:
    _, told, _ = run("plan", made_study(tmp_path, mde="0.3", units=made_units(40)))
    lines = told[told.index("cells: margin") : told.index("takes")].splitlines()[1:]
    assert len(lines) == 2
    assert lines[0].startswith(
        "  3 cells (intent=refund, intent=refund / wrong_amount, intent=refund / tone_off): 0.3 / "
    )


def test_pairing_is_told_where_arms_share_their_units(tmp_path: Path) -> None:
    study = made_study(tmp_path / "apart", mde="0.3", units=made_units(40))
    needed = max(cell["advisory_n"] for cell in outlook_of(study)["cells"])
    told = run("plan", study)[1]
    assert needed == 28
    assert (
        f"the advisory n of {needed} in each arm becomes 20 at r = 0.3, 14 at r = 0.5, 9 at" in told
    )
    paired = made_study(tmp_path / "paired", mde="0.3", units=made_units(40), paired="true")
    assert "may be compared unit by unit" not in run("plan", paired)[1]
    alone = made_study(tmp_path / "alone", mde="0.3", arms=ARM.format('"{unit}"'))
    assert "may be compared unit by unit" not in run("plan", alone)[1]


@pytest.mark.parametrize(
    ("check", "is_told"),
    [(None, True), ({"exit_code": {}}, False), ({"exit_code": {"one_of": [0]}}, False)],
)
def test_an_exit_code_that_nobody_looks_at_is_told(
    tmp_path: Path, check: dict[str, Any] | None, is_told: bool
) -> None:
    catalog = json.loads(json.dumps(CATALOG))
    if check is not None:
        crashed = {"id": "crashed", "weight": 0.4, "type": "deterministic", "max": 1}
        catalog["categories"].append(crashed | {"check": check})
    _, told, err = run("plan", made_study(tmp_path, catalog=catalog))
    assert not err
    assert ("no category of the catalog looks at exit_code" in told) is is_told


@for_every("kind", ["http", "command", "callable", "agent", "model", "logs"])
def test_a_key_beside_a_system_is_told_with_the_way_to_write_it(tmp_path: Path, kind: str) -> None:
    arms = f"[{{name: release-1, system: {{{kind}: {{}}, wrong: 1}}}}]"
    err = refused(made_study(tmp_path, arms=arms), 2)
    assert f"wrong stands beside {kind}, not in it; mend: write {kind}: {{..., wrong: ...}}" in err
