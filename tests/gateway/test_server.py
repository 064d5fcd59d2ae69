"""Every trial has its own way to its model, and each call on it is recorded."""

import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Self

import anyio
import httpx
import pytest

from equipoise.errors import InputError
from equipoise.gateway.exchange import Answered, Asked, unpack
from equipoise.gateway.scripted.upstream import Scripted
from equipoise.gateway.server import RecordingGateway
from equipoise.gateway.wire.facts import Api
from equipoise.records.call import ModelCall
from equipoise.records.trial import Usage
from every import for_every
from gateway.asking import MODEL, ask, body_of, client, clock, gateway, path_of, scenario

_USAGE = {"input": 100, "output": 7, "cache_read": 40, "cache_write": 5}
_TURN = {"say": "I look.", "calls": [{"shell": "ls"}], "usage": _USAGE}


@pytest.mark.requirement("OUT-16")
@for_every("is_streamed", [False, True])
@for_every("api", Api)
def test_a_call_is_recorded_as_the_vendor_counts(api: Api, is_streamed: bool) -> None:
    call = anyio.run(_one_call, api, is_streamed)
    assert (call.trial, call.seq, call.api, call.status) == ("t1", 1, api.value, 200)
    assert (call.model_asked, call.model_answered) == (MODEL, MODEL)
    assert call.tools_offered == ("bash",)
    assert call.n_messages == 1
    assert call.is_streamed is is_streamed
    assert call.is_simulated
    assert call.answered_by == "scripted"
    assert call.at == "2026-03-01T12:00:00.000+00:00"
    assert not call.fault
    assert not call.is_truncated
    assert call.cost is None
    is_extra, is_google = api is Api.MESSAGES, api is Api.GOOGLE
    expected = Usage(
        input_tokens=105 if is_google else 100,  # Google does not tell what was written
        output_tokens=7,
        cache_read_tokens=40,
        cache_write_tokens=None if is_google else 5,
        convention="extra" if is_extra else "subset",
    )
    assert call.usage == expected


async def _one_call(api: Api, is_streamed: bool) -> ModelCall:
    async with gateway(scenario(_TURN)) as held, client() as http:
        route = held.open("t1", MODEL)
        answer = await ask(http, route, api, is_streamed=is_streamed)
        assert answer.status_code == 200
        assert "ls" in answer.text
        (call,) = held.close("t1")
        return call


def test_a_trial_is_reached_by_its_socket_alone(tmp_path: Path) -> None:
    async def run() -> tuple[ModelCall, ...]:
        async with gateway(scenario(_TURN), tmp_path) as held:
            route = held.open("t1", MODEL)
            assert route.socket is not None
            assert stat.S_IMODE(route.socket.stat().st_mode) == 0o600
            way = httpx.AsyncHTTPTransport(uds=str(route.socket))
            async with httpx.AsyncClient(transport=way, base_url="http://127.0.0.1:1") as http:
                assert (await http.head("/")).status_code == 200
                listed = (await http.get("/v1/models")).json()
                assert [m["id"] for m in listed["data"]] == [MODEL]
                body = body_of(Api.MESSAGES)
                headers = {"x-api-key": "sk-anything"}
                answer = await http.post("/v1/messages", json=body, headers=headers)
                assert answer.status_code == 200
            calls = held.close("t1")
            assert not route.socket.exists()
            return calls

    assert len(anyio.run(run)) == 1


def test_the_token_is_taken_as_an_api_key() -> None:
    async def run() -> list[int]:
        async with gateway(scenario(_TURN)) as held, client() as http:
            route = held.open("t1", MODEL)
            url = f"http://127.0.0.1:{held.port}"
            ways = [
                (Api.MESSAGES, {"x-api-key": route.token}),
                (Api.CHAT, {"authorization": f"Bearer {route.token}"}),
                (Api.GOOGLE, {"x-goog-api-key": route.token}),
            ]
            return [
                (
                    await http.post(url + path_of(api), json=body_of(api), headers=headers)
                ).status_code
                for api, headers in ways
            ]

    assert anyio.run(run) == [200, 200, 200]


@pytest.mark.parametrize("api", Api)
def test_an_unknown_token_reaches_nothing(api: Api) -> None:
    async def run() -> None:
        async with gateway(scenario(_TURN)) as held, client() as http:
            held.open("t1", MODEL)
            url = f"http://127.0.0.1:{held.port}"
            for root in (f"{url}/t/nobody", url):
                answer = await http.post(root + path_of(api), json=body_of(api))
                assert answer.status_code == 401
                assert "belongs to no trial" in answer.text
            assert held.close("t1") == ()

    anyio.run(run)


def test_a_closed_trial_reaches_nothing_more(tmp_path: Path) -> None:
    async def run() -> None:
        async with gateway(scenario(_TURN), tmp_path) as held, client() as http:
            route = held.open("t1", MODEL)
            assert (await ask(http, route, Api.CHAT)).status_code == 200
            assert len(held.close("t1")) == 1
            assert (await ask(http, route, Api.CHAT)).status_code == 401
            with pytest.raises(InputError, match="no way to a model"):
                held.close("t1")

    anyio.run(run)


@pytest.mark.requirement("ABX-46")
@pytest.mark.parametrize("api", Api)
def test_another_model_is_refused_unless_it_is_declared(api: Api) -> None:
    async def run() -> tuple[ModelCall, ...]:
        async with gateway(scenario(_TURN)) as held, client() as http:
            route = held.open("t1", MODEL, side_models=("small-2",))
            refused = await ask(http, route, api, model="other-3")
            assert refused.status_code == 400
            assert "'other-3'" in refused.text
            assert refused.headers["x-should-retry"] == "false"
            assert (await ask(http, route, api, model="small-2")).status_code == 200
            return held.close("t1")

    refused, side = anyio.run(run)
    assert (refused.fault, refused.model_asked, refused.status) == ("wrong_model", "other-3", 400)
    assert (side.fault, side.model_asked) == ("", "small-2")


def test_the_provider_is_no_way_out_of_a_sandbox() -> None:
    search = body_of(Api.RESPONSES)
    search["tools"].append({"type": "web_search"})
    image = [{"role": "user", "content": [{"image_url": {"url": "https://example.org/?leak"}}]}]
    fetch = {**body_of(Api.CHAT), "messages": image}

    async def run(*, may_reach_out: bool) -> tuple[ModelCall, ...]:
        scripted = Scripted(scenario(_TURN))
        async with (
            RecordingGateway(scripted, clock, may_reach_out=may_reach_out) as held,
            client() as http,
        ):
            route = held.open("t1", MODEL)
            for api, body in ((Api.RESPONSES, search), (Api.CHAT, fetch)):
                await http.post(route.url + path_of(api), json=body)
            return held.close("t1")

    calls = anyio.run(partial(run, may_reach_out=False))
    assert [(c.fault, c.status) for c in calls] == [("reaches_out", 400)] * 2
    assert calls[0].tools_offered == ("bash", "web_search")
    calls = anyio.run(partial(run, may_reach_out=True))
    assert [c.fault for c in calls] == ["", ""]


def test_the_same_request_has_the_same_hash_and_answer() -> None:
    async def run() -> None:
        async with gateway(scenario(_TURN)) as held, client() as http:
            routes = [held.open(name, MODEL) for name in ("t1", "t2")]
            answers = [await ask(http, r, Api.CHAT, is_streamed=True) for r in routes]
            assert answers[0].content == answers[1].content
            one, two = held.exchanges("t1"), held.exchanges("t2")
            assert one[0].call.request_sha256 == two[0].call.request_sha256
            assert one[0].answer == answers[0].content

    anyio.run(run)


def test_what_is_no_call_of_a_model_is_not_passed_on() -> None:
    async def run() -> None:
        async with gateway(scenario(_TURN)) as held, client() as http:
            route = held.open("t1", MODEL)
            for path in ("/v1/files", "/v1/messages/batches", "/v1/models/../files", "/admin"):
                assert (await http.post(route.url + path, json={})).status_code == 404
            counted = await http.post(
                f"{route.url}/v1/messages/count_tokens", json=body_of(Api.MESSAGES)
            )
            assert counted.json()["input_tokens"] > 0
            nothing = await http.post(f"{route.url}/v1/messages", content=b"[not json")
            assert nothing.status_code == 400
            assert held.close("t1") == ()

    anyio.run(run)


def test_a_harness_that_leaves_ends_its_call() -> None:
    async def run() -> tuple[ModelCall, ...]:
        slow = Scripted(scenario({"say": "word " * 200, "delay_each_s": 0.02}))
        left = anyio.Event()
        async with RecordingGateway(slow, clock, keep=lambda *_: left.set()) as held:
            route = held.open("t1", MODEL)
            async with (
                client() as http,
                http.stream(
                    "POST",
                    f"{route.url}/v1/messages",
                    json=body_of(Api.MESSAGES, is_streamed=True),
                ) as answer,
            ):
                async for _ in answer.aiter_bytes():
                    break
            with anyio.fail_after(5):
                await left.wait()
            return held.close("t1")

    (call,) = anyio.run(run)
    assert (call.fault, call.stop_reason) == ("client_gone", None)
    assert call.model_answered == MODEL


class _Lingering:
    """A provider that keeps the connection after its last event."""

    name = "lingering"
    vendor = ""
    patience = 1.0

    def __init__(self) -> None:
        self._scripted = Scripted(scenario(_TURN))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        pass

    @asynccontextmanager
    async def answer(self, asked: Asked) -> AsyncIterator[Answered]:
        async with self._scripted.answer(asked) as answered:
            yield Answered(
                status=answered.status,
                headers=answered.headers,
                chunks=self._lingering(answered.chunks),
            )

    async def _lingering(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for chunk in chunks:
            yield chunk
        await anyio.sleep(30)


@pytest.mark.parametrize("api", [Api.MESSAGES, Api.RESPONSES, Api.CHAT])
def test_a_harness_that_leaves_with_the_whole_answer_has_it(api: Api) -> None:
    last = {Api.MESSAGES: b"message_stop", Api.RESPONSES: b"response.completed"}.get(api, b"[DONE]")

    async def run() -> tuple[ModelCall, ...]:
        left = anyio.Event()
        async with RecordingGateway(_Lingering(), clock, keep=lambda *_: left.set()) as held:
            url = held.open("t1", MODEL).url + path_of(api)
            body = body_of(api, is_streamed=True)
            async with client() as http, http.stream("POST", url, json=body) as answer:
                seen = b""
                async for chunk in answer.aiter_bytes():
                    seen += chunk
                    if last in seen:
                        break
            with anyio.fail_after(5):
                await left.wait()
            return held.close("t1")

    (call,) = anyio.run(run)
    assert (call.fault, call.status) == ("", 200)
    assert call.usage is not None


def test_closing_cuts_what_is_under_way() -> None:
    async def run() -> tuple[ModelCall, ...]:
        calls: list[tuple[ModelCall, ...]] = []
        async with gateway(scenario({"say": "late", "delay_s": 30})) as held:
            route = held.open("t1", MODEL)
            async with client() as http, anyio.create_task_group() as group:

                async def asked() -> None:
                    answer = await ask(http, route, Api.RESPONSES)
                    assert answer.status_code == 503
                    assert "has ended" in answer.text

                group.start_soon(asked)
                await anyio.sleep(0.2)
                calls.append(held.close("t1"))
        return calls[0]

    (call,) = anyio.run(run)
    assert (call.fault, call.status, call.usage) == ("closed", None, None)
    assert call.latency_ms >= 100


def test_a_folder_with_a_long_path_still_gives_sockets(tmp_path: Path) -> None:
    async def run() -> None:
        folder = tmp_path / ("long" * 30)
        async with gateway(scenario(_TURN), folder) as held:
            route = held.open("t1", MODEL)
            assert route.socket is not None
            way = httpx.AsyncHTTPTransport(uds=str(route.socket))
            async with httpx.AsyncClient(transport=way) as http:
                url = f"http://gateway{path_of(Api.CHAT)}"
                assert (await http.post(url, json=body_of(Api.CHAT))).status_code == 200
        assert not route.socket.parent.exists()

    anyio.run(run)


def test_two_hundred_calls_at_once() -> None:
    async def run() -> None:
        async with gateway(scenario(_TURN)) as held:
            limits = httpx.Limits(max_connections=200)
            routes = [held.open(f"t{k}", MODEL) for k in range(20)]
            async with (
                client(limits=limits, timeout=60) as http,
                anyio.create_task_group() as group,
            ):
                for k in range(200):
                    group.start_soon(_asked, http, routes[k % 20].url, k)
            for k in range(20):
                calls = held.close(f"t{k}")
                assert [c.seq for c in calls] == list(range(1, 11))
                assert len({c.request_sha256 for c in calls}) == 10
                assert all(c.status == 200 and not c.fault for c in calls)

    async def _asked(http: httpx.AsyncClient, url: str, k: int) -> None:
        body = body_of(Api.CHAT, f"task {k}", is_streamed=True)
        answer = await http.post(f"{url}/v1/chat/completions", json=body)
        assert answer.status_code == 200

    anyio.run(run)


def test_sockets_of_a_killed_gateway_are_swept(tmp_path: Path) -> None:
    async def run() -> None:
        async with gateway(scenario(_TURN), tmp_path) as first:
            left = first.open("t1", MODEL).socket
            assert left is not None
            standing = tmp_path / "0000.sock"
            left.rename(standing)  # still listened on: not to be swept
            async with gateway(scenario(_TURN), tmp_path):
                assert standing.exists()
        assert standing.exists()
        async with gateway(scenario(_TURN), tmp_path):
            assert not standing.exists()

    anyio.run(run)


def test_a_second_way_for_a_trial_is_refused() -> None:
    async def run() -> None:
        async with gateway(scenario(_TURN)) as held:
            held.open("t1", MODEL)
            with pytest.raises(InputError, match="already"):
                held.open("t1", MODEL)

    anyio.run(run)


def test_documents_are_handed_over_as_calls_end() -> None:
    kept: list[tuple[str, str, bytes]] = []

    async def run() -> tuple[ModelCall, ...]:
        async with RecordingGateway(
            Scripted(scenario(_TURN)), clock, keep=lambda *d: kept.append(d)
        ) as held:
            route = held.open("t1", MODEL)
            async with client() as http:
                await ask(http, route, Api.GOOGLE, is_streamed=True)
            calls = held.close("t1")
            assert held.exchanges("t1") == ()
            return calls

    calls = anyio.run(run)
    ((trial, name, document),) = kept
    assert (trial, name) == ("t1", "calls/0001.json")
    assert unpack(document).call == calls[0]
