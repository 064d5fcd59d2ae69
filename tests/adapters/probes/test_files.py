"""Log lines of a trial are found however the log is written, turned over, cut or torn."""

import asyncio
import json
import resource
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.probes.requests import request
from equipoise.errors import InputError
from equipoise.ports import Collected, Probe, TellsNotices
from equipoise.records.plan import ProbeSpec
from equipoise.wiring import probe
from every import for_every

_NAME = "journal.jsonl"


def _made(root: Path, **options: Any) -> Probe:
    given = {"glob": "logs/*.jsonl", "trace": "trace", "wait_ms": "100"} | options
    given = {key: value for key, value in given.items() if value is not None}
    return probe(ProbeSpec(name="journal", kind="files", options=given), root)


def _line(trace: str, **rest: Any) -> str:
    return json.dumps({"trace": trace, **rest}) + "\n"


def _probed(made: Probe, use: Callable[[], Awaitable[Any]]) -> Any:
    async def inside() -> Any:
        async with made:
            return await use()

    return asyncio.run(inside())


def _lines(found: Collected) -> list[Any]:
    assert found.unavailable == ""
    return [json.loads(line) for line in found.documents[_NAME].splitlines()]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    tmp_path.joinpath("logs").mkdir()
    path = tmp_path / "logs" / "app.jsonl"
    path.write_text(_line("t1", text="of an earlier run"))
    return path


def _append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def _cut(path: Path, text: str) -> None:
    path.write_text(text)


def _turn_over(path: Path, old: Path) -> None:
    path.rename(old)
    path.write_text(_line("t1", k=99))


def test_the_lines_of_a_trial_are_given_verbatim_and_in_order(log: Path, tmp_path: Path) -> None:
    made = _made(tmp_path)
    mine = ['{"trace":  "t1", "k": 1.50, "é": "✓"}\n', '{"k": 2, "trace": "t1"}\n']

    async def use() -> Collected:
        _append(log, mine[0] + _line("t2") + mine[1] + _line("t11"))
        return await made.collect(request("t1"))

    found = _probed(made, use)
    assert found.documents[_NAME].decode() == "".join(mine)


def test_several_files_and_files_that_appear_later_count(log: Path, tmp_path: Path) -> None:
    made = _made(tmp_path, trace="span.id")

    async def use() -> Collected:
        log.with_name("b.jsonl").write_text('{"span": {"id": "t1"}, "k": 2}\n')
        log.with_name("a.jsonl").write_text('{"span": {"id": "t1"}, "k": 1}\n')
        return await made.collect(request("t1"))

    assert [line["k"] for line in _lines(_probed(made, use))] == [1, 2]


def test_a_late_line_is_waited_for_and_no_longer_than_said(log: Path, tmp_path: Path) -> None:
    made = _made(tmp_path, wait_ms="5000", min_lines="2")

    async def use() -> tuple[Collected, float]:
        begin = time.perf_counter()
        collecting = asyncio.create_task(made.collect(request("t1")))
        for k in range(2):
            await asyncio.sleep(0.15)
            _append(log, _line("t1", k=k))
        return await collecting, time.perf_counter() - begin

    found, took = _probed(made, use)
    assert [line["k"] for line in _lines(found)] == [0, 1]
    assert 0.3 <= took < 3


def test_a_trial_that_logged_nothing_has_an_empty_document(log: Path, tmp_path: Path) -> None:
    made = _made(tmp_path)

    async def use() -> Collected:
        return await made.collect(request("t1"))

    assert log.is_file()
    assert _probed(made, use) == Collected(documents={_NAME: b""})


@pytest.mark.requirement("E2E-52")
def test_no_file_at_all_is_no_empty_log(tmp_path: Path) -> None:
    made = _made(tmp_path)

    async def use() -> Collected:
        return await made.collect(request("t1"))

    assert _probed(made, use) == Collected(unavailable="no file matches logs/*.jsonl")


@pytest.mark.parametrize("new_name", ["logs/app.jsonl.1", "logs/app-old.jsonl"])
def test_a_log_that_was_turned_over_loses_and_doubles_nothing(
    log: Path, tmp_path: Path, new_name: str
) -> None:
    made = _made(tmp_path)

    async def use() -> list[Collected]:
        found = []
        for k in range(3):
            _append(log, _line("t1", k=2 * k))
            if k == 1:
                found.append(await made.collect(request("t1")))
            old = tmp_path / (new_name if k != 1 else f"{new_name}.{k}")
            _append(log, _line("t1", k=2 * k + 1))
            if k == 2:
                _turn_over(log, old)
            found.append(await made.collect(request("t1")))
        return found

    last = _probed(made, use)[-1]
    assert sorted(line["k"] for line in _lines(last)) == [0, 1, 2, 3, 4, 5, 99]


def test_a_log_that_was_cut_is_read_from_its_new_beginning(log: Path, tmp_path: Path) -> None:
    made = _made(tmp_path)

    async def use() -> Collected:
        _append(log, _line("t1", k=1))
        await made.collect(request("t1"))
        _cut(log, _line("t1", k=2))  # shorter than before
        await made.collect(request("t1"))
        _cut(log, "".join(_line("t1", k=k) for k in range(3, 9)))  # and grown past where it was
        return await made.collect(request("t1"))

    assert [line["k"] for line in _lines(_probed(made, use))] == list(range(1, 9))


def test_a_torn_line_waits_for_its_end(log: Path, tmp_path: Path) -> None:
    made = _made(tmp_path)

    async def use() -> list[Collected]:
        text = _line("t1", k=1)
        _append(log, text[:9])
        first = await made.collect(request("t1"))
        _append(log, text[9:])
        return [first, await made.collect(request("t1"))]

    first, second = _probed(made, use)
    assert _lines(first) == []
    assert [line["k"] for line in _lines(second)] == [1]


def test_a_last_line_without_an_end_counts_once(log: Path, tmp_path: Path) -> None:
    made = _made(tmp_path)

    async def use() -> list[Collected]:
        _append(log, _line("t1", k=1).rstrip("\n"))
        first = await made.collect(request("t1"))
        _append(log, "\n" + _line("t1", k=2))
        return [first, await made.collect(request("t1"))]

    first, second = _probed(made, use)
    assert [line["k"] for line in _lines(first)] == [1]
    assert [line["k"] for line in _lines(second)] == [1, 2]


def test_lines_that_cannot_be_read_are_told_by_place(log: Path, tmp_path: Path) -> None:
    made = _made(tmp_path)

    async def use() -> Collected:
        _append(log, "no JSON\n\n" + _line("t1") + "{]\n" * 30 + '"text"\n' + "[" * 200_000 + "\n")
        return await made.collect(request("t1"))

    assert len(_lines(_probed(made, use))) == 1
    assert isinstance(made, TellsNotices)
    assert made.notices()[0] == "logs/app.jsonl: line 1 is no JSON"
    assert made.notices()[-1] == "12 further lines that could not be read"


def test_other_logs_are_told_apart_by_a_pattern(log: Path, tmp_path: Path) -> None:
    made = _made(tmp_path, glob="**/*.log", trace=None, regex=r"\[(?P<trace>\w+)\]")

    async def use() -> Collected:
        log.with_name("app.log").write_bytes(b"INFO [t1] one \xff\nINFO [t2] two\nplain\n")
        return await made.collect(request("t1"))

    assert _probed(made, use).documents == {"journal.log": b"INFO [t1] one \xff\n"}


def test_many_collect_at_once_and_each_line_is_read_once(log: Path, tmp_path: Path) -> None:
    made, n = _made(tmp_path), 20_000
    _append(log, "".join(_line(f"old{k}", text="x" * 500) for k in range(n)))

    async def use() -> list[Collected]:
        for k in range(n):
            if k % 1000 == 0:
                await made.collect(request(f"t{k}"))
        _append(log, "".join(_line(f"t{k % 100}", k=k) for k in range(n)))
        return await asyncio.gather(*(made.collect(request(f"t{k}")) for k in range(100)))

    found = _probed(made, use)
    assert [len(_lines(one)) for one in found] == [n // 100] * 100


def test_memory_does_not_grow_with_the_log(log: Path, tmp_path: Path) -> None:
    made = _made(tmp_path, wait_ms="0")
    block = "".join(_line(f"t{k}", text="x" * 1000) for k in range(10_000))

    async def use() -> int:
        _append(log, block)
        await made.collect(request("t1"))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(15):
            _append(log, block)
            await made.collect(request("t1"))
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    assert _probed(made, use) < 40_000  # kilobytes, for 150 megabytes of log


@for_every(
    "options, said",
    [
        ({"glob": "../*.jsonl"}, "below the folder"),
        ({"glob": "/var/log/*"}, "below the folder"),
        ({"glob": "logs/../../x"}, "below the folder"),
        ({"regex": "(?P<trace>x)"}, "one of trace, regex"),
        ({"trace": None}, "neither trace nor regex"),
        ({"trace": None, "regex": "("}, "a regular expression"),
        ({"trace": None, "regex": "x"}, "a group named trace"),
        ({"wait_ms": "soon"}, "a number from 0"),
        ({"wait": "3"}, "did you mean 'wait_ms'"),
    ],
)
def test_wrong_options_are_refused_by_name(
    options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=said) as refused:
        _made(tmp_path, **options)
    assert "probe 'journal'" in str(refused.value)


def test_a_link_out_of_the_study_is_not_followed(log: Path, tmp_path: Path) -> None:
    root = tmp_path / "study"
    root.joinpath("logs").mkdir(parents=True)
    root.joinpath("logs", "app.jsonl").symlink_to(log)
    made = _made(root)

    async def use() -> Collected:
        _append(log, _line("t1"))
        return await made.collect(request("t1"))

    assert _probed(made, use).unavailable == "no file matches logs/*.jsonl"
    assert root.joinpath("logs", "app.jsonl").samefile(log)


def test_an_unknown_kind_of_probe_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean 'files'"):
        probe(ProbeSpec(name="x", kind="file", options={}), tmp_path)
