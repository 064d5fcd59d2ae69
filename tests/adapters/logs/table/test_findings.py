from pathlib import Path
from typing import Any

import pytest

from adapters.logs.readings import Readings, json_lines, read_table
from equipoise.records.notice import Severity
from every import for_every

LOG = "first line\nCALL refund(amount=«20»)\nlast line\n"


def read(tmp_path: Path, *findings: dict[str, Any], **spec: Any) -> Readings:
    tmp_path.joinpath("logs").mkdir(exist_ok=True)
    tmp_path.joinpath("logs", "hop.log").write_text(LOG, encoding="utf-8")
    path = json_lines(tmp_path / "runs.jsonl", [{"unit": "u", "findings": list(findings)}])
    return read_table(path, unit="unit", findings={"column": "findings", **spec})


FOUND = {
    "category": "wrong_arg",
    "value": 1,
    "log": "logs/hop.log",
    "line": 2,
    "quote": "amount=«20»",
}


@pytest.mark.requirement("E2E-33")
def test_a_finding_becomes_a_grade_with_the_place_of_its_quote(tmp_path: Path) -> None:
    found = read(tmp_path, FOUND, categories=["wrong_arg", "tone_off"])
    assert found.values("wrong_arg") == {found.trials[0].id: 1.0}
    assert found.values("tone_off") == {found.trials[0].id: 0.0}
    (attachment,) = found.attachments
    (evidence,) = next(g for g in found.grades if g.evidence).evidence
    content = tmp_path.joinpath(attachment.path).read_bytes()
    assert content[evidence.start : evidence.end].decode() == FOUND["quote"]
    assert evidence.document == attachment.sha256
    assert evidence.line == 2
    assert found.all.index(attachment) < found.all.index(found.grades[0])


@pytest.mark.requirement("E2E-33")
@for_every(
    "change",
    [
        {"quote": "amount=«21»"},
        {"line": 1},
        {"line": 99},
        {"line": 0},
        {"quote": ""},
        {"quote": None},
        {"log": None},
        {"log": "logs/other.log"},
        {"log": "../runs.jsonl"},
        {"log": "/etc/hostname"},
        {"log": "logs"},
        {"log": "a\0b"},
        {"value": -1},
    ],
)
def test_a_finding_that_proves_nothing_has_no_value(
    tmp_path: Path, change: dict[str, object]
) -> None:
    found = read(tmp_path, {**FOUND, **change})
    (grade,) = found.grades
    assert grade.value is None
    assert grade.not_evaluable
    assert any(n.severity is Severity.REFUSED for n in found.notices)


def test_a_log_outside_the_folder_is_not_reached_by_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "secret.log"
    outside.write_text(LOG, encoding="utf-8")
    folder = tmp_path / "runs"
    folder.mkdir()
    folder.joinpath("link.log").symlink_to(outside)
    found = read(folder, {**FOUND, "log": "link.log"})
    assert found.grades[0].value is None
    assert not found.attachments


def test_categories_that_are_not_declared_are_those_that_occur(tmp_path: Path) -> None:
    rows = [{"unit": "u", "findings": []}, {"unit": "v", "findings": [FOUND]}]
    tmp_path.joinpath("logs").mkdir()
    tmp_path.joinpath("logs", "hop.log").write_text(LOG, encoding="utf-8")
    found = read_table(json_lines(tmp_path / "r.jsonl", rows), unit="unit", findings="findings")
    assert [g.value for g in found.grades] == [0.0, 1.0]
    assert "wrong_arg" in found.notice("categories_taken").message
