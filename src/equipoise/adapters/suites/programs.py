"""A suite of tests in any language: a command in a sandbox that leaves a JUnit report.

Tests and program share the sandbox, so a program made for it can write the report itself. Tests
that must fail, and expected ids, catch what is not.
"""

import hashlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

import anyio

from equipoise.adapters.suites.fresh import Fresh, fresh
from equipoise.adapters.suites.junit import NoReport, read
from equipoise.adapters.suites.verdict import Verdict
from equipoise.ports.agents import Bounds, Ended, HowEnded, Job, Mount, Sandbox, Seed
from equipoise.records.suite_run import SuiteRun, SuiteStatus, TestOutcome, TestResult
from equipoise.records.trial import Fault

_BOUNDS = Bounds(wall_s=600.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramTests:
    """A command that runs tests, and what is known of them.

    In `command`, ``{report}`` is the file into which the report is to be written, ``{tests}`` the
    folder of the tests, ``{workspace}`` that of the program. `folder` is put at `at` in the
    workspace, in place of what the agent left there; null = the tests of the seed. `must_fail` are
    ids of tests that fail whatever the program does; without one nothing vouches for the report.
    """

    name: str
    command: tuple[str, ...]
    expected: tuple[str, ...] | None = None
    must_fail: tuple[str, ...] = ()
    folder: Path | None = None
    at: str = "hidden-tests"
    allowed: tuple[str, ...] = ("**",)
    kept: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    bounds: Bounds = _BOUNDS


class ProgramSuite:
    """Runs such a command; `work` is a folder for this suite alone."""

    def __init__(
        self, tests: ProgramTests, sandbox: Sandbox, work: Path, clock: Callable[[], datetime]
    ) -> None:
        """Takes what is needed for a run."""
        self._tests = tests
        self._sandbox = sandbox
        self._work = work.absolute()
        self._clock = clock

    async def run(self, seed: Seed, diff: bytes, lease: str) -> SuiteRun:
        """Runs the tests against a fresh seed with a diff on top; may be called concurrently.

        Raises:
            InputError: the diff does not fit the seed.
        """
        tests = self._tests
        async with fresh(seed, diff, self._work, tests, self._clock) as place:
            sha256 = await anyio.to_thread.run_sync(_put, tests, place.workspace)
            ended = await self._sandbox.run(self._job(place, lease))
            verdict = judged(tests, ended, place.shared / "report.xml")
            verdict = replace(verdict, ran_ms=ended.duration_ms)
            return place.record(
                verdict,
                suite=tests.name,
                suite_sha256=sha256,
                is_apart=False,
                isolation=self._sandbox.isolation,
                limit_s=tests.bounds.wall_s,
            )

    def _job(self, place: Fresh, lease: str) -> Job:
        tests = self._tests
        known = {
            "{report}": str(place.shared / "report.xml"),
            "{tests}": str(place.workspace / tests.at),
            "{workspace}": str(place.workspace),
        }
        return Job(
            argv=[_filled(word, known) for word in tests.command],
            lease=lease,
            folder=str(place.workspace),
            environment={"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", **tests.environment},
            mounts=(
                *tests.mounts,
                *(
                    Mount(source=folder, target=str(folder), is_writable=True)
                    for folder in (place.workspace, place.shared)
                ),
            ),
            bounds=tests.bounds,
        )


def judged(tests: ProgramTests, ended: Ended, report: Path) -> Verdict:
    """Gives the verdict on a run that has ended and may have left a report."""
    found: dict[str, TestResult] = {}
    no_report: NoReport | None = None
    try:
        found = read(report)
    except NoReport as error:
        no_report = error
    tampered = tuple(
        f"the test {name!r}, which must fail, ended as {found[name].outcome}"
        for name in tests.must_fail
        if name in found and found[name].outcome not in (TestOutcome.FAILED, TestOutcome.ERROR)
    )
    results = _expected(tests, found)
    status, why = _status(tests, ended, found, no_report)
    if tampered:
        status, why = SuiteStatus.TAMPERED, tampered[0]
    return Verdict(
        status=status,
        fault=_fault(status, ended),
        tests=results,
        n_passed=sum(one.outcome is TestOutcome.PASSED for one in results),
        n_expected=len(results),
        why=why,
        tampered=tampered,
    )


def _fault(status: SuiteStatus, ended: Ended) -> Fault:
    """Says whose fault it was; nobody knows why a command left no whole report."""
    if status in (SuiteStatus.SCORED, SuiteStatus.SCORED_INCOMPLETE):
        return Fault.NONE
    if ended.how is HowEnded.NOT_STARTED:
        return Fault.INFRASTRUCTURE
    told = status in (SuiteStatus.TAMPERED, SuiteStatus.TIMED_OUT)
    return Fault.SYSTEM if told else Fault.UNKNOWN


def _status(
    tests: ProgramTests, ended: Ended, found: Mapping[str, TestResult], fault: NoReport | None
) -> tuple[SuiteStatus, str]:
    said = f"{ended.how} {_last_words(ended)}".strip()
    if ended.how is HowEnded.TIMED_OUT:
        return SuiteStatus.TIMED_OUT, "the time for the suite was over"
    if fault is not None and not fault.is_torn:
        return SuiteStatus.NO_REPORT, f"{fault}; the command {said}".strip()
    missing = [name for name in tests.must_fail if name not in found]
    has_failed = any(one.outcome is not TestOutcome.PASSED for one in found.values())
    if fault is not None or ended.how is not HowEnded.EXITED or missing:
        why = str(fault) if fault else f"the test {missing[0]!r} was not run" if missing else said
        return SuiteStatus.ABORTED, why
    if ended.exit_code and not has_failed:
        return SuiteStatus.ABORTED, f"exit code {ended.exit_code}, though every test passed"
    lost = [name for name in tests.expected or () if name not in found]
    if lost:
        listed = ", ".join(lost[:5])
        return SuiteStatus.SCORED_INCOMPLETE, f"{len(lost)} expected tests were not found: {listed}"
    return SuiteStatus.SCORED, ""


def _expected(tests: ProgramTests, found: Mapping[str, TestResult]) -> tuple[TestResult, ...]:
    names: Sequence[str] = tests.expected or [one for one in found if one not in tests.must_fail]
    return tuple(
        found.get(name) or TestResult(id=name, outcome=TestOutcome.NOT_RUN) for name in names
    )


def _last_words(ended: Ended) -> str:
    text = ended.detail or (ended.stderr or ended.stdout)[-300:].decode(errors="replace")
    return "".join(one if one.isprintable() else " " for one in text)


def _filled(word: str, known: Mapping[str, str]) -> str:
    for name, value in known.items():
        word = word.replace(name, value)
    return word


def _put(tests: ProgramTests, workspace: Path) -> str:
    """Puts the hidden files into the workspace, and gives the hash of names and contents."""
    hasher = hashlib.sha256()
    if tests.folder is None:
        return hasher.hexdigest()
    place = workspace
    for part in PurePosixPath(tests.at).parts:
        place /= part
        if place.is_symlink() or place.is_file():
            place.unlink()  # a link of the agent's would lead us out of the workspace
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(tests.folder, place)
    for path in sorted(path for path in place.rglob("*") if path.is_file()):
        name = path.relative_to(place).as_posix().encode()
        hasher.update(name + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return hasher.hexdigest()
