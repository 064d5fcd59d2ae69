"""A system that is reached over HTTP: one request per trial, over pooled connections."""

import json
import ssl
import time
from collections.abc import Mapping
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import aiohttp
import anyio
import certifi

from equipoise.adapters.systems.endings import budget_used, infrastructure, timed_out, too_long
from equipoise.adapters.systems.facts import Facts
from equipoise.adapters.systems.options import Options
from equipoise.adapters.systems.setting import Setting
from equipoise.adapters.systems.templates import check_placeholders, filled, values_of
from equipoise.errors import InputError
from equipoise.ports import Answer
from equipoise.records.brief import Request
from equipoise.records.codec import encode
from equipoise.records.trial import Ending, EndingKind, Fault

_KEYS = (
    *("url", "method", "headers", "query", "body", "answers", "budget_s", "max_output_bytes"),
    *("facts", "proxy"),
)
_MAX_OUTPUT = 16 * 2**20
_PASSING = frozenset({429, 500, 502, 503, 504})
_LONGEST_WAIT_S = 60.0
_NO_LIMIT = aiohttp.ClientTimeout()
"""The request's own time-out bounds each attempt as a whole."""
_IDLE_S = 5.0
"""How long an unused connection is kept: less than servers commonly keep theirs."""
_MAX_HEADER = 64 * 2**10
_HIDDEN = frozenset({"set-cookie", "www-authenticate", "authorization"})


class _Sent(NamedTuple):
    """One request as it is sent."""

    method: str
    url: str
    headers: dict[str, str]
    query: dict[str, str]
    content: bytes | None


class HttpSystem:
    """Sends what the study says for every request; the body of the response is the answer.

    The document ``response`` keeps status and headers. That nobody answers, and the statuses 429
    and from 500, are the infrastructure's fault and worth another attempt, unless the study lists
    them under ``answers``; any other status is the system's own answer. Nothing is retried here, no
    redirect followed, no cookie kept from one attempt to the next, and no proxy or credential is
    taken from our environment.
    """

    is_simulated = False

    def __init__(self, spec: Any, setting: Setting) -> None:
        """Reads the specification: a URL, or a mapping with ``url``.

        Raises:
            InputError: it is none, or has a key or placeholder that is not known.
        """
        options = Options({"url": spec} if isinstance(spec, str) else spec, _KEYS, "http")
        self._url = options.needed("url")
        self._body = options.template("body")
        self._method = options.text("method", "GET" if self._body is None else "POST").upper()
        self._headers = options.mapping("headers")
        self._query = options.mapping("query")
        self._answers = frozenset(options.whole_numbers("answers"))
        self._budget_s = options.number("budget_s")
        self._max_output = int(options.number("max_output_bytes") or _MAX_OUTPUT)
        self._facts = Facts(options.mapping("facts"), where="http.facts")
        self._proxy = options.text("proxy") or None
        templates = (self._url, self._headers, self._query, self._body)
        check_placeholders(templates, setting.environment, where="http")
        self._setting = setting
        self._client: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Opens the pool of connections; nothing is sent yet."""
        self._client = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=self._setting.concurrency,
                keepalive_timeout=_IDLE_S,
                ssl=ssl.create_default_context(cafile=certifi.where()),
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=["content-type"],
            timeout=_NO_LIMIT,
            max_line_size=_MAX_HEADER,
            max_field_size=_MAX_HEADER,
            proxy=self._proxy,
        )
        # A request that was sent again unseen would be two attempts.
        self._client._retry_connection = False  # noqa: SLF001  there is no public switch
        return self

    async def __aexit__(self, *error: object) -> None:
        """Closes the connections."""
        if self._client is not None:
            with anyio.CancelScope(shield=True):
                await self._client.close()
            self._client = None

    async def execute(self, request: Request) -> Answer:
        """Executes one attempt."""
        assert self._client is not None
        sent = self._sent(values_of(request, self._setting.fixed))
        allowed_s = min(self._budget_s or request.timeout_s, request.timeout_s)
        before = time.monotonic()
        answer: Answer | None = None
        with anyio.move_on_after(allowed_s):
            answer = await self._asked(self._client, sent)
        if answer is None:
            is_budget = self._budget_s is not None and self._budget_s <= request.timeout_s
            ending = budget_used(f"{allowed_s:g} s") if is_budget else timed_out(request)
            elapsed_ms = (time.monotonic() - before) * 1000
            return Answer(ending=ending, duration_ms=elapsed_ms)
        return self._facts.added(answer)

    async def canary(self, request: Request) -> Answer:
        """Executes a request outside the study, in the same way."""
        return await self.execute(request)

    def _sent(self, values: Mapping[str, Any]) -> _Sent:
        headers = {k: _plain(v) for k, v in filled(self._headers, values).items()}
        query = {k: _plain(v) for k, v in filled(self._query, values).items()}
        content: bytes | None = None
        if isinstance(self._body, str):
            filling = filled(self._body, values)
            content = filling.encode() if isinstance(filling, str) else encode(filling)
        elif self._body is not None:
            content = encode(filled(self._body, values))
            headers = {"content-type": "application/json", **headers}
        return _Sent(self._method, str(filled(self._url, values)), headers, query, content)

    async def _asked(self, client: aiohttp.ClientSession, sent: _Sent) -> Answer:
        before = time.monotonic()
        body = bytearray()
        try:
            async with client.request(
                sent.method,
                sent.url,
                params=sent.query or None,
                headers=sent.headers,
                data=sent.content,
                allow_redirects=False,
            ) as response:
                async for chunk in response.content.iter_any():
                    body += chunk
                    if len(body) > self._max_output:
                        break
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError, UnicodeEncodeError) as error:
            raise InputError(
                f"http.url {sent.url!r} is no URL", wanted="http:// or https://, a host, a path"
            ) from error
        except aiohttp.ClientError as error:
            return Answer(ending=infrastructure(_told(sent, error), is_retriable=True))
        elapsed_ms = (time.monotonic() - before) * 1000
        return Answer(
            ending=self._ending(response.status, len(body)),
            output=bytes(body[: self._max_output]),
            documents={"response": _seen(response)},
            duration_ms=elapsed_ms,
            retry_after_s=_retry_after(response),
        )

    def _ending(self, status: int, n_bytes: int) -> Ending:
        if n_bytes > self._max_output:
            return too_long(self._max_output)
        if (status in _PASSING or status >= 500) and status not in self._answers:
            return infrastructure(f"status {status}", is_retriable=True)
        if status >= 400:
            return Ending(kind=EndingKind.COMPLETED, fault=Fault.SYSTEM, detail=f"status {status}")
        return Ending()


def _told(sent: _Sent, error: aiohttp.ClientError) -> str:
    """Says who failed and how, without the rest of the URL: a key may stand there."""
    why = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
    return f"{sent.method} {urlsplit(sent.url).hostname}: {type(error).__name__}: {why}"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _seen(response: aiohttp.ClientResponse) -> bytes:
    """Gives status and headers as JSON; what could be a credential is left out."""
    headers: dict[str, list[str]] = {}
    for raw, value in response.raw_headers:
        name = raw.decode("latin-1").lower()
        if name not in _HIDDEN:
            headers.setdefault(name, []).append(value.decode("latin-1"))
    shown = {name: ", ".join(values) for name, values in sorted(headers.items())}
    return encode({"status": response.status, "headers": shown})


def _retry_after(response: aiohttp.ClientResponse) -> float | None:
    try:
        return min(max(float(response.headers.get("retry-after", "")), 0.0), _LONGEST_WAIT_S)
    except ValueError:
        return None
