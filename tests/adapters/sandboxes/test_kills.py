"""Whatever of a sandbox is killed, its job ends, nothing stays, and the next job runs."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import numpy as np
import pytest

from adapters.sandboxes.cells import needs_bubblewrap, shell
from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.adapters.sandboxes.leases import Leases
from equipoise.adapters.sandboxes.processes import marked
from equipoise.adapters.sandboxes.sweeping import MARK, Swept
from equipoise.adapters.sandboxes.unmounted import PlainProcess
from equipoise.ports.agents import Ended, HowEnded

_BEATING = "setsid sh -c 'while :; do date +%N > beat; sleep 0.01; done' >&- 2>&- & sleep 40"
_BUSY = """
import sys, anyio
from pathlib import Path
from adapters.sandboxes.cells import shell
from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.adapters.sandboxes.leases import Leases
from equipoise.adapters.sandboxes.unmounted import PlainProcess
folder = Path(sys.argv[1])
leases = Leases(folder / "leases")
async def main():
    async with anyio.create_task_group() as tasks:
        for n, made in enumerate((Bubblewrap(leases=leases), PlainProcess(leases))):
            for m in range(2):
                tasks.start_soon(work, made, folder / f"{n}{m}")
async def work(sandbox, cell):
    while True:
        with leases.taken(cell.name, folders=[cell]):
            cell.mkdir()
            await sandbox.run(shell("setsid sleep 60 >&- 2>&- & sleep 0.05; date > a", cell))
            (cell / "a").unlink(missing_ok=True)
            cell.rmdir()
anyio.run(main)
"""


@pytest.fixture(params=[pytest.param(Bubblewrap, marks=needs_bubblewrap), PlainProcess])
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bubblewrap | PlainProcess]:
    made: Bubblewrap | PlainProcess = request.param(leases=Leases(tmp_path / "leases"))
    yield made
    made.close()


def _killed(
    sandbox: Bubblewrap | PlainProcess, folder: Path, whom: Callable[[dict[str, int]], int]
) -> Ended:
    """Runs a job, kills somebody in the middle of it, and gives how it ended."""
    workspace = folder / "ws"
    workspace.mkdir(exist_ok=True)
    told: list[Ended] = []

    async def run() -> None:
        told.append(await sandbox.run(shell(_BEATING, workspace)))

    async def both() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            while not workspace.joinpath("beat").exists():  # noqa: ASYNC110  nobody tells us
                await anyio.sleep(0.01)
            os.kill(whom(_begun(folder)), signal.SIGKILL)

    anyio.run(both)
    beat = workspace.joinpath("beat").read_text()
    time.sleep(0.1)
    assert workspace.joinpath("beat").read_text() == beat
    workspace.joinpath("beat").unlink()
    return told[0]


def _begun(folder: Path) -> dict[str, int]:
    """Gives what the lease of the one job says was begun."""
    for file in folder.joinpath("leases").glob("*.json"):
        told, *begun = [json.loads(line) for line in file.read_text().splitlines()]
        if told["name"] == "test/agent":
            line: dict[str, int] = begun[0]
            return line
    raise AssertionError


def _runs(sandbox: Bubblewrap | PlainProcess, folder: Path) -> bool:
    ended = anyio.run(sandbox.run, shell("echo fine", folder / "ws"))
    return ended.stdout == b"fine\n"


def test_a_job_whose_keeper_is_killed(sandbox: Bubblewrap | PlainProcess, tmp_path: Path) -> None:
    ended = _killed(sandbox, tmp_path, lambda begun: begun["keeper"])
    assert (ended.how, ended.signal) == (HowEnded.SIGNALLED, 9)
    assert "killed from outside" in ended.detail
    assert _runs(sandbox, tmp_path)


def test_a_job_whose_program_is_killed(sandbox: Bubblewrap | PlainProcess, tmp_path: Path) -> None:
    ended = _killed(sandbox, tmp_path, lambda begun: begun["group"])
    assert (ended.how, ended.signal, ended.exceeded) == (HowEnded.SIGNALLED, 9, "")
    assert _runs(sandbox, tmp_path)


def test_a_killed_spawner_is_started_again(
    sandbox: Bubblewrap | PlainProcess, tmp_path: Path
) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()

    async def both() -> Ended:
        told: list[Ended] = []

        async def run() -> None:
            told.append(await sandbox.run(shell("sleep 0.5; echo whole", workspace)))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await anyio.sleep(0.3)
            for pid in _spawners():
                os.kill(pid, signal.SIGKILL)
        return told[0]

    assert anyio.run(both).stdout in (b"whole\n", b"")
    assert _runs(sandbox, tmp_path)


def _spawners() -> list[int]:
    """Gives the children of ours that start jobs."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in children if b"spawner" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_many_jobs_at_once(sandbox: Bubblewrap | PlainProcess, tmp_path: Path) -> None:
    told: dict[int, Ended] = {}

    async def one(n: int) -> None:
        told[n] = await sandbox.run(shell(f"sleep 0.05; echo {n}; exit {n}", tmp_path))

    async def many() -> None:
        async with anyio.create_task_group() as tasks:
            for n in range(24):
                tasks.start_soon(one, n)

    anyio.run(many)
    assert {n: (ended.stdout, ended.exit_code) for n, ended in told.items()} == {
        n: (f"{n}\n".encode(), n) for n in range(24)
    }


def _besiege(folder: Path, n_kills: int) -> None:
    """Kills a busy run at random moments; after each the next start has to find a clean machine."""
    rng = np.random.default_rng(20261130)
    for _ in range(n_kills):
        run = subprocess.Popen(
            [sys.executable, "-c", _BUSY, str(folder)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        while not folder.joinpath("leases").exists():
            assert run.poll() is None
            time.sleep(0.01)
        time.sleep(float(rng.uniform(0.0, 0.6)))
        run.send_signal(signal.SIGKILL)
        run.wait()
        time.sleep(float(rng.uniform(0.0, 0.05)))
        leases = Leases(folder / "leases")
        marks = [file.stem for file in leases.folder.glob("*.json")]
        assert leases.sweep().stuck == ()
        assert leases.sweep() == Swept()
        assert [pid for mark in marks for pid in marked(f"{MARK}={mark}".encode())] == []
        assert [path.name for path in folder.iterdir()] == ["leases"]
        assert list(leases.folder.iterdir()) == []
        left = [p for p in Path("/sys/fs/cgroup").glob("**/equipoise-*") if str(run.pid) in p.name]
        assert left == []
        leases.folder.rmdir()


@needs_bubblewrap
@pytest.mark.requirement("E2E-22")
def test_a_run_killed_at_any_moment_leaves_nothing(tmp_path: Path) -> None:
    _besiege(tmp_path, 3)


@needs_bubblewrap
@pytest.mark.slow
def test_a_run_killed_a_hundred_times_leaves_nothing(tmp_path: Path) -> None:
    _besiege(tmp_path, 100)
