"""The seed's own tests are run as the seed has them, whatever the agent made of them."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from adapters.suites import shop
from equipoise.adapters.sandboxes.unmounted import PlainProcess
from equipoise.adapters.suites.hidden import opened
from equipoise.adapters.suites.hidden_tests import KEPT, HiddenTests, expected_by, pristine
from equipoise.adapters.suites.standing import StandingSuites
from equipoise.adapters.workspaces.recipe import Commit
from equipoise.adapters.workspaces.store import SeedStore
from equipoise.errors import InputError
from equipoise.ports.agents import Available, Sandbox
from equipoise.ports.suites import SuiteAsked
from equipoise.records.suite_run import SuiteRun, SuiteStatus

_FILES = {
    "shop/__init__.py": b"",
    "shop/prices.py": shop.RIGHT.encode() + b"def count(prices):\n    return len(prices)\n",
    "tests/conftest.py": b"import pytest\n@pytest.fixture\ndef prices(): return [1, 2]\n",
    "tests/test_count.py": (
        b"from shop.prices import count\ndef test_count(prices): assert count(prices) == 2\n"
    ),
}


@pytest.mark.requirement("OUT-48")
def test_a_regression_cannot_be_hidden_by_editing_the_tests(tmp_path: Path) -> None:
    seed = SeedStore(tmp_path / "store").from_commits([Commit(message="Shop", files=_FILES)])
    folder = pristine(seed, ["tests/**/*.py"], tmp_path / "regressions")
    tests = HiddenTests(folder=folder, name="regressions", kept=(*KEPT, "tests"))
    diff = shop.diff(
        seed,
        tmp_path / "work",
        {
            "shop/prices.py": shop.RIGHT + "def count(prices):\n    return 0\n",
            "tests/test_count.py": "def test_count(): pass\n",
            "tests/test_more.py": "def test_more(): pass\n",
        },
    )
    runs: list[SuiteRun] = []

    async def run() -> None:
        clock = datetime(2026, 1, 2, tzinfo=UTC)
        with closing(PlainProcess()) as sandbox:
            async with opened(tests, sandbox, tmp_path / "w", lambda: clock) as suite:
                runs.append(await suite.run(seed, b"", "before"))
                runs.append(await suite.run(seed, diff, "after"))

    anyio.run(run)
    assert expected_by(runs[0]) == ("tests/test_count.py::test_count",)
    assert (runs[1].n_passed, runs[1].n_expected) == (0, 1)
    assert "assert 0 == 2" in runs[1].tests[0].message
    assert sorted(runs[1].left_out) == ["tests/test_count.py", "tests/test_more.py"]
    with pytest.raises(InputError, match="tests not passed"):
        expected_by(runs[1])


def test_a_seed_without_tests_is_said(tmp_path: Path) -> None:
    seed = shop.seed(tmp_path)
    with pytest.raises(InputError, match=r"no file tests/\*\.py"):
        pristine(seed, ["tests/*.py"], tmp_path / "regressions")


_LEAVES = "import os, sys\nif 'py' 'test' in sys.modules:\n    os.kill(os.getpid(), 9)\n"


def test_who_ends_the_tests_that_it_sees_has_lost_them(tmp_path: Path) -> None:
    """The seed's tests end by themselves on the seed: that they do not here is the work's doing."""
    seed = SeedStore(tmp_path / "store").from_commits([Commit(message="Shop", files=_FILES)])
    diff = shop.diff(seed, tmp_path / "work", {"shop/prices.py": _LEAVES + shop.RIGHT})
    asked = SuiteAsked(
        tests="",
        seed_tests=("tests/**/*.py",),
        reference="",
        paths=(".",),
        allowed=("**",),
        kept=(),
        is_apart=False,
        python="",
        command=(),
        at="",
        must_fail=(),
        timeout_s=60.0,
        sandboxes=("none",),
        environment={},
        seed="shop",
        seed_sha256=seed.sha256,
        diff=diff,
        lease="leaves",
    )

    async def plain(_: Sequence[str]) -> tuple[Sandbox, Available]:
        return PlainProcess(), Available(is_available=True)

    made = StandingSuites(
        tmp_path,
        sandbox=plain,
        seeds=lambda _: lambda _: seed,
        clock=lambda: datetime(2026, 1, 2, tzinfo=UTC),
    )
    with made as suites:
        run = suites.run(asked)
        assert (run.is_scored, run.n_passed) == (False, 0)
        assert run.status in {SuiteStatus.NO_REPORT, SuiteStatus.ABORTED}
        assert suites.run(replace(asked, diff=b"")).n_passed == 1
