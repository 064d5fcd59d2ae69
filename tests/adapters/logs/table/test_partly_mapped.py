"""What the user says about a table stands; what was not said is taken by column name."""

from pathlib import Path

import pytest

from adapters.logs.readings import json_lines, read_table
from equipoise.errors import InputError

_ROWS = [
    {"id": f"q{i}", "qid": f"Q{i}", "passed": i % 3 > 0, "intent": ["refund", "invoice"][i % 2]}
    for i in range(20)
]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return json_lines(tmp_path / "runs.jsonl", _ROWS)


def test_labels_alone_leave_unit_and_outcome_to_the_column_names(runs: Path) -> None:
    found = read_table(runs, labels=["intent"])
    assert [t.unit for t in found.trials] == [f"q{i}" for i in range(20)]
    assert found.trials[0].labels == {"intent": "refund"}
    assert found.notice("columns_taken").message.startswith("not all is mapped; ")


def test_a_said_unit_stands_above_a_likelier_name(runs: Path) -> None:
    found = read_table(runs, unit="qid")
    assert found.trials[0].unit == "Q0"
    assert sorted(set(found.values().values()), key=str) == [0.0, 1.0]


def test_a_said_outcome_stands_and_the_unit_is_taken_by_name(tmp_path: Path) -> None:
    rows = [row | {"score": 0.25} for row in _ROWS]
    found = read_table(json_lines(tmp_path / "two.jsonl", rows), outcome="score")
    assert set(found.values().values()) == {0.25}
    assert found.trials[3].unit == "q3"


def test_two_possible_outcomes_are_still_refused(tmp_path: Path) -> None:
    rows = [row | {"score": 0.25} for row in _ROWS]
    with pytest.raises(InputError, match="several columns could be the outcome"):
        read_table(json_lines(tmp_path / "two.jsonl", rows), labels=["intent"])


def test_an_unknown_key_beside_the_taken_ones_is_named(runs: Path) -> None:
    with pytest.raises(InputError, match=r"lables: unknown key; did you mean 'labels'\?"):
        read_table(runs, lables=["intent"])
