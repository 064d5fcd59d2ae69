"""Where a workspace cannot be frozen, the ending says whose fault that is."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import msgspec
import pytest

from adapters.systems.asked import variables
from equipoise.adapters.systems.agent_freezing import frozen
from equipoise.adapters.workspaces.seed import GitSeed
from equipoise.adapters.workspaces.store import SeedStore
from equipoise.ports.agents import Frozen
from equipoise.records.trial import Ending, EndingKind, Fault, Reason


@pytest.fixture
def seed(tmp_path: Path) -> GitSeed:
    tmp_path.joinpath("files").mkdir()
    tmp_path.joinpath("files", "calc.py").write_text("def add(a, b):\n    return a - b\n")
    return SeedStore(tmp_path / "seeds").from_folder(tmp_path / "files")


def _ended(seed: GitSeed, work: Path, longest_s: float = 60.0) -> Ending:
    found = anyio.run(frozen, seed, work, (), longest_s)
    assert not isinstance(found, Frozen)
    return found


def test_what_takes_too_long_where_a_fresh_copy_does_not_is_the_agents_doing(
    seed: GitSeed, tmp_path: Path
) -> None:
    work = tmp_path / "cell" / "workspace"
    seed.copy(work)
    for number in range(4000):
        work.joinpath(f"{number}.txt").write_text(f"{number}")
    ending = _ended(seed, work, 0.01)
    assert (ending.fault, ending.reason) == (Fault.SYSTEM, Reason.TAMPERED)
    assert "took more than 0.01 s" in ending.detail


IN_A_PROCESS_OF_ITS_OWN = """
import os, sys, tempfile
from pathlib import Path

import anyio
import msgspec

from equipoise.adapters.systems.agent_freezing import frozen
from equipoise.adapters.workspaces.store import SeedStore

store, files, work, name, value = sys.argv[1:]
seed = SeedStore(Path(store)).from_folder(Path(files))
os.environ[name] = value
tempfile.tempdir = None
print(msgspec.json.encode(anyio.run(frozen, seed, Path(work), (), 60.0)).decode())
"""


def _ended_with(folder: Path, work: Path, name: str, value: Path) -> Ending:
    """Freezes in another process, under another value of one variable of the environment."""
    asked = [sys.executable, "-c", IN_A_PROCESS_OF_ITS_OWN, str(folder / "seeds")]
    asked += [str(folder / "files"), str(work), name, str(value)]
    surroundings = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(asked, capture_output=True, check=True, env=surroundings)
    return msgspec.json.decode(done.stdout, type=Ending)


def test_without_git_it_is_the_machines_fault(seed: GitSeed, tmp_path: Path) -> None:
    work = tmp_path / "cell" / "workspace"
    seed.copy(work)
    work.joinpath("calc.py").write_text("def add(a, b):\n    return a + b\n")
    ending = _ended_with(tmp_path, work, "PATH", tmp_path)
    assert (ending.kind, ending.fault) == (EndingKind.INFRASTRUCTURE_ERROR, Fault.INFRASTRUCTURE)
    assert ending.detail.count("there is no git") == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="a disk of a few bytes is mounted: needs root")
def test_a_full_disk_is_the_machines_fault(seed: GitSeed, tmp_path: Path) -> None:
    work, disk = tmp_path / "cell" / "workspace", tmp_path / "disk"
    seed.copy(work)
    work.joinpath("data.bin").write_bytes(os.urandom(1 << 20))
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        ending = _ended_with(tmp_path, work, "TMPDIR", disk)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert (ending.kind, ending.fault) == (EndingKind.INFRASTRUCTURE_ERROR, Fault.INFRASTRUCTURE)
    assert "cannot be frozen" in ending.detail


@pytest.mark.parametrize(("n_killed", "is_frozen"), [(1, True), (9, False)])
def test_git_that_is_killed_is_no_doing_of_the_agent(
    seed: GitSeed,
    tmp_path: Path,
    n_killed: int,
    is_frozen: bool,
) -> None:
    work, programs = tmp_path / "cell" / "workspace", tmp_path / "programs"
    seed.copy(work)
    work.joinpath("calc.py").write_text("def add(a, b):\n    return a + b\n")
    programs.mkdir()
    programs.joinpath("git").write_text(
        f"#!/bin/sh\necho x >> {tmp_path}/n\n[ $(wc -l < {tmp_path}/n) -le {n_killed} ] && "
        f'kill -9 $$\nexec {shutil.which("git")} "$@"\n'
    )
    programs.joinpath("git").chmod(0o755)
    with variables(PATH=f"{programs}:{os.environ['PATH']}"):
        found = anyio.run(frozen, seed, work, ())
    if is_frozen:
        assert isinstance(found, Frozen)
        return
    assert isinstance(found, Ending)
    ending = found
    assert (ending.kind, ending.fault) == (EndingKind.INFRASTRUCTURE_ERROR, Fault.INFRASTRUCTURE)
    assert "was killed by signal 9" in ending.detail
