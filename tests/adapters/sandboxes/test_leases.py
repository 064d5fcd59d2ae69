"""What a killed run left is found by its leases and removed; what is of the living is spared."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from adapters.sandboxes.cells import needs_bubblewrap
from equipoise.adapters.sandboxes.leases import Leases
from equipoise.adapters.sandboxes.processes import marked
from equipoise.adapters.sandboxes.sweeping import MARK, Swept
from equipoise.errors import Blocked

_RUN = """
import sys, anyio
from pathlib import Path
from adapters.sandboxes.cells import shell
from equipoise.adapters.sandboxes.{module} import {name}
from equipoise.adapters.sandboxes.leases import Leases
folder = Path(sys.argv[1])
leases = Leases(folder / "leases")
with leases.taken("cell 1", folders=[folder / "cell", folder / "socket"]):
    (folder / "cell" / "ws").mkdir(parents=True)
    beat = "setsid sleep 987 & while :; do date +%N > beat; sleep 0.01; done"
    job = shell(beat, folder / "cell" / "ws")
    anyio.run({name}(leases=leases).run, job)
"""


def _begun(folder: Path, module: str, name: str) -> subprocess.Popen[bytes]:
    code = _RUN.format(module=module, name=name)
    surroundings = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.Popen([sys.executable, "-c", code, str(folder)], env=surroundings)
    give_up = time.monotonic() + 60
    while not (folder / "cell" / "ws" / "beat").exists():
        assert time.monotonic() < give_up
        assert run.poll() is None
        time.sleep(0.02)
    return run


def _alive(folder: Path) -> list[int]:
    """Gives the processes that a lease of this folder names, or that are below one of them."""
    marks = [file.stem for file in folder.joinpath("leases").glob("*.json")]
    return [pid for mark in marks for pid in marked(f"{MARK}={mark}".encode())]


@needs_bubblewrap
@pytest.mark.requirement("E2E-22")
@pytest.mark.requirement("E2E-23")
def test_a_killed_run_leaves_nothing_after_the_next_start(tmp_path: Path) -> None:
    run = _begun(tmp_path, "bubblewrap", "Bubblewrap")
    leases = Leases(tmp_path / "leases")
    assert leases.sweep() == Swept(spared=3)
    assert _alive(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    run.send_signal(signal.SIGKILL)
    run.wait()
    give_up = time.monotonic() + 20
    while _alive(tmp_path):  # the keeper ends the job before anybody sweeps
        assert time.monotonic() < give_up
        time.sleep(0.02)
    swept = leases.sweep()
    assert set(swept.leases) == {"cell 1", "test/agent", "keepers"}
    assert set(swept.folders) >= {str(tmp_path / "cell"), str(tmp_path / "socket")}
    assert sorted(tmp_path.iterdir()) == [tmp_path / "leases"]
    assert leases.sweep() == Swept()
    assert not [
        folder
        for folder in Path("/sys/fs/cgroup").glob("**/equipoise-*")
        if str(run.pid) in folder.name
    ]


def test_half_a_lease_names_its_owner(tmp_path: Path) -> None:
    leases = Leases(tmp_path)
    with leases.taken("mine") as lease:
        lease.file.write_text('{"name": "mi')
        assert leases.sweep() == Swept(spared=1)
    dead = subprocess.Popen(["true"])
    dead.wait()
    tmp_path.joinpath(f"{dead.pid}-1-1.json").write_text("")
    assert leases.sweep() == Swept(leases=(f"{dead.pid}-1-1",))


def test_without_proc_the_number_alone_says_whose_it_is(tmp_path: Path) -> None:
    leases = Leases(tmp_path)
    dead = subprocess.Popen(["true"])
    dead.wait()
    for pid in (os.getpid(), 1, dead.pid):
        tmp_path.joinpath(f"{pid}--1.json").write_text("")
    assert leases.sweep() == Swept(leases=(f"{dead.pid}--1",), spared=2)


def test_what_was_taken_before_the_machine_started_belongs_to_nobody(tmp_path: Path) -> None:
    leases = Leases(tmp_path / "leases")
    left = tmp_path / "left"
    left.mkdir()
    with leases.taken("old", folders=[left]) as lease:
        old = lease.file.read_text().replace('"boot": "', '"boot": "another-')
        lease.file.write_text(old)
        assert leases.sweep().folders == (str(left),)


def test_a_tree_made_to_stay_is_removed(tmp_path: Path) -> None:
    leases = Leases(tmp_path / "leases")
    outside, left = tmp_path / "outside", tmp_path / "left"
    outside.mkdir()
    outside.joinpath("kept").write_text("kept")
    left.mkdir()
    left.joinpath("link").symlink_to(outside)
    os.mkfifo(left / "fifo")
    here = os.open(left, os.O_RDONLY)
    for _ in range(400):  # deeper than a path may be long
        os.mkdir("d" * 30, dir_fd=here)
        there = os.open("d" * 30, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = there
    os.fchmod(here, 0)
    os.close(here)
    with leases.taken("x", folders=[left]) as lease:
        lease.file.write_text(lease.file.read_text().replace('"boot": "', '"boot": "another-'))
        assert leases.sweep().stuck == ()
    assert not left.exists()
    assert outside.joinpath("kept").exists()


def test_a_folder_of_leases_that_others_may_write_to_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(Blocked, match="chmod 700"), Leases(tmp_path).taken("x"):
        pass
