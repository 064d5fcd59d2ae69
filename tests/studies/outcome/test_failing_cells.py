"""Cells that end badly are missing data with a cause; what each cell left stands in order."""

import json
from collections.abc import Mapping
from datetime import datetime

import pytest

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.records.grade import Grade
from equipoise.records.trial import EndingKind, Trial
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.outcome_studies import FIX, graded, made, scripted

pytestmark = [NEEDS_BWRAP, pytest.mark.slow]
LIMIT_S = 20.0
MENDED = {
    "path": "tally/dates.py",
    "old": "self.first <= day < self.last",
    "new": "self.first <= day <= self.last",
}
NOTE = ".codestable/issues/last-day/fix-note.md"
CASES = [
    {"when": {"repetition": "1"}, "do": [{"sleep": "90"}, {"print": "late"}]},
    {"when": {"repetition": "2"}, "do": [{"edit": MENDED}, {"crash": "SIGSEGV"}]},
    {
        "do": [
            {"edit": MENDED},
            {"write": {"path": NOTE, "text": "# Root cause\n\nThe last day was left out.\n"}},
            {"print": "Mended."},
        ]
    },
]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """The run of an arm whose first cell lasts too long and whose second one crashes; graded."""
    study = made(
        tmp_path_factory.mktemp("failing"),
        [scripted("failing", {"cases": CASES})],
        scenarios=[FIX],
        repetitions="4",
        budget={"cell_timeout_s": f"{LIMIT_S:g}"},
    )
    (path,) = graded(study).glob("archive/failing-*")
    return Archive.open(path)


def last_trials(archive: Archive) -> dict[int, Trial]:
    return {trial.repetition: trial for trial in archive.read(Trial)}


@pytest.mark.requirement("OUT-45")
@pytest.mark.requirement("X-O12")
def test_a_cell_that_fails_is_missing_with_its_cause_and_the_others_finish(
    archive: Archive,
) -> None:
    trials = last_trials(archive)
    assert len(trials) == 4
    late, crashed = trials[1], trials[2]
    assert late.ending.kind is EndingKind.TIMED_OUT, late.ending
    assert late.duration_ms is not None
    assert LIMIT_S * 1000 <= late.duration_ms < 90_000  # ended by the limit, not by itself
    assert crashed.ending.kind is EndingKind.HARNESS_ERROR, crashed.ending
    assert "SEGV" in crashed.ending.detail or "11" in crashed.ending.detail, crashed.ending
    done = [trials[3], trials[4]]
    assert {one.ending.kind for one in done} == {EndingKind.COMPLETED}
    assert all((one.duration_ms or 0) <= LIMIT_S * 1000 for one in done)
    values: dict[int, dict[str, Grade]] = {}
    repetition_of = {trial.id: trial.repetition for trial in archive.read(Trial)}
    for grade in archive.read(Grade):
        name = grade.criterion.partition(":")[2]
        values.setdefault(repetition_of[grade.trial], {})[name] = grade
    for repetition in (1, 2):  # no zero, no share: nothing
        assert [one for one in values.get(repetition, {}).values() if one.value is not None] == []
    for repetition in (3, 4):
        assert values[repetition]["hidden_explicit"].value == 0.0
        assert values[repetition]["regression"].value == 0.0


@pytest.mark.requirement("OUT-48")
def test_the_archive_of_a_cell_holds_each_step_in_order_with_its_time(archive: Archive) -> None:
    trial = last_trials(archive)[3]
    kept = documents(archive, trial)
    session = json.loads(kept["session.json"])
    steps = [one["step"] for one in session["steps"]]
    assert steps == ["copy", "session", "freeze"]
    assert all(one["took_s"] >= 0 for one in session["steps"])
    assert len(session["seed"]["sha256"]) == 64
    assert {"transcript.jsonl", "acts.jsonl", "diff.patch", "tree.json"} <= set(kept)
    assert b"day <= self.last" in kept["diff.patch"]
    assert kept[f"artifacts/{NOTE}"].startswith(b"# Root cause")
    runs = [json.loads(kept[name].splitlines()[0]) for name in kept if name.startswith("suite-")]
    began = {
        run["suite"].rpartition("/")[2]: datetime.fromisoformat(run["started_at"]) for run in runs
    }
    assert set(began) == {"explicit", "implicit", "seed tests"}
    assert began["explicit"] <= began["implicit"] <= began["seed tests"]
    assert trial.started_at is not None
    taken = sum(one["took_s"] for one in session["steps"])
    after = began["explicit"] - datetime.fromisoformat(trial.started_at)
    assert after.total_seconds() >= taken - 0.1
    assert all(run["duration_ms"] > 0 for run in runs)


def documents(archive: Archive, trial: Trial) -> Mapping[str, bytes]:
    """The documents of a trial by name."""
    return {
        one.name.partition("/")[2]: b"".join(archive.blobs.chunks(one.sha256))
        for one in archive.read(Document)
        if one.name.startswith(f"{trial.id}/")
    }
