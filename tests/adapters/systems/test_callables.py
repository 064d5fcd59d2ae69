"""Functions as systems: called in workers, whose death is an outcome and not ours."""

import json
from pathlib import Path

import anyio
import pytest

from adapters.systems.asked import ask, gone, is_alive, request, setting, variables
from equipoise.adapters.systems.callables import CallableSystem
from equipoise.errors import Blocked, InputError
from equipoise.ports import Answer
from equipoise.records.trial import EndingKind, Fault

DESK = """
import asyncio, os, sys, time

def echo(request):
    print("said aloud")
    return request["brief"]["content"]["text"]

def whole(request):
    return {"unit": request["brief"]["unit"], "pid": os.getpid()}

async def late(request):
    await asyncio.sleep(0.01)
    return b"\\x00\\xff"

def nothing(request):
    return None

def raises(request):
    raise KeyError("no such customer")

def leaves(request):
    os.write(2, b"going down")
    os._exit(7)

def dies(request):
    os.system(f"kill -9 {os.getpid()}")

def dies_later(request):
    os.system(f"(sleep 0.3; kill -7 {os.getpid()}) >&- 2>&- &")
    return "fine"

def hangs(request):
    open("pid", "w").write(str(os.getpid()))
    time.sleep(60)

def sees(request):
    return sorted(os.environ)

def long(request):
    return "x" * 1_000_000
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.joinpath("desk.py").write_text(DESK, encoding="utf-8")
    return tmp_path


def told(folder: Path, function: str, n: int = 1, **options: object) -> list[Answer]:
    spec = {"target": f"desk:{function}", **options}
    one = request(folder, timeout_s=1.0 if function == "hangs" else 20.0, text="hällo")
    return ask(CallableSystem(spec, setting(folder)), *[one] * n)


def test_a_text_is_the_answer_and_what_is_printed_is_kept_apart(folder: Path) -> None:
    (answer,) = told(folder, "echo")
    assert answer.output == "hällo".encode()
    assert answer.documents["stderr"] == b"said aloud\n"
    assert (answer.ending.kind, answer.exit_code) == (EndingKind.COMPLETED, 0)


def test_anything_else_is_json_and_one_worker_serves_many(folder: Path) -> None:
    answers = [json.loads(answer.output or b"") for answer in told(folder, "whole", 3)]
    assert answers[0]["unit"] == "u1"
    assert len({answer["pid"] for answer in answers}) == 1
    assert gone(answers[0]["pid"])


def test_bytes_nothing_and_awaitables(folder: Path) -> None:
    assert told(folder, "late")[0].output == b"\x00\xff"
    assert told(folder, "nothing")[0].output is None


def test_an_exception_is_an_outcome_with_its_trace(folder: Path) -> None:
    first, second = told(folder, "raises", 2)
    assert (first.ending.kind, first.ending.fault) == (EndingKind.COMPLETED, Fault.SYSTEM)
    assert first.exit_code == 1
    assert b"KeyError: 'no such customer'" in first.documents["stderr"]
    assert second.ending == first.ending


def test_the_death_of_a_worker_is_an_outcome_and_the_next_call_gets_another(folder: Path) -> None:
    for answer in told(folder, "leaves", 2):
        assert (answer.ending.kind, answer.exit_code) == (EndingKind.COMPLETED, 7)
        assert answer.documents["stderr"] == b"going down"


def test_a_worker_that_is_killed_from_outside_is_nobodys_fault(folder: Path) -> None:
    for answer in told(folder, "dies", 2):
        assert (answer.ending.kind, answer.ending.fault) == (
            EndingKind.HARNESS_ERROR,
            Fault.UNKNOWN,
        )
        assert (answer.ending.is_retriable, answer.exit_code) == (True, -9)


def test_a_worker_that_has_died_since_is_no_fault_of_the_next_call(folder: Path) -> None:
    async def both() -> list[Answer]:
        async with CallableSystem({"target": "desk:dies_later"}, setting(folder)) as system:
            one = request(folder, timeout_s=20.0, text="hi")
            first = await system.execute(one)
            await anyio.sleep(1.0)
            return [first, await system.execute(one)]

    answers = anyio.run(both)
    assert [answer.ending.kind for answer in answers] == [EndingKind.COMPLETED] * 2
    assert [answer.output for answer in answers] == [b"fine"] * 2


def test_a_hanging_function_is_ended(folder: Path) -> None:
    (answer,) = told(folder, "hangs")
    assert (answer.ending.kind, answer.ending.fault) == (EndingKind.TIMED_OUT, Fault.UNKNOWN)
    assert gone(int(folder.joinpath("pid").read_text(encoding="ascii")))


def test_a_declared_budget_is_an_outcome(folder: Path) -> None:
    (answer,) = told(folder, "hangs", budget_s="0.5")
    assert answer.ending.kind is EndingKind.BUDGET


def test_a_long_answer_ends_the_attempt(folder: Path) -> None:
    (answer,) = told(folder, "long", max_output_bytes="1000")
    assert answer.ending.kind is EndingKind.TRUNCATED


@pytest.mark.requirement("E2E-21")
def test_only_listed_variables_reach_the_function(folder: Path) -> None:
    with variables(PROD_KEY="a canary of production"):
        (answer,) = told(folder, "sees")
    assert set(json.loads(answer.output or b"")) - {"LC_CTYPE"} == {"PATH"}


def test_calls_at_once_get_workers_of_their_own(folder: Path) -> None:
    system = CallableSystem("desk:whole", setting(folder))
    pids: set[int] = set()

    async def one() -> None:
        answer = await system.execute(request(folder, text="x"))
        pids.add(json.loads(answer.output or b"")["pid"])

    async def many() -> None:
        async with system:
            async with anyio.create_task_group() as group:
                for _ in range(3):
                    group.start_soon(one)
            assert all(map(is_alive, pids))

    anyio.run(many)
    assert len(pids) == 3
    assert all(map(gone, pids))


@pytest.mark.parametrize(
    ("function", "wanted"),
    [("desk:nobody", "no attribute 'nobody'"), ("nowhere:x", "No module named 'nowhere'")],
)
def test_a_function_that_is_not_there_blocks(folder: Path, function: str, wanted: str) -> None:
    with pytest.raises(Blocked, match=wanted):
        ask(CallableSystem(function, setting(folder)), request(folder))


def test_a_wrong_specification_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="module:function"):
        CallableSystem("desk", setting(tmp_path))
