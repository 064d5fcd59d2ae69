"""A provider is asked with our key, which neither the cell nor any record gets to see."""

import gzip
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from equipoise.errors import Blocked, InputError
from equipoise.gateway.channel import Channel
from equipoise.gateway.exchange import pack
from equipoise.gateway.keys import KeyPlace, Scrubber
from equipoise.gateway.limits import Limits
from equipoise.gateway.listening import Listener
from equipoise.gateway.provider import ANTHROPIC, GOOGLE, OPENAI, Provider, ProviderSpec
from equipoise.gateway.scripted.standalone import serving
from equipoise.gateway.server import RecordingGateway
from equipoise.gateway.wire.facts import Api
from equipoise.records.call import ModelCall
from every import for_every
from gateway.asking import MODEL, ask, body_of, client, clock, path_of, scenario

CANARY = "sk-canary-7b1d4f0a9c"
_ANSWER = {
    "id": "msg_1",
    "type": "message",
    "model": MODEL,
    "content": [{"type": "text", "text": "Hello"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "output_tokens": 1},
}
Behaviour = Callable[[Channel, bytes], Any]


@asynccontextmanager
async def _standing_in(behaviour: Behaviour) -> AsyncIterator[str]:
    """A provider's server that does what a test wants."""
    listener = Listener()

    async def serve(channel: Channel) -> None:
        await behaviour(channel, await channel.body(2**26, lambda _: None))

    port = listener.loopback("provider", serve)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        await listener.close()


def _spec(url: str, **more: Any) -> ProviderSpec:
    key = KeyPlace(variable="CANARY_KEY")
    return ProviderSpec(name="near", url=url, key=key, auth="x-api-key", **more)


@asynccontextmanager
async def _through(url: str, limits: Limits | None = None) -> AsyncIterator[RecordingGateway]:
    provider = Provider(_spec(url), {"CANARY_KEY": CANARY})
    async with RecordingGateway(provider, clock, limits=limits) as held:
        yield held


def _asked_of(
    behaviour: Behaviour, *, is_streamed: bool = False, limits: Limits | None = None
) -> tuple[ModelCall, httpx.Response, bytes]:
    """Gives the record, what the harness got, and the exchange as it would be kept."""

    async def run() -> tuple[ModelCall, httpx.Response, bytes]:
        async with (
            _standing_in(behaviour) as url,
            _through(url, limits) as held,
            client() as http,
        ):
            route = held.open("t1", MODEL)
            answer = await ask(http, route, Api.MESSAGES, is_streamed=is_streamed)
            (exchange,) = held.exchanges("t1")
            (call,) = held.close("t1")
            return call, answer, pack(exchange)

    return anyio.run(run)


@for_every("is_streamed", [False, True])
@for_every("api", Api)
def test_bytes_pass_unchanged_both_ways(api: Api, is_streamed: bool) -> None:
    async def run() -> None:
        turn = {"say": "Grüße, 世界", "calls": [{"shell": "ls"}]}
        held = scenario(turn)
        async with serving(held) as url, _through(url) as way, client() as http:
            route = way.open("t1", MODEL)
            passed = await ask(http, route, api, is_streamed=is_streamed)
            direct = await http.post(
                url + path_of(api, is_streamed=is_streamed),
                json=json.loads(passed.request.content),
            )
            asked = await http.post(
                url + path_of(api, is_streamed=is_streamed), content=passed.request.content
            )
            assert passed.content == asked.content
            assert passed.headers["content-type"] == direct.headers["content-type"]
            (call,) = way.close("t1")
            assert not call.fault
            assert call.answered_by == "near"
            assert not call.is_simulated

    anyio.run(run)


def test_the_key_replaces_whatever_the_harness_sent() -> None:
    seen: dict[str, str] = {}

    async def behaviour(channel: Channel, body: bytes) -> None:
        seen.update(channel.headers)
        seen["query"] = channel.query
        assert json.loads(body)["model"] == MODEL
        await channel.reply(200, {"content-type": "application/json"}, json.dumps(_ANSWER).encode())

    async def run() -> None:
        async with _standing_in(behaviour) as url, _through(url) as held, client() as http:
            route = held.open("t1", MODEL)
            sent = {
                "x-api-key": route.token,
                "authorization": "Bearer of-the-operator",
                "cookie": "session=1",
                "openai-organization": "org-of-the-operator",
                "anthropic-beta": "kept-as-it-is",
                "x-forwarded-for": "10.0.0.1",
            }
            whole = f"http://127.0.0.1:{held.port}/v1/messages?beta=true&key=mine"
            headers = {k: v for k, v in sent.items() if k != "authorization"}
            await http.post(whole, json=body_of(Api.MESSAGES), headers=headers)

    anyio.run(run)
    assert seen["x-api-key"] == CANARY
    assert seen["anthropic-beta"] == "kept-as-it-is"
    assert seen["query"] == "beta=true"
    assert seen["accept-encoding"] == "identity"
    assert not {"authorization", "cookie", "openai-organization", "x-forwarded-for"} & seen.keys()


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_key_that_comes_back_is_taken_out(is_streamed: bool) -> None:
    async def behaviour(channel: Channel, body: bytes) -> None:
        del body
        kind = "text/event-stream" if is_streamed else "application/json"
        await channel.begin(401, {"content-type": kind, "set-cookie": CANARY})
        for piece in (b'{"error": {"type": "auth', b"\"}, 'key': 'sk-can", b"ary-7b1d4f0a9c'}"):
            await channel.piece(piece)
            await anyio.sleep(0.02)
        await channel.end()

    call, answer, kept = _asked_of(behaviour, is_streamed=is_streamed)
    assert answer.status_code == call.status == 401
    assert "[key]" in answer.text
    for place in (answer.text, str(answer.headers), kept.decode(), str(call)):
        assert CANARY not in place


def test_a_key_is_found_wherever_it_is_split() -> None:
    text = b"before " + CANARY.encode() + b" after sk-can"
    for at in range(len(text)):
        scrubber = Scrubber(CANARY.encode())
        passed = scrubber.pass_on(text[:at]) + scrubber.pass_on(text[at:]) + scrubber.rest()
        assert passed == b"before [key] after sk-can"


def test_no_answer_names_the_provider_and_no_key() -> None:
    async def run() -> None:
        limits = Limits(n_retries=1, first_wait_s=0.01)
        async with _through("http://127.0.0.1:9", limits) as held, client() as http:
            route = held.open("t1", MODEL)
            answer = await ask(http, route, Api.RESPONSES)
            assert answer.status_code == 502
            assert "the provider near does not answer" in answer.text
            assert CANARY not in answer.text
            (call,) = held.close("t1")
            assert (call.fault, call.status, call.n_retries) == ("unreachable", 502, 1)
            assert call.usage is None

    anyio.run(run)


def test_an_answer_that_is_packed_all_the_same_is_unpacked() -> None:
    async def behaviour(channel: Channel, body: bytes) -> None:
        del body
        packed = gzip.compress(json.dumps(_ANSWER).encode())
        headers = {"content-type": "application/json", "content-encoding": "gzip"}
        await channel.reply(200, headers, packed)

    call, answer, _ = _asked_of(behaviour)
    assert answer.json() == _ANSWER
    assert "content-encoding" not in answer.headers
    assert call.usage is not None
    assert call.usage.input_tokens == 3


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_provider_that_hangs_is_given_up(is_streamed: bool) -> None:
    async def behaviour(channel: Channel, body: bytes) -> None:
        del channel, body
        await anyio.sleep(20)

    call, answer, _ = _asked_of(behaviour, is_streamed=is_streamed, limits=Limits(timeout_s=0.2))
    assert (call.fault, call.status, answer.status_code) == ("timeout", 504, 504)
    assert 200 <= call.latency_ms < 10_000


def test_an_answer_without_end_is_cut() -> None:
    async def behaviour(channel: Channel, body: bytes) -> None:
        del body
        await channel.begin(200, {"content-type": "application/json"})
        while True:
            await channel.piece(b" " * 2**16)

    call, answer, _ = _asked_of(behaviour, limits=Limits(max_answer_bytes=2**20))
    assert (call.fault, answer.status_code) == ("answer_too_large", 502)


def test_a_redirect_is_not_followed() -> None:
    async def behaviour(channel: Channel, body: bytes) -> None:
        del body
        assert channel.path == "/v1/messages"
        await channel.reply(307, {"location": "/elsewhere"}, b"")

    call, _, _ = _asked_of(behaviour)
    assert call.status == 307


@pytest.mark.parametrize("spec", [ANTHROPIC, OPENAI, GOOGLE])
def test_a_missing_key_is_named_before_anything_is_sent(spec: ProviderSpec) -> None:
    async def run() -> None:
        async with RecordingGateway(Provider(spec, {}), clock):
            pass

    assert spec.key is not None
    with pytest.raises(Blocked, match=spec.key.variable) as caught:
        anyio.run(run)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("key", [f"{CANARY}\nx", f"{CANARY} x", "", "  "])
def test_what_can_be_no_key_is_refused_unseen(key: str) -> None:
    with pytest.raises(Blocked) as caught:
        KeyPlace(variable="K").read("near", {"K": key})
    assert CANARY not in str(caught.value)
    assert "variable K" in str(caught.value)


def test_a_key_is_read_from_a_file(tmp_path: Path) -> None:
    place = KeyPlace(variable="K", file=tmp_path / "key")
    with pytest.raises(Blocked, match="cannot be read"):
        place.read("near", {"K": "of-the-environment"})
    place.file.write_text(f"{CANARY}\n")  # type: ignore[union-attr]  # it was just given
    secret = place.read("near", {})
    assert secret.reveal() == CANARY
    assert CANARY not in repr(secret)


@pytest.mark.parametrize("url", ["ftp://x", "http://", "http://me:secret@host", "nothing"])
def test_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="not usable") as caught:
        Provider(_spec(url), {})
    assert "secret" not in str(caught.value)


@for_every(
    "base, path",
    [
        ("", "/v1/messages"),
        ("/v1", "/v1/messages"),
        ("/api/v1/", "/api/v1/messages"),
        ("/anthropic", "/anthropic/v1/messages"),
        ("/api/paas/v4", "/api/paas/v4/messages"),
    ],
)
def test_the_version_stands_once_in_the_path(base: str, path: str) -> None:
    seen: list[str] = []

    async def behaviour(channel: Channel, body: bytes) -> None:
        del body
        seen.append(channel.path)
        await channel.reply(200, {"content-type": "application/json"}, json.dumps(_ANSWER).encode())

    async def run() -> None:
        async with _standing_in(behaviour) as url, _through(url + base) as held, client() as http:
            await ask(http, held.open("t1", MODEL), Api.MESSAGES)

    anyio.run(run)
    assert seen == [path]


async def _busy(channel: Channel, _: bytes) -> None:
    await channel.reply(529, {"content-type": "application/json"}, b'{"type": "error"}')


async def _left(url: str) -> ModelCall:
    """What is recorded of a call whose harness leaves while the next try is waited for."""
    async with _through(url) as held, client() as http:
        route = held.open("t1", MODEL)
        with anyio.move_on_after(0.4):
            await ask(http, route, Api.MESSAGES)
        (call,) = held.close("t1")
        return call


def test_a_harness_that_leaves_a_provider_that_is_down_hides_no_fault() -> None:
    async def run() -> tuple[ModelCall, ModelCall]:
        down = await _left("http://127.0.0.1:1")
        async with _standing_in(_busy) as url:
            return down, await _left(url)

    down, busy = anyio.run(run)
    assert (down.fault, down.status, down.cost and down.cost.usd) == ("unreachable", None, 0.0)
    assert busy.fault == "http 529"
