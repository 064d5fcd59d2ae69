"""What stands in for bubblewrap: it keeps apart what it says it does, and says what it does not."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from adapters.sandboxes.cells import shell
from equipoise.adapters.sandboxes import landlocking
from equipoise.adapters.sandboxes.unmounted import Landlock, PlainProcess
from equipoise.ports.agents import Bounds, HowEnded, Isolation, Job, Mount

needs_landlock = pytest.mark.skipif(
    not landlocking.version(), reason="this kernel has no Landlock (Linux 5.13 or later)"
)


@pytest.fixture(params=[PlainProcess, pytest.param(Landlock, marks=needs_landlock)])
def sandbox(request: pytest.FixtureRequest) -> Iterator[PlainProcess | Landlock]:
    made: PlainProcess | Landlock = request.param()
    yield made
    made.close()


def test_they_are_labelled(sandbox: PlainProcess | Landlock) -> None:
    assert anyio.run(sandbox.probe).is_available
    label = {"process": Isolation.NONE, "landlock": Isolation.PATHS}
    assert sandbox.isolation is label[sandbox.name]


@pytest.mark.requirement("E2E-21")
def test_a_job_finds_its_mounts_at_their_sources(
    sandbox: PlainProcess | Landlock, tmp_path: Path
) -> None:
    job = shell("pwd; env; echo done > out; exit 4", tmp_path, HOME="/elsewhere", KEY="/ws/a:/ws/b")
    ended = anyio.run(sandbox.run, job)
    here, *variables = ended.stdout.decode().split("\n")
    assert (here, ended.exit_code) == (str(tmp_path), 4)
    told = dict(line.split("=", 1) for line in variables if line)
    assert told.pop("KEY") == f"{tmp_path}/a:{tmp_path}/b"
    own = {Path(told.pop("HOME")).parent, Path(told.pop("TMPDIR")).parent}
    assert len(own) == 1
    assert not own.pop().exists()
    assert set(told) - {"SHLVL", "_", "OLDPWD"} == {"PATH", "PWD", "EQUIPOISE_LEASE"}
    assert tmp_path.joinpath("out").read_text() == "done\n"
    assert "tmp_bytes" in ended.unbounded


def test_a_daemon_ends_with_its_job(sandbox: PlainProcess | Landlock, tmp_path: Path) -> None:
    daemon = "env -i setsid sh -c 'while :; do /bin/date +%N > beat; /bin/sleep 0.01; done' &"
    ended = anyio.run(sandbox.run, shell(f"({daemon}); sleep 0.3", tmp_path))
    assert ended.how is HowEnded.EXITED
    beat = tmp_path.joinpath("beat").read_text()
    time.sleep(0.1)
    assert tmp_path.joinpath("beat").read_text() == beat


def test_time_and_output_are_bounded(sandbox: PlainProcess | Landlock, tmp_path: Path) -> None:
    late = anyio.run(
        sandbox.run, shell("trap '' TERM; sleep 50", tmp_path, bounds=Bounds(wall_s=0.3))
    )
    assert (late.how, late.exceeded) == (HowEnded.TIMED_OUT, "wall_s")
    loud = anyio.run(sandbox.run, shell("yes", tmp_path, bounds=Bounds(output_bytes=10)))
    assert (loud.how, loud.stdout) == (HowEnded.OUTPUT_LIMIT, b"y\ny\ny\ny\ny\n")


def test_what_cannot_be_started(sandbox: PlainProcess | Landlock) -> None:
    for argv in (["no-such-program"], ["/no/such/program"], ["/etc"]):
        ended = anyio.run(sandbox.run, Job(argv=argv, lease="x", folder="/"))
        assert ended.how is HowEnded.NOT_STARTED, ended
        assert argv[0] in ended.detail or "Permission denied" in ended.detail


@needs_landlock
@pytest.mark.requirement("OUT-50")
def test_landlock_keeps_a_job_to_its_paths(tmp_path: Path) -> None:
    workspace, hidden, shown = (tmp_path / name for name in ("ws", "hidden", "shown"))
    for folder in (workspace, hidden, shown):
        folder.mkdir()
        folder.joinpath("a").write_text(folder.name)
    script = f"""
        cat {hidden}/a; ls {hidden}; cat /etc/passwd; cat shown/a
        echo x > {hidden}/a; echo x > {shown}/a; echo x > {shown}/b; ln {hidden}/a hard
        kill -0 {os.getpid()} && echo signalled; echo fine > a; cat {shown}/a
    """
    job = Job(
        argv=["/bin/sh", "-c", script],
        lease="x",
        folder=str(workspace),
        environment={"PATH": "/usr/bin:/bin"},
        mounts=[
            Mount(source=workspace, target=str(workspace), is_writable=True),
            Mount(source=shown, target=str(shown)),
        ],
    )
    sandbox = Landlock()
    ended = anyio.run(sandbox.run, job)
    sandbox.close()
    said = ended.stdout.decode()
    if landlocking.version() < 6:  # signals are only scoped since then
        said = said.replace("signalled\n", "")
    assert said == "shown"
    assert workspace.joinpath("a").read_text() == "fine\n"
    assert [hidden.joinpath("a").read_text(), shown.joinpath("a").read_text()] == [
        "hidden",
        "shown",
    ]
    assert sorted(path.name for path in workspace.iterdir()) == ["a"]
