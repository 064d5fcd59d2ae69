"""One HTTP exchange with a harness, seen from our side."""

import zlib
from collections.abc import Callable, Mapping

import msgspec
import zstandard
from aiohttp import web

from equipoise.gateway.wire.facts import Api
from equipoise.gateway.wire.paths import VENDORS


class TooLarge(Exception):
    """The body has more bytes than are read."""


def unpacked(channel: "Channel", body: bytes, most: int) -> bytes:
    """Gives a body that came compressed as it reads, and takes its header away.

    One that cannot be unpacked is given as it is.

    Raises:
        TooLarge: it has more than `most` bytes.
    """
    match channel.headers.pop("content-encoding", "identity").strip().lower():
        case "gzip" | "x-gzip":
            unpacker = zlib.decompressobj(wbits=31)
        case "deflate":
            unpacker = zlib.decompressobj()
        case "zstd":
            return _unpacked_zstd(body, most)
        case _:
            return body
    try:
        text = unpacker.decompress(body, most + 1)
    except zlib.error:
        return body
    if len(text) > most:
        raise TooLarge
    return text


def _unpacked_zstd(body: bytes, most: int) -> bytes:
    try:
        with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(body) as reader:
            text = reader.read(most + 1)
    except zstandard.ZstdError:
        return body
    if len(text) > most:
        raise TooLarge
    return text


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

    async def body(self, most: int, count: Callable[[int], None]) -> bytes:
        """Gives the request's body; `count` is told of all bytes as they come, and may refuse.

        Raises:
            TooLarge: it has more than `most` bytes.
        """
        parts: list[bytes] = []
        n_bytes = 0
        async for part in self._request.content.iter_any():
            n_bytes += len(part)
            count(len(part))
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
