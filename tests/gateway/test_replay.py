"""A recording answers again, byte for byte, each answer once, and never invents one."""

from typing import Any

import anyio
import httpx
import pytest

from equipoise.errors import InputError
from equipoise.gateway.exchange import Exchange, pack, unpack
from equipoise.gateway.replay import Replay
from equipoise.gateway.server import RecordingGateway
from equipoise.gateway.wire.facts import Api
from equipoise.records.call import ModelCall
from every import for_every
from gateway.asking import MODEL, ask, body_of, client, clock, gateway, path_of, scenario

_TURN = {"say": "Grüße, 世界: it stands.", "calls": [{"shell": "ls"}]}
Seen = list[tuple[int, bytes]]


async def _session(held: RecordingGateway, trial: str) -> tuple[Seen, tuple[Exchange, ...]]:
    """Asks in every format, streaming and not, and something twice."""
    seen: Seen = []
    async with client() as http:
        route = held.open(trial, MODEL)
        for api in Api:
            for is_streamed in (False, True):
                answer = await ask(http, route, api, is_streamed=is_streamed)
                seen.append((answer.status_code, answer.content))
        answer = await ask(http, route, Api.CHAT)
        seen.append((answer.status_code, answer.content))
    exchanges = held.exchanges(trial)
    held.close(trial)
    return seen, exchanges


def test_a_recording_answers_byte_for_byte() -> None:
    async def run() -> None:
        async with gateway(scenario(_TURN)) as held:
            first, exchanges = await _session(held, "t1")
        kept = [unpack(pack(exchange)) for exchange in exchanges]
        assert kept == list(exchanges)
        async with RecordingGateway(Replay(kept), clock) as again:
            second, repeated = await _session(again, "t1")
        assert first == second
        assert all(e.call.answered_by == "replay" for e in repeated)
        assert all(e.call.is_simulated for e in repeated)  # the recorded ones were
        assert [e.call.usage for e in repeated] == [e.call.usage for e in exchanges]

    anyio.run(run)


def _replayed(
    exchanges: list[Exchange], trials: list[str]
) -> list[tuple[ModelCall, httpx.Response]]:
    async def run() -> list[tuple[ModelCall, httpx.Response]]:
        got: list[tuple[ModelCall, httpx.Response]] = []
        async with RecordingGateway(Replay(exchanges), clock) as held, client() as http:
            for trial in trials:
                route = held.open(trial, MODEL)
                answer = await ask(http, route, Api.CHAT)
                got += [(call, answer) for call in held.close(trial)]
        return got

    return anyio.run(run)


def _recorded(trial: str, **turn: object) -> Exchange:
    async def run() -> Exchange:
        async with gateway(scenario({**_TURN, **turn})) as held, client() as http:
            await ask(http, held.open(trial, MODEL), Api.CHAT)
            return held.exchanges(trial)[0]

    return anyio.run(run)


def test_each_answer_is_given_once() -> None:
    (first, _), (second, answer) = _replayed([_recorded("t1")], ["t1", "t1"])
    assert first.fault == ""
    assert (second.fault, second.status) == ("replay_miss", 400)
    assert "no (further) answer of this trial" in answer.text


def test_the_recording_of_the_trial_goes_before_others() -> None:
    one, two = _recorded("t1", say="one"), _recorded("t2", say="two")
    got = _replayed([one, two], ["t2", "t1", "t9"])
    assert [a.json()["choices"][0]["message"]["content"] for _, a in got[:2]] == ["two", "one"]
    assert got[2][0].fault == "replay_miss"


def test_another_trial_takes_answers_in_their_order() -> None:
    one, two = _recorded("t1", say="one"), _recorded("t2", say="two")
    got = _replayed([one, two], ["a", "b", "c"])
    said = [a.json()["choices"][0]["message"]["content"] for _, a in got[:2]]
    assert said == ["one", "two"]
    assert got[2][0].fault == "replay_miss"


def test_a_request_that_differs_in_a_byte_is_missed() -> None:
    async def run() -> tuple[ModelCall, ...]:
        async with (
            RecordingGateway(Replay([_kept]), clock) as held,
            client() as http,
        ):
            route = held.open("t1", MODEL)
            await ask(http, route, Api.CHAT, prompt="Mend it!")
            await ask(http, route, Api.RESPONSES)
            return held.close("t1")

    _kept = _recorded("t1")
    assert [call.fault for call in anyio.run(run)] == ["replay_miss", "replay_miss"]


_UNSEEN: tuple[tuple[Api, dict[str, Any]], ...] = (
    (Api.MESSAGES, {"metadata": {"user_id": "session-2"}}),
    (Api.RESPONSES, {"client_metadata": {"turn": "2"}, "prompt_cache_key": "session-2"}),
    (Api.RESPONSES, {"input": [{"id": "msg_2", "role": "user", "content": "Mend it."}]}),
    (Api.CHAT, {"user": "somebody", "safety_identifier": "x"}),
)


@pytest.mark.parametrize(("api", "more"), _UNSEEN)
def test_names_that_no_model_sees_do_not_count(api: Api, more: dict[str, Any]) -> None:
    async def run() -> tuple[ModelCall, ...]:
        async with gateway(scenario(_TURN)) as held, client() as http:
            url = held.open("t1", MODEL).url
            await http.post(url + path_of(api), json=body_of(api))
            recorded = held.exchanges("t1")
        async with RecordingGateway(Replay(recorded), clock) as again, client() as http:
            url = again.open("t1", MODEL).url
            seen = {**body_of(api, "Break it."), **{k: v for k, v in more.items() if k != "input"}}
            assert (await http.post(url + path_of(api), json=seen)).status_code == 400
            answer = await http.post(url + path_of(api), json={**body_of(api), **more})
            assert answer.content == recorded[0].answer
            return (recorded[0].call, *again.close("t1"))

    first, missed, second = anyio.run(run)
    assert missed.fault == "replay_miss"
    assert first.prompt_sha256 == second.prompt_sha256
    assert first.request_sha256 != second.request_sha256


@for_every(
    "first, second, fault",
    [
        ("Today's date is 2026-11-30. Go.", "Today's date is 2026-12-01. Go.", ""),
        ("Chunk ID: 0a1b2c\nWall time: 0.01 seconds", "Chunk ID: ff\nWall time: 2.5 seconds", ""),
        ("<current_date>2026-11-30</current_date>", "<current_date>2027-01-01</current_date>", ""),
        ("Released on 2026-11-30.", "Released on 2026-12-01.", "replay_miss"),
        ("Chunk ID: 0a\nOutput: 1", "Chunk ID: 0a\nOutput: 2", "replay_miss"),
    ],
)
def test_what_a_harness_draws_anew_does_not_count(first: str, second: str, fault: str) -> None:
    async def run() -> ModelCall:
        async with gateway(scenario(_TURN)) as held, client() as http:
            await ask(http, held.open("t1", MODEL), Api.MESSAGES, prompt=first)
            recorded = held.exchanges("t1")
        async with RecordingGateway(Replay(recorded), clock) as again, client() as http:
            await ask(http, again.open("t1", MODEL), Api.MESSAGES, prompt=second)
            return again.close("t1")[0]

    assert anyio.run(run).fault == fault


def test_what_the_gateway_said_itself_is_not_replayed() -> None:
    async def run() -> Exchange:
        async with gateway(scenario(_TURN)) as held, client() as http:
            await ask(http, held.open("t1", MODEL), Api.CHAT, model="other-3")
            return held.exchanges("t1")[0]

    refused = anyio.run(run)
    assert refused.call.fault == "wrong_model"
    ((call, _),) = _replayed([refused], ["t1"])
    assert call.fault == "replay_miss"


def test_errors_and_cuts_come_again_as_they_were() -> None:
    failed = _recorded("t1", fault={"status": 400, "message": "too long"})
    ((call, answer),) = _replayed([failed], ["t1"])
    assert (call.status, call.fault) == (400, failed.call.fault)
    assert "too long" in answer.text
    busy = _recorded("t1", fault={"status": 529})
    assert busy.call.n_retries == 4
    ((call, answer),) = _replayed([busy], ["t1"])
    assert (call.status, call.n_retries) == (529, 0)
    cut = _recorded("t1", fault={"cut_after": 1})
    ((call, _),) = _replayed([cut], ["t1"])
    assert call.fault == "cut_stream"


def test_bytes_that_are_no_text_are_kept() -> None:
    exchange = _recorded("t1")
    odd = Exchange(
        call=exchange.call,
        path="/v1/messages",
        query="",
        request=b"\xff\x00",
        status=None,
        headers={},
        answer=b"\xfe",
    )
    assert unpack(pack(odd)) == odd
    with pytest.raises(InputError):
        unpack(b'{"call": 1}', where="calls/0001.json")
