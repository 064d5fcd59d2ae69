"""Three parts of a fix, always apart: hidden tests, the seed's own suite, documents and causes."""

import json
import shutil
from pathlib import Path

import pytest

import equipoise
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.made_packs import scripted, write_study

WORKSHOP = Path(equipoise.__file__).parent / "examples" / "workshop"
FIRST = "i01-last-day-missing"
MENDS = {
    "edit": {
        "path": "tally/dates.py",
        "old": "self.first <= day < self.last",
        "new": "self.first <= day <= self.last",
    }
}
BREAKS = {"write": {"path": "tally/money.py", "text": "def show(cents):\n    return 'broken'\n"}}
NOTE = """\
---
issue: last-day
status: done
---

# The last day is missing

## Symptom

A report of a month leaves out everything of its last day.

## Root cause

{cause}

## Fix

That day is in the report again, wherever it is made.

## Regression test

test_dates has a case for it.
"""
RIGHT = (
    "`Period.__contains__` in dates treats the last day as exclusive: it compares with `<`, so "
    "that the boundary itself is never within the period."
)
WRONG = "The clock of the computer was set to another zone, and the file was read too early."


def noted(cause: str) -> dict[str, object]:
    path = ".codestable/issues/last-day/fix-note.md"
    return {"write": {"path": path, "text": NOTE.format(cause=cause)}}


@NEEDS_BWRAP
@pytest.mark.slow
@pytest.mark.requirement("OUT-14")
@pytest.mark.requirement("OUT-15")
@pytest.mark.requirement("OUT-18")
@pytest.mark.requirement("OUT-49")
def test_each_part_is_lost_by_itself_and_shown_beside_the_loss(tmp_path: Path) -> None:
    shutil.copytree(WORKSHOP, tmp_path / "pack")
    skill = {"skill": "issue"}
    write_study(
        tmp_path,
        scripted("right", MENDS, noted(RIGHT), {"print": "Mended."}) | skill,
        scripted("wrong-cause", MENDS, noted(WRONG), {"print": "Mended."}) | skill,
        scripted("breaks", MENDS, BREAKS, noted(""), {"print": "All tests pass."}) | skill,
        scripted("bare", MENDS, {"print": "Mended."}),
        scenarios=[FIRST],
        without_stops="They are run in a study of their own.",
    )
    for verb in ("plan", "seal", "run"):
        done = called(verb, tmp_path)
        assert done.exit_code == 0, done.output
    done = called("grade", tmp_path, "--json")
    assert done.exit_code == 0, done.output
    told = {run["arm"]: run["categories"] for run in json.loads(done.output)["runs"]}
    means = {arm: {n: one["mean"] for n, one in found.items()} for arm, found in told.items()}
    met = dict.fromkeys(("hidden_explicit", "hidden_implicit", "regression"), 0.0)
    process = dict.fromkeys(("artifact", "dod_gate", "root_cause"), 0.0)
    assert means["right"].items() >= {**met, **process, "loss": 0.0}.items()
    # a right fix with a wrong root cause passes two of three
    assert means["wrong-cause"].items() >= {**met, **process, "root_cause": 1.0}.items()
    assert means["wrong-cause"]["loss"] == 0.0
    # who breaks an old test fails the regression, whatever else it mends
    assert means["breaks"]["regression"] == 1.0
    assert (means["breaks"]["artifact"], means["breaks"]["dod_gate"]) == (1.0, 1.0)
    assert means["breaks"]["loss"] > 0.0
    # what only a skill asks for is not held against an arm without one
    assert means["bare"].items() >= {**met, "loss": 0.0}.items()
    assert [means["bare"][name] for name in process] == [None] * len(process)
    done = called("compare", tmp_path, "--new", "bare")
    assert done.exit_code == 0, done.output
    assert called("verify", tmp_path).exit_code == 0
