"""Under bubblewrap nothing exists for a job but what it was given, and nothing outlives it."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from adapters.sandboxes.cells import needs_bubblewrap, shell
from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.ports.agents import Bounds, Ended, HowEnded, Job, Mount

pytestmark = needs_bubblewrap


@pytest.fixture
def sandbox() -> Iterator[Bubblewrap]:
    made = Bubblewrap()
    yield made
    made.close()


def _ran(sandbox: Bubblewrap, job: Job) -> Ended:
    return anyio.run(sandbox.run, job)


def test_a_job_has_its_own_user_environment_and_files(sandbox: Bubblewrap, tmp_path: Path) -> None:
    ended = _ran(sandbox, shell("id -un; env; ls -d /*; echo to >&2; exit 3", tmp_path, A="b c"))
    assert (ended.how, ended.exit_code, ended.stderr) == (HowEnded.EXITED, 3, b"to\n")
    said = ended.stdout.decode().split("\n")
    assert said[0] == "agent"
    assert {"A=b c", "PATH=/usr/bin:/bin", "PWD=/ws"} == {line for line in said if "=" in line}
    there = {line for line in said if line.startswith("/")}
    assert there <= {"/bin", "/dev", "/etc", "/home", "/proc", "/sbin", "/tmp", "/usr", "/ws"} | {
        f"/lib{width}" for width in ("", "32", "64", "x32")
    }


def test_no_file_of_ours_is_open_in_a_job(sandbox: Bubblewrap, tmp_path: Path) -> None:
    ended = _ran(sandbox, shell("readlink /proc/$$/fd/* | sort -u", tmp_path))
    assert {line.split(b":")[0] for line in ended.stdout.split()} == {b"/dev/null", b"pipe"}


def test_what_it_reads_and_writes(sandbox: Bubblewrap, tmp_path: Path) -> None:
    read_only = tmp_path / "hidden"
    read_only.mkdir()
    read_only.joinpath("a").write_text("kept")
    workspace = tmp_path / "ws"
    workspace.mkdir()
    job = Job(
        argv=["sh", "-c", "cat; cat /hidden/a; echo no > /hidden/a; echo yes > new"],
        lease="x",
        folder="/ws",
        environment={"PATH": "/usr/bin:/bin"},
        mounts=[
            Mount(source=workspace, target="/ws", is_writable=True),
            Mount(source=read_only, target="/hidden"),
        ],
        stdin=b"input " * 50_000,
    )
    ended = _ran(sandbox, job)
    assert ended.stdout == b"input " * 50_000 + b"kept"
    assert b"Read-only" in ended.stderr
    assert read_only.joinpath("a").read_text() == "kept"
    assert workspace.joinpath("new").read_text() == "yes\n"


def test_how_it_ends(sandbox: Bubblewrap, tmp_path: Path) -> None:
    killed = _ran(sandbox, shell("kill -9 $$", tmp_path))
    assert (killed.how, killed.signal) == (HowEnded.SIGNALLED, 9)
    late = _ran(sandbox, shell("sleep 60", tmp_path, bounds=Bounds(wall_s=0.4)))
    assert late.how is HowEnded.TIMED_OUT
    assert 400 <= late.duration_ms < 20_000
    loud = _ran(sandbox, shell("yes", tmp_path, bounds=Bounds(output_bytes=1000)))
    assert (loud.how, len(loud.stdout)) == (HowEnded.OUTPUT_LIMIT, 1000)


def test_what_cannot_be_started_says_why(sandbox: Bubblewrap, tmp_path: Path) -> None:
    none = Job(argv=["no-such-program"], lease="x", folder="/tmp")
    ended = _ran(sandbox, none)
    assert ended.how is HowEnded.NOT_STARTED
    assert "no-such-program" in ended.detail
    lost = Job(
        argv=["true"], lease="x", folder="/", mounts=[Mount(source=tmp_path / "no", target="/a")]
    )
    assert "there is no" in _ran(sandbox, lost).detail
    assert _ran(Bubblewrap(tmp_path / "bwrap"), none).how is HowEnded.NOT_STARTED
    assert ended.signal is None


def test_a_start_that_was_killed_is_told_from_one_that_cannot_be(tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\nexit 137\n")
    program.chmod(0o755)
    ended = _ran(Bubblewrap(program), Job(argv=["true"], lease="x", folder="/tmp"))
    assert (ended.how, ended.signal) == (HowEnded.NOT_STARTED, 9)


def test_no_text_of_a_job_can_say_what_is_mounted(sandbox: Bubblewrap, tmp_path: Path) -> None:
    more = "\0--ro-bind\0/\0/host"
    fine = shell("ls -d /host", tmp_path)
    for job in (
        replace(fine, environment={**fine.environment, "A": f"a{more}"}),
        replace(fine, environment={**fine.environment, f"A{more}": "a"}),
        replace(fine, environment={**fine.environment, "A=B": "a"}),
        replace(fine, folder=f"/ws{more}"),
        replace(fine, argv=[*fine.argv, more]),
        replace(fine, argv=[*fine.argv, "\ud800"]),
        replace(fine, mounts=[*fine.mounts, Mount(source=tmp_path, target=f"/a{more}")]),
        replace(fine, mounts=[*fine.mounts, Mount(source=Path(f"/usr{more}"), target="/a")]),
        replace(fine, mounts=[*fine.mounts, Mount(source=Path("/usr"), target="/a/../../b")]),
        replace(fine, mounts=[*fine.mounts, Mount(source=Path("/usr"), target="/proc")]),
    ):
        ended = _ran(sandbox, job)
        assert (ended.how, ended.stdout) == (HowEnded.NOT_STARTED, b""), job
        assert "\0" not in ended.detail


def test_a_call_that_is_too_long_says_so(sandbox: Bubblewrap, tmp_path: Path) -> None:
    ended = _ran(sandbox, shell(": " + "x" * 3_000_000, tmp_path))
    assert (ended.how, "too long" in ended.detail) == (HowEnded.NOT_STARTED, True), ended


def test_nothing_outlives_a_job(sandbox: Bubblewrap, tmp_path: Path) -> None:
    daemon = "setsid sh -c 'while :; do date +%N > beat; sleep 0.01; done' >/dev/null 2>&1 &"
    ended = _ran(sandbox, shell(f"({daemon}); sleep 0.2; ls", tmp_path))
    assert ended.stdout == b"beat\n"
    beat = tmp_path.joinpath("beat").read_text()
    time.sleep(0.1)
    assert tmp_path.joinpath("beat").read_text() == beat


def test_a_cancelled_job_ends_first(sandbox: Bubblewrap, tmp_path: Path) -> None:
    async def cancelled() -> float:
        job = shell("while :; do date +%N > beat; sleep 0.01; done", tmp_path)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(sandbox.run, job)
            while not tmp_path.joinpath("beat").exists():  # noqa: ASYNC110  nobody tells us
                await anyio.sleep(0.01)
            begin = time.monotonic()
            tasks.cancel_scope.cancel()
        return time.monotonic() - begin

    assert anyio.run(cancelled) < 15
    beat = tmp_path.joinpath("beat").read_text()
    time.sleep(0.1)
    assert tmp_path.joinpath("beat").read_text() == beat
