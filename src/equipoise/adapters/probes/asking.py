"""Asks a web address once, and tells an outage from an answer."""

from urllib.parse import urlsplit

import httpx
from anyio import fail_after

from equipoise.adapters.probes.rows import Unseen
from equipoise.errors import InputError

MOST_BYTES = 16 << 20
_FIRST_FAULT_OF_SERVER = 500
_LOCAL = ("localhost", "127.0.0.1", "::1")


def check_address(template: str, where: str) -> None:
    """Checks that a template can become nothing but a web address.

    Raises:
        InputError: it begins neither with http:// or https:// nor with ``{service}``.
    """
    if not template.startswith(("http://", "https://", "{service}")):
        raise InputError(
            f"address {template!r}",
            wanted="http://..., https://... or {service}/...",
            where=where,
            code="probe_option",
        )


def check_scheme(address: str) -> None:
    """Checks a filled address.

    Raises:
        Unseen: it is no web address.
    """
    if urlsplit(address).scheme not in ("http", "https"):
        raise Unseen(f"{address} is no web address")


async def asked(address: str, timeout_s: float) -> httpx.Response:
    """Gives the answer of an address, after redirections, whole.

    Raises:
        Unseen: nothing answers in time, the server fails (5xx), or the answer is too long.
    """
    check_scheme(address)
    try:
        with fail_after(timeout_s):
            answer = await _answer(address, timeout_s)
    except TimeoutError:
        raise Unseen(f"{address} is down: no whole answer in {timeout_s:g} s") from None
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise Unseen(f"{address} is down: {told(error)}") from error
    if answer.status_code >= _FIRST_FAULT_OF_SERVER:
        raise Unseen(f"{address} is down: it answers {answer.status_code}")
    return answer


async def check_upstream(address: str, timeout_s: float) -> None:
    """Checks that what lies upstream of the system is up.

    Raises:
        Unseen: it is down.
    """
    try:
        await asked(address, timeout_s)
    except Unseen as why:
        raise Unseen(f"upstream: {why}") from None


def told(error: Exception) -> str:
    """Gives what an error says in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


async def _answer(address: str, timeout_s: float) -> httpx.Response:
    is_local = urlsplit(address).hostname in _LOCAL  # no proxy for what runs here
    async with (
        httpx.AsyncClient(
            timeout=timeout_s, follow_redirects=True, trust_env=not is_local
        ) as client,
        client.stream("GET", address) as answer,
    ):
        body = bytearray()
        async for block in answer.aiter_bytes():
            body += block
            if len(body) > MOST_BYTES:
                raise Unseen(f"{address} answers more than {MOST_BYTES} bytes")
    kind = {"content-type": answer.headers.get("content-type", "")}
    return httpx.Response(answer.status_code, headers=kind, content=bytes(body))
