"""Opens a shell where a job would run, for a person who wants to look around there."""

import os
import shutil
import subprocess
from pathlib import Path

from equipoise.adapters.sandboxes.bubblewrap import MEND, found, program_of
from equipoise.adapters.sandboxes.etc import write_etc
from equipoise.adapters.sandboxes.order import STATUS_FILE
from equipoise.adapters.sandboxes.running import Program
from equipoise.adapters.sandboxes.spawning import memory_file
from equipoise.adapters.scratch import scratch
from equipoise.errors import Blocked
from equipoise.ports.agents import Job, Mount

WORKSPACE, KEPT = "/ws", "/kept"
_SHELLS = ("bash", "sh")


def shell(workspace: Path, kept: Path, command: str = "") -> int:
    """Runs a shell on the terminal and gives its exit code.

    It sees the workspace, writable, what was kept of the cell, and nothing else of this machine;
    there is no network and no way to a model. With `command` it runs that and ends.

    Raises:
        Blocked: bubblewrap is not here.
    """
    bubblewrap = found()
    if bubblewrap is None:
        raise Blocked(f"a shell is opened in bubblewrap, and it is not here; mend: {MEND}")
    job = Job(
        argv=_argv(command),
        lease="shell",
        folder=WORKSPACE,
        environment={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": "/home",
            "TERM": os.environ.get("TERM", "dumb"),
            "LANG": "C.UTF-8",
            "PS1": "cell:\\w\\$ ",
        },
        mounts=[
            Mount(source=workspace, target=WORKSPACE, is_writable=True),
            Mount(source=kept, target=KEPT),
        ],
    )
    with scratch() as etc:
        write_etc(str(etc))
        return _run(program_of(bubblewrap, job, str(etc)))


def _run(program: Program) -> int:
    files = {number: memory_file(text) for number, text in program.texts.items()}
    with open(os.devnull, "wb") as nowhere:
        placed = {**files, STATUS_FILE: nowhere.fileno()}
        for number, file in placed.items():
            os.dup2(file, number, inheritable=True)
    try:
        done = subprocess.run(  # noqa: S603  bubblewrap, with arguments of ours
            program.argv, env={}, pass_fds=tuple(placed), check=False
        )
    finally:
        for number, file in files.items():
            os.close(number)
            os.close(file)
        os.close(STATUS_FILE)
    return done.returncode


def _argv(command: str) -> list[str]:
    """Gives a shell; where ``script`` is there, on a terminal of its own, so that jobs work."""
    path = next(name for name in map(shutil.which, _SHELLS) if name)
    if command:
        return [path, "-c", command]
    norc = [path, "--norc"] if path.endswith("bash") else [path]
    if script := shutil.which("script", path="/usr/bin:/bin"):
        return [script, "-qec", " ".join(norc), "/dev/null"]
    return [*norc, "-i"]
