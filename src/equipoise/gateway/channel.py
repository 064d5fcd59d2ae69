"""One HTTP exchange with a harness, seen from our side."""

from collections.abc import Mapping

import msgspec
from aiohttp import web

from equipoise.gateway.wire.facts import Api
from equipoise.gateway.wire.paths import VENDORS


class TooLarge(Exception):
    """The body has more bytes than are read."""


class Channel:
    """Reads one request, sends one answer; `has_begun` says whether any of it is on its way."""

    def __init__(self, request: web.BaseRequest) -> None:
        """Takes what the server has read: method, path and headers."""
        self.method = request.method
        self.path = request.path
        self.query = request.rel_url.raw_query_string
        self.headers = {name.lower(): value for name, value in request.headers.items()}
        self.response: web.StreamResponse | None = None
        self._request = request

    @property
    def has_begun(self) -> bool:
        """Says whether status and headers have been sent."""
        return self.response is not None

    async def body(self, most: int) -> bytes:
        """Gives the request's body.

        Raises:
            TooLarge: it has more than `most` bytes.
        """
        parts: list[bytes] = []
        n_bytes = 0
        async for part in self._request.content.iter_any():
            n_bytes += len(part)
            if n_bytes > most:
                raise TooLarge
            parts.append(part)
        return b"".join(parts)

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Sends status and headers; the body follows in pieces."""
        self.response = web.StreamResponse(status=status, headers=headers)
        await self.response.prepare(self._request)

    async def piece(self, chunk: bytes) -> None:
        """Sends the next bytes of the body."""
        assert self.response is not None
        await self.response.write(chunk)

    async def end(self) -> None:
        """Says that the answer is complete."""
        assert self.response is not None
        await self.response.write_eof()

    def cut(self) -> None:
        """Ends the connection in the middle of the answer, as the provider did."""
        if (transport := self._request.transport) is not None:
            transport.close()

    async def reply(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Sends an answer in one piece."""
        self.response = web.Response(status=status, headers=headers, body=body)
        await self.response.prepare(self._request)
        await self.response.write_eof()

    async def refuse(self, api: Api, status: int, kind: str, message: str) -> bytes:
        """Sends an error of ours in the vendor's form, and gives its bytes."""
        body = msgspec.json.encode(VENDORS[api].error(status, kind, message))
        headers = {"content-type": "application/json", "x-should-retry": "false"}
        await self.reply(status, headers, body)
        return body
