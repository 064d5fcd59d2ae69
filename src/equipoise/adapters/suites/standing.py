"""Hidden tests that stand ready for grading: started when first wanted, run on a loop of their own.

Grading goes trial by trial, in one thread or a few; the sandboxes and the tests' processes live on
a loop in another, from the first run of a suite to the end of the grading.
"""

import shutil
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import AbstractAsyncContextManager, AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Self, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from equipoise.adapters.suites.gates import gated
from equipoise.adapters.suites.hidden import served
from equipoise.adapters.suites.hidden_tests import KEPT, HiddenTests, expected_by, pristine
from equipoise.adapters.suites.places import made_folder
from equipoise.adapters.suites.programs import ProgramSuite, ProgramTests
from equipoise.adapters.suites.tests_process import TestsProcess, started
from equipoise.errors import Blocked, InputError, NotEstimable
from equipoise.ports.agents import Available, Bounds, Sandbox, Seed, Suite
from equipoise.ports.suites import GateAsked, SuiteAsked, hash_of
from equipoise.records.codec import digest, encode
from equipoise.records.gate_run import GateRun
from equipoise.records.suite_run import SuiteRun, SuiteStatus
from equipoise.records.trial import Fault

T = TypeVar("T")

_N_TRIES = 2
_MOST_OPEN = 32
"""Copies of so many suites are kept ready."""

SandboxOf = Callable[[Sequence[str]], Awaitable[tuple[Sandbox, Available]]]
SeedOf = Callable[[Any], Seed]


class StandingSuites:
    """Suites of one study; `close` ends what was started. Several threads may call `run`."""

    def __init__(
        self,
        study: Path,
        *,
        sandbox: SandboxOf,
        seeds: Callable[[Path], SeedOf],
        clock: Callable[[], datetime],
    ) -> None:
        """Takes how sandboxes and seeds are made; nothing is started."""
        self._study = study
        self._sandbox_of = sandbox
        self._seeds = seeds
        self._clock = clock
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._work = Path()
        self._n_opened = 0
        self._seed_of: SeedOf | None = None
        self._sandboxes: dict[tuple[str, ...], Sandbox] = {}
        self._processes: dict[tuple[str, ...], TestsProcess] = {}
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._under_way: set[Future[Any]] = set()
        self._is_closed = False
        self._lock = threading.RLock()
        self._expected: dict[str, tuple[str, ...]] = {}
        self._hashes: dict[str, str] = {}
        self._alone: dict[str, bool] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends every process of tests and every sandbox; what they left is removed."""
        self._is_closed = True
        for future in list(self._under_way):
            future.cancel()
        with self._lock:
            while self._open:
                self._open.popitem()[1].stack.close()
            self._stack.close()

    def identity(self, asked: SuiteAsked) -> str:
        """Gives a hash of all that the outcome follows from, the hidden files included.

        Raises:
            NotEstimable: there are no such tests.
        """
        return digest(encode([self._suite_key(asked), asked.seed_sha256, digest(asked.diff)]))

    def run(self, asked: SuiteAsked) -> SuiteRun:
        """Runs them, again where the infrastructure failed or nothing whole came of it.

        Raises:
            NotEstimable: nothing can be said: the seed is another by now, the reference solution
                fails, or the infrastructure fails again and again.
            Blocked: no sandbox that is allowed works here, or pytest is missing.
        """
        is_proven = bool(asked.reference)
        with self._lock:
            self._begin()
            seed = self._seed(asked)
            expected = self._proven(asked, seed) if is_proven else None
            key = f"{self._suite_key(asked)} {seed.sha256 if asked.seed_tests else ''}"
            opened = self._ready(key, asked, seed, expected)
            opened.n_using += 1
        try:
            for _ in range(_N_TRIES):
                found = self._ran(opened.suite, seed, asked.diff, asked.lease)
                if found.is_scored or found.status is SuiteStatus.TAMPERED:
                    return found
            if found.fault is Fault.UNKNOWN and not is_proven and asked.diff.strip():
                is_proven = self._runs_alone(key, opened.suite, seed, asked.lease)
        finally:
            with self._lock:
                opened.n_using -= 1
        if found.fault is Fault.INFRASTRUCTURE or (found.fault is Fault.UNKNOWN and not is_proven):
            raise _failed(f"{found.status.value} in {_N_TRIES} tries: {found.why}")
        return found

    def gate(self, asked: GateAsked) -> GateRun:
        """Runs the commands of a gate; what could not be started is tried once more.

        Raises:
            NotEstimable: nothing can be said: the seed is another by now, or a command that is not
                the agent's own cannot be started.
            Blocked: no sandbox that is allowed works here.
        """
        with self._lock:
            self._begin()
            seed = self._seed(asked)
            sandbox = self._sandbox(asked.sandboxes)
            self._n_opened += 1
            work = self._work / str(self._n_opened)
            work.mkdir()
        try:
            return self._awaited(gated, asked, seed, sandbox, work, self._clock)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _runs_alone(self, key: str, suite: Suite, seed: Seed, lease: str) -> bool:
        """Says whether the tests come to their end on the seed as it is.

        Then it is the agent's work that keeps them from it: a program that leaves as soon as it
        sees tests is no failure of this machine.
        """
        if key not in self._alone:
            self._alone[key] = self._ran(suite, seed, b"", f"{lease}-alone").is_scored
        return self._alone[key]

    def _begin(self) -> None:
        if self._is_closed:
            raise _failed("the grading has ended")
        if self._portal is None:
            self._work = made_folder(self._stack)
            self._seed_of = self._seeds(self._work)
            self._portal = self._stack.enter_context(start_blocking_portal())

    def _ran(self, suite: Suite, seed: Seed, diff: bytes, lease: str) -> SuiteRun:
        return self._awaited(suite.run, seed, diff, lease)

    def _awaited(self, do: Callable[..., Awaitable[T]], *given: Any) -> T:
        """Does something on the loop; who is interrupted ends it, and does not wait for it."""
        assert self._portal is not None
        future = self._portal.start_task_soon(do, *given)
        self._under_way.add(future)
        if self._is_closed:
            future.cancel()
        try:
            return _said(future.result)
        except CancelledError:
            raise _failed("the grading has ended") from None
        except BaseException:
            future.cancel()
            raise
        finally:
            self._under_way.discard(future)

    def _seed(self, asked: SuiteAsked | GateAsked) -> Seed:
        """Gives the seed of the session, made again from the study's folder."""
        assert self._seed_of is not None
        seed = _said(lambda: self._made_seed(asked.seed))
        if seed.sha256 != asked.seed_sha256:
            raise _failed(
                f"the seed {asked.seed!r} is not what it was when the session began "
                f"({seed.sha256[:12]}…, then {asked.seed_sha256[:12]}…); mend: put it back"
            )
        return seed

    def _made_seed(self, spec: Any) -> Seed:
        assert self._seed_of is not None
        return self._seed_of(spec)

    def _proven(self, asked: SuiteAsked, seed: Seed) -> tuple[str, ...]:
        """Gives the tests that the reference solution passes, which is all of them."""
        assert self._portal is not None
        path = self._inside(asked.reference)
        try:
            solution = path.read_bytes()
        except OSError as error:
            raise _failed(f"the reference {asked.reference}: {error.strerror}") from error
        key = digest(encode([self._suite_key(asked), seed.sha256, digest(solution)]))
        if key not in self._expected:
            suite = self._ready(f"proof {key}", asked, seed, None).suite
            proof = self._ran(suite, seed, solution, f"proof-{key[:16]}")
            self._expected[key] = _said(lambda: expected_by(proof))
        return self._expected[key]

    def _ready(
        self, key: str, asked: SuiteAsked, seed: Seed, expected: tuple[str, ...] | None
    ) -> "_Open":
        if key in self._open:
            self._open.move_to_end(key)
            return self._open[key]
        idle = [name for name, one in self._open.items() if not one.n_using]
        for name in idle[: max(0, len(self._open) + 1 - _MOST_OPEN)]:
            self._open.pop(name).stack.close()
        stack = ExitStack()
        suite = _said(lambda: self._opened(stack, asked, seed, expected))
        self._open[key] = _Open(suite=suite, stack=stack)
        return self._open[key]

    def _opened(
        self, stack: ExitStack, asked: SuiteAsked, seed: Seed, expected: tuple[str, ...] | None
    ) -> Suite:
        assert self._portal is not None
        self._n_opened += 1
        work = self._work / str(self._n_opened)
        work.mkdir()
        stack.callback(shutil.rmtree, work, ignore_errors=True)
        folder = self._tests(asked, seed, work)
        sandbox = self._sandbox(asked.sandboxes)
        bounds = Bounds(wall_s=asked.timeout_s)
        if asked.command:
            return ProgramSuite(_programs(asked, folder, expected), sandbox, work, self._clock)
        tests = HiddenTests(
            folder=folder,
            name=asked.tests or "seed tests",
            expected=expected,
            paths=asked.paths,
            allowed=asked.allowed,
            kept=(*KEPT, *asked.kept, *asked.seed_tests),
            is_apart=asked.is_apart,
            python=Path(asked.python) if asked.python else None,
            environment=dict(asked.environment),
            bounds=bounds,
            order=asked.order,
        )
        making: AbstractAsyncContextManager[Suite] = served(
            tests, sandbox, self._process(asked.sandboxes, sandbox), self._clock
        )
        made: AbstractContextManager[Suite] = self._portal.wrap_async_context_manager(making)
        return stack.enter_context(made)

    def _tests(self, asked: SuiteAsked, seed: Seed, work: Path) -> Path:
        if asked.tests:
            return self._inside(asked.tests)
        return pristine(seed, asked.seed_tests, work / "pristine")

    def _sandbox(self, allowed: tuple[str, ...]) -> Sandbox:
        assert self._portal is not None
        if allowed not in self._sandboxes:
            sandbox, _ = self._portal.call(self._sandbox_of, allowed)
            self._stack.callback(sandbox.close)
            self._sandboxes[allowed] = sandbox
        return self._sandboxes[allowed]

    def _process(self, allowed: tuple[str, ...], sandbox: Sandbox) -> TestsProcess:
        """Gives the one process of all tests, which imports pytest once."""
        assert self._portal is not None
        if allowed not in self._processes:
            self._n_opened += 1
            making: AbstractAsyncContextManager[TestsProcess] = started(
                sandbox, self._work / f"t{self._n_opened}"
            )
            made = self._portal.wrap_async_context_manager(making)
            self._processes[allowed] = self._stack.enter_context(made)
        return self._processes[allowed]

    def _suite_key(self, asked: SuiteAsked) -> str:
        about = asdict(asked)
        for name in ("diff", "lease", "seed", "seed_sha256", *(() if asked.order else ("order",))):
            about.pop(name)
        return digest(encode([about, self._hash(asked.tests) if asked.tests else ""]))

    def _hash(self, tests: str) -> str:
        if tests not in self._hashes:
            folder = self._inside(tests)
            if not folder.is_dir():
                raise _failed(f"there is no folder {tests}; mend: put the hidden tests there")
            self._hashes[tests] = hash_of(folder)
        return self._hashes[tests]

    def _inside(self, name: str) -> Path:
        path = (self._study / name).resolve()
        if not path.is_relative_to(self._study.resolve()):
            raise _failed(f"{name!r} leads out of the study's folder")
        return path


@dataclass(slots=True, kw_only=True)
class _Open:
    """A suite that stands ready, and how many use it now."""

    suite: Suite
    stack: ExitStack
    n_using: int = 0


def _said(do: Callable[[], T]) -> T:
    """Does something whose failure says nothing of the agent's work.

    Raises:
        NotEstimable: it failed.
        Blocked: it will fail for every trial.
    """
    try:
        return do()
    except InputError as error:
        if error.code == "no_pytest":
            raise Blocked(f"hidden tests cannot be run: {error}") from error
        raise _failed(str(error)) from error
    except OSError as error:
        raise _failed(f"{error.strerror or error}") from error


def _programs(asked: SuiteAsked, folder: Path, expected: tuple[str, ...] | None) -> ProgramTests:
    return ProgramTests(
        name=asked.tests or "seed tests",
        command=asked.command,
        expected=expected,
        must_fail=asked.must_fail,
        folder=folder if asked.tests else None,
        at=asked.at,
        allowed=asked.allowed,
        kept=(*asked.kept, *asked.seed_tests),
        environment=dict(asked.environment),
        bounds=Bounds(wall_s=asked.timeout_s),
    )


def _failed(why: str) -> NotEstimable:
    return NotEstimable(
        f"unbewertbar: the hidden tests could not be run: {why}"[:600], code="suite_failed"
    )
