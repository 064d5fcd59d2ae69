"""Two hosts on one machine: network, name and folders of their own, a Ray node on each."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

ADDRESS = "10.77.7.1:6379"
HEAD, OTHER = "10.77.7.1", "10.77.7.2"
_SIZE = "80000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """Both hosts, while they are up; the first is where a run is started."""

    folder: Path
    names: tuple[str, str]
    nodes: tuple["subprocess.Popen[bytes]", "subprocess.Popen[bytes]"]

    def begin(self, *words: str, **more: str) -> "subprocess.Popen[str]":
        """Starts a program on the first host."""
        environment = os.environ | {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(self.folder / "token"),
            "RAY_raylet_start_wait_time_s": "120",
        }
        return subprocess.Popen(
            ["ip", "netns", "exec", self.names[0], *words],
            env=environment | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def lose(self) -> None:
        """Ends all that runs on the second host at once, as where its power fails."""
        listed = subprocess.run(
            ["ip", "netns", "pids", self.names[1]], capture_output=True, text=True, check=True
        ).stdout
        for pid in map(int, listed.split()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.nodes[1].wait()

    def said(self) -> bytes:
        """Everything that Ray has written on both hosts."""
        return b"".join(
            path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file() and path.name != "token"
        )


@contextmanager
def two_hosts() -> Iterator[Hosts]:
    """Gives both hosts; skips where they cannot be made."""
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed (pip install 'equipoise[ray]', 214 MB)")
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("only root, with the program ip (iproute2), can make hosts of one machine")
    mark = secrets.token_hex(2)
    names = (f"eq{mark}a", f"eq{mark}b")
    folder = Path(tempfile.mkdtemp(prefix="eqh", dir="/tmp"))
    folder.joinpath("token").write_text(secrets.token_hex(32))
    nodes: list[subprocess.Popen[bytes]] = []
    try:
        _connect(names)
        head = ("--head", "--port=6379", "--include-dashboard=false")
        nodes.append(_node(folder, names[0], HEAD, *head))
        nodes.append(_node(folder, names[1], OTHER, f"--address={ADDRESS}"))
        yield Hosts(folder=folder, names=names, nodes=(nodes[0], nodes[1]))
    finally:
        for node in nodes:
            with suppress(ProcessLookupError):
                os.killpg(node.pid, signal.SIGKILL)
            node.wait()
        for name in names:
            subprocess.run(
                ["sh", "-c", f"ip netns pids {name} | xargs -r kill -9; ip netns del {name}"],
                check=False,
                capture_output=True,
            )
        shutil.rmtree(folder, ignore_errors=True)


def _connect(names: tuple[str, str]) -> None:
    first, second = names
    words = (
        f"netns add {first}",
        f"netns add {second}",
        f"link add l{first} netns {first} type veth peer name l{second} netns {second}",
        f"-n {first} addr add {HEAD}/24 dev l{first}",
        f"-n {second} addr add {OTHER}/24 dev l{second}",
        *(f"-n {name} link set {one} up" for name in names for one in (f"l{name}", "lo")),
    )
    for line in words:
        done = subprocess.run(["ip", *line.split()], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"hosts of one machine cannot be made here: {done.stderr.strip()}")


def _node(folder: Path, name: str, ip: str, *words: str) -> "subprocess.Popen[bytes]":
    place = folder / name
    place.joinpath("tmp").mkdir(parents=True)
    ray = (
        *(sys.executable, "-m", "ray.scripts.scripts", "start", "--block"),
        *("--disable-usage-stats", "--num-cpus=1", "--num-gpus=0"),
        *(f"--object-store-memory={_SIZE}", f"--node-ip-address={ip}"),
        *(f"--temp-dir={place / 'ray'}", *words),
    )
    script = f"hostname {name}; exec {' '.join(ray)}"
    out = place / "out"
    with out.open("wb") as said:
        node = subprocess.Popen(
            [
                *("ip", "netns", "exec", name, "unshare", "--uts", "--"),
                *("sh", "-c", script),
            ],
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
                "HOME": str(place),
                "TMPDIR": str(place / "tmp"),
                "RAY_AUTH_MODE": "token",
                "RAY_AUTH_TOKEN_PATH": str(folder / "token"),
                "RAY_raylet_start_wait_time_s": "120",
            },
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    until = time.monotonic() + 120
    while b"Ray runtime started" not in out.read_bytes():
        assert node.poll() is None, out.read_text()
        assert time.monotonic() < until, out.read_text()
        time.sleep(0.2)
    return node
