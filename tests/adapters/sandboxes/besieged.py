"""A small world around a sandbox: everything that a hostile agent is told to reach."""

import ctypes
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import equipoise.examples.hostile
from adapters.sandboxes.cells import python
from equipoise.adapters.sandboxes.bubblewrap import found
from equipoise.adapters.sandboxes.processes import started
from equipoise.ports.agents import Bounds, Job, Mount

_LIBC = ctypes.CDLL(None, use_errno=True)
_PROGRAM = Path(equipoise.examples.hostile.__file__).parent
_MIB = 2**20
_GIVEN = "may be read, not changed"
BOUNDS = Bounds(
    wall_s=120,
    cpu_s=60,
    file_bytes=8 * _MIB,
    tmp_bytes=16 * _MIB,
    disk_bytes=64 * _MIB,
    memory_bytes=256 * _MIB,
    n_processes=64,
    n_files=3000,
    output_bytes=4 * _MIB,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Besieged:
    """The world, and what there is to be judged from outside afterwards."""

    folder: Path
    secret: str
    victim: "subprocess.Popen[bytes]"
    udp: socket.socket
    listening: tuple[socket.socket, ...]
    targets: dict[str, str | int]

    @property
    def workspace(self) -> Path:
        """The one folder that the agent may write to."""
        return self.folder / "ws"

    def job(self, *attempts: str, bounds: Bounds = BOUNDS, is_apart: bool = True) -> Job:
        """Gives the job that tries these attempts; all that can be tried together if none."""
        workspace = "/ws" if is_apart else str(self.workspace)
        argv, mounts = python()
        program = "/agent" if is_apart else str(_PROGRAM.parent)
        given = {
            "read_only_file": "/given/configuration" if is_apart else f"{self.folder}/given/x",
            "workspace": workspace,
        }
        return Job(
            argv=[argv, "-m", "hostile", *attempts],
            lease="hostile",
            folder=workspace,
            environment={
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                "PYTHONPATH": program,
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            mounts=[
                *mounts,
                Mount(source=_PROGRAM, target=f"{program}/hostile"),
                Mount(source=self.folder / "given", target="/given"),
                Mount(source=self.workspace, target=workspace, is_writable=True),
            ],
            stdin=json.dumps({**self.targets, **given}).encode(),
            bounds=bounds,
        )

    def reached(self) -> list[str]:
        """Says what of the world was changed, or got something, that must not have."""
        said = []
        if self.victim.poll() is not None:
            said.append("the other process was ended")
        elif _state(self.victim.pid) not in "SRD":
            said.append("the other process was stopped")
        said += [f"{each.getsockname()} got something" for each in self.listening if _got(each)]
        said += ["a datagram came"] if _got(self.udp) else []
        said += [
            f"{path} was changed"
            for path in ("given/configuration", "hidden/test_hidden.py", "other/notes", "host")
            if self.folder.joinpath(path).read_text() not in (self.secret, _GIVEN)
        ]
        said += [
            f"{path} runs as its owner"
            for path in self.workspace.iterdir()
            if path.is_file() and path.lstat().st_mode & 0o6000
        ]
        return said


@contextmanager
def besieged(folder: Path) -> Iterator[Besieged]:
    """Sets up the world in a folder, and takes it down."""
    secret = f"secret-{os.urandom(8).hex()}"
    for name in ("ws", "given", "hidden", "other", "repo/objects/ab"):
        folder.joinpath(name).mkdir(parents=True)
    folder.joinpath("given", "configuration").write_text(_GIVEN)
    for path in ("hidden/test_hidden.py", "other/notes", "host", "repo/objects/ab/cdef"):
        folder.joinpath(path).write_text(secret)
    shared = Path("/dev/shm", f"equipoise-test-{secret}")
    key = int.from_bytes(os.urandom(3)) + 1
    with ExitStack() as stack:
        victim = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-c", "import time; time.sleep(600)", secret],
                env={"API_KEY": secret},
            )
        )
        stack.callback(victim.kill)
        tcp, udp, abstract, named = (
            stack.enter_context(socket.socket(family, kind))
            for family, kind in (
                (socket.AF_INET, socket.SOCK_STREAM),
                (socket.AF_INET, socket.SOCK_DGRAM),
                (socket.AF_UNIX, socket.SOCK_STREAM),
                (socket.AF_UNIX, socket.SOCK_STREAM),
            )
        )
        tcp.bind(("127.0.0.1", 0))
        udp.bind(("127.0.0.1", 0))
        abstract.bind(f"\0{secret}")
        with _inside(folder):  # the name of a socket has to be short
            named.bind("socket")
        for each in (tcp, abstract, named):
            each.listen()
        shared.write_text(secret)
        stack.callback(shared.unlink)
        memory = _LIBC.shmget(key, 4096, 0o1666)
        stack.callback(lambda: _LIBC.shmctl(memory, 0, None))
        yield Besieged(
            folder=folder,
            secret=secret,
            victim=victim,
            udp=udp,
            listening=(tcp, abstract, named),
            targets={
                "secret": secret,
                "hidden_tests": str(folder / "hidden" / "test_hidden.py"),
                "host_file": str(folder / "host"),
                "host_folder": str(folder / "hidden"),
                "other_cell": str(folder / "other" / "notes"),
                "git_object": str(folder / "repo" / "objects" / "ab" / "cdef"),
                "sandbox_program": str(found()),
                "host_pid": victim.pid,
                "host_start": started(victim.pid),
                "tcp_port": tcp.getsockname()[1],
                "udp_port": udp.getsockname()[1],
                "abstract_socket": secret,
                "unix_socket": str(folder / "socket"),
                "shared_memory": str(shared),
                "ipc_key": key,
                "file_bytes": BOUNDS.file_bytes,
                "tmp_bytes": BOUNDS.tmp_bytes,
                "memory_bytes": BOUNDS.memory_bytes,
                "n_processes": BOUNDS.n_processes,
                "n_files_open": 4096,
            },
        )


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _got(listening: socket.socket) -> bool:
    """Says whether anybody connected or anything came."""
    return bool(select.select([listening], [], [], 0)[0])


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
