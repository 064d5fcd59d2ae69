"""One HTTP exchange with a harness, seen from our side of ASGI."""

from collections.abc import Mapping
from typing import Any

import msgspec

from equipoise.gateway.wire.facts import Api
from equipoise.gateway.wire.paths import VENDORS


class TooLarge(Exception):
    """The body has more bytes than are read."""


class Gone(Exception):
    """The harness left before it had said everything."""


class Channel:
    """Reads one request, sends one answer; `has_begun` says whether any of it is on its way."""

    def __init__(self, scope: Mapping[str, Any], receive: Any, send: Any) -> None:
        """Takes what the ASGI server hands over."""
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: str = scope["query_string"].decode("latin-1")
        self.headers: dict[str, str] = {
            k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]
        }
        self.has_begun = False
        self.is_done = False
        self._receive = receive
        self._send = send

    async def body(self, most: int) -> bytes:
        """Gives the request's body.

        Raises:
            TooLarge: it has more than `most` bytes.
            Gone: the harness left in the middle.
        """
        parts: list[bytes] = []
        n_bytes = 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise Gone
            parts.append(message.get("body", b""))
            n_bytes += len(parts[-1])
            if n_bytes > most:
                raise TooLarge
            if not message.get("more_body", False):
                return b"".join(parts)

    async def gone(self) -> None:
        """Waits until the harness has left or the answer is complete."""
        while (await self._receive())["type"] != "http.disconnect":
            continue

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Sends status and headers; the body follows in pieces."""
        self.has_begun = True
        pairs = [(k.encode("latin-1"), v.encode("latin-1")) for k, v in headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": pairs})

    async def piece(self, chunk: bytes) -> None:
        """Sends the next bytes of the body."""
        if chunk:
            await self._send({"type": "http.response.body", "body": chunk, "more_body": True})

    async def end(self) -> None:
        """Says that the answer is complete; without it the connection is cut."""
        self.is_done = True
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def reply(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Sends an answer in one piece."""
        await self.begin(status, {**headers, "content-length": str(len(body))})
        await self.piece(body)
        await self.end()

    async def refuse(self, api: Api, status: int, kind: str, message: str) -> bytes:
        """Sends an error of ours in the vendor's form, and gives its bytes."""
        body = msgspec.json.encode(VENDORS[api].error(status, kind, message))
        headers = {"content-type": "application/json", "x-should-retry": "false"}
        await self.reply(status, headers, body)
        return body
