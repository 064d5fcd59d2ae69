"""How many cells were really under way at once, by the times that are recorded of them."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from equipoise.archive.store import Archive
from equipoise.records.trial import EndingKind, Trial
from studies.loss.desks import desk_study
from studies.loss.made_agents import NEEDS_BWRAP, agent_arm, agent_study
from studies.loss.runs import equipoise

_SLOWLY = [{"do": [{"run": "sleep 0.4"}]}]


_INEXACT = timedelta(milliseconds=5)
"""The beginning is recorded in whole milliseconds, and by another clock than the duration."""


def _most_at_once(study: Path) -> int:
    (path,) = study.glob("archive/*")
    trials = list(Archive.open(path).read(Trial))
    assert {trial.ending.kind for trial in trials} == {EndingKind.COMPLETED}
    ends: list[tuple[datetime, int]] = []
    for trial in trials:
        assert trial.started_at is not None
        begun = datetime.fromisoformat(trial.started_at)
        took = timedelta(milliseconds=trial.duration_ms or 0.0) - _INEXACT
        ends += [(begun, 1), (begun + took, -1)]
    now = most = 0
    for _, step in sorted(ends):
        now += step
        most = max(most, now)
    return most


@NEEDS_BWRAP
@pytest.mark.parametrize(
    ("resources", "most"),
    [({"sandbox": "2"}, 2), pytest.param({}, 3, marks=pytest.mark.slow)],
)
def test_no_more_sandboxes_at_once_than_the_study_allows(
    tmp_path: Path, resources: dict[str, str], most: int
) -> None:
    budget = {"cell_timeout_s": "60", "concurrency": "4", "resources": resources}
    study = agent_study(
        tmp_path / "study",
        n_units=1,
        study={"budget": budget},
        only=agent_arm({"scripted": {"cases": _SLOWLY}}),
    )
    equipoise("run", study)
    assert _most_at_once(study) == most


def test_a_database_that_takes_one_at_a_time_is_asked_by_one(tmp_path: Path) -> None:
    study = desk_study(
        tmp_path / "study", slow="0.1", budget="{concurrency: 4, resources: {database: 1}}"
    )
    equipoise("run", study, "--arm", "release-1")
    assert _most_at_once(study) == 1
