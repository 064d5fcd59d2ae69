"""Carries one call to an upstream and back, byte by byte, and records what came of it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from equipoise.gateway.channel import Channel
from equipoise.gateway.estimating import estimated
from equipoise.gateway.exchange import Answered, Asked, Cut, Unreachable, Upstream, pack
from equipoise.gateway.headers import passed_back
from equipoise.gateway.session import Call, Keep, Session
from equipoise.gateway.wire.facts import Api, Found, Question
from equipoise.gateway.wire.reading import Reading
from equipoise.records.codec import encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why the gateway does not let a call pass: the fault's word and what to tell."""

    fault: str
    message: str
    status: int = 400


class Caller:
    """Carries the calls of all trials; `upstreams` says who answers which wire format."""

    def __init__(
        self,
        upstreams: Mapping[Api, Upstream],
        clock: Callable[[], datetime],
        *,
        keep: Keep | None,
    ) -> None:
        """Takes who answers, the clock for dates, and who keeps the bytes."""
        self._upstreams = upstreams
        self._clock = clock
        self._keep = keep

    async def call(
        self, session: Session, asked: Asked, question: Question, channel: Channel
    ) -> None:
        """Carries one call; whatever happens, exactly one record of it is left."""
        call = Call(
            seq=session.next_seq(),
            asked=asked,
            question=question,
            at=self._clock().isoformat(timespec="milliseconds"),
            answered_by=self._upstreams[asked.api].name,
        )
        session.under_way[call.seq] = call
        try:
            with call.scope:
                await self._carried(session, call, channel)
        except asyncio.CancelledError:  # nobody reads on, and each token would cost
            call.fault = call.fault or "client_gone"
            raise
        except ConnectionError:
            call.fault = call.fault or "client_gone"
        finally:
            self.finish(session, call)
        if call.fault == "closed" and channel.has_begun:
            channel.cut()
        elif call.fault == "closed":
            message = "the trial has ended, and its way to the model with it"
            await channel.refuse(asked.api, 503, "closed", message)

    async def count(
        self, session: Session, asked: Asked, question: Question, channel: Channel
    ) -> None:
        """Passes on a request that only counts tokens; no model answers, nothing is recorded."""
        if (refused := _refused(session, question)) is not None:
            await channel.refuse(asked.api, refused.status, refused.fault, refused.message)
            return
        try:
            async with self._upstreams[asked.api].answer(asked) as answered:
                body = b"".join([chunk async for chunk in answered.chunks])
                await channel.reply(answered.status, passed_back(answered.headers), body)
        except (Unreachable, Cut) as error:
            await channel.refuse(asked.api, 502, "unreachable", str(error))

    def finish(self, session: Session, call: Call) -> None:
        """Records a call as far as it came; does nothing the second time."""
        if call.is_recorded:
            return
        call.is_recorded = True
        found = call.reading.end() if call.reading is not None else Found()
        is_answer = call.status is not None and call.status < 400
        if is_answer and not found.is_complete and not (call.fault or found.fault):
            call.fault = "cut_stream"
        if is_answer and found.usage is None and found.is_complete:
            found.usage = estimated(call.asked.body, found.n_text_bytes)
        record = call.record(found, None)
        session.under_way.pop(call.seq, None)
        session.calls[call.seq] = record
        exchange = session.exchange(call, record)
        if self._keep is None:
            session.exchanges[call.seq] = exchange
        else:
            self._keep(session.route.trial, f"calls/{call.seq:04d}.json", pack(exchange))

    async def _carried(self, session: Session, call: Call, channel: Channel) -> None:
        if (refused := _refused(session, call.question)) is not None:
            await _refuse(call, channel, refused)
            return
        upstream = self._upstreams[call.asked.api]
        try:
            async with upstream.answer(call.asked) as answered:
                await _delivered(call, channel, answered)
        except Unreachable as error:
            await _refuse(call, channel, Refused(fault=error.fault, message=str(error), status=502))


def _refused(session: Session, question: Question) -> Refused | None:
    if not question.model:
        return Refused(fault="no_model", message="the request names no model; name the trial's own")
    if question.model != session.model and question.model not in session.side_models:
        message = (
            f"this trial may ask {session.model!r}, and the request asks {question.model!r}; "
            "declare it as a side model where the harness needs it"
        )
        return Refused(fault="wrong_model", message=message)
    return None


async def _refuse(call: Call, channel: Channel, refused: Refused) -> None:
    call.fault, call.status = refused.fault, refused.status
    api = call.asked.api
    call.answer += await channel.refuse(api, refused.status, refused.fault, refused.message)


async def _delivered(call: Call, channel: Channel, answered: Answered) -> None:
    headers = passed_back(answered.headers)
    kind = answered.headers.get("content-type", "")
    call.status, call.is_simulated = answered.status, answered.is_simulated
    call.headers = headers
    call.reading = Reading(call.asked.api, status=answered.status, content_type=kind)
    try:
        if "text/event-stream" in kind or (call.question.is_streamed and answered.status < 400):
            await channel.begin(answered.status, headers)
            async for chunk in answered.chunks:
                call.reading.feed(chunk)
                call.answer += chunk
                await channel.piece(chunk)
            await channel.end()
        else:
            async for chunk in answered.chunks:
                call.reading.feed(chunk)
                call.answer += chunk
            await channel.reply(answered.status, headers, bytes(call.answer))
    except Cut:
        call.fault = "cut_stream"
        if channel.has_begun:
            channel.cut()
        else:
            call.status = 502
            message = "the connection to the model was cut in the middle of its answer"
            await channel.refuse(call.asked.api, 502, "cut_stream", message)


def models_listed(session: Session, api: Api) -> bytes:
    """Gives the list of models as a vendor would: those that the trial may ask."""
    names = [session.model, *sorted(session.side_models)]
    if api is Api.GOOGLE:
        return encode({"models": [{"name": f"models/{n}"} for n in names]})
    listed = [{"id": n, "type": "model", "object": "model", "display_name": n} for n in names]
    return encode({"object": "list", "data": listed, "has_more": False})
