"""What goes to a model and what comes back, to the byte: the ground of every record and replay."""

import base64
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import msgspec

from equipoise.errors import InputError
from equipoise.gateway.wire.facts import Api
from equipoise.gateway.wire.paths import Purpose
from equipoise.records.call import ModelCall
from equipoise.records.codec import decode, encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request as it is handed to an upstream: no key of anyone is in it.

    `path` is the vendor's own (``/v1/messages``), `query` without its question mark; `headers` have
    lower-case names and neither those of the connection nor any that authenticates. `request` is
    the sha256 of `body`, `prompt` that of what of it a model sees.
    """

    trial: str
    purpose: Purpose
    api: Api
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    request: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What an upstream answers; `chunks` may end by raising `Cut`."""

    status: int
    headers: Mapping[str, str]
    chunks: AsyncIterator[bytes]
    is_simulated: bool = False


class Cut(Exception):
    """The stream ended before the answer did."""


class Unreachable(Exception):
    """Nobody answered; `fault` is the word for it, the text says who and why, and names no key.

    `may_retry`: nothing can have reached the provider, so that asking again costs nothing twice.
    """

    def __init__(
        self,
        why: str,
        *,
        fault: str = "unreachable",
        status: int = 502,
        may_retry: bool = False,
    ) -> None:
        """Keeps the reason, and with which status the harness is told."""
        super().__init__(why)
        self.fault = fault
        self.status = status
        self.may_retry = may_retry


class Upstream(Protocol):
    """Where answers come from: a provider, a recording or a script.

    `name` is told in records (``anthropic``, ``replay``, ``scripted``); `vendor` is whose prices
    hold. `patience` is how much of the usual wait there is before it is asked again where it does
    not say itself; 0 = it is never asked again, for it would say the same. Used as an asynchronous
    context manager that serves a whole run.
    """

    name: str
    vendor: str
    patience: float

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *error: object) -> None: ...
    def answer(self, asked: Asked) -> AbstractAsyncContextManager[Answered]:
        """Asks. Entering it raises `Unreachable` where nobody answers."""
        ...


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One recorded request and its answer, as far as it came."""

    call: ModelCall
    path: str
    query: str
    request: bytes
    status: int | None
    headers: dict[str, str]
    answer: bytes


def pack(exchange: Exchange) -> bytes:
    """Gives an exchange as one line of JSON; bodies that are text stay readable."""
    body = {
        "call": exchange.call,
        "path": exchange.path,
        "query": exchange.query,
        "request": _shown(exchange.request),
        "status": exchange.status,
        "headers": exchange.headers,
        "answer": _shown(exchange.answer),
    }
    return encode(body)


def unpack(line: bytes, *, where: str = "") -> Exchange:
    """Reads an exchange as `pack` wrote it.

    Raises:
        InputError: it is none.
    """
    held = decode(line, _Packed, where=where)
    return Exchange(
        call=held.call,
        path=held.path,
        query=held.query,
        request=_bytes(held.request, where),
        status=held.status,
        headers=held.headers,
        answer=_bytes(held.answer, where),
    )


class _Packed(msgspec.Struct, frozen=True, kw_only=True):
    call: ModelCall
    path: str
    query: str
    request: dict[str, str]
    status: int | None
    headers: dict[str, str]
    answer: dict[str, str]


def _shown(body: bytes) -> dict[str, Any]:
    try:
        return {"text": body.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}


def _bytes(shown: Mapping[str, str], where: str) -> bytes:
    if "text" in shown:
        return shown["text"].encode()
    try:
        return base64.b64decode(shown["base64"], validate=True)
    except (KeyError, ValueError) as error:
        raise InputError(
            "a body that is neither text nor base64", wanted="an exchange", where=where
        ) from error
