"""Hidden tests score what an agent did, and no cheat makes them say more."""

import os
import signal
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from adapters.sandboxes.cells import needs_bubblewrap
from adapters.suites import shop
from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap
from equipoise.adapters.sandboxes.unmounted import PlainProcess
from equipoise.adapters.suites.hidden import HiddenSuite, opened
from equipoise.adapters.suites.hidden_tests import HiddenTests
from equipoise.errors import InputError
from equipoise.ports.agents import Bounds, Sandbox
from equipoise.records.suite_run import SuiteRun, SuiteStatus, TestOutcome

HOSTILE = {
    "searching": """
import os
found, WORD = [], b"_".join((b"test", b"bounds"))
for place, folders, names in os.walk("/"):
    folders[:] = [one for one in folders if one not in ("lib", "usr", "proc", "sys", "dev")]
    found += [one for one in names if "test_shop" in one or WORD in read(place, one)]
others = [one for one in os.listdir("/proc") if one.isdecimal()]
found += [one for one in others if b"tester" in read(f"/proc/{one}", "cmdline")]
def total(prices): return found
""",
    "killing": "import os\nos.kill(-1, 9)\n",
    "hanging": "def total(prices):\n    while True: pass\n",
    "forking": "import os\ndef total(prices):\n    while True: os.fork()\n",
    "flooding": "def total(prices): return bytearray(200 * 2**20)\n",
    "talking": "import sys\ndef total(prices):\n    while True: sys.stdout.write('x' * 65536)\n",
}

_READ = """
def read(*parts):
    path = os.path.join(*parts)
    try:
        with open(path, "rb") as file: return file.read(20_000) if os.path.isfile(path) else b""
    except OSError: return b""
"""


def now() -> datetime:
    return datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def run_all(
    folder: Path, sandbox: Sandbox, changes: Mapping[str, Mapping[str, str]], tests: HiddenTests
) -> dict[str, SuiteRun]:
    """Each change, run against one tests' process, two at a time."""
    seed = shop.seed(folder)
    found: dict[str, SuiteRun] = {}

    async def run_one(suite: HiddenSuite, name: str) -> None:
        diff = shop.diff(seed, folder / name, changes[name])
        found[name] = await suite.run(seed, diff, name)

    async def run() -> None:
        async with opened(tests, sandbox, folder / "w", now) as suite:
            names = list(changes)
            for pair in zip(names[::2], [*names[1::2], ""], strict=False):
                async with anyio.create_task_group() as tasks:
                    for name in filter(None, pair):
                        tasks.start_soon(run_one, suite, name)

    anyio.run(run)
    return found


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, SuiteRun]:
    folder = tmp_path_factory.mktemp("h")
    tests = HiddenTests(folder=shop.hidden(folder), expected=shop.IDS)
    with closing(PlainProcess()) as sandbox:
        return run_all(folder, sandbox, shop.MENDS | shop.CHEATS, tests)


@pytest.mark.requirement("OUT-48")
def test_an_honest_mend_passes(apart: Mapping[str, SuiteRun]) -> None:
    run = apart["honest"]
    assert (run.status, run.n_passed, run.n_expected) == (SuiteStatus.SCORED, 5, 5), run
    assert [one.id for one in run.tests] == list(shop.IDS)
    assert all(one.duration_ms is not None for one in run.tests)
    assert run.is_apart
    assert run.isolation == "none"
    assert run.started_at == "2026-03-04T05:06:07.000+00:00"
    assert run.duration_ms > sum(one.duration_ms or 0 for one in run.tests)


@pytest.mark.requirement("OUT-27")
@pytest.mark.parametrize("cheat", shop.CHEATS)
def test_a_cheat_gains_nothing(apart: Mapping[str, SuiteRun], cheat: str) -> None:
    run = apart[cheat]
    assert run.status is shop.STATUS.get(cheat, SuiteStatus.SCORED), run
    assert run.n_passed == shop.DESERVED.get(cheat, 1), run


def test_why_a_test_failed_is_kept(apart: Mapping[str, SuiteRun]) -> None:
    run = apart["settings of pytest"]
    failed = {one.id: one for one in run.tests if one.outcome is TestOutcome.FAILED}
    message = failed["test_shop.py::test_total[prices0-7]"].message
    assert message.startswith("test_shop.py:8: in test_total\n")  # no place of this machine
    assert "assert 4 == 7" in message
    assert run.left_out == ("pytest.ini",)


_TWISTED = ("patching the runner", "writing to every file", "always equal")


def test_in_one_process_what_is_tampered_with_is_seen(tmp_path: Path) -> None:
    changes = shop.MENDS | {name: shop.CHEATS[name] for name in _TWISTED}
    runs = run_together(tmp_path, changes)
    assert (runs["honest"].status, runs["honest"].n_passed) == (SuiteStatus.SCORED, 5)
    assert not runs["honest"].is_apart
    for name in _TWISTED:
        assert runs[name].status is SuiteStatus.TAMPERED, runs[name]


@pytest.mark.slow
def test_in_one_process_no_other_cheat_of_the_list_is_scored_for_more(tmp_path: Path) -> None:
    names = sorted(set(shop.CHEATS) - set(_TWISTED))
    runs = run_together(tmp_path, {name: shop.CHEATS[name] for name in names})
    assert runs["tracing and leaving"].status is SuiteStatus.TAMPERED
    assert runs["exit at import"].status is SuiteStatus.NO_REPORT
    # The documented limit: in one process a program can look for the answers, and finds some.
    assert runs.pop("looking for the answers").n_passed > 1
    assert [one for one in runs.values() if one.is_scored and one.n_passed > 1] == []


def run_together(folder: Path, changes: Mapping[str, Mapping[str, str]]) -> dict[str, SuiteRun]:
    tests = HiddenTests(folder=shop.hidden(folder), expected=shop.IDS, is_apart=False)
    with closing(PlainProcess()) as sandbox:
        return run_all(folder, sandbox, changes, tests)


@needs_bubblewrap
@pytest.mark.requirement("OUT-27")
@pytest.mark.requirement("OUT-50")
def test_a_hostile_program_finds_nothing_and_ends(tmp_path: Path) -> None:
    names = ("searching", "killing", "flooding")
    runs = run_hostile(tmp_path, names, 60.0)
    assert (runs["honest"].status, runs["honest"].n_passed) == (SuiteStatus.SCORED, 5)
    assert runs["honest"].isolation == "namespaces"
    assert runs["searching"].status is SuiteStatus.SCORED
    assert "assert [] == 7" in runs["searching"].tests[0].message, runs["searching"].tests[0]
    assert runs["killing"].status is SuiteStatus.SCORED  # there was nobody to be killed
    assert all(runs[name].n_passed == 0 for name in names), runs


@needs_bubblewrap
@pytest.mark.parametrize(
    "name",
    [
        "hanging",
        pytest.param("forking", marks=pytest.mark.slow),
        pytest.param("talking", marks=pytest.mark.slow),
    ],
)
def test_an_endless_program_is_ended(tmp_path: Path, name: str) -> None:
    run = run_hostile(tmp_path, (name,), 2.0)[name]
    assert run.n_passed == 0
    assert run.status is SuiteStatus.TIMED_OUT or name != "hanging", run
    assert run.duration_ms < 30_000


def run_hostile(folder: Path, names: tuple[str, ...], wall_s: float) -> dict[str, SuiteRun]:
    changes = {name: {"shop/prices.py": f"import os\n{_READ}\n{HOSTILE[name]}"} for name in names}
    bounds = Bounds(wall_s=wall_s, n_processes=40, memory_bytes=128 * 2**20)
    tests = HiddenTests(folder=shop.hidden(folder), expected=shop.IDS, bounds=bounds)
    honest = shop.MENDS if len(names) > 1 else {}
    with closing(Bubblewrap()) as sandbox:
        runs = run_all(folder, sandbox, honest | changes, tests)
    assert not any(folder.joinpath("w", "runs").iterdir())
    return runs


def kill_who_serves(control: bytes) -> None:
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if control in place.read_bytes().split(b"\0"):
                os.kill(int(place.parent.name), signal.SIGKILL)


def test_a_killed_process_of_tests_is_begun_again(tmp_path: Path) -> None:
    seed, found = shop.seed(tmp_path), []
    tests = HiddenTests(folder=shop.hidden(tmp_path), expected=shop.IDS)
    control = str(tmp_path / "w" / "tester" / "control").encode()

    async def run() -> None:
        with closing(PlainProcess()) as sandbox:
            async with opened(tests, sandbox, tmp_path / "w", now) as suite:
                found.append(await suite.run(seed, b"", "before"))
                kill_who_serves(control)
                found.append(await suite.run(seed, b"", "after"))

    anyio.run(run)
    assert [one.status for one in found] == [SuiteStatus.SCORED, SuiteStatus.SCORED]
    assert [one.n_passed for one in found] == [1, 1]


def test_what_is_no_suite_is_said(tmp_path: Path) -> None:
    async def open_it() -> None:
        async with opened(HiddenTests(folder=tmp_path), PlainProcess(), tmp_path / "w", now):
            pass

    with pytest.raises(InputError, match="holds no tests"):
        anyio.run(open_it)
