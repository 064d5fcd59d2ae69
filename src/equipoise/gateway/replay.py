"""Recorded answers, given again byte for byte to the same requests."""

from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Self

from equipoise.gateway.exchange import Answered, Asked, Cut, Exchange, Unreachable
from equipoise.gateway.wire.facts import Api
from equipoise.gateway.wire.paths import Purpose

_OURS = frozenset(
    (
        *("spending_cap", "wrong_model", "no_model", "client_gone", "closed", "replay_miss"),
        *("timeout", "answer_too_large"),
    )
)
"""Faults of a call that no upstream answered, or whose answer nobody has seen to its end."""


class Replay:
    """Answers from a recording; what it does not hold is a fault, never an invention.

    A request is known by its format and the hash of its body. The recording of the same trial is
    used in its order where there is one; else any, also in order. No answer is given twice, so that
    one recorded answer never counts as two.
    """

    name = "replay"
    vendor = ""
    patience = 0.0  # what was recorded is what came of asking again

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        """Takes what was recorded, in its order."""
        self._own: dict[tuple[str, str, str], deque[Exchange]] = {}
        self._n_held = 0
        for exchange in exchanges:
            call = exchange.call
            if call.fault not in _OURS:
                key = call.trial, call.api, call.request_sha256
                self._own.setdefault(key, deque()).append(exchange)
                self._n_held += 1
        self._trials = {trial for trial, _, _ in self._own}
        self._any: dict[tuple[str, str], list[deque[Exchange]]] = {}
        for (_, api, request), queue in self._own.items():
            self._any.setdefault((api, request), []).append(queue)

    async def __aenter__(self) -> Self:
        """Needs nothing."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Leaves nothing."""

    @asynccontextmanager
    async def answer(self, asked: Asked) -> AsyncIterator[Answered]:
        """Gives the recorded answer."""
        if asked.purpose is Purpose.COUNT:
            raise Unreachable("a recording counts no tokens", fault="replay_miss", status=400)
        exchange = self._taken(asked)
        call = exchange.call
        if exchange.status is None:
            raise Unreachable("as it was recorded: nobody answered", fault=call.fault)
        is_cut = call.fault == "cut_stream"
        yield Answered(
            status=200 if is_cut else exchange.status,
            headers=exchange.headers,
            chunks=_once(exchange.answer, is_cut=is_cut),
            is_simulated=call.is_simulated,
        )

    def _taken(self, asked: Asked) -> Exchange:
        own = self._own.get((asked.trial, asked.api.value, asked.request))
        if own is None and asked.trial not in self._trials:
            queues = self._any.get((asked.api.value, asked.request), [])
            own = next((queue for queue in queues if queue), None)
        if not own:
            raise Unreachable(self._why(asked), fault="replay_miss", status=400)
        return own.popleft()

    def _why(self, asked: Asked) -> str:
        whose = "this trial" if asked.trial in self._trials else "any trial"
        return (
            f"the recording has no (further) answer of {whose} to the request "
            f"{asked.request[:12]} ({Api(asked.api).value}); it holds {self._n_held} answers, and "
            "a request must be the same to the byte"
        )


async def _once(answer: bytes, *, is_cut: bool) -> AsyncIterator[bytes]:
    yield answer
    if is_cut:
        raise Cut
