"""A suite of hidden Python tests: tests in one sandbox, the program they test in another.

The tests' process imports nothing of the program. It has imported pytest once and forks for each
run; each program has a sandbox of its own, with a fresh seed and the agent's diff, in which the
tests do not exist. What crosses between them are plain values (see `inside`).
"""

import hashlib
import json
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import anyio
import anyio.abc

from equipoise.adapters.suites.hidden_files import N_CANARIES, HiddenFiles, hidden_copy
from equipoise.adapters.suites.interpreters import beginning, mounts, pytest_paths
from equipoise.adapters.suites.verdict import Heard, Verdict, judged
from equipoise.errors import InputError
from equipoise.ports.agents import Bounds, Ended, HowEnded, Job, Mount, Sandbox, Seed
from equipoise.records.suite_run import SuiteRun

KEPT = (
    "**/conftest.py",
    "**/pytest.ini",
    "**/.pytest.ini",
    "**/tox.ini",
    "**/sitecustomize.py",
    "**/usercustomize.py",
    "**/*.pth",
    "**/*.pyc",
)
"""Paths that stay as the seed has them, whatever the agent made of them."""

_BOUNDS = Bounds(wall_s=300.0)
_BEGIN_S = 60.0
_LAST_WORD_S = 1.0
_FOREVER_S = 7 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenTests:
    """What is hidden, and how it is run.

    `expected` are the ids of the tests, null = all that are found (see `HiddenSuite.run`). `paths`
    are where the program's modules lie in the workspace. Changes of what `allowed` does not mean,
    or `kept` means, are left out.
    """

    folder: Path
    name: str = "hidden"
    expected: tuple[str, ...] | None = None
    paths: tuple[str, ...] = (".", "src")
    allowed: tuple[str, ...] = ("**",)
    kept: tuple[str, ...] = KEPT
    environment: dict[str, str] = field(default_factory=dict)
    bounds: Bounds = _BOUNDS


class HiddenSuite:
    """Hidden tests that are ready to be run; made by `opened`."""

    def __init__(
        self,
        tests: HiddenTests,
        sandbox: Sandbox,
        work: Path,
        files: HiddenFiles,
        clock: Callable[[], datetime],
    ) -> None:
        """Takes the copy of the tests, and the folder in which all happens."""
        self._tests = tests
        self._sandbox = sandbox
        self._work = work
        self._files = files
        self._clock = clock
        self._tester: Ended | None = None

    async def run(self, seed: Seed, diff: bytes, lease: str) -> SuiteRun:
        """Runs the tests against a fresh seed with a diff on top; may be called concurrently.

        Raises:
            InputError: the diff does not fit the seed.
        """
        started_at, began = self._clock(), time.perf_counter()
        run = secrets.token_hex(8)
        place = self._work / "runs" / run
        place.mkdir(parents=True)
        try:
            workspace = place / "workspace"
            left_out = await anyio.to_thread.run_sync(
                seed.rebuild, workspace, diff, self._tests.allowed, self._tests.kept
            )
            shared = self._work / "shared" / run
            shared.mkdir(parents=True)
            verdict = await self._verdict(workspace, shared, lease)
            shutil.rmtree(shared, ignore_errors=True)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return SuiteRun(
            suite=self._tests.name,
            status=verdict.status,
            n_passed=verdict.n_passed,
            n_expected=verdict.n_expected,
            tests=verdict.tests,
            is_apart=True,
            isolation=self._sandbox.isolation,
            suite_sha256=self._files.sha256,
            seed_sha256=seed.sha256,
            diff_sha256=hashlib.sha256(diff).hexdigest(),
            started_at=started_at.isoformat(timespec="milliseconds"),
            duration_ms=round(1000 * (time.perf_counter() - began), 3),
            why=verdict.why,
            tampered=verdict.tampered,
            left_out=left_out,
        )

    async def _verdict(self, workspace: Path, shared: Path, lease: str) -> Verdict:
        heard = Heard(canary=self._files.canary)
        program: list[Ended] = []
        is_timed_out = False
        try:
            async with await self._connected() as tester:
                await tester.send(self._order(workspace, shared))
                with anyio.move_on_after(self._tests.bounds.wall_s) as limit:
                    await self._listen(
                        tester, heard, self._program(workspace, shared, lease), program
                    )
                is_timed_out = limit.cancelled_caught
        except OSError as error:
            program.append(Ended(how=HowEnded.NOT_STARTED, detail=f"the tests' process: {error}"))
        detail = _said(program[0]) if program else ""
        return judged(
            heard, self._tests.expected, N_CANARIES, is_timed_out=is_timed_out, detail=detail
        )

    async def _listen(
        self, tester: anyio.abc.SocketStream, heard: Heard, job: Job, program: list[Ended]
    ) -> None:
        """Starts the program when the tests wait for it, and hears them out."""
        over = anyio.Event()
        async with anyio.create_task_group() as tasks:

            async def run_program() -> None:
                program.append(await self._sandbox.run(job))
                over.set()
                if program[0].how is HowEnded.NOT_STARTED:
                    tasks.cancel_scope.cancel()

            async for line in _lines(tester):
                event = json.loads(line)
                heard.take(event)
                if event["event"] == "listening":
                    tasks.start_soon(run_program)
                elif event["event"] == "done":
                    break
            if not heard.is_done:
                with anyio.move_on_after(_LAST_WORD_S):
                    await over.wait()  # why it ended is worth a moment
            tasks.cancel_scope.cancel()

    def _order(self, workspace: Path, shared: Path) -> bytes:
        own = self._work / "tester" / shared.name
        own.mkdir()
        order = {
            "folder": str(self._files.folder),
            "canary": self._files.canary,
            "modules": _tops(workspace, self._tests.paths),
            "bridge": str(shared / "bridge"),
            "tmp": str(shared / "tmp"),
            "own": str(own),
            "wall_s": self._tests.bounds.wall_s,
        }
        return json.dumps(order).encode() + b"\n"

    def _program(self, workspace: Path, shared: Path, lease: str) -> Job:
        paths = [str(workspace / path) for path in self._tests.paths]
        return Job(
            argv=beginning("subject", "main", str(shared / "bridge"), str(workspace), *paths),
            lease=lease,
            folder=str(workspace),
            environment={"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", **self._tests.environment},
            mounts=(
                *mounts(),
                Mount(source=workspace, target=str(workspace), is_writable=True),
                Mount(source=shared, target=str(shared), is_writable=True),
            ),
            bounds=self._tests.bounds,
        )

    async def serve(self) -> None:
        """Keeps the tests' process running until it is cancelled."""
        folders = (self._work / "tester", self._work / "shared")
        self._tester = await self._sandbox.run(
            Job(
                argv=beginning("tester", "serve", str(self._control), paths=pytest_paths()),
                lease=f"suite-{self._files.canary}",
                folder=str(self._work / "tester"),
                environment={"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"},
                mounts=(
                    *mounts(),
                    Mount(source=self._files.folder, target=str(self._files.folder)),
                    *(Mount(source=one, target=str(one), is_writable=True) for one in folders),
                ),
                bounds=Bounds(wall_s=_FOREVER_S),
            )
        )

    @property
    def _control(self) -> Path:
        return self._work / "tester" / "control"

    async def _connected(self) -> anyio.abc.UNIXSocketStream:
        """Connects to the tests' process, once it is there.

        Raises:
            OSError: it has ended, or does not begin.
        """
        give_up = time.monotonic() + _BEGIN_S
        while True:
            try:
                return await anyio.connect_unix(self._control)
            except OSError:
                if self._tester is not None:
                    raise OSError(_said(self._tester)) from None
                if time.monotonic() > give_up:
                    raise
                await anyio.sleep(0.005)


@asynccontextmanager
async def opened(
    tests: HiddenTests, sandbox: Sandbox, work: Path, clock: Callable[[], datetime]
) -> AsyncIterator[HiddenSuite]:
    """Gives hidden tests ready to be run; their process runs until the end of the context.

    `work` is a folder for this suite alone, with a short path: sockets are in it.

    Raises:
        InputError: there are no tests, or pytest is not installed.
    """
    if not pytest_paths():
        raise InputError(
            "pytest is not installed",
            wanted="pytest 8.3 or later beside equipoise",
            mend="pip install pytest",
            code="no_pytest",
        )
    suite = await anyio.to_thread.run_sync(_made, tests, sandbox, work, clock)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(suite.serve)
        try:
            yield suite
        finally:
            tasks.cancel_scope.cancel()


def _made(
    tests: HiddenTests, sandbox: Sandbox, work: Path, clock: Callable[[], datetime]
) -> HiddenSuite:
    place = work.absolute()
    for name in ("tester", "shared", "runs"):
        place.joinpath(name).mkdir(parents=True)
    return HiddenSuite(tests, sandbox, place, hidden_copy(tests.folder, place), clock)


async def _lines(stream: anyio.abc.SocketStream) -> AsyncIterator[bytes]:
    rest = b""
    while True:
        try:
            rest += await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return
        *lines, rest = rest.split(b"\n")
        for line in lines:
            yield line


def _tops(workspace: Path, paths: Sequence[str]) -> list[str]:
    """Gives the names of modules at the top of a workspace."""
    names: set[str] = set()
    for path in paths:
        folder = workspace / path
        if folder.is_dir():
            names |= {one.stem for one in folder.iterdir() if one.suffix == ".py"}
            names |= {one.name for one in folder.iterdir() if one.joinpath("__init__.py").is_file()}
    return sorted(names)


def _said(ended: Ended) -> str:
    what = {
        HowEnded.EXITED: f"exit code {ended.exit_code}",
        HowEnded.SIGNALLED: f"signal {ended.signal}",
    }.get(ended.how, str(ended.how))
    return f"{what} {ended.detail}".strip()
