"""A worker executes an attempt once, however often it is delivered, and holds a lock meanwhile."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Self

import pytest

from equipoise import __version__
from equipoise.adapters.executors.leftovers import WORKERS, end_workers
from equipoise.adapters.executors.worker import ALIVE, Worker, packed, unpacked
from equipoise.adapters.systems.setting import Setting
from equipoise.errors import Blocked
from equipoise.ports import Answer
from equipoise.ports.executors import Posting
from equipoise.records.brief import Brief, Request
from equipoise.records.trial import Ending
from equipoise.wiring.providers import gateway


class Noting:
    """A system that notes each execution in a file, and takes its time."""

    is_simulated = True

    def __init__(self, folder: Path, share: float) -> None:
        assert share == 1.0
        self._file = folder / "executed"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        """Has nothing to end."""

    async def execute(self, request: Request) -> Answer:
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f"{request.trial}\n")
        await asyncio.sleep(0.05)
        return Answer(ending=Ending(), output=request.trial.encode(), documents={"a": b"\x00"})

    async def canary(self, request: Request) -> Answer:
        return await self.execute(request)


def posting(tmp_path: Path) -> Posting:
    return Posting(
        make=Noting,
        sweep=lambda folder: len(list(folder.glob("executed"))),
        study=tmp_path,
        work=tmp_path,
        environment={},
        concurrency=1,
    )


def request_of(trial: str) -> bytes:
    brief = Brief(unit="u", content={}, labels={})
    return packed(
        Request(trial=trial, brief=brief, arm="new", repetition=1, attempt=1, seed=7, timeout_s=5.0)
    )


def with_worker(tmp_path: Path, doing: Callable[[Worker, Path], Awaitable[None]]) -> None:
    folder = tmp_path / WORKERS / "1"
    folder.mkdir(parents=True)

    async def go() -> None:
        worker = Worker(posting(tmp_path), str(folder))
        assert (await worker.start(__version__))[1] == ""
        await doing(worker, folder)
        await worker.stop()

    asyncio.run(go())


def test_an_attempt_that_is_delivered_twice_at_once_is_executed_once(tmp_path: Path) -> None:
    async def doing(worker: Worker, folder: Path) -> None:
        both = await asyncio.gather(
            worker.execute(request_of("t1")), worker.execute(request_of("t1"))
        )
        assert both[0] == both[1]
        found = unpacked(both[0])
        assert (found.output, found.documents) == (b"t1", {"a": b"\x00"})
        assert folder.joinpath("executed").read_text("utf-8") == "t1\n"

    with_worker(tmp_path, doing)


def test_an_attempt_that_comes_again_after_it_ended_is_refused(tmp_path: Path) -> None:
    async def doing(worker: Worker, folder: Path) -> None:
        await worker.execute(request_of("t1"))
        with pytest.raises(RuntimeError, match="attempt 1, trial t1, came a second time"):
            await worker.execute(request_of("t1"))
        await worker.execute(request_of("t2"))
        assert folder.joinpath("executed").read_text("utf-8") == "t1\nt2\n"

    with_worker(tmp_path, doing)


@pytest.mark.parametrize(
    ("version", "missing", "said"),
    [
        ("0.0.1", "", "install the same version"),
        (__version__, "study", "under the same path"),
    ],
)
def test_a_worker_that_cannot_execute_the_study_says_why(
    tmp_path: Path, version: str, missing: str, said: str
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    there = posting(tmp_path / missing) if missing else posting(tmp_path)

    async def go() -> str:
        return (await Worker(there, str(folder)).start(version))[1]

    assert said in asyncio.run(go())


def test_what_a_dead_worker_left_is_ended_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / WORKERS / "old-1"
    folder.mkdir(parents=True)
    folder.joinpath(ALIVE).write_text("1 on nowhere\n", encoding="utf-8")
    folder.joinpath("executed").touch()
    assert end_workers(tmp_path, posting(tmp_path).sweep) == 1
    assert not folder.exists()


def test_no_run_begins_while_a_worker_of_an_earlier_start_is_at_work(tmp_path: Path) -> None:
    async def doing(worker: Worker, folder: Path) -> None:
        with pytest.raises(Blocked, match="is still at work in"):
            end_workers(tmp_path, posting(tmp_path).sweep, longest_s=0.2)
        await worker.execute(request_of("t1"))
        assert folder.joinpath("executed").read_text("utf-8") == "t1\n"

    with_worker(tmp_path, doing)


def test_the_money_of_an_arm_is_divided_among_its_workers(tmp_path: Path) -> None:
    setting = Setting(folder=tmp_path, spent_usd=2.0, share=0.25)
    terms = gateway({"provider": "openai", "max_usd": "8"}, setting).terms
    assert terms["limits"].max_usd == 3.5, "what was spent, and a quarter of what is left"


def test_a_worker_keeps_of_its_node_the_keys_of_models_and_nothing_else(tmp_path: Path) -> None:
    code = (
        "import asyncio, os, sys\n"
        "from equipoise import __version__\n"
        "from equipoise.adapters.executors.worker import Worker\n"
        "from adapters.executors.test_worker import posting\n"
        "from pathlib import Path\n"
        "from dataclasses import replace\n"
        "place = Path(sys.argv[1])\n"
        "place.joinpath('w').mkdir()\n"
        "worker = Worker(replace(posting(place), keys=('A_KEY', 'B_KEY')), str(place / 'w'))\n"
        "async def main():\n"
        "    print(await worker.start(__version__, {'B_KEY': 'sent'}))\n"
        "    print({k: v for k, v in os.environ.items() if 'KEY' in k})\n"
        "    await worker.stop()\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env=os.environ
        | {"A_KEY": "of the node", "OTHER_KEY": "of the operator"}
        | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "{'A_KEY': 'of the node', 'B_KEY': 'sent'}"
