"""Carries one call to an upstream and back, byte by byte, and records what came of it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import anyio

from equipoise.gateway.asking import Collecting
from equipoise.gateway.channel import Channel
from equipoise.gateway.estimating import estimated
from equipoise.gateway.exchange import Answered, Asked, Cut, Exchange, Unreachable, Upstream, pack
from equipoise.gateway.headers import passed_back
from equipoise.gateway.limits import RETRIED, Limits, OverCap, Pace, Purse, wait_of
from equipoise.gateway.prices import Prices
from equipoise.gateway.session import Call, Keep, Session
from equipoise.gateway.spent import SpentFile
from equipoise.gateway.wire.facts import Api, Found, Question
from equipoise.gateway.wire.reading import Reading
from equipoise.records.call import ModelCall, Price
from equipoise.records.codec import encode

_TELLING = frozenset({"anthropic", "openai", "google", "scripted"})
"""Whose stop reasons can be trusted."""
_LEFT = frozenset({"client_gone", "closed"})
"""Faults of a call whose trial left, or ended, before it was answered."""

_FREE = Price(usd=0.0, source="no answer, no charge")

Way = Channel | Collecting
"""Where the answer of a call goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What holds for all calls: `clock` gives dates, `keep` takes the bytes (null = memory).

    `notes` is where spending is noted under a cap (null = nowhere);
    `may_reach_out`: a request may have the provider run tools of its own and fetch what it names.
    """

    limits: Limits
    prices: Prices
    may_reach_out: bool
    clock: Callable[[], datetime]
    keep: Keep | None
    notes: SpentFile | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why the gateway does not let a call pass: the fault's word and what to tell."""

    fault: str
    message: str
    status: int = 400


class Caller:
    """Carries the calls of all trials; `upstreams` says who answers which wire format."""

    def __init__(self, upstreams: Mapping[Api, Upstream], terms: Terms) -> None:
        """Takes who answers, and what holds for all calls."""
        self._upstreams = upstreams
        self._terms = terms
        self.purse = Purse(terms.limits, terms.notes)
        slots = terms.limits.concurrency
        self._paces = {
            id(upstream): Pace(slots=anyio.Semaphore(slots)) for upstream in upstreams.values()
        }
        self._retries = {
            id(upstream): _patient(terms.limits, upstream.patience)
            for upstream in upstreams.values()
        }

    async def call(
        self, session: Session, asked: Asked, question: Question, channel: Way
    ) -> Exchange:
        """Carries one call and gives it; whatever happens, exactly one record of it is left."""
        call = Call(
            seq=session.next_seq(),
            asked=asked,
            question=question,
            at=self._terms.clock().isoformat(timespec="milliseconds"),
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
            is_closed = call.fault == "closed"
            self.finish(session, call)
        if is_closed and channel.has_begun:
            channel.cut()
        elif is_closed:
            message = "the trial has ended, and its way to the model with it"
            await channel.refuse(asked.api, 503, "closed", message)
        assert call.exchange is not None
        return call.exchange

    async def count(
        self, session: Session, asked: Asked, question: Question, channel: Channel
    ) -> None:
        """Passes on a request that only counts tokens; no model answers, nothing is recorded."""
        if (refused := self._refused(session, question)) is not None:
            await channel.refuse(asked.api, refused.status, refused.fault, refused.message)
            return
        try:
            async with self._upstreams[asked.api].answer(asked) as answered:
                body = b"".join([chunk async for chunk in answered.chunks])
                await channel.reply(answered.status, passed_back(answered.headers), body)
        except Unreachable as error:
            await channel.refuse(asked.api, error.status, error.fault, str(error))
        except Cut:
            await channel.refuse(asked.api, 502, "cut_stream", "the answer was cut")

    def note(self, session: Session, api: Api, fault: str, status: int) -> None:
        """Records that a trial sends more than it may, once for each reason."""
        if fault in session.noted:
            return
        session.noted.add(fault)
        seq = session.next_seq()
        session.calls[seq] = ModelCall(
            trial=session.route.trial,
            seq=seq,
            api=api.value,
            model_asked="",
            request_sha256="",
            at=self._terms.clock().isoformat(timespec="milliseconds"),
            latency_ms=0.0,
            status=status,
            fault=fault,
            cost=_FREE,
        )

    def finish(self, session: Session, call: Call) -> None:
        """Records a call as far as it came; does nothing the second time."""
        if call.is_recorded:
            return
        call.is_recorded = True
        if call.fault in _LEFT and call.unanswered:
            call.fault = call.unanswered  # it was left because nobody had answered
        found = call.reading.end() if call.reading is not None else Found()
        has_end = found.is_complete or (found.stop_reason is not None and not found.fault)
        if call.fault == "client_gone" and has_end and call.is_passed_on:
            call.fault = ""  # it left with the whole answer, before the connection's own end
        found.is_complete = has_end and not call.fault
        is_answer = call.status is not None and call.status < 400
        if is_answer and not found.is_complete and not (call.fault or found.fault):
            call.fault = "cut_stream"
        is_free = not call.is_sent or (call.reading is not None and not is_answer)
        cost = _FREE if is_free else self._cost(call, found)
        if call.reservation is not None:
            self.purse.settle(call.reservation, None if cost is None else cost.usd)
        if is_answer and found.usage is None and found.is_complete:
            found.usage = estimated(call.asked.body, found.n_text_bytes)
        if self._upstreams[call.asked.api].vendor not in _TELLING:
            found.is_truncated |= _is_full(call.question, found)
        record = call.record(found, cost)
        session.under_way.pop(call.seq, None)
        session.calls[call.seq] = record
        call.exchange = exchange = session.exchange(call, record)
        if self._terms.keep is None:
            session.exchanges[call.seq] = exchange
        else:
            self._terms.keep(session.route.trial, f"calls/{call.seq:04d}.json", pack(exchange))

    def _cost(self, call: Call, found: Found) -> Price | None:
        """Gives what the call cost; null where the usage is not the whole of it."""
        is_whole = found.usage is not None and found.is_complete
        is_chat = call.asked.api is Api.CHAT  # which does not say whether they were used
        has_hosted = found.has_hosted_use or (is_chat and bool(call.question.hosted))
        has_extras = has_hosted or found.has_own_tariff
        if not is_whole or has_extras or found.usage is None:
            return None
        vendor = self._upstreams[call.asked.api].vendor
        model = found.model or call.question.model
        prices, now = self._terms.prices, self._terms.clock()
        return prices.cost(vendor, model, found.usage, now, n_long=found.n_long_cached)

    async def _carried(self, session: Session, call: Call, channel: Way) -> None:
        refused = self._refused(session, call.question) or self._reserved(call)
        if refused is not None:
            await _refuse(call, channel, refused)
            return
        pace = self._paces[id(self._upstreams[call.asked.api])]
        try:
            async with pace.slots:
                with anyio.fail_after(self._terms.limits.timeout_s):
                    while not await self._tried(call, channel, pace):
                        call.n_retries += 1
        except Unreachable as error:
            refused = Refused(fault=error.fault, message=str(error), status=error.status)
            await _refuse(call, channel, refused)
        except TimeoutError:
            await self._timed_out(call, channel)

    async def _tried(self, call: Call, channel: Way, pace: Pace) -> bool:
        """Asks once; says whether that was the end of it."""
        upstream = self._upstreams[call.asked.api]
        limits = self._retries[id(upstream)]
        spread = int(call.asked.request[:4] or "0", 16) / 2**16
        await pace.wait()
        try:
            call.is_sent = True
            async with upstream.answer(call.asked) as answered:
                now = self._terms.clock()
                wait = (
                    wait_of(answered.headers, limits, call.n_retries, spread, now)
                    if answered.status in RETRIED
                    else None
                )
                if wait is None:
                    await self._delivered(call, channel, answered)
                    return True
            call.unanswered = f"http {answered.status}"
            pace.pause(wait)
        except Unreachable as error:
            call.unanswered = error.fault
            again = wait_of({}, limits, call.n_retries, spread, self._terms.clock())
            if error.may_retry:
                call.is_sent = False
            if not error.may_retry or again is None:
                raise
            await anyio.sleep(again)
        return False

    def _refused(self, session: Session, question: Question) -> Refused | None:
        if (refused := _wrong_model(session, question)) is not None:
            return refused
        named = question.hosted or question.fetched
        if named and not self._terms.may_reach_out:
            message = (
                f"the request has the provider run or fetch something itself ({named}), which is "
                "a way out of every sandbox; leave it out, or let the study allow it"
            )
            return Refused(fault="reaches_out", message=message)
        return None

    def _reserved(self, call: Call) -> Refused | None:
        """Sets aside the most that a call may cost; says why it may not be made."""
        limits, question = self._terms.limits, call.question
        if not limits.has_cap:
            return None
        bound, why = None, question.unbounded
        if not why:
            most = question.max_tokens or limits.most_output_tokens
            n_input = len(call.asked.body) + limits.unseen_tokens
            vendor = self._upstreams[call.asked.api].vendor
            bound = self._terms.prices.bound(
                vendor,
                question.model,
                n_input,
                most * question.n_answers,
                self._terms.clock(),
            )
            why = f"no price is known for {question.model!r} of {vendor or 'this provider'!r}"
        try:
            call.reservation = self.purse.reserve(call.asked.trial, bound, why)
        except OverCap as error:
            return Refused(fault="spending_cap", message=str(error))
        return None

    async def _delivered(self, call: Call, channel: Way, answered: Answered) -> None:
        kind = answered.headers.get("content-type", "")
        call.unanswered = ""
        call.status, call.is_simulated = answered.status, answered.is_simulated
        call.headers = passed_back(answered.headers)
        if call.n_retries and answered.status in RETRIED:  # we have asked often enough for both
            call.headers["x-should-retry"] = "false"
        call.reading = Reading(call.asked.api, status=answered.status, content_type=kind)
        is_streamed = "text/event-stream" in kind or (
            call.question.is_streamed and answered.status < 400
        )
        try:
            if is_streamed:
                headers = {k: v for k, v in call.headers.items() if k != "content-length"}
                await channel.begin(answered.status, headers)
                call.is_passed_on = True
            async for chunk in answered.chunks:
                call.took(chunk, self._terms.limits.max_answer_bytes)
                if is_streamed:
                    await channel.piece(chunk)
            if is_streamed:
                await channel.end()
            else:
                await channel.reply(answered.status, call.headers, bytes(call.answer))
                call.is_passed_on = True
        except Cut as error:
            call.fault = str(error) or "cut_stream"
            await _cut(call, channel, "the connection to the model was cut in its answer")

    async def _timed_out(self, call: Call, channel: Way) -> None:
        call.fault = "timeout"
        await _cut(call, channel, f"no whole answer within {self._terms.limits.timeout_s:g} s")


def _is_full(question: Question, found: Found) -> bool:
    """Says whether an answer has all the tokens it may have, whatever its stop reason is.

    Servers that speak a vendor's format do not always tell that an answer met its limit.
    """
    most, used = question.max_tokens, found.usage and found.usage.output_tokens
    return bool(most and used and used >= most and found.is_complete)


def _patient(limits: Limits, patience: float) -> Limits:
    """Gives the limits with the patience that an upstream asks for."""
    if not patience:
        return replace(limits, n_retries=0)
    return replace(limits, first_wait_s=limits.first_wait_s * patience)


def _wrong_model(session: Session, question: Question) -> Refused | None:
    if not question.model:
        return Refused(fault="no_model", message="the request names no model; name the trial's own")
    if question.model != session.model and question.model not in session.side_models:
        message = (
            f"this trial may ask {session.model!r}, and the request asks {question.model!r}; "
            "declare it as a side model where the harness needs it"
        )
        return Refused(fault="wrong_model", message=message)
    return None


async def _refuse(call: Call, channel: Way, refused: Refused) -> None:
    call.fault, call.status = refused.fault, refused.status
    api = call.asked.api
    call.answer += await channel.refuse(api, refused.status, refused.fault, refused.message)


async def _cut(call: Call, channel: Way, message: str) -> None:
    """Cuts an answer that has begun; one that has not becomes an error."""
    if channel.has_begun:
        channel.cut()
        return
    call.status = 504 if call.fault == "timeout" else 502
    await channel.refuse(call.asked.api, call.status, call.fault, message)


def models_listed(session: Session, api: Api) -> bytes:
    """Gives the list of models as a vendor would: those that the trial may ask."""
    names = [session.model, *sorted(session.side_models)]
    if api is Api.GOOGLE:
        return encode({"models": [{"name": f"models/{n}"} for n in names]})
    listed = [{"id": n, "type": "model", "object": "model", "display_name": n} for n in names]
    return encode({"object": "list", "data": listed, "has_more": False})
