"""Tests of any language count by their report; a report that cannot be right counts as nothing."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from adapters.suites.shop import diff
from equipoise.adapters.sandboxes.unmounted import PlainProcess
from equipoise.adapters.suites.junit import NoReport, read
from equipoise.adapters.suites.programs import ProgramSuite, ProgramTests
from equipoise.adapters.workspaces.recipe import Commit
from equipoise.adapters.workspaces.seed import GitSeed
from equipoise.adapters.workspaces.store import SeedStore
from equipoise.ports.agents import Bounds
from equipoise.records.suite_run import SuiteRun, SuiteStatus, TestOutcome
from every import for_every

_RUNNER = """
check() { # name, wanted, found
    echo "<testcase classname='greet' name='$1' time='0.5'>" >> "$report"
    [ "$2" = "$3" ] || echo "<failure message='found $3'/>" >> "$report"
    echo "</testcase>" >> "$report"
}
report=$1
echo "<testsuite>" > "$report"
check world "hello world" "$(sh greet.sh world)"
check nobody "hello nobody" "$(sh greet.sh)"
check canary 1 2
echo "</testsuite>" >> "$report"
exit 1
"""

_FORGING = """
for place in ../../../shared/*/; do
    {
        echo "<testsuite>"
        for name in world nobody canary; do echo "<testcase classname='greet' name='$name'/>"; done
        echo "</testsuite>"
    } > $place/report.xml
done
kill -9 $PPID
"""

TESTS = ProgramTests(
    name="greetings",
    command=("/bin/sh", "{tests}/run.sh", "{report}"),
    expected=("greet::world", "greet::nobody"),
    must_fail=("greet::canary",),
    at="tests/hidden",
    bounds=Bounds(wall_s=60.0),
)


def _clock() -> datetime:
    return datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def seed(tmp_path: Path) -> GitSeed:
    files = {"greet.sh": b"echo hello $1\n", "tests/hidden/old": b""}
    return SeedStore(tmp_path / "store").from_commits([Commit(message="Greet", files=files)])


@pytest.fixture
def run(seed: GitSeed, tmp_path: Path) -> Callable[..., SuiteRun]:
    def run(
        files: Mapping[str, str], tests: ProgramTests = TESTS, runner: str = _RUNNER
    ) -> SuiteRun:
        hidden = tmp_path / "hidden"
        hidden.mkdir()
        hidden.joinpath("run.sh").write_text(runner, encoding="utf-8")
        with closing(PlainProcess()) as sandbox:
            suite = ProgramSuite(replace(tests, folder=hidden), sandbox, tmp_path / "w", _clock)
            return anyio.run(suite.run, seed, diff(seed, tmp_path / "work", files), "greet")

    return run


def test_a_report_is_scored_test_by_test(run: Callable[..., SuiteRun]) -> None:
    found = run({"greet.sh": "echo hello $1\n# new\n"})
    assert (found.status, found.n_passed, found.n_expected) == (SuiteStatus.SCORED, 1, 2), found
    assert [one.outcome for one in found.tests] == [TestOutcome.PASSED, TestOutcome.FAILED]
    assert found.tests[1].message == "found hello"
    assert found.tests[0].duration_ms == 500.0
    assert not found.is_apart


def test_a_mend_passes(run: Callable[..., SuiteRun]) -> None:
    found = run({"greet.sh": "echo hello ${1:-nobody}\n"})
    assert (found.status, found.n_passed) == (SuiteStatus.SCORED, 2), found


@pytest.mark.parametrize(
    ("script", "status"),
    [
        (
            _FORGING,
            SuiteStatus.TAMPERED,
        ),
        ("rm -f ../../../shared/*/report.xml; kill -9 $PPID\n", SuiteStatus.NO_REPORT),
        ("kill -9 $PPID\n", SuiteStatus.NO_REPORT),
        ("kill -9 $PPID; sleep 0.1; exit 1\n", SuiteStatus.NO_REPORT),
        (
            'for f in ../../../shared/*/; do ln -sf "$PWD/other" $f/report.xml; done\n',
            SuiteStatus.NO_REPORT,
        ),
    ],
)
def test_a_cheat_is_no_score(
    run: Callable[..., SuiteRun], script: str, status: SuiteStatus
) -> None:
    found = run({"greet.sh": script})
    assert found.status is status, found
    assert not found.is_scored


@pytest.mark.parametrize(
    ("runner", "status"),
    [
        ("exit 0", SuiteStatus.NO_REPORT),
        ("sleep 60", SuiteStatus.TIMED_OUT),
        (_RUNNER.replace("check canary 1 2", ""), SuiteStatus.ABORTED),
        (
            _RUNNER.replace('check nobody "hello nobody" "$(sh greet.sh)"', ""),
            SuiteStatus.SCORED_INCOMPLETE,
        ),
        (_RUNNER.replace('echo "</testsuite>" >> "$report"', ""), SuiteStatus.ABORTED),
    ],
)
def test_what_a_runner_may_come_to(
    run: Callable[..., SuiteRun], runner: str, status: SuiteStatus
) -> None:
    wall_s = 1.5 if "sleep" in runner else 60.0
    found = run({}, replace(TESTS, bounds=Bounds(wall_s=wall_s)), runner)
    assert found.status is status, found


def test_a_link_in_place_of_the_tests_is_not_followed(seed: GitSeed, tmp_path: Path) -> None:
    host = tmp_path / "host" / "hidden"
    host.mkdir(parents=True)
    host.joinpath("precious").write_bytes(b"")
    seed.copy(tmp_path / "work")
    tmp_path.joinpath("work", "tests", "hidden", "old").unlink()
    tmp_path.joinpath("work", "tests", "hidden").rmdir()
    tmp_path.joinpath("work", "tests").rmdir()
    tmp_path.joinpath("work", "tests").symlink_to(tmp_path / "host")
    left = seed.freeze(tmp_path / "work")
    with closing(PlainProcess()) as sandbox:
        hidden = tmp_path / "hidden"
        hidden.mkdir()
        hidden.joinpath("run.sh").write_text(_RUNNER, encoding="utf-8")
        suite = ProgramSuite(replace(TESTS, folder=hidden), sandbox, tmp_path / "w", _clock)
        found = anyio.run(suite.run, seed, left.diff, "greet")
    assert found.is_scored, found
    assert host.joinpath("precious").exists()


@for_every(
    "text",
    [
        "",
        "nonsense",
        "<html/>",
        "<!DOCTYPE x [<!ENTITY a 'b'>]><testsuite>&a;</testsuite>",
        "<testsuite>" + "<properties>" * 80,
    ],
)
def test_what_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(NoReport):
        read(path)


def test_of_two_outcomes_the_worse_counts(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_text(
        "<testsuites><testsuite><testcase name='a'/><testcase name='a'><error>why\n"
        "it failed</error></testcase><testcase name='a'/></testsuite></testsuites>",
        encoding="utf-8",
    )
    found = read(path)
    assert found["a"].outcome is TestOutcome.ERROR
    assert found["a"].message == "why\nit failed"
