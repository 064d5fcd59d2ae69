"""Frozen logs, mode B: what came graded is taken over where it is quoted, the rest says why."""

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.pipeline.verifying import verify_archive
from studies.loss.executed import archive_of, grades, trials
from studies.loss.made_study import made_units
from studies.loss.runs import equipoise, sealed_study

LATE = {"id": "late", "weight": 0.2, "type": "deterministic", "max": 1}
TONE = {"id": "tone_off", "weight": 0.1, "type": "model_judged", "max": 1}
RETRY = LATE | {"id": "retried", "is_reexecuted": True}
SEEN = LATE | {"id": "unseen", "check": {"regex": {"document": "journal.jsonl", "pattern": "x"}}}
MAPPING = {
    "unit": "unit",
    "repetition": "rep",
    "findings": {
        "column": "findings",
        "categories": ["late", "tone_off", "retried"],
        "how": "measured",
    },
}


def rows(release: str) -> list[dict[str, Any]]:
    """Every second unit of release 2 is late, and says so in a log."""
    found = []
    for unit in made_units(4):
        is_late = release == "2" and int(unit["id"].rpartition("-")[2]) % 2 == 0
        for rep in range(1, 4):
            late = {"category": "late", "log": f"app-{release}.log", "quote": "slow answer"}
            row = {"unit": unit["id"], "rep": rep}
            found.append(row | {"findings": [late | {"line": 2}] if is_late else []})
    return found


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    folder.mkdir()
    for release in ("1", "2"):
        text = "".join(f"{json.dumps(row)}\n" for row in rows(release))
        folder.joinpath(f"old-{release}.jsonl").write_text(text, encoding="utf-8")
        folder.joinpath(f"app-{release}.log").write_text("start\nslow answer\n", encoding="utf-8")
    arms = [
        {
            "name": f"release-{release}",
            "system": {
                "logs": {"path": f"old-{release}.jsonl", "format": "table", "mapping": MAPPING}
            },
        }
        for release in ("1", "2")
    ]
    return sealed_study(
        folder,
        units=made_units(4),
        catalog={"version": "v1", "categories": [LATE | {"weight": 0.8}, TONE, RETRY, SEEN]},
        arms=json.dumps(arms),
        state="",
        sandbox="",
    )


@pytest.mark.requirement("E2E-05")
def test_e2e_05_frozen_logs_are_graded_and_what_needs_execution_is_unbewertbar(
    study: Path,
) -> None:
    equipoise("run", study)
    said = json.loads(equipoise("grade", study, "--json").stdout)
    (release,) = [run for run in said["runs"] if run["arm"] == "release-2"]
    units = {trial.id: trial.unit for trial in trials(study, "release-2")}
    late = grades(study, "release-2", "v1:late")
    assert {units[t] for t, one in late.items() if one.value} == {
        unit for unit in units.values() if int(unit.rpartition("-")[2]) % 2 == 0
    }
    assert all(one.evidence[0].quote == "slow answer" for one in late.values() if one.value)
    assert release["mode"] == "B"
    categories = release["categories"]
    assert categories["late"]["n_values"] == release["n_trials"]
    for name, why in (
        ("retried", "unbewertbar: needs the system to be executed again"),
        ("tone_off", "unbewertbar: graded in the logs"),
        ("unseen", "no document journal.jsonl"),
    ):
        assert categories[name]["n_values"] == 0
        assert all(told.startswith(why) for told in categories[name]["unbewertbar"])
    lost = {round(one.value or 0, 9) for one in grades(study, "release-2", "v1:loss").values()}
    assert lost == {0.0, 1.0}
    path = archive_of(study, "release-2").path
    assert [fault for fault in verify_archive(path) if not fault.is_note] == []
