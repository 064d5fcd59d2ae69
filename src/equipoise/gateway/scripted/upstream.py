"""Answers requests by a scenario; it keeps no state but how often a passing fault has passed."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self

import anyio
import msgspec

from equipoise.gateway.exchange import Answered, Asked, Cut
from equipoise.gateway.scripted import as_anthropic, as_chat, as_google, as_responses
from equipoise.gateway.scripted.conversation import conversation
from equipoise.gateway.scripted.saying import NoShell, Said, said, turn_of
from equipoise.gateway.scripted.scenario import Scenario, ScriptedFault, Turn
from equipoise.gateway.wire.facts import Api, mapping
from equipoise.gateway.wire.paths import VENDORS, Purpose

_JSON = {"content-type": "application/json"}
_KINDS = {
    (Api.CHAT, 401): "invalid_api_key",
    (Api.CHAT, 429): "rate_limit_exceeded",
    (Api.RESPONSES, 401): "invalid_api_key",
    (Api.RESPONSES, 429): "rate_limit_exceeded",
}


class Scripted:
    """The stand-in for every provider; all that it answers is simulated."""

    name = "scripted"
    vendor = "scripted"
    patience = 0.02  # nobody has to recover

    def __init__(self, scenario: Scenario) -> None:
        """Takes what is to be said."""
        self._scenario = scenario
        self._passed: Counter[tuple[str, str]] = Counter()

    async def __aenter__(self) -> Self:
        """Needs nothing."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Leaves nothing."""

    @asynccontextmanager
    async def answer(self, asked: Asked) -> AsyncIterator[Answered]:
        """Answers by the scenario."""
        body = mapping(msgspec.json.decode(asked.body))
        if asked.purpose is Purpose.COUNT:
            key = "totalTokens" if asked.api is Api.GOOGLE else "input_tokens"
            yield _whole(200, {key: -(-len(asked.body) // 4)})
            return
        question = VENDORS[asked.api].question(body, asked.path)
        talk = conversation(asked.api, body)
        turn = turn_of(self._scenario, talk, has_tools=bool(question.tools))
        if turn.delay_s:
            await anyio.sleep(turn.delay_s)
        if turn.fault is not None and self._fails(turn.fault, asked):
            yield _failed(turn.fault, asked.api)
            return
        try:
            answer = said(turn, asked.prompt, question.model, question.tools, len(asked.body))
        except NoShell as error:
            fault = VENDORS[asked.api].error(400, "scenario", str(error))
            yield _whole(400, fault)
            return
        if question.is_streamed:
            yield _streamed(asked, body, answer, turn)
        else:
            yield _cut_whole(turn, msgspec.json.encode(_WHOLE[asked.api](answer)))

    def _fails(self, fault: ScriptedFault, asked: Asked) -> bool:
        if fault.status is None:
            return False
        if fault.times is None:
            return True
        key = asked.trial, asked.prompt
        self._passed[key] += 1
        return self._passed[key] <= fault.times


_WHOLE = {
    Api.MESSAGES: as_anthropic.whole,
    Api.RESPONSES: as_responses.whole,
    Api.CHAT: as_chat.whole,
    Api.GOOGLE: as_google.whole,
}


def _streamed(asked: Asked, body: Any, answer: Said, turn: Turn) -> Answered:
    kind = "text/event-stream; charset=utf-8"
    match asked.api:
        case Api.MESSAGES:
            events = as_anthropic.events(answer)
        case Api.RESPONSES:
            events = as_responses.events(answer)
        case Api.CHAT:
            has_usage = mapping(body.get("stream_options")).get("include_usage") is True
            events = as_chat.events(answer, has_usage=has_usage)
        case Api.GOOGLE:
            is_sse = "alt=sse" in asked.query.split("&")
            events = as_google.events(answer, is_sse=is_sse)
            kind = kind if is_sse else "application/json"
    headers = {"content-type": kind, "cache-control": "no-cache", "request-id": answer.key}
    return Answered(status=200, headers=headers, chunks=_passing(events, turn), is_simulated=True)


async def _passing(events: list[bytes], turn: Turn) -> AsyncIterator[bytes]:
    cut_after = turn.fault.cut_after if turn.fault is not None else None
    for n, event in enumerate(events):
        if cut_after is not None and n >= cut_after:
            raise Cut
        if turn.delay_each_s:
            await anyio.sleep(turn.delay_each_s)
        yield event


def _cut_whole(turn: Turn, body: bytes) -> Answered:
    is_cut = turn.fault is not None and turn.fault.cut_after is not None
    chunks = _halved(body) if is_cut else _once(body)
    return Answered(status=200, headers=_JSON, chunks=chunks, is_simulated=True)


def _whole(status: int, body: Any, headers: dict[str, str] | None = None) -> Answered:
    chunks = _once(msgspec.json.encode(body))
    head = {**_JSON, **(headers or {})}
    return Answered(status=status, headers=head, chunks=chunks, is_simulated=True)


def _failed(fault: ScriptedFault, api: Api) -> Answered:
    assert fault.status is not None
    kind = fault.kind or _KINDS.get((api, fault.status), "")
    body = VENDORS[api].error(fault.status, kind, fault.message)
    wait = fault.retry_after_s
    return _whole(fault.status, body, {} if wait is None else {"retry-after": f"{wait:g}"})


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


async def _halved(body: bytes) -> AsyncIterator[bytes]:
    yield body[: len(body) // 2]
    raise Cut
