"""HTTP connections that are closed when a request takes too long to arrive."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class Brisk(H11Protocol):
    """Closes a connection whose request is not whole within `request_s` of its first byte.

    A new connection that says nothing is closed as soon; one that waits for the next request of the
    same browser is left to the limit on kept-alive connections. Whoever sends a byte now and then
    would hold it for ever otherwise, and a thousand of them the whole server.
    """

    request_s = 20.0
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begins to wait for the first request."""
        super().connection_made(transport)
        self._hurry()

    def data_received(self, data: bytes) -> None:
        """Takes what came, and waits on while the request is not whole."""
        super().data_received(data)
        if self.conn.their_state in {h11.IDLE, h11.SEND_BODY}:
            self._hurry()
        else:
            self._stop()

    def on_response_complete(self) -> None:
        """Leaves a connection that waits for another request to the other limit."""
        if self.conn.their_state is not h11.SEND_BODY:
            self._stop()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits for nothing any more."""
        self._stop()
        super().connection_lost(exc)

    def _hurry(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.request_s, self.transport.abort)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
