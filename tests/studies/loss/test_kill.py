"""SIGKILL at random moments, then the same command again: every cell once, as if nothing was."""

import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from equipoise.pipeline.verifying import verify_archive
from equipoise.records.event import EventKind
from equipoise.records.plan import StateSpec
from equipoise.records.trial import EndingKind
from equipoise.studies.loss.running_place import is_finished
from equipoise.wiring import state_store
from studies.loss.desks import DESK, desk_study
from studies.loss.runs import archive_of, events, outputs, run_here, trials

# A desk that takes its time, and starts quickly: the shell books, waits and answers.
SLOW_DESK = """
printf '%s %s\\n' "$3" "$2" >> books/refunds.txt
printf '{"trace": "%s", "event": "refunded"}\\n' "$3" >> logs/desk.jsonl
sleep "$5"
echo "$1: refunded $2 cents, seed $4"
"""
ARM = """
  - name: release-1
    system:
      command: [/bin/sh, agent.sh, "{unit}", "{brief.cents}", "{trial}", "{seed}", "0.05"]
"""
CANARY = '{canary: {text: "refund {nonce}", cents: 5}, state_changes: true}'
PROBES = '[{name: journal, files: {glob: "logs/*.jsonl", trace: trace}}]'


def slow_study(folder: Path, *, n_each: int) -> Path:
    folder.joinpath("books").mkdir(parents=True)
    study = desk_study(
        folder,
        n_each=n_each,
        agent=DESK,
        arms=ARM,
        baseline="release-1",
        anti_mock=CANARY,
        probes=PROBES,
        state="{directory: books}",
    )
    study.joinpath("agent.sh").write_text(SLOW_DESK, encoding="ascii")
    return study


def killed(study: Path, after_s: float) -> bool:
    """Starts the run and kills it after a while; false where it had ended by itself."""
    command = [sys.executable, "-m", "equipoise", "run", str(study)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        try:
            _, said = child.communicate(timeout=after_s)
        except subprocess.TimeoutExpired:
            child.kill()
            return True
    assert child.returncode == 0, said.decode()
    return False


def begun_after_s(study: Path) -> float:
    """How long the program takes here before it executes anything: kills before tell little."""
    copy = study.with_name("timed")
    shutil.copytree(study, copy)
    started = time.monotonic()
    command = [sys.executable, "-m", "equipoise", "run", str(copy), "--max-cells", "0"]
    subprocess.run(command, capture_output=True, check=True)
    shutil.rmtree(copy)
    return time.monotonic() - started


def survives(study: Path, wanted: dict[tuple[str, int], bytes], n_kills: int, seed: int) -> int:
    """Kills the run again and again, lets it end, and holds everything against a whole one."""
    rng = np.random.default_rng(seed)
    state = state_store(StateSpec(kind="directory", target="books"), study)
    before, start_s, n_killed = state.digest(), begun_after_s(study), 0
    while n_killed < n_kills and killed(study, float(rng.uniform(0.3, 1.6)) * start_s):
        n_killed += 1
    run_here(study)
    archive = archive_of(study, "release-1")
    assert is_finished(archive.path)
    assert all(fault.is_note for fault in verify_archive(archive.path))
    assert outputs(study, "release-1") == wanted
    kept = trials(study, "release-1")
    assert Counter((t.unit, t.repetition) for t in kept) == Counter(wanted.keys())
    assert {t.ending.kind for t in kept} == {EndingKind.COMPLETED}
    told = events(study, "release-1", EventKind.ABORTED)
    aborted = [(event.facts["cell"], event.facts["attempt"]) for event in told]
    assert len(set(aborted)) == len(aborted)
    assert state.digest() == before
    assert not study.joinpath("work").exists()
    return n_killed


@pytest.mark.requirement("E2E-22")
@pytest.mark.requirement("E2E-23")
def test_ten_kills_change_nothing(tmp_path: Path) -> None:
    whole = slow_study(tmp_path / "whole", n_each=8)
    run_here(whole)
    wanted = outputs(whole, "release-1")
    assert len(wanted) == 2 * (1 + 7 * 3)
    study = slow_study(tmp_path / "study", n_each=8)
    assert survives(study, wanted, 10, seed=1) >= 5


@pytest.mark.slow
@pytest.mark.requirement("E2E-22")
def test_two_hundred_kills_change_nothing(tmp_path: Path) -> None:
    whole = slow_study(tmp_path / "whole", n_each=40)
    run_here(whole)
    wanted = outputs(whole, "release-1")
    n_killed = 0
    for number in range(200):
        study = slow_study(tmp_path / f"study-{number}", n_each=40)
        n_killed += survives(study, wanted, 200 - n_killed, seed=number)
        if n_killed >= 200:
            break
    assert n_killed >= 200
