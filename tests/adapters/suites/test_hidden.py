"""Hidden tests score what an agent did, and no cheat makes them say more."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from adapters.suites import shop
from adapters.suites.bare import Bare
from equipoise.adapters.suites.hidden import HiddenTests, opened
from equipoise.errors import InputError
from equipoise.records.suite_run import SuiteRun, SuiteStatus, TestOutcome


def now() -> datetime:
    return datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, SuiteRun]:
    """Each mend and each cheat, run against one tests' process."""
    folder = tmp_path_factory.mktemp("h")
    seed = shop.seed(folder)
    tests = HiddenTests(folder=shop.hidden(folder), expected=shop.IDS)
    found: dict[str, SuiteRun] = {}

    async def run_all() -> None:
        async with opened(tests, Bare(), folder / "w", now) as suite:
            for name, files in (shop.MENDS | shop.CHEATS).items():
                diff = shop.diff(seed, folder / name, files)
                found[name] = await suite.run(seed, diff, name)

    anyio.run(run_all)
    return found


@pytest.mark.requirement("OUT-48")
def test_an_honest_mend_passes(runs: Mapping[str, SuiteRun]) -> None:
    run = runs["honest"]
    assert (run.status, run.n_passed, run.n_expected) == (SuiteStatus.SCORED, 5, 5), run
    assert [one.id for one in run.tests] == list(shop.IDS)
    assert all(one.duration_ms is not None for one in run.tests)
    assert run.is_apart
    assert run.isolation == "none"
    assert run.started_at == "2026-03-04T05:06:07.000+00:00"
    assert run.duration_ms > sum(one.duration_ms or 0 for one in run.tests)


@pytest.mark.requirement("OUT-27")
@pytest.mark.parametrize("cheat", shop.CHEATS)
def test_a_cheat_gains_nothing(runs: Mapping[str, SuiteRun], cheat: str) -> None:
    run = runs[cheat]
    assert run.status is shop.STATUS.get(cheat, SuiteStatus.SCORED), run
    assert run.n_passed == shop.DESERVED.get(cheat, 1), run


def test_why_a_test_failed_is_kept(runs: Mapping[str, SuiteRun]) -> None:
    run = runs["settings of pytest"]
    failed = {one.id: one for one in run.tests if one.outcome is TestOutcome.FAILED}
    assert "assert 4 == 7" in failed["test_shop.py::test_total[prices0-7]"].message
    assert run.left_out == ("pytest.ini",)


def test_what_is_no_suite_is_said(tmp_path: Path) -> None:
    async def open_it() -> None:
        async with opened(HiddenTests(folder=tmp_path), Bare(), tmp_path / "w", now):
            pass

    with pytest.raises(InputError, match="holds no tests"):
        anyio.run(open_it)
