"""A trial that left no line in a log that is followed shows nothing good by it."""

from pathlib import Path
from typing import Any

import pytest

from studies.loss.executed import executed_study, grade, grades
from studies.loss.made_study import made_units


def _category(name: str, check: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "weight": 0.2, "type": "deterministic", "max": 1, "check": check}


LOG = {"document": "desk.jsonl"}
ROWS = {"tables": {"log": LOG | {"columns": ["hop"]}}, "query": "SELECT 1 FROM log WHERE hop = 'x'"}
CATALOG: dict[str, Any] = {
    "version": "v1",
    "categories": [
        _category("fault_logged", {"regex": LOG | {"pattern": "fault"}}),
        _category("fault_in_rows", {"sql": ROWS}),
        _category("never_ended", {"regex": LOG | {"pattern": "end", "lost_when": "absent"}}),
        _category("rude", {"regex": {"pattern": "rude"}}),
    ],
}
PROBE = "[{{name: desk, files: {{glob: 'logs/*.jsonl', trace: trace{more}}}}}]"


def _study(folder: Path, *, more: str = "") -> Path:
    def left(unit: str, arm: str, repetition: int) -> dict[str, bytes]:
        del unit, repetition
        line = b'{"trace": "t", "hop": "end"}\n' if arm == "release-1" else b""
        return {"output": b"", "desk.jsonl": line}

    made = executed_study(
        folder, left, catalog=CATALOG, units=made_units(3), probes=PROBE.format(more=more)
    )
    grade(made)
    return made


@pytest.mark.requirement("E2E-05")
def test_e2e_05_who_left_no_trace_has_not_shown_that_all_is_well(tmp_path: Path) -> None:
    made = _study(tmp_path / "study")
    for name in ("fault_logged", "fault_in_rows"):
        assert {one.value for one in grades(made, "release-1", f"v1:{name}").values()} == {0.0}
        for one in grades(made, "release-2", f"v1:{name}").values():
            assert one.value is None
            assert "desk.jsonl holds no line of this trial" in one.not_evaluable


def test_what_a_silent_log_lacks_is_lost_and_an_empty_answer_is_no_log(tmp_path: Path) -> None:
    made = _study(tmp_path / "study")
    ended = grades(made, "release-2", "v1:never_ended").values()
    assert {one.value for one in ended} == {1.0}
    assert {one.value for one in grades(made, "release-2", "v1:rude").values()} == {0.0}


def test_silence_is_in_order_where_the_probe_waits_for_no_line(tmp_path: Path) -> None:
    made = _study(tmp_path / "study", more=", min_lines: 0")
    for name in ("fault_logged", "fault_in_rows", "rude"):
        assert {one.value for one in grades(made, "release-2", f"v1:{name}").values()} == {0.0}


@pytest.mark.parametrize(("exit_code", "value"), [(3, None), (0, 0.0)])
def test_a_program_that_failed_and_said_nothing_has_not_shown_that_all_is_well(
    tmp_path: Path, exit_code: int, value: float | None
) -> None:
    def silent(unit: str, arm: str, repetition: int) -> dict[str, bytes]:
        del unit, arm, repetition
        return {"output": b""}

    categories = [
        _category("rude", {"regex": {"pattern": "rude"}}),
        _category("crashed", {"exit_code": {"one_of": [0]}}),
    ]
    made = executed_study(
        tmp_path / "study",
        silent,
        catalog={"version": "v1", "categories": categories},
        units=made_units(3),
        exit_code=exit_code,
    )
    grade(made)
    assert {one.value for one in grades(made, "release-1", "v1:rude").values()} == {value}
    crashed = grades(made, "release-1", "v1:crashed").values()
    assert {one.value for one in crashed} == {1.0 if exit_code else 0.0}
