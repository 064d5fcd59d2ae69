"""A run that was killed, or whose clock jumped, comes to what an undisturbed one comes to."""

import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from equipoise.pipeline.verifying import verify_archive
from equipoise.records.trial import EndingKind
from equipoise.studies.loss.running import run_study
from equipoise.studies.loss.running_asked import Asked
from equipoise.studies.loss.sealed import read_sealed
from equipoise.wiring import adapters
from studies.loss.desks import desk_study
from studies.loss.runs import NOW, archive_of, equipoise, outputs, run_here, trials
from studies.loss.test_kill import ARM, size_of_attempts, slow_study

CRASHING = """
case "$1" in
  *1) echo "no ledger for $1" >&2; kill -SEGV $$ ;;
  *) echo "$1: refunded $2 cents, seed $4" ;;
esac
"""


@pytest.mark.requirement("OUT-44")
def test_what_was_recorded_before_a_kill_is_not_executed_again(tmp_path: Path) -> None:
    study, whole = (slow_study(tmp_path / name, n_each=5) for name in ("killed", "whole"))
    command = [sys.executable, "-m", "equipoise", "run", str(study)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        while size_of_attempts(study) < 19 * 14 and child.poll() is None:
            time.sleep(0.005)
        time.sleep(0.3)
        child.kill()
    before = {trial.id: trial.started_at for trial in trials(study, "release-1")}
    equipoise("run", study)
    run_here(whole)
    after = {trial.id: trial.started_at for trial in trials(study, "release-1")}
    n_cells = len(outputs(whole, "release-1"))
    assert 0 < len(before) < n_cells == len(after)
    assert before.items() <= after.items(), "each trial stands as it was recorded"
    assert outputs(study, "release-1") == outputs(whole, "release-1")


@pytest.mark.requirement("OUT-45")
def test_a_cell_that_crashes_ends_with_its_cause_and_the_others_finish(tmp_path: Path) -> None:
    tmp_path.joinpath("study", "books").mkdir(parents=True)
    study = desk_study(
        tmp_path / "study",
        n_each=3,
        arms=ARM.replace(', "0.05"', ""),
        baseline="release-1",
        anti_mock="{canary: {text: 'refund {nonce}', cents: 5}, differs: true}",
        state="{directory: books}",
    )
    study.joinpath("agent.sh").write_text(CRASHING, encoding="ascii")
    told = run_here(study)
    assert told.is_finished
    kept = trials(study, "release-1")
    crashed = [trial for trial in kept if trial.exit_code != 0]
    assert crashed
    assert len(crashed) < len(kept)
    for trial in crashed:
        assert trial.unit.endswith("1")
        assert trial.exit_code == -11
    assert {trial.ending.kind for trial in kept if trial.exit_code == 0} == {EndingKind.COMPLETED}


def test_a_clock_that_jumps_changes_nothing_but_times(tmp_path: Path) -> None:
    study, whole = (slow_study(tmp_path / name, n_each=3) for name in ("jumping", "whole"))
    jumps = [timedelta(days=1), timedelta(days=-400), timedelta(0), timedelta(days=9000)]
    n_told = 0

    def clock() -> datetime:
        nonlocal n_told
        n_told += 1
        return datetime(2026, 5, 1, tzinfo=UTC) + jumps[n_told % len(jumps)]

    sealed = read_sealed(study, today=NOW.date())
    (told,) = run_study(sealed, adapters(), Asked(), clock)
    run_here(whole)
    assert told.is_finished
    assert outputs(study, "release-1") == outputs(whole, "release-1")
    archive = archive_of(study, "release-1")
    assert all(fault.is_note for fault in verify_archive(archive.path))
    kept = trials(study, "release-1")
    assert set(Counter((t.unit, t.repetition) for t in kept).values()) == {1}
    assert all(0 <= (trial.duration_ms or 0) < 60_000 for trial in kept), "durations are no dates"
