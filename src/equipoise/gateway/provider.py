"""A provider of models over HTTP: it is asked with our key, which nobody else sees."""

import re
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit

import aiohttp
import certifi

from equipoise.errors import InputError
from equipoise.gateway.exchange import Answered, Asked, Cut, Unreachable
from equipoise.gateway.keys import KeyPlace, Secret

_VERSIONED = re.compile(r"/v\d+(?:beta\d*|alpha\d*)?$")
_NO_LIMIT = aiohttp.ClientTimeout(total=None, sock_connect=30)
"""The call's own time-out bounds it as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSpec:
    """How a provider is reached.

    `auth` is the header that carries the key; ``authorization`` puts ``Bearer`` before it. `vendor`
    is whose prices hold; empty = none are known. `headers` are sent with every request.
    """

    name: str
    url: str
    key: KeyPlace | None
    auth: str = "authorization"
    vendor: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    proxy: str | None = None


ANTHROPIC = ProviderSpec(
    name="anthropic",
    url="https://api.anthropic.com",
    key=KeyPlace(variable="ANTHROPIC_API_KEY"),
    auth="x-api-key",
    vendor="anthropic",
    headers={"anthropic-version": "2023-06-01"},
)
OPENAI = ProviderSpec(
    name="openai",
    url="https://api.openai.com",
    key=KeyPlace(variable="OPENAI_API_KEY"),
    vendor="openai",
)
GOOGLE = ProviderSpec(
    name="google",
    url="https://generativelanguage.googleapis.com",
    key=KeyPlace(variable="GEMINI_API_KEY"),
    auth="x-goog-api-key",
    vendor="google",
)


class Provider:
    """Asks a provider; follows no redirect, keeps no cookie, tries nothing twice."""

    patience = 1.0

    def __init__(self, spec: ProviderSpec, environment: Mapping[str, str]) -> None:
        """Takes how it is reached, and where its key may stand.

        Raises:
            InputError: its URL is none, or holds a name and password.
        """
        parts = urlsplit(spec.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
            raise InputError(
                f"the URL of the provider {spec.name!r} is not usable",
                wanted="http://HOST or https://HOST, without a name or password in it",
                code="url",
            )
        self.name = spec.name
        self.vendor = spec.vendor
        self._spec = spec
        self._environment = environment
        self._secret: Secret | None = None
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Reads the key and opens the pool of connections; nothing is sent yet.

        Raises:
            Blocked: the key is missing; names the variable or file.
        """
        if self._spec.key is not None:
            self._secret = self._spec.key.read(self.name, self._environment)
        trusted = ssl.create_default_context(cafile=certifi.where())
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=trusted, keepalive_timeout=5),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=_NO_LIMIT,
            trust_env=False,
            skip_auto_headers=("User-Agent",),
        )
        return self

    async def __aexit__(self, *error: object) -> None:
        """Closes the connections and forgets the key."""
        self._secret = None
        if self._session is not None:
            await self._session.close()

    @asynccontextmanager
    async def answer(self, asked: Asked) -> AsyncIterator[Answered]:
        """Asks; raises `Unreachable` where nobody answers."""
        assert self._session is not None
        try:
            answer = await self._session.post(
                self._url(asked),
                data=asked.body,
                headers=self._headers(asked),
                allow_redirects=False,
                proxy=self._spec.proxy,
            )
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise Unreachable(self._why(error), may_retry=True) from None
        except (aiohttp.ClientError, OSError) as error:
            raise Unreachable(self._why(error)) from None
        async with answer:
            headers = {name.lower(): value for name, value in answer.headers.items()}
            if headers.pop("content-encoding", "identity") != "identity":
                headers.pop("content-length", None)  # it is passed on as it reads
            yield Answered(status=answer.status, headers=headers, chunks=self._chunks(answer))

    async def _chunks(self, answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        scrubber = self._secret.scrubber() if self._secret is not None else None
        try:
            async for chunk in answer.content.iter_any():
                if passed := chunk if scrubber is None else scrubber.pass_on(chunk):
                    yield passed
        except (aiohttp.ClientError, OSError):
            raise Cut from None
        if scrubber is not None and (rest := scrubber.rest()):
            yield rest

    def _url(self, asked: Asked) -> str:
        base = self._spec.url.rstrip("/")
        has_version = _VERSIONED.search(base) is not None  # then the path's own falls away
        path = "/" + asked.path.split("/", maxsplit=2)[2] if has_version else asked.path
        return base + path + (f"?{asked.query}" if asked.query else "")

    def _headers(self, asked: Asked) -> dict[str, str]:
        headers = {**self._spec.headers, **asked.headers}
        if self._secret is not None:
            key = self._secret.reveal()
            is_bearer = self._spec.auth == "authorization"
            headers[self._spec.auth] = f"Bearer {key}" if is_bearer else key
        headers.setdefault("content-type", "application/json")
        return headers

    def _why(self, error: Exception) -> str:
        return f"the provider {self.name} does not answer: {type(error).__name__}"
