"""A sandbox for tests that keeps nothing apart: jobs find their mounts where they are anyway."""

import os
import signal
from contextlib import suppress
from subprocess import PIPE

import anyio
import anyio.abc

from equipoise.ports.agents import Available, Ended, HowEnded, Isolation, Job


class Bare:
    """Runs jobs as plain processes; each mount must have its source as its target."""

    name = "bare"
    isolation = Isolation.NONE

    async def probe(self) -> Available:
        """It always works."""
        return Available(is_available=True)

    def close(self) -> None:
        """Nothing stays up."""

    async def run(self, job: Job) -> Ended:
        """Runs a job and ends its group."""
        assert all(str(mount.source) == mount.target for mount in job.mounts)
        process = await anyio.open_process(
            list(job.argv),
            cwd=job.folder,
            env=dict(job.environment),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
        said = {"out": b"", "err": b""}
        try:
            with anyio.move_on_after(job.bounds.wall_s) as limit:
                await _talk(process, job.stdin, said)
        finally:
            with anyio.CancelScope(shield=True):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.aclose()
        if limit.cancelled_caught:
            return Ended(how=HowEnded.TIMED_OUT)
        code = process.returncode or 0
        how = HowEnded.SIGNALLED if code < 0 else HowEnded.EXITED
        return Ended(
            how=how,
            exit_code=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            stdout=said["out"],
            stderr=said["err"],
        )


async def _talk(process: anyio.abc.Process, text: bytes, said: dict[str, bytes]) -> None:
    assert process.stdin
    assert process.stdout
    assert process.stderr
    streams = {"out": process.stdout, "err": process.stderr}

    async def hear(name: str) -> None:
        async for part in streams[name]:
            said[name] += part

    async with anyio.create_task_group() as tasks:
        for name in streams:
            tasks.start_soon(hear, name)
        with suppress(anyio.BrokenResourceError):
            await process.stdin.send(text)
        await process.stdin.aclose()
    await process.wait()
