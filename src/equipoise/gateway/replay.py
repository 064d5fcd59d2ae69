"""Recorded answers, given again byte for byte to the same requests."""

from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, Self

import msgspec

from equipoise.gateway.exchange import Answered, Asked, Cut, Exchange, Unreachable
from equipoise.gateway.wire.facts import Api, mapping
from equipoise.gateway.wire.paths import Purpose
from equipoise.gateway.wire.prompt import alike_sha256, prompt_sha256

_OURS = frozenset(
    (
        *("spending_cap", "wrong_model", "no_model", "reaches_out", "client_gone", "closed"),
        *("replay_miss", "timeout", "answer_too_large"),
    )
)
"""Faults of a call that no upstream answered, or whose answer nobody has seen to its end."""
_Key = tuple[str, ...]


class Replay:
    """Answers from a recording; what it does not hold is a fault, never an invention.

    A request is known by its format and the hash of its body; failing that, by the hash of what of
    it a model sees, for harnesses name their sessions anew in every request; failing that, by the
    same without dates and times that a harness puts in. The recording of the
    same trial is used in its order where there is one; else any, also in order. No answer is given
    twice, so that one recorded answer never counts as two.
    """

    name = "replay"
    vendor = ""
    patience = 0.0  # what was recorded is what came of asking again

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        """Takes what was recorded, in its order."""
        self._held = [e for e in exchanges if e.call.fault not in _OURS]
        self._taken: set[int] = set()
        self._trials = {e.call.trial for e in self._held}
        self._queues: dict[_Key, deque[int]] = {}
        for number, exchange in enumerate(self._held):
            call = exchange.call
            for name in (call.request_sha256, *_names(call.api, exchange.request)):
                for key in ((call.api, name), (call.api, name, call.trial)):
                    self._queues.setdefault(key, deque()).append(number)

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
        exchange = self._found(asked)
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

    def _found(self, asked: Asked) -> Exchange:
        own = (asked.trial,) if asked.trial in self._trials else ()
        for name in (asked.request, *_names(asked.api.value, asked.body)):
            queue = self._queues.get((asked.api.value, name, *own), deque())
            while queue:
                number = queue.popleft()
                if number not in self._taken:
                    self._taken.add(number)
                    return self._held[number]
        raise Unreachable(self._why(asked), fault="replay_miss", status=400)

    def _why(self, asked: Asked) -> str:
        whose = "this trial" if asked.trial in self._trials else "any trial"
        return (
            f"the recording has no (further) answer of {whose} to the request "
            f"{asked.request[:12]} ({asked.api.value}); it holds {len(self._held)} answers, and "
            "what a model sees of a request must be the same to the byte"
        )


def _names(api: str, request: bytes) -> tuple[str, ...]:
    """Gives the hashes by which a request is known beside that of its bytes."""
    try:
        body: Any = msgspec.json.decode(request)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ()
    seen = mapping(body)
    return prompt_sha256(Api(api), seen), alike_sha256(Api(api), seen)


async def _once(answer: bytes, *, is_cut: bool) -> AsyncIterator[bytes]:
    yield answer
    if is_cut:
        raise Cut
