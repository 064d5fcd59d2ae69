"""What a job uses is bounded, and what ended it is named."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from adapters.sandboxes.cells import needs_bubblewrap, shell
from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.ports.agents import Bounds, Ended, HowEnded

pytestmark = needs_bubblewrap

_MIB = 2**20


@pytest.fixture
def sandbox() -> Iterator[Bubblewrap]:
    made = Bubblewrap()
    yield made
    made.close()


def _ran(sandbox: Bubblewrap, folder: Path, script: str, bounds: Bounds) -> Ended:
    return anyio.run(sandbox.run, shell(script, folder, bounds=bounds))


def test_memory(sandbox: Bubblewrap, tmp_path: Path) -> None:
    script = "head -c 400000000 /dev/zero | tail >/dev/null; exit 7"
    ended = _ran(sandbox, tmp_path, script, Bounds(wall_s=60, memory_bytes=64 * _MIB))
    if "memory_bytes" not in ended.unbounded:
        assert "at the bound of memory" in ended.detail
    else:
        assert ended.exceeded in ("memory_bytes", "")  # it may have been faster than the look


def test_processes(sandbox: Bubblewrap, tmp_path: Path) -> None:
    script = "bomb() { bomb | bomb & }; bomb; sleep 3; ls /proc | grep -c '^[0-9]'"
    begin = time.monotonic()
    ended = _ran(sandbox, tmp_path, script, Bounds(wall_s=20, n_processes=40))
    assert time.monotonic() - begin < 60
    if "n_processes" in ended.unbounded:
        assert ended.exceeded == "n_processes"
    else:
        assert int(ended.stdout or 0) <= 48


def test_a_file_and_the_folders_in_memory(sandbox: Bubblewrap, tmp_path: Path) -> None:
    bounds = Bounds(wall_s=60, file_bytes=_MIB, tmp_bytes=2 * _MIB)
    script = """
        head -c 9000000 /dev/zero > big
        for place in /tmp /home /dev/shm; do
            for n in 1 2 3 4 5 6 7 8 9; do head -c 1000000 /dev/zero > $place/$n; done
            du -sk $place | cut -f1
        done
        (: > /dev/x) || (: > /x) || (: > /etc/x) || (: > /usr/x) || echo closed
    """
    ended = _ran(sandbox, tmp_path, script, bounds)
    *sizes, last = ended.stdout.split()
    assert last == b"closed"
    assert tmp_path.joinpath("big").stat().st_size <= _MIB
    assert [int(size) <= most for size, most in zip(sizes, (2048, 2048, 65536), strict=True)] == [
        True
    ] * 3


def test_what_is_added_to_the_disk(sandbox: Bubblewrap, tmp_path: Path) -> None:
    tmp_path.joinpath("seed").write_bytes(b"x" * 8 * _MIB)  # what was there before counts nothing
    script = "n=0; while n=$((n+1)); do head -c 1000000 /dev/urandom > f$n; sleep 0.02; done"
    ended = _ran(sandbox, tmp_path, script, Bounds(wall_s=60, disk_bytes=4 * _MIB))
    assert (ended.how, ended.exceeded) == (HowEnded.SIGNALLED, "disk_bytes")
    quiet = _ran(sandbox, tmp_path, "sleep 1", Bounds(wall_s=60, disk_bytes=4 * _MIB))
    assert quiet.how is HowEnded.EXITED


def test_files_without_a_name_count(sandbox: Bubblewrap, tmp_path: Path) -> None:
    script = "exec 3>gone; rm gone; head -c 6000000 /dev/urandom >&3; sleep 50"
    ended = _ran(sandbox, tmp_path, script, Bounds(wall_s=40, disk_bytes=4 * _MIB))
    assert ended.exceeded == "disk_bytes"


def test_many_files_and_endless_paths(sandbox: Bubblewrap, tmp_path: Path) -> None:
    many = "mkdir a; cd a; n=0; while n=$((n+1)); do : > f$n; done"
    ended = _ran(sandbox, tmp_path, many, Bounds(wall_s=60, n_files=500))
    assert ended.exceeded == "n_files"
    inner = "cd /tmp; n=0; while n=$((n+1)); do : > f$n; done"
    assert _ran(sandbox, tmp_path, inner, Bounds(wall_s=60, n_files=500)).exceeded == "n_files"
    deep = (
        "while mkdir ddddddddddddddddddddddddddddddd; do cd ddddddddddddddddddddddddddddddd; done"
    )
    ended = _ran(sandbox, tmp_path, f"{deep}; sleep 50", Bounds(wall_s=60))
    assert ended.exceeded == "path_length"


def test_time_of_the_processor(sandbox: Bubblewrap, tmp_path: Path) -> None:
    script = "for n in 1 2 3 4; do (while :; do :; done) & done; wait"
    ended = _ran(sandbox, tmp_path, script, Bounds(wall_s=60, cpu_s=1))
    assert (ended.how, ended.exceeded) == (HowEnded.TIMED_OUT, "cpu_s")


def test_what_cannot_be_bounded_is_named(sandbox: Bubblewrap, tmp_path: Path) -> None:
    ended = _ran(sandbox, tmp_path, "true", Bounds())
    assert set(ended.unbounded) <= {"memory_bytes", "n_processes"}
    if os.geteuid() != 0:
        assert "n_processes" not in ended.unbounded
