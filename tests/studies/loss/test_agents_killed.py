"""SIGKILL while agents run: every cell once, and nothing of a killed run is left on the machine."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from equipoise.archive.store import Archive
from equipoise.pipeline.verifying import verify_archive
from equipoise.records.trial import EndingKind, Trial
from studies.loss.made_agents import NEEDS_BWRAP, SENIOR, agent_arm, agent_study

_SLOWLY = [{"do": [{"run": "setsid sleep 600 >&- 2>&- <&- & sleep 0.2"}, *SENIOR[0]["do"]]}]
_MARK = b"EQUIPOISE_LEASE="
_N_UNITS = 12


def _run(study: Path, surroundings: dict[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "equipoise", "run", str(study)],
        env=os.environ | surroundings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _marked(mark: bytes) -> list[int]:
    """The processes that have this in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def _survives(folder: Path, n_kills: int) -> None:
    rng = np.random.default_rng(n_kills)
    study = agent_study(
        folder / "study", n_units=_N_UNITS, only=agent_arm({"scripted": {"cases": _SLOWLY}})
    )
    leases = folder / "runtime"
    leases.mkdir()
    temporary = folder / ("t" * 60)  # no path of a socket has room in there
    temporary.mkdir()
    surroundings = {
        "XDG_RUNTIME_DIR": str(leases),
        "TMPDIR": str(temporary),
        "OF_THIS_TEST": str(folder),
    }
    ours = set()
    for _ in range(n_kills):
        child = _run(study, surroundings)
        ours.add(child.pid)
        time.sleep(float(rng.uniform(0.3, 3.0)))
        child.kill()
        child.communicate()
    child = _run(study, surroundings)
    ours.add(child.pid)
    _, said = child.communicate(timeout=300)
    assert child.returncode == 0, said.decode()

    (path,) = study.glob("archive/only-*")
    assert not [fault for fault in verify_archive(path) if not fault.is_note]
    trials = list(Archive.open(path).read(Trial))
    completed = [t for t in trials if t.ending.kind is EndingKind.COMPLETED]
    assert [t.ending.detail for t in trials if t not in completed] == []
    cells = Counter((t.unit, t.repetition) for t in completed)
    assert set(cells.values()) == {1}
    plan = json.loads(study.joinpath("plan.json").read_bytes())
    drawn = {unit["id"] for unit in plan["units"]}
    assert set(cells) == {(unit, n) for unit in drawn for n in (1, 2, 3)}

    assert not study.joinpath("work").exists()
    assert not list(leases.rglob("*.json"))
    stays = {"equipoise-devices"}  # of root: made once, for all runs
    assert {path.name for path in temporary.iterdir()} <= stays
    time.sleep(0.3)
    assert _marked(f"OF_THIS_TEST={folder}".encode()) == []
    groups = [path.name for path in Path("/sys/fs/cgroup").rglob("equipoise-*") if path.is_dir()]
    assert not [name for name in groups if any(f"-{pid}-" in name for pid in ours)]


@NEEDS_BWRAP
@pytest.mark.requirement("OUT-44")
def test_two_kills_leave_nothing_and_lose_nothing(tmp_path: Path) -> None:
    _survives(tmp_path, 2)


@pytest.mark.slow
@NEEDS_BWRAP
@pytest.mark.requirement("OUT-44")
def test_many_kills_leave_nothing_and_lose_nothing(tmp_path: Path) -> None:
    _survives(tmp_path, 60)
