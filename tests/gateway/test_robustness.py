"""What goes wrong around the gateway leaves a clear word, nothing open and nothing invented."""

import gzip
import os
import signal
import subprocess
import sys
import textwrap
import time
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import httpx
import msgspec
import pytest
import zstandard

from equipoise.gateway.limits import Limits
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.server import RecordingGateway
from equipoise.gateway.wire.facts import Api
from equipoise.records.call import ModelCall
from gateway.asking import MODEL, ask, body_of, client, clock, gateway, path_of, scenario

_MOST = Limits().max_request_bytes
_TURN = {"say": "Hello", "usage": {"input": 3, "output": 1}}
_SIZE = len(msgspec.json.encode(body_of(Api.CHAT, "x" * 100)))
_KILLED = """
import sys, time, anyio
from datetime import UTC, datetime
from pathlib import Path
from equipoise.gateway.scripted.scenario import Scenario
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.server import RecordingGateway

async def main():
    slow = Scenario.model_validate({"turns": [{"say": "word " * 100, "delay_each_s": 0.2}]})
    clock = lambda: datetime.fromtimestamp(time.time(), UTC)
    async with RecordingGateway(Scripted(slow), clock, folder=Path(sys.argv[1])) as held:
        print(held.open("t1", "scripted-model-1").url, flush=True)
        await anyio.sleep_forever()

anyio.run(main)
"""


@pytest.mark.requirement("ABX-45")
def test_a_clock_that_jumps_moves_no_latency() -> None:
    times: Iterator[datetime] = (
        datetime(2026, 3, 1, tzinfo=UTC) - timedelta(days=k) for k in range(100)
    )

    async def run() -> tuple[ModelCall, ...]:
        scripted = Scripted(scenario({**_TURN, "delay_s": 0.05}))
        async with RecordingGateway(scripted, lambda: next(times)) as held, client() as http:
            route = held.open("t1", MODEL)
            for _ in range(2):
                await ask(http, route, Api.CHAT)
            return held.close("t1")

    first, second = anyio.run(run)
    assert first.at > second.at  # the clock went back
    assert all(50 <= call.latency_ms < 5_000 for call in (first, second))


def test_a_request_beyond_all_bounds_is_refused_and_costs_no_memory() -> None:
    async def run() -> None:
        async with gateway(scenario(_TURN)) as held, client() as http:
            route = held.open("t1", MODEL)
            n_sent = 0

            async def giant() -> object:
                nonlocal n_sent
                for _ in range(_MOST // 2**20 + 8):
                    n_sent += 1
                    yield b" " * 2**20

            answer = None
            try:
                answer = await http.post(route.url + "/v1/messages", content=giant())  # type: ignore[arg-type]  # an asynchronous generator is meant
            except httpx.WriteError:
                assert n_sent > 64  # the connection was closed on who went on sending
            if answer is not None:
                assert answer.status_code == 413
            assert (await ask(http, route, Api.MESSAGES)).status_code == 200
            first, second = held.close("t1")
            assert (first.fault, first.status) == ("request_too_large", 413)
            assert second.fault == ""

    anyio.run(run)


def test_a_killed_gateway_leaves_nothing_that_stands_in_the_way(tmp_path: Path) -> None:
    program = [sys.executable, "-c", textwrap.dedent(_KILLED), str(tmp_path)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        url = killed.stdout.readline().strip()
        body = body_of(Api.MESSAGES, is_streamed=True)
        with pytest.raises(httpx.TransportError):
            _read_until_killed(url + path_of(Api.MESSAGES), body, killed.pid)
    assert list(tmp_path.glob("*.sock"))

    async def again() -> tuple[ModelCall, ...]:
        async with gateway(scenario(_TURN), tmp_path) as held:
            route = held.open("t1", MODEL)  # the same trial, tried again
            assert route.socket is not None
            way = httpx.AsyncHTTPTransport(uds=str(route.socket))
            async with httpx.AsyncClient(transport=way) as http:
                await http.post("http://x/v1/messages", json=body_of(Api.MESSAGES))
            return held.close("t1")

    (call,) = anyio.run(again)
    assert call.fault == ""


def _read_until_killed(url: str, body: object, pid: int) -> None:
    with httpx.stream("POST", url, json=body, trust_env=False) as answer:
        for number, _ in enumerate(answer.iter_bytes()):
            if number == 1:
                os.kill(pid, signal.SIGKILL)


def test_leaving_ends_what_is_under_way_and_removes_every_socket(tmp_path: Path) -> None:
    async def run() -> float:
        turn = {"say": "late", "delay_s": 30}
        began = 0.0
        async with (
            client(timeout=60) as http,
            anyio.create_task_group() as group,
            gateway(scenario(turn), tmp_path) as held,
        ):
            for k in range(20):
                group.start_soon(_tried, http, held.open(f"t{k}", MODEL).url)
            await anyio.sleep(0.3)
            began = time.monotonic()
        return time.monotonic() - began

    async def _tried(http: httpx.AsyncClient, url: str) -> None:
        try:
            answer = await http.post(url + "/v1/messages", json=body_of(Api.MESSAGES))
        except httpx.TransportError:
            return
        assert answer.status_code == 503

    assert anyio.run(run) < 5
    assert list(tmp_path.iterdir()) == []


def test_nonsense_on_the_wire_reaches_nobody(tmp_path: Path) -> None:
    async def run() -> tuple[ModelCall, ...]:
        async with gateway(scenario(_TURN), tmp_path) as held, client() as http:
            route = held.open("t1", MODEL)
            for noise in (
                b"\x00" * 100,
                b"GET\r\n\r\n",
                b"POST / HTTP/9.9\r\n\r\n",
                b"\x16\x03\x01",
            ):
                async with await anyio.connect_tcp("127.0.0.1", held.port) as stream:
                    await stream.send(noise)
                    await stream.send_eof()
                    with anyio.fail_after(5):
                        try:
                            while await stream.receive():
                                pass
                        except (anyio.EndOfStream, anyio.BrokenResourceError):
                            pass
            assert (await ask(http, route, Api.CHAT)).status_code == 200
            return held.close("t1")

    assert len(anyio.run(run)) == 1


@pytest.mark.parametrize("coding", ["gzip", "zstd", "deflate"])
def test_a_compressed_request_is_read_as_the_plain_one(coding: str) -> None:
    packs: dict[str, Callable[[bytes], bytes]] = {
        "gzip": gzip.compress,
        "deflate": zlib.compress,
        "zstd": zstandard.ZstdCompressor().compress,
    }
    pack = packs[coding]
    plain = msgspec.json.encode(body_of(Api.MESSAGES))

    async def run() -> tuple[ModelCall, ...]:
        async with gateway(scenario(_TURN)) as held, client() as http:
            route = held.open("t1", MODEL)
            headers = {"content-encoding": coding}
            url = route.url + path_of(Api.MESSAGES)
            for body in (plain, pack(plain)):
                sent = headers if body is not plain else {}
                assert (await http.post(url, content=body, headers=sent)).status_code == 200
            bomb = pack(b" " * (_MOST + 1))
            assert (await http.post(url, content=bomb, headers=headers)).status_code == 413
            broken = await http.post(url, content=b"{nothing", headers=headers)
            assert broken.status_code == 400
            return held.close("t1")

    one, two, bomb = anyio.run(run)
    assert one.request_sha256 == two.request_sha256
    assert bomb.fault == "request_too_large"


@pytest.mark.parametrize(
    ("limits", "n_answered"),
    [(Limits(max_trial_calls=3), 3), (Limits(max_trial_bytes=2 * _SIZE + 10), 2)],
)
def test_a_cell_that_asks_without_end_is_stopped(limits: Limits, n_answered: int) -> None:
    async def run() -> tuple[ModelCall, ...]:
        scripted = Scripted(scenario(_TURN))
        async with RecordingGateway(scripted, clock, limits=limits) as held, client() as http:
            route, other = held.open("t1", MODEL), held.open("t2", MODEL)
            for number in range(20):
                answer = await ask(http, route, Api.CHAT, prompt="x" * 100)
                assert answer.status_code == (200 if number < n_answered else 413)
            assert (await ask(http, other, Api.CHAT)).status_code == 200
            return held.close("t1")

    *answered, stopped = anyio.run(run)
    assert [call.fault for call in answered] == [""] * n_answered
    assert stopped.fault == "trial_limit"
