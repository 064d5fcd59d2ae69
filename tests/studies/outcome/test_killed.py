"""SIGKILL at random moments of running and grading: each cell once, same result, nothing left."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from equipoise.archive.manifest import Document
from equipoise.archive.store import Archive
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.grade import Grade
from equipoise.records.trial import EndingKind, Trial
from studies.loss.compared_loss_runs import called
from studies.loss.made_agents import NEEDS_BWRAP
from studies.outcome.outcome_studies import FIX, made, scripted

pytestmark = [NEEDS_BWRAP, pytest.mark.slow]
MENDED = {
    "path": "tally/dates.py",
    "old": "self.first <= day < self.last",
    "new": "self.first <= day <= self.last",
}
_DO = [
    {"run": "setsid sleep 600 >/dev/null 2>&1 & true"},
    {"sleep": "0.3"},
    {"maybe": {"p": "0.5", "do": [{"edit": MENDED}]}},
    {"sleep": "0.3"},
    {"print": "Looked at it."},
]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path: sockets are put below it."""
    made_one = Path(tempfile.mkdtemp(prefix="eqo-", dir="/tmp"))
    yield made_one
    shutil.rmtree(made_one, ignore_errors=True)


def sealed_twice(folder: Path) -> tuple[Path, Path]:
    """Two copies of one sealed study whose cells mend by chance of their own."""
    study = made(
        folder / "whole",
        [scripted("chance", {"cases": [{"do": _DO}]})],
        scenarios=[FIX],
        repetitions="4",
    )
    for verb in ("plan", "seal"):
        done = called(verb, study)
        assert done.exit_code == 0, done.output
    shutil.copytree(study, folder / "killed")
    return study, folder / "killed"


def outcome(study: Path) -> dict[tuple[int, str], object]:
    """What came of each cell: its diff and its grades, by repetition; each cell once."""
    (path,) = study.glob("archive/chance-*")
    archive = Archive.open(path)
    assert [fault for fault in verify_archive(path) if not fault.is_note] == []
    whole = [one for one in archive.read(Trial) if one.ending.kind is EndingKind.COMPLETED]
    assert set(Counter(one.repetition for one in whole).values()) == {1}
    number = {one.id: one.repetition for one in whole}
    found: dict[tuple[int, str], object] = {}
    for document in archive.read(Document):
        trial, _, name = document.name.partition("/")
        if trial in number and name in {"diff.patch", "tree.json"}:
            found[number[trial], name] = document.sha256
    for grade in archive.read(Grade):
        if grade.trial in number:
            key = (number[grade.trial], grade.criterion)
            assert key not in found, "graded twice"
            found[key] = (grade.value, grade.not_evaluable)
    return found


def left(folder: Path, own: Path) -> list[str]:
    """Processes and mounts that have to do with a folder, and what is left in its own /tmp."""
    stays = [own / "equipoise-devices", own / f"equipoise-leases-{os.geteuid()}"]  # for all runs
    said = [str(path) for path in own.iterdir() if path not in stays]
    said += [str(path) for path in stays[1].glob("*") if path.suffix != ".lock"]
    mounts = Path("/proc/self/mounts").read_text(encoding="utf-8")
    said += [line for line in mounts.splitlines() if str(folder) in line]
    for process in Path("/proc").iterdir():
        if process.name.isdecimal() and int(process.name) != os.getpid():
            try:
                words = process.joinpath("cmdline").read_bytes()
                words += process.joinpath("environ").read_bytes()
            except OSError:
                continue
            if str(folder).encode() in words:
                said.append(f"process {process.name}: {words[:200]!r}")
    return said


def kill(
    verb: str, study: Path, own: Path, n_kills: int, lasted: float, rng: np.random.Generator
) -> int:
    """Kills a command again and again, lets it end at last, and gives how often it was killed.

    Where it ended before it was killed, the study is put back to what it was at the beginning.
    """
    before = study.with_name(f"before-{verb}")
    shutil.copytree(study, before, symlinks=True)
    argv = [sys.executable, "-m", "equipoise", verb, str(study)]
    environment = os.environ | {"TMPDIR": str(own)}
    n_killed = n_here = 0
    while n_killed < n_kills or not n_here:
        with subprocess.Popen(
            argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as program:
            time.sleep(float(rng.uniform(0.2, 1.0)) * lasted)
            program.kill()
        if program.returncode == -signal.SIGKILL:
            n_killed, n_here = n_killed + 1, n_here + 1
        else:
            lasted, n_here = 0.9 * lasted, 0
            shutil.rmtree(study)
            shutil.copytree(before, study, symlinks=True)
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(before)
    return n_killed


@pytest.mark.requirement("OUT-44")
@pytest.mark.requirement("OUT-56")
@pytest.mark.parametrize("n_kills", [20, 100])
def test_kills_while_a_study_is_run_and_graded_change_nothing(n_kills: int, folder: Path) -> None:
    whole, killed = sealed_twice(folder)
    own = folder / "t"
    own.mkdir()
    rng = np.random.default_rng(n_kills)
    for verb in ("run", "grade"):
        began = time.monotonic()
        done = called(verb, whole)
        assert done.exit_code == 0, done.output
        lasted = time.monotonic() - began + 1.0
        assert kill(verb, killed, own, n_kills // 2, lasted, rng) >= n_kills // 2
    assert outcome(killed) == outcome(whole)
    until = time.monotonic() + 20
    while (rest := left(folder, own)) and time.monotonic() < until:
        time.sleep(0.2)
    assert rest == []
