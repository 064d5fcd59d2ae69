"""What a sandbox costs a command: the same command plain and in each sandbox, in turns.

Run it by hand: ``python -m benchmarks.bench_sandbox [N]``. Wanted: at most 25 ms a command under
bubblewrap. Each line has the median, the least, and the time of the processor for each command; on
a busy machine only the last two mean much.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from equipoise.adapters.sandboxes.choosing import SANDBOXES
from equipoise.adapters.sandboxes.leases import Leases
from equipoise.ports.agents import HowEnded, Isolation, Job, Mount, Sandbox

WARM = 3


def main() -> None:
    """Measures, and prints one line for each way to run a command."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with TemporaryDirectory() as folder:
        anyio.run(_measure, n, Path(folder))


async def _measure(n: int, folder: Path) -> None:
    leases = Leases(folder / "leases")
    workspace = folder / "ws"
    workspace.mkdir()
    ways: dict[str, Callable[[], Awaitable[None]]] = {"plain": _plain}
    for name, make in SANDBOXES.items():
        sandbox: Sandbox = make(leases)
        if (await sandbox.probe()).is_available:
            ways[name] = partial(_sandboxed, sandbox, _job(sandbox, workspace))
    for way in [*ways.values()] * WARM:
        await way()
    times: Mapping[str, list[float]] = {name: [] for name in ways}
    for _ in range(n):
        for name, way in ways.items():
            begin = time.perf_counter()
            await way()
            times[name].append((time.perf_counter() - begin) * 1e3)
    print(f"{n} times /bin/true, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for name, each in times.items():
        print(f"{name:12s} median {statistics.median(each):7.1f} ms, least {min(each):6.1f} ms")
    for name in ways:
        if name != "plain":
            over = statistics.median(
                one - other for one, other in zip(times[name], times["plain"], strict=True)
            )
            print(f"{name:12s} more than plain, median of pairs {over:7.1f} ms")


async def _plain() -> None:
    await anyio.to_thread.run_sync(partial(subprocess.run, ["/bin/true"], check=True))


async def _sandboxed(sandbox: Sandbox, job: Job) -> None:
    ended = await sandbox.run(job)
    assert (ended.how, ended.exit_code) == (HowEnded.EXITED, 0), ended


def _job(sandbox: Sandbox, workspace: Path) -> Job:
    is_apart = sandbox.isolation in (Isolation.NAMESPACES, Isolation.CONTAINER)
    target = "/ws" if is_apart else str(workspace)
    return Job(
        argv=["/bin/true"],
        lease="bench",
        folder=target,
        environment={"PATH": "/usr/bin:/bin"},
        mounts=[Mount(source=workspace, target=target, is_writable=True)],
    )


if __name__ == "__main__":
    main()
