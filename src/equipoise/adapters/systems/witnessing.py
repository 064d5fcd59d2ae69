"""What others than the agent saw of its calls of tools: a document that it cannot write."""

from collections.abc import Iterator, Mapping

from equipoise.errors import InputError
from equipoise.gateway.exchange import Exchange, unpack
from equipoise.gateway.wire.facts import Api
from equipoise.gateway.wire.uses import uses_of
from equipoise.ports.agents import Told
from equipoise.records.codec import encode
from equipoise.records.conduct import Act, Witness

_ANSWERED = range(200, 300)
_NOBODY = "no answer of a model passed the gateway, and nobody else kept its calls of tools"


def witnessed(told: Told, exchanges: Mapping[str, bytes]) -> bytes:
    """Gives the document: who saw its calls, then each call as a line.

    An answer that was cut, or that nobody waited for, asks for nothing.

    Args:
        told: what its harness says; `witness` is another's word.
        exchanges: what passed the gateway, by the names of documents.
    """
    acts: list[Act] = []
    by: list[str] = []
    n_answers = n_unread = 0
    for _, content in sorted(exchanges.items()):  # later turns are named after the first
        try:
            exchange = unpack(content)
        except InputError:
            n_unread += 1
            continue
        if exchange.status in _ANSWERED and not exchange.call.fault:
            n_answers += 1
            acts += _asked(exchange, n_answers)
    if n_answers:
        by.append("gateway")
    elif told.witness is not None:
        name, known = told.witness
        by.append(name)
        acts += known
    head = Witness(by=tuple(by), n_answers=n_answers, n_unread=n_unread, why="" if by else _NOBODY)
    return b"".join(encode(one) + b"\n" for one in (head, *acts))


def _asked(exchange: Exchange, number: int) -> Iterator[Act]:
    kind = exchange.headers.get("content-type", "")
    is_whole = exchange.answer.lstrip()[:1] in (b"{", b"[")
    yield from uses_of(
        Api(exchange.call.api),
        exchange.answer,
        is_streamed="text/event-stream" in kind or not is_whole,
        number=number,
    )
