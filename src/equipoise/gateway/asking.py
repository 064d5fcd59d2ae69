"""The channel of who asks from within: the answer is collected, and nothing is sent anywhere."""

from collections.abc import Mapping

import msgspec

from equipoise.gateway.wire.facts import Api
from equipoise.gateway.wire.paths import VENDORS


class Collecting:
    """Takes an answer as `Channel` does, for a call without a connection."""

    def __init__(self) -> None:
        """Begins with nothing."""
        self._has_begun = False

    @property
    def has_begun(self) -> bool:
        """Says whether there is an answer."""
        return self._has_begun

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Takes status and headers; the call itself keeps them."""
        del status, headers
        self._has_begun = True

    async def piece(self, chunk: bytes) -> None:
        """Takes the next bytes; the call itself keeps them."""

    async def end(self) -> None:
        """Takes the end."""

    def cut(self) -> None:
        """Takes that there is no end."""

    async def reply(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Takes an answer in one piece."""
        del body
        await self.begin(status, headers)

    async def refuse(self, api: Api, status: int, kind: str, message: str) -> bytes:
        """Takes an error of ours, and gives its bytes."""
        self._has_begun = True
        return msgspec.json.encode(VENDORS[api].error(status, kind, message))
