"""A suite of hidden Python tests: tests in one sandbox, the program they test in another.

The tests' process imports nothing of the program. It has imported pytest once and forks for each
run; each program has a sandbox of its own, with a fresh seed and the agent's diff, in which the
tests do not exist. What crosses between them are plain values (see `inside`).
"""

import secrets
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import anyio
import anyio.abc

from equipoise.adapters.suites.fresh import fresh
from equipoise.adapters.suites.hidden_files import N_CANARIES, HiddenFiles, hidden_copy
from equipoise.adapters.suites.hidden_tests import HiddenTests
from equipoise.adapters.suites.interpreters import of_the_program, ours
from equipoise.adapters.suites.jobs import Jobs
from equipoise.adapters.suites.tests_process import (
    TestsProcess,
    check_pytest,
    running,
    said,
)
from equipoise.adapters.suites.verdict import Heard, Verdict, judged
from equipoise.ports.agents import Ended, HowEnded, Job, Sandbox, Seed
from equipoise.records.suite_run import SuiteRun, SuiteStatus

_LAST_WORD_S = 1.0
_N_TRIES = 3


class HiddenSuite:
    """Hidden tests that are ready to be run; made by `opened`."""

    def __init__(
        self,
        tests: HiddenTests,
        sandbox: Sandbox,
        process: TestsProcess,
        files: HiddenFiles,
        clock: Callable[[], datetime],
    ) -> None:
        """Takes the copy of the tests, and the process that runs them, in whose folder all is."""
        self._tests = tests
        self._sandbox = sandbox
        self._process = process
        self._work = process.work
        self._files = files
        python = of_the_program(tests.python) if tests.python else ours()
        self._jobs = Jobs(tests=tests, files=files, work=process.work, interpreter=python)
        self._clock = clock

    async def run(self, seed: Seed, diff: bytes, lease: str) -> SuiteRun:
        """Runs the tests against a fresh seed with a diff on top; may be called concurrently.

        Raises:
            InputError: the diff does not fit the seed.
        """
        tests = self._tests
        async with fresh(seed, diff, self._work, tests, self._clock) as place:
            run_it = self._verdict if tests.is_apart else self._verdict_together
            verdict = await run_it(place.workspace, place.shared, lease)
            return place.record(
                verdict,
                suite=tests.name,
                suite_sha256=self._files.sha256,
                is_apart=tests.is_apart,
                isolation=self._sandbox.isolation,
                limit_s=tests.bounds.wall_s,
            )

    async def _verdict(self, workspace: Path, shared: Path, lease: str) -> Verdict:
        """Runs tests and program apart; once more where the tests' process died before a word."""
        for _ in range(_N_TRIES):
            verdict = await self._tried(workspace, shared, lease)
            if verdict.status is not SuiteStatus.NO_REPORT or self._process.ended is not None:
                break
            shared.joinpath("bridge").unlink(missing_ok=True)
        return verdict

    async def _tried(self, workspace: Path, shared: Path, lease: str) -> Verdict:
        heard = Heard(canary=self._files.canary)
        program: list[Ended] = []
        is_timed_out, began = False, time.perf_counter()
        try:
            async with await self._process.connected() as tester:
                await tester.send(self._jobs.order(workspace, shared).encode() + b"\n")
                with anyio.move_on_after(self._tests.bounds.wall_s) as limit:
                    await self._listen(
                        tester, heard, self._jobs.program(workspace, shared, lease), program
                    )
                is_timed_out = limit.cancelled_caught
        except (OSError, anyio.BrokenResourceError) as error:
            program.append(Ended(how=HowEnded.NOT_STARTED, detail=f"the tests' process: {error}"))
        ran_ms = 1000 * (time.perf_counter() - began)
        verdict = judged(
            heard,
            self._tests.expected,
            N_CANARIES,
            is_timed_out=is_timed_out,
            is_up=not (program and program[0].how is HowEnded.NOT_STARTED),
            detail=said(program[0]) if program else "",
        )
        return replace(verdict, ran_ms=ran_ms)

    async def _verdict_together(self, workspace: Path, shared: Path, lease: str) -> Verdict:
        """Runs tests and program in one process, in one sandbox."""
        word = secrets.token_hex(16)
        ended = await self._sandbox.run(self._jobs.together(workspace, shared, lease, word))
        heard = Heard(canary=self._files.canary)
        for line in ended.stdout.splitlines():
            spoken, _, event = line.partition(b" ")
            if spoken == word.encode():
                heard.take_line(event)
        verdict = judged(
            heard,
            self._tests.expected,
            N_CANARIES,
            is_timed_out=ended.how is HowEnded.TIMED_OUT,
            is_apart=False,
            is_up=ended.how is not HowEnded.NOT_STARTED,
            detail=said(ended),
        )
        return replace(verdict, ran_ms=ended.duration_ms)

    async def _listen(
        self, tester: anyio.abc.SocketStream, heard: Heard, job: Job, program: list[Ended]
    ) -> None:
        """Starts the program, and hears the tests out, which wait for it when they need it."""
        over = anyio.Event()
        async with anyio.create_task_group() as tasks:

            async def run_program() -> None:
                program.append(await self._sandbox.run(job))
                over.set()
                if program[0].how is HowEnded.NOT_STARTED:
                    tasks.cancel_scope.cancel()

            tasks.start_soon(run_program)
            async for line in _lines(tester):
                heard.take_line(line)
                if heard.is_done:
                    break
            if not heard.is_done:
                with anyio.move_on_after(_LAST_WORD_S):
                    await over.wait()  # why it ended is worth a moment
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def opened(
    tests: HiddenTests, sandbox: Sandbox, work: Path, clock: Callable[[], datetime]
) -> AsyncIterator[HiddenSuite]:
    """Gives hidden tests ready to be run; their process runs until the end of the context.

    `work` is a folder for this suite alone, with a short path: sockets are in it.

    Raises:
        InputError: there are no tests, or pytest is not installed.
    """
    check_pytest()
    process = await anyio.to_thread.run_sync(TestsProcess, sandbox, work)
    async with served(tests, sandbox, process, clock) as suite, running(process):
        yield suite


@asynccontextmanager
async def served(
    tests: HiddenTests, sandbox: Sandbox, process: TestsProcess, clock: Callable[[], datetime]
) -> AsyncIterator[HiddenSuite]:
    """Gives hidden tests ready to be run by a process that other suites use too.

    Raises:
        InputError: there are no tests.
    """
    files = await anyio.to_thread.run_sync(hidden_copy, tests.folder, process.hidden)
    try:
        yield HiddenSuite(tests, sandbox, process, files, clock)
    finally:
        shutil.rmtree(files.folder, ignore_errors=True)


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
