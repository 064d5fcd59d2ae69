"""From a table of answers to a loss signal: nothing but the answers is in the logs."""

import json
from pathlib import Path

import pytest

from studies.loss.study_commands import run

_STUDY = """
kind: loss
title: From logs
question: Did the new one lose more?
seed: 3
provenance: synthetisch
hops:
  - {id: log, signal: a row, correct: says yes, flake: now and then no, error: always no}
axes: {intent: [a, b]}
partitions:
  by: [intent]
  of:
    - {labels: {intent: a}, frequency: 0.5, severity: 1}
    - {labels: {intent: b}, frequency: 0.5, severity: 1}
units: units.jsonl
mde: 0.25
catalog: loss-catalog.v1.json
cells: [category]
baseline: old
arms:
"""
_ARM = """
  - name: {arm}
    system:
      logs:
        path: {arm}.jsonl
        mapping: {{unit: unit, repetition: repetition, output: answer}}
"""
_CATALOG = {
    "version": "v1",
    "categories": [
        {
            "id": category,
            "weight": 1,
            "type": "deterministic",
            "max": 1,
            "is_reexecuted": category == "again",
            "check": {"regex": {"pattern": "no sir", "lost_when": "found"}},
        }
        for category in ("says_no", "again")
    ],
}


def _study(folder: Path) -> Path:
    units: list[dict[str, object]] = []
    answers: dict[str, list[dict[str, object]]] = {"old": [], "new": []}
    for number in range(48):
        label: dict[str, object] = {"intent": "ab"[number % 2]}
        units.append({"id": f"u{number}", "labels": label, "brief": {"text": "?"}})
        for repetition in (1, 2, 3):
            for arm, is_bad in (("old", False), ("new", label["intent"] == "b")):
                said = "no sir" if is_bad else "yes sir"
                row: dict[str, object] = {
                    "unit": f"u{number}",
                    "repetition": repetition,
                    "answer": said,
                }
                answers[arm].append(row)
    for name, rows in (("units", units), *answers.items()):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        folder.joinpath(f"{name}.jsonl").write_text(text)
    folder.joinpath("loss-catalog.v1.json").write_text(json.dumps(_CATALOG))
    arms = "".join(_ARM.format(arm=arm).lstrip("\n") for arm in answers)
    folder.joinpath("study.yaml").write_text(_STUDY + arms)
    return folder


@pytest.mark.requirement("E2E-05")
def test_answers_alone_give_a_regression_and_retries_stay_unjudged(tmp_path: Path) -> None:
    study = _study(tmp_path)
    for verb in ("plan", "seal", "run", "grade"):
        assert run(verb, study)[0] == 0, verb
    code, told, _ = run("compare", study)
    assert code == 1
    assert "intent=b / says_no: +1.0" in told
    assert '"no sir"' in told
    suites = [json.loads(path.read_bytes()) for path in study.glob("archive/*/suites/*/suite.json")]
    assert {suite["mode"] for suite in suites} == {"B"}
    for suite in suites:
        assert suite["coverage"] == 0.5
        for part in suite["partitions"]:
            assert part["by_category_stats"]["again"]["status"] == "unbewertbar"
            assert "again" not in part["by_category"]
    assert run("verify", study)[0] == 0
