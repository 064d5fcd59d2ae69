"""SIGKILL at random moments, then the same command again: every cell once, as if nothing was."""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from equipoise.archive.manifest import Document
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.plan import StateSpec
from equipoise.records.trial import EndingKind
from equipoise.studies.loss.running_place import is_finished
from equipoise.wiring import state_store
from studies.loss.desks import DESK, desk_study
from studies.loss.runs import archive_of, outputs, run_here, trials

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


def killed(study: Path, rng: np.random.Generator) -> bool:
    """Starts the run and kills it at a random moment; false where it had ended by itself.

    Seven in ten moments fall into the time in which cells are executed, the others anywhere.
    """
    command = [sys.executable, "-m", "equipoise", "run", str(study)]
    is_executing = rng.random() < 0.7
    n_begun = size_of_attempts(study)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        while is_executing and child.poll() is None and size_of_attempts(study) == n_begun:
            time.sleep(0.01)
        try:
            _, said = child.communicate(timeout=float(rng.uniform(0, 0.6 if is_executing else 2)))
        except subprocess.TimeoutExpired:
            child.kill()
            return True
    assert child.returncode == 0, said.decode()
    return False


def size_of_attempts(study: Path) -> int:
    """How long the list of attempts is that were begun."""
    return sum(path.stat().st_size for path in study.glob("work/*/attempts.log"))


def survives(study: Path, wanted: dict[tuple[str, int], bytes], n_kills: int, seed: int) -> int:
    """Kills the run again and again, lets it end, and holds everything against a whole one."""
    rng = np.random.default_rng(seed)
    state = state_store(StateSpec(kind="directory", target="books"), study)
    before, n_killed = state.digest(), 0
    while n_killed < n_kills and killed(study, rng):
        n_killed += 1
    run_here(study)
    archive = archive_of(study, "release-1")
    assert is_finished(archive.path)
    assert all(fault.is_note for fault in verify_archive(archive.path))
    assert outputs(study, "release-1") == wanted
    kept = trials(study, "release-1")
    assert Counter((t.unit, t.repetition) for t in kept) == Counter(wanted.keys())
    assert {t.ending.kind for t in kept} == {EndingKind.COMPLETED}
    journals = {t.id: lines_of(study, t.id) for t in kept}
    assert set(journals.values()) == {1}, "lines of an attempt that was killed are not the trial's"
    assert state.digest() == before
    assert not study.joinpath("work").exists()
    return n_killed


def lines_of(study: Path, trial: str) -> int:
    """How many lines the journal of a trial has."""
    archive = archive_of(study, "release-1")
    (one,) = [d for d in archive.read(Document) if d.name == f"{trial}/journal.jsonl"]
    return b"".join(archive.blobs.chunks(one.sha256)).count(b"\n")


def kills_change_nothing(folder: Path, n_kills: int, n_each: int) -> None:
    """Kills runs of one study after another until so many kills have fallen."""
    whole = slow_study(folder / "whole", n_each=n_each)
    run_here(whole)
    wanted = outputs(whole, "release-1")
    assert len(wanted) == 2 * (1 + 3 * (n_each - 1))
    n_killed = number = 0
    while n_killed < n_kills:
        number += 1
        study = slow_study(folder / f"study-{number}", n_each=n_each)
        n_killed += survives(study, wanted, n_kills - n_killed, seed=number)


@pytest.mark.requirement("E2E-22")
@pytest.mark.requirement("E2E-23")
def test_a_few_kills_change_nothing(tmp_path: Path) -> None:
    kills_change_nothing(tmp_path, 8, n_each=8)


@pytest.mark.slow
@pytest.mark.requirement("E2E-22")
@pytest.mark.requirement("E2E-23")
def test_two_hundred_kills_change_nothing(tmp_path: Path) -> None:
    kills_change_nothing(tmp_path, 200, n_each=40)
