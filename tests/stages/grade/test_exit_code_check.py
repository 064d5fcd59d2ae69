"""The check `exit_code` reads the trial's exit code and quotes the trial's own record."""

from typing import Any

import pytest

from equipoise.records.codec import decode
from equipoise.records.plan import Mode
from equipoise.records.trial import Trial
from every import for_every
from stages.grade.made_material import bytes_of, grade, material, quotes


@for_every(
    "code, fields, value",
    [(0, {}, 0), (1, {}, 1), (-9, {}, 1), (3, {"one_of": [0, 3]}, 0), (None, {}, None)],
)
def test_the_exit_code_is_held_against_the_right_ones(
    code: int | None, fields: dict[str, Any], value: float | None
) -> None:
    assert grade({"exit_code": fields}, material({}, exit_code=code)).value == value


def test_a_trial_without_an_exit_code_is_not_evaluable() -> None:
    given = grade({"exit_code": {}}, material({}))
    assert given.not_evaluable == "the trial has no exit code"


def test_the_record_of_the_trial_is_quoted() -> None:
    made = material({}, exit_code=2)
    given = grade({"exit_code": {}}, made)
    assert quotes(given) == [("trial.json", 1, '"exit_code":2')]
    assert decode(bytes_of(given.evidence[0], made), Trial).exit_code == 2


def test_a_document_is_quoted_where_the_check_names_one() -> None:
    made = material({"stderr": "warning\nTraceback\nboom\n"}, exit_code=2)
    check = {"exit_code": {"cite": {"document": "stderr", "pattern": "Trace"}}}
    assert quotes(grade(check, made)) == [("stderr", 2, "Traceback")]


@pytest.mark.requirement("E2E-05")
def test_e2e_05_a_category_that_needs_execution_is_not_evaluable_in_mode_b() -> None:
    made = material({}, exit_code=1)
    given = grade({"exit_code": {}}, made, mode=Mode.B, is_reexecuted=True)
    assert given.value is None
    assert given.not_evaluable.startswith("unbewertbar")
    assert grade({"exit_code": {}}, made, mode=Mode.A, is_reexecuted=True).value == 1
    assert grade({"exit_code": {}}, made, mode=Mode.B).value == 1


@pytest.mark.requirement("E2E-52")
def test_e2e_52_a_category_whose_probe_was_out_is_not_evaluable() -> None:
    made = material({"journal.jsonl": ""}, exit_code=1, outages={"page": "no Chromium here"})
    given = grade({"exit_code": {}}, made, needs=["page"])
    assert (given.value, given.not_evaluable) == (
        None,
        "unbewertbar: probe page: no Chromium here",
    )
    silent = grade({"exit_code": {}}, made, needs=["actions"])
    assert silent.not_evaluable == "unbewertbar: probe actions: it left no document of this trial"
    assert grade({"exit_code": {}}, made, needs=["journal"]).value == 1


@pytest.mark.requirement("E2E-07")
def test_e2e_07_a_unit_without_permission_keeps_the_place_and_no_quote() -> None:
    made = material({"stderr": "Anna Berg\n"}, exit_code=2, may_quote=False)
    given = grade({"exit_code": {"cite": {"document": "stderr"}}}, made)
    assert (given.value, given.evidence) == (1, ())
    assert given.note == "quote withheld: stderr:1 bytes 0-9"
