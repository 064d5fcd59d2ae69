"""Workers of a Ray cluster: killed in the middle, or left without their driver, nothing is lost."""

import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from equipoise.pipeline.verifying import verify_archive
from equipoise.records.trial import EndingKind
from studies.loss.runs import archive_of, equipoise_apart, outputs, run_here, trials
from studies.loss.test_kill import size_of_attempts, slow_study

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("ray") is None,
        reason="Ray is not installed (pip install 'equipoise[ray]', 214 MB)",
    ),
]
RAY = ("--executor", "ray", "-j", "2")


def whole(tmp_path: Path, n_each: int) -> dict[tuple[str, int], bytes]:
    """What a run within one process gives."""
    study = slow_study(tmp_path / "whole", n_each=n_each)
    run_here(study)
    return outputs(study, "release-1")


def workers(study: Path) -> dict[int, Path]:
    """The processes of the workers that live, and the folder of each."""
    found = {}
    for alive in study.glob("work/*/workers/*/alive"):
        pid = int((alive.read_text("utf-8").split() or ["0"])[0])
        if pid and Path(f"/proc/{pid}").exists():
            found[pid] = alive.parent
    return found


def started(study: Path, *, n_begun: int) -> "subprocess.Popen[str]":
    """Starts a run, and waits until so many attempts were begun by two workers."""
    child = subprocess.Popen(
        [sys.executable, "-m", "equipoise", "run", str(study), *RAY],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPERATOR_KEY": "do-not-pass"},
    )
    until = time.monotonic() + 120
    while size_of_attempts(study) < 19 * n_begun and time.monotonic() < until:
        assert child.poll() is None, child.communicate()
        time.sleep(0.01)
    assert len(workers(study)) == 2
    return child


def holds(study: Path, wanted: dict[tuple[str, int], bytes]) -> None:
    """Holds a run against a whole one; nothing of Ray is left."""
    assert outputs(study, "release-1") == wanted
    archive = archive_of(study, "release-1")
    assert all(fault.is_note for fault in verify_archive(archive.path))
    settled = [t for t in trials(study, "release-1") if t.ending.kind is EndingKind.COMPLETED]
    assert sorted((t.unit, t.repetition) for t in settled) == sorted(wanted)
    assert not study.joinpath("work").exists()
    assert not list(Path("/tmp").glob("equipoise-ray-*"))


@pytest.mark.requirement("OUT-45")
def test_a_worker_that_is_killed_costs_an_attempt_and_nothing_else(tmp_path: Path) -> None:
    wanted = whole(tmp_path, 30)
    study = slow_study(tmp_path / "study", n_each=30)
    with started(study, n_begun=20) as child:
        both = workers(study)
        for pid in both:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            assert b"do-not-pass" not in environment
        os.kill(next(iter(both)), signal.SIGKILL)
        out, err = child.communicate(timeout=120)
    assert (child.returncode, err) == (0, "")
    assert "(raylet)" not in out
    lost = [t for t in trials(study, "release-1") if t.ending.kind is not EndingKind.COMPLETED]
    assert lost
    for trial in lost:
        assert trial.ending.kind is EndingKind.INFRASTRUCTURE_ERROR
        assert "was lost" in trial.ending.detail
    holds(study, wanted)


@pytest.mark.requirement("E2E-22")
@pytest.mark.requirement("OUT-44")
def test_a_driver_that_is_killed_takes_its_workers_along_and_the_next_goes_on(
    tmp_path: Path,
) -> None:
    wanted = whole(tmp_path, 30)
    study = slow_study(tmp_path / "study", n_each=30)
    with started(study, n_begun=20) as child:
        both = workers(study)
        child.kill()
        child.communicate()
    done = equipoise_apart("run", study, *RAY)
    assert done.stderr == ""
    assert not [pid for pid in both if Path(f"/proc/{pid}").exists()]
    holds(study, wanted)
    kept = trials(study, "release-1")
    assert len(kept) == len(wanted), "what was recorded before was not executed again"


def test_ctrl_c_ends_the_workers_in_good_order(tmp_path: Path) -> None:
    study = slow_study(tmp_path / "study", n_each=30)
    with started(study, n_begun=10) as child:
        both = workers(study)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (130, "")
    assert not [pid for pid in both if Path(f"/proc/{pid}").exists()]
    assert not list(study.glob("work/*/workers/*"))
    assert not list(Path("/tmp").glob("equipoise-ray-*"))


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere"])
def test_no_cluster_at_an_address_is_said(tmp_path: Path, address: str) -> None:
    study = slow_study(tmp_path / "study", n_each=8)
    done = equipoise_apart("run", study, "--executor", "ray", "--address", address, code=3)
    assert f"no Ray cluster at {address}: " in done.stderr
    assert "mend: ray start" in done.stderr
