"""The process of the tests: it has imported pytest once and forks for each run of any suite.

It sees the copies of hidden tests and nothing of any program; no program sees it.
"""

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.abc

from equipoise.adapters.suites.interpreters import available, ours, pytest_paths
from equipoise.errors import InputError
from equipoise.ports.agents import Bounds, Ended, HowEnded, Job, Mount, Sandbox

PLAIN = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"}
"""The environment in which tests and programs run."""

_FOREVER_S = 7 * 86_400.0
_BEGIN_S = 60.0
_N_BEGINNINGS = 5


class TestsProcess:
    """One process for the tests of any number of suites; made by `started`.

    `work` is its folder, with a short path: ``hidden`` has the copies of hidden tests, ``tester``
    the socket over which runs are asked for, ``shared`` a folder for each run, ``runs`` the
    workspaces, which it does not see.
    """

    __test__ = False  # it is no test itself, whatever pytest makes of its name

    def __init__(self, sandbox: Sandbox, work: Path) -> None:
        """Makes its folders; nothing is started."""
        self.work = work.absolute()
        for name in ("tester", "shared", "runs", "hidden"):
            self.work.joinpath(name).mkdir(parents=True)
        self._sandbox = sandbox
        self._name = secrets.token_hex(8)
        self.ended: Ended | None = None

    @property
    def hidden(self) -> Path:
        """Gives the folder below which hidden tests are copied."""
        return self.work / "hidden"

    async def serve(self) -> None:
        """Keeps it running until this is cancelled; begins it again where it ends."""
        for _ in range(_N_BEGINNINGS):
            ended = await self._sandbox.run(self._job())
            if ended.how is HowEnded.NOT_STARTED:
                break
        self.ended = ended

    async def connected(self) -> anyio.abc.UNIXSocketStream:
        """Connects to it, once it is there.

        Raises:
            OSError: it has ended, or does not begin.
        """
        give_up = time.monotonic() + _BEGIN_S
        while True:
            try:
                return await anyio.connect_unix(self._control)
            except OSError:
                if self.ended is not None:
                    raise OSError(said(self.ended)) from None
                if time.monotonic() > give_up:
                    raise
                await anyio.sleep(0.005)

    @property
    def _control(self) -> Path:
        return self.work / "tester" / "control"

    def _job(self) -> Job:
        folders = (self.work / "tester", self.work / "shared")
        return Job(
            argv=ours().command("tester", "serve", str(self._control), paths=pytest_paths()),
            lease=f"suite-{self._name}",
            folder=str(self.work / "tester"),
            environment=PLAIN,
            mounts=(
                *ours().mounts(),
                Mount(source=self.hidden, target=str(self.hidden)),
                *(Mount(source=one, target=str(one), is_writable=True) for one in folders),
            ),
            bounds=Bounds(wall_s=_FOREVER_S),
        )


@asynccontextmanager
async def started(sandbox: Sandbox, work: Path) -> AsyncIterator[TestsProcess]:
    """Gives the process of the tests; it runs until the end of the context.

    Raises:
        InputError: pytest is not installed.
    """
    check_pytest()
    process = await anyio.to_thread.run_sync(TestsProcess, sandbox, work)
    async with running(process):
        yield process


@asynccontextmanager
async def running(process: TestsProcess) -> AsyncIterator[None]:
    """Has the process run until the end of the context."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(process.serve)
        try:
            yield
        finally:
            tasks.cancel_scope.cancel()


def check_pytest() -> None:
    """Refuses to go on without pytest.

    Raises:
        InputError: it is not installed, or too old.
    """
    found = available()
    if not found.is_available:
        raise InputError(
            found.why_not,
            wanted="pytest 8.3 or later beside equipoise",
            mend=found.mend,
            code="no_pytest",
        )


def said(ended: Ended) -> str:
    """Gives how a job ended, in a few words."""
    what = {
        HowEnded.EXITED: f"exit code {ended.exit_code}",
        HowEnded.SIGNALLED: f"signal {ended.signal}",
    }.get(ended.how, str(ended.how))
    return f"{what} {ended.detail}".strip()
