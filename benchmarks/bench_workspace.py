"""Measures workspaces and hidden suites: milliseconds for each step, median and minimum.

The seed has 765 lines in 30 commits, the hidden suite 60 tests. Beside ours stand what people do
by hand: `cp -a`, `git clone`, and pytest started anew over a copy. Run as
``python -m benchmarks.bench_workspace [REPEATS]``.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import anyio

from equipoise.adapters.sandboxes.bubblewrap import Bubblewrap, found
from equipoise.adapters.sandboxes.unmounted import PlainProcess
from equipoise.adapters.suites.hidden import opened
from equipoise.adapters.suites.hidden_tests import HiddenTests
from equipoise.adapters.workspaces.recipe import Commit
from equipoise.adapters.workspaces.seed import GitSeed
from equipoise.adapters.workspaces.store import SeedStore

_MODULES = 15
_TESTS = 60


def main(repeats: int = 20) -> None:
    """Prints a line for each step."""
    with tempfile.TemporaryDirectory(prefix="eq-") as name:
        folder = Path(name)
        seed = seeds(folder, repeats)
        workspaces(folder, seed, repeats)
        anyio.run(suites, folder, seed, repeats)


def seeds(folder: Path, repeats: int) -> GitSeed:
    """Builds the seed in new stores, and opens it from one."""
    numbers = iter(range(repeats + 1))
    timed("seed built", repeats, lambda: store(folder / f"store-{next(numbers)}"))
    seed = store(folder / "store")
    timed("seed opened and checked", repeats, lambda: store(folder / "store"))
    return seed


def store(folder: Path) -> GitSeed:
    return SeedStore(folder).from_commits(list(commits()))


def commits() -> Iterator[Commit]:
    for number in range(30):
        module = number % _MODULES
        lines = [f"def f_{i}(x):\n    return x + {module + i}\n" for i in range(17)]
        if number >= _MODULES:
            lines.append(f"part = {number}\n")
        files = {f"shop/part_{module}.py": "\n".join(lines).encode()}
        yield Commit(
            message=f"Part {number}",
            files=files | ({"shop/__init__.py": b""} if not number else {}),
        )


def workspaces(folder: Path, seed: GitSeed, repeats: int) -> None:
    """Copies, freezes and builds again."""
    numbers = iter(range(10 * repeats))
    timed("workspace copied", repeats, lambda: seed.copy(folder / f"w-{next(numbers)}"))
    timed(
        "  beside: cp -a",
        repeats,
        lambda: call("cp", "-a", seed.tree, folder / f"w-{next(numbers)}"),
    )
    timed(
        "  beside: git clone --no-hardlinks",
        repeats,
        lambda: call(
            "git", "clone", "-q", "--no-hardlinks", seed.tree, folder / f"w-{next(numbers)}"
        ),
    )
    work = folder / "work"
    seed.copy(work)
    timed("unchanged workspace frozen", repeats, lambda: seed.freeze(work))
    for number in range(3):
        work.joinpath("shop", f"part_{number}.py").write_text("changed = 1\n", encoding="utf-8")
    work.joinpath("new.py").write_text("new = 1\n", encoding="utf-8")
    timed("changed workspace frozen", repeats, lambda: seed.freeze(work))
    diff = seed.freeze(work).diff
    timed(
        "built again with the diff",
        repeats,
        lambda: seed.rebuild(folder / f"w-{next(numbers)}", diff),
    )


async def suites(folder: Path, seed: GitSeed, repeats: int) -> None:
    """Runs the hidden tests in each way, and pytest by hand beside them."""
    hidden = folder / "hidden"
    hidden.mkdir()
    for number in range(6):
        lines = [f"import pytest\nfrom shop.part_{number} import f_0, f_3\n"]
        lines += [
            f"def test_{i}():\n    assert f_0({i}) == {i + number}\n    assert f_3(1) > f_0(1)\n"
            for i in range(_TESTS // 6)
        ]
        hidden.joinpath(f"test_{number}.py").write_text("\n".join(lines), encoding="utf-8")
    sandbox = Bubblewrap() if found() else PlainProcess()
    with closing(sandbox):
        for is_apart in (True, False):
            tests = HiddenTests(folder=hidden, is_apart=is_apart)
            work = folder / f"s{is_apart:d}"
            async with opened(
                tests, sandbox, work, lambda: datetime(2026, 1, 2, tzinfo=UTC)
            ) as suite:
                run = await suite.run(seed, b"", "first")
                assert run.n_passed == _TESTS, run
                times = []
                for number in range(repeats):
                    began = time.perf_counter()
                    await suite.run(seed, b"", f"run-{number}")
                    times.append(time.perf_counter() - began)
            what = "apart, forked" if is_apart else "in one process"
            told(f"hidden suite of {_TESTS}, {what} ({sandbox.name})", times)
    work = folder / "by-hand"
    seed.copy(work)
    call("cp", "-a", hidden, work / "tests")
    environment = os.environ | {"PYTHONPATH": str(work)}
    timed(
        "  beside: python -m pytest, as it is",
        repeats,
        lambda: call(sys.executable, "-m", "pytest", "-q", work / "tests", env=environment),
    )


def call(*words: str | Path, env: dict[str, str] | None = None) -> None:
    subprocess.run([str(word) for word in words], check=True, capture_output=True, env=env)


def timed(what: str, repeats: int, work: Callable[[], object]) -> None:
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    told(what, times)


def told(what: str, times: list[float]) -> None:
    median, least = 1000 * statistics.median(times), 1000 * min(times)
    print(f"{what:<58} {median:8.1f} ms median {least:8.1f} ms least")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
