"""What a killed run left is gone after the next start of anything, not only of the same study."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from equipoise.records.plan import StateSpec
from equipoise.wiring import state_store
from studies.loss.desks import desk_study
from studies.loss.made_agents import NEEDS_BWRAP, SENIOR, agent_arm, agent_study

_SLOWLY = [{"do": [{"run": "setsid sleep 600 >&- 2>&- <&- & sleep 5"}, *SENIOR[0]["do"]]}]


def _apart(folder: Path) -> dict[str, str]:
    """Surroundings in which whatever is left can be seen."""
    places = {"XDG_RUNTIME_DIR": folder / "runtime", "TMPDIR": folder / ("t" * 60)}
    for place in places.values():
        place.mkdir(exist_ok=True)
    return {name: str(place) for name, place in places.items()} | {"OF_THIS_TEST": str(folder)}


def _equipoise(folder: Path, *words: object) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "equipoise", *map(str, words)],
        env=os.environ | _apart(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _killed(folder: Path, study: Path, is_due: Callable[[], object]) -> int:
    """Kills a run of the study as soon as it is due."""
    with _equipoise(folder, "run", study) as child:
        give_up = time.monotonic() + 60
        while not is_due():
            assert child.poll() is None, child.communicate()
            assert time.monotonic() < give_up
            time.sleep(0.01)
        child.kill()
        child.communicate()
    return child.pid


def _started(folder: Path, *words: object) -> bytes:
    with _equipoise(folder, *words) as child:
        out, err = child.communicate(timeout=120)
    assert child.returncode in {0, 3}, err.decode()
    return out


def _told_by_doctor(folder: Path) -> str:
    found = json.loads(_started(folder, "doctor", "--json"))
    (told,) = [finding for finding in found if finding["name"] == "left by killed runs"]
    assert told["state"] == "found"
    return str(told["found"])


def _left(folder: Path, study: Path, pid: int) -> list[str]:
    """What is still there of a killed run, beside its archive and its list of attempts."""
    left = [str(path) for path in study.glob("work/*/*") if path.name != "attempts.log"]
    left += [str(path) for path in folder.joinpath("runtime").rglob("*.json")]
    left += [str(path) for path in study.joinpath("archive").glob(".*")]
    temporary = folder / ("t" * 60)
    left += [path.name for path in temporary.iterdir() if path.name != "equipoise-devices"]
    for parent, names, _ in os.walk("/sys/fs/cgroup"):  # others come and go meanwhile
        left += [f"{parent}/{name}" for name in names if name.startswith(f"equipoise-{pid}-")]
    mark = f"OF_THIS_TEST={folder}".encode()
    for place in Path("/proc").glob("[0-9]*/environ"):
        try:
            left += [str(place)] if mark in place.read_bytes().split(b"\0") else []
        except OSError:
            continue
    return left


@NEEDS_BWRAP
@pytest.mark.requirement("E2E-22")
@pytest.mark.requirement("OUT-44")
def test_a_killed_run_of_agents_leaves_nothing_after_a_look_at_the_machine(tmp_path: Path) -> None:
    study = agent_study(tmp_path / "study", only=agent_arm({"scripted": {"cases": _SLOWLY}}))
    pid = _killed(tmp_path, study, lambda: list(study.glob("work/*/cells/*/workspace/calc.py")))
    assert {path.name for path in study.glob("work/*/*")} >= {"cells", "seeds", "state"}
    told = _told_by_doctor(tmp_path)
    assert told.startswith("put right run ")
    assert _left(tmp_path, study, pid) == []
    assert _told_by_doctor(tmp_path) == "none"


@pytest.mark.requirement("E2E-22")
@pytest.mark.requirement("E2E-23")
def test_a_killed_run_leaves_nothing_after_the_run_of_another_study(tmp_path: Path) -> None:
    study = desk_study(tmp_path / "study", slow="0.3")
    other = desk_study(tmp_path / "other")
    state = state_store(StateSpec(kind="sqlite", target="state/desk.sqlite"), study)
    before = state.digest()
    pid = _killed(tmp_path, study, lambda: state.digest() != before)
    _started(tmp_path, "run", other, "--arm", "release-1", "--max-cells", "1")
    assert state.digest() == before
    assert _left(tmp_path, study, pid) == []
    _started(tmp_path, "run", study)
    assert state.digest() == before
    assert not study.joinpath("work").exists()
