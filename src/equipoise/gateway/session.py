"""One trial's way to its model, and what has gone over it so far."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from equipoise.gateway.exchange import Asked, Cut, Exchange
from equipoise.gateway.limits import Reservation
from equipoise.gateway.wire.facts import Found, Question
from equipoise.gateway.wire.reading import Reading
from equipoise.ports.agents import Route
from equipoise.records.call import ModelCall, Price

Keep = Callable[[str, str, bytes], None]
"""Takes a document: the trial, its name, its bytes."""


@dataclass(slots=True, kw_only=True)
class Call:
    """One call under way; `record` says what is known of it at any moment.

    `is_sent`: it may have reached the upstream; `is_passed_on`: what was read of its answer has
    gone to the harness.
    """

    seq: int
    asked: Asked
    question: Question
    at: str
    answered_by: str
    began: float = field(default_factory=time.monotonic)
    status: int | None = None
    reading: Reading | None = None
    headers: dict[str, str] = field(default_factory=dict)
    answer: bytearray = field(default_factory=bytearray)
    n_retries: int = 0
    fault: str = ""
    unanswered: str = ""  # what befell the last try, while it waits for the next one
    is_simulated: bool = False
    is_recorded: bool = False
    is_sent: bool = False
    is_passed_on: bool = False
    reservation: Reservation | None = None
    exchange: Exchange | None = None
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    def took(self, chunk: bytes, most: int) -> None:
        """Reads and keeps the next bytes of the answer.

        Raises:
            Cut: it has more than `most` bytes.
        """
        assert self.reading is not None
        self.reading.feed(chunk)
        self.answer += chunk
        if len(self.answer) > most:
            raise Cut("answer_too_large")

    def record(self, found: Found, cost: Price | None) -> ModelCall:
        """Gives the record; the time is that of a clock that cannot be set."""
        return ModelCall(
            trial=self.asked.trial,
            seq=self.seq,
            api=self.asked.api.value,
            model_asked=self.question.model,
            request_sha256=self.asked.request,
            at=self.at,
            latency_ms=round((time.monotonic() - self.began) * 1000, 3),
            status=self.status,
            model_answered=found.model,
            tools_offered=self.question.tools,
            n_messages=self.question.n_messages,
            usage=found.usage,
            stop_reason=found.stop_reason,
            is_truncated=found.is_truncated,
            is_refusal=found.is_refusal,
            is_streamed=self.question.is_streamed,
            n_retries=self.n_retries,
            cost=cost,
            fault=self.fault or found.fault,
            is_simulated=self.is_simulated,
            answered_by=self.answered_by,
            settings=dict(self.question.settings),
            prompt_sha256=self.question.prompt,
        )


@dataclass(slots=True, kw_only=True)
class Session:
    """What stands between `open` and `close` of a trial."""

    route: Route
    model: str
    side_models: frozenset[str] = frozenset()
    is_closed: bool = False
    n_calls: int = 0
    n_bytes: int = 0
    noted: set[str] = field(default_factory=set)
    under_way: dict[int, Call] = field(default_factory=dict)
    calls: dict[int, ModelCall] = field(default_factory=dict)
    exchanges: dict[int, Exchange] = field(default_factory=dict)

    def next_seq(self) -> int:
        """Gives the number of the next call, from 1."""
        self.n_calls += 1
        return self.n_calls

    def exchange(self, call: Call, record: ModelCall) -> Exchange:
        """Gives what went over the wire in a call."""
        return Exchange(
            call=record,
            path=call.asked.path,
            query=call.asked.query,
            request=call.asked.body,
            status=call.status,
            headers=call.headers,
            answer=bytes(call.answer),
        )
